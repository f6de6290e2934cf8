/* SPDX-License-Identifier: Apache-2.0
 *
 * A ring buffer in named shared memory with a mutex of both processes; the producer leaves the lock between looking at the head
 * and moving it. The twin does not.
 *
 * tell: assertion failed: r->head == 2
 * tell: writes +r->slot\[0\]
 * tell: P1's update is lost
 * twin: complete
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SLOTS 4

struct ring {
  pthread_mutex_t lock;
  unsigned head, tail;
  int slot[SLOTS];
};

static void put(struct ring *r, int value)
{
  pthread_mutex_lock(&r->lock);
  unsigned at = r->head;
#ifndef FIXED
  pthread_mutex_unlock(&r->lock);
  pthread_mutex_lock(&r->lock);
#endif
  r->slot[at % SLOTS] = value;
  r->head = at + 1;
  pthread_mutex_unlock(&r->lock);
}

int main(void)
{
  int fd = shm_open("/ring", O_RDWR | O_CREAT | O_EXCL, 0600);
  assert(fd >= 0 && ftruncate(fd, sizeof(struct ring)) == 0);
  struct ring *r = mmap(NULL, sizeof *r, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  pthread_mutexattr_t attr;
  assert(r != MAP_FAILED);
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&r->lock, &attr);
  pid_t child = fork();
  put(r, child == 0 ? 1 : 2);
  if (child == 0)
    _exit(0);
  assert(waitpid(child, NULL, 0) == child);
  assert(r->head == 2);
  shm_unlink("/ring");
  return 0;
}
