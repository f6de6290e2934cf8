/* SPDX-License-Identifier: Apache-2.0
 *
 * A lock by flock() belongs to what is open, not to the process: a child that inherits it and gives it back gives back its
 * parent's. The twin only closes it.
 *
 * verdict: assertion
 * threads: 2
 * runs: 300
 */
#include <assert.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int *inside;

static void work(void)
{
  assert(__atomic_add_fetch(inside, 1, __ATOMIC_SEQ_CST) == 1); /* alone */
  __atomic_sub_fetch(inside, 1, __ATOMIC_SEQ_CST);
}

int main(void)
{
  inside = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int fd = open("lock", O_CREAT | O_RDWR, 0600);
  assert(fd >= 0 && flock(fd, LOCK_EX) == 0);
  pid_t child = fork();
  if (child == 0) { /* takes its own, and does not need this one */
#ifdef FIXED
    close(fd);
#else
    flock(fd, LOCK_UN);
#endif
    int own = open("lock", O_RDWR);
    assert(flock(own, LOCK_EX) == 0);
    work();
    _exit(0);
  }
  work();
  flock(fd, LOCK_UN);
  assert(waitpid(child, NULL, 0) == child);
  return unlink("lock");
}
