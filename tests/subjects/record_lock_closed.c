/* SPDX-License-Identifier: Apache-2.0
 *
 * A process has a lock on a record (fcntl) and looks something up in the same file by another descriptor: closing that one
 * gives all its locks of the file back. The twin looks by the descriptor that it has.
 *
 * verdict: assertion
 * threads: 2
 * runs: 300
 */
#include <assert.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int *inside;

static void work(void)
{
  assert(__atomic_add_fetch(inside, 1, __ATOMIC_SEQ_CST) == 1); /* alone */
  __atomic_sub_fetch(inside, 1, __ATOMIC_SEQ_CST);
}

static void lock(int fd, short how)
{
  struct flock all = {.l_type = how, .l_whence = SEEK_SET};
  assert(fcntl(fd, F_SETLKW, &all) == 0);
}

static void look_up(int fd)
{
  char byte;
#ifdef FIXED
  assert(pread(fd, &byte, 1, 0) == 1);
#else
  (void)fd;
  int other = open("accounts", O_RDONLY);
  assert(read(other, &byte, 1) == 1);
  close(other);
#endif
}

int main(void)
{
  inside = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int fd = open("accounts", O_CREAT | O_RDWR, 0600);
  assert(fd >= 0 && write(fd, "x", 1) == 1);
  pid_t child = fork();
  lock(fd, F_WRLCK);
  look_up(fd);
  work();
  lock(fd, F_UNLCK);
  if (child == 0)
    _exit(0);
  assert(waitpid(child, NULL, 0) == child);
  return unlink("accounts");
}
