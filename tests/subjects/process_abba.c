/* SPDX-License-Identifier: Apache-2.0
 *
 * Two processes lock two mutexes that they share in opposite order: each has one and waits for the other. The twin
 * locks them in one order.
 *
 * verdict: deadlock
 * threads: 2
 * runs: 3000
 */
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  pthread_mutexattr_t attr;
  pthread_mutex_t *lock =
      mmap(NULL, 2 * sizeof *lock, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert(lock != MAP_FAILED);
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&lock[0], &attr);
  pthread_mutex_init(&lock[1], &attr);
  pid_t child = fork();
#ifdef FIXED
  int first = 0;
#else
  int first = child == 0;
#endif
  pthread_mutex_lock(&lock[first]);
  pthread_mutex_lock(&lock[1 - first]);
  pthread_mutex_unlock(&lock[1 - first]);
  pthread_mutex_unlock(&lock[first]);
  if (child == 0)
    _exit(0);
  assert(waitpid(child, NULL, 0) == child);
  return 0;
}
