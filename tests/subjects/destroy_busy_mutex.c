/* SPDX-License-Identifier: Apache-2.0
 *
 * The worker reports that it is done from inside its critical section. Main hears it and takes the mutex apart at
 * once, while the worker still holds it and is about to unlock it. Main should wait for the end of the thread, not
 * for its word.
 *
 * verdict: property
 * threads: 2
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock;
static sem_t done;
static int result;

static void *worker(void *arg)
{
  pthread_mutex_lock(&lock);
  result = 42;
  sem_post(&done);
  pthread_mutex_unlock(&lock);
  return arg;
}

int main(void)
{
  pthread_t thread;

  pthread_mutex_init(&lock, NULL);
  sem_init(&done, 0, 0);
  pthread_create(&thread, NULL, worker, NULL);
  sem_wait(&done);
#ifdef FIXED
  pthread_join(thread, NULL);
#endif
  pthread_mutex_destroy(&lock);
#ifndef FIXED
  pthread_join(thread, NULL);
#endif
  assert(result == 42);
  sem_destroy(&done);
  return 0;
}
