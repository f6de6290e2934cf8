/* SPDX-License-Identifier: Apache-2.0
 *
 * A child signals a condition variable in shared memory that its parent waits on, and then waits for the parent. The
 * parent asks nothing before it waits, so a signal that comes first is lost.
 *
 * verdict: found
 * kind: deadlock
 */
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct shared {
  pthread_mutex_t lock;
  pthread_cond_t ready;
  sem_t seen;
} *shared;

int main(void)
{
  pthread_mutexattr_t lock;
  pthread_condattr_t ready;
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutexattr_init(&lock);
  pthread_mutexattr_setpshared(&lock, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&shared->lock, &lock);
  pthread_condattr_init(&ready);
  pthread_condattr_setpshared(&ready, PTHREAD_PROCESS_SHARED);
  pthread_cond_init(&shared->ready, &ready);
  sem_init(&shared->seen, 1, 0);
  if (fork() == 0) {
    pthread_cond_signal(&shared->ready);
    sem_wait(&shared->seen);
    _exit(0);
  }
  pthread_mutex_lock(&shared->lock);
  pthread_cond_wait(&shared->ready, &shared->lock);
  pthread_mutex_unlock(&shared->lock);
  sem_post(&shared->seen);
  wait(NULL);
  return 0;
}
