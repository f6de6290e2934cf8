/* SPDX-License-Identifier: Apache-2.0
 *
 * Two processes share memory by name. Who finds it there already takes it for ready, while its maker is still filling it.
 * The twin waits for a word in it that is set last.
 *
 * verdict: assertion
 * also: race crash
 * threads: 2
 * runs: 300
 */
#include <assert.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
  atomic_int ready, size;
};

static void use(void)
{
  int fd = shm_open("/table", O_CREAT | O_EXCL | O_RDWR, 0600), made = fd >= 0;
  if (!made)
    fd = shm_open("/table", O_RDWR, 0600);
  assert(fd >= 0 && ftruncate(fd, 4096) == 0); /* both: it is only as long */
  struct shared *s = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  assert(s != MAP_FAILED);
  if (made) {
    s->size = 10;
    s->ready = 1;
  }
#ifdef FIXED
  while (!s->ready)
    sched_yield();
#endif
  assert(s->size == 10);
}

int main(void)
{
  pid_t child = fork();
  use();
  if (child == 0)
    _exit(0);
  assert(waitpid(child, NULL, 0) == child);
  return shm_unlink("/table");
}
