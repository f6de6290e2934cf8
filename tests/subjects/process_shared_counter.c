/* SPDX-License-Identifier: Apache-2.0
 *
 * Parent and child count in memory that they share, each with a read and a write: one of the two updates is lost. The
 * twin has a mutex there, too, for both processes.
 *
 * verdict: assertion
 * also: race
 * threads: 2
 * runs: 3000
 */
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct shared {
  pthread_mutex_t lock;
  int count;
} *shared;

static void count(void)
{
#ifdef FIXED
  pthread_mutex_lock(&shared->lock);
#endif
  int before = shared->count;
  shared->count = before + 1;
#ifdef FIXED
  pthread_mutex_unlock(&shared->lock);
#endif
}

int main(void)
{
  pthread_mutexattr_t attr;
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert(shared != MAP_FAILED);
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&shared->lock, &attr);
  pid_t child = fork();
  count();
  if (child == 0)
    _exit(0);
  assert(waitpid(child, NULL, 0) == child);
  assert(shared->count == 2);
  return 0;
}
