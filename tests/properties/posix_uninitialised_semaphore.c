/* SPDX-License-Identifier: Apache-2.0
 *
 * UninitialisedSemaphore: a thread posts while main has not initialised the semaphore yet, if it comes first. Fixed: it
 * is created afterwards. */
#include <pthread.h>
#include <semaphore.h>

static sem_t done;

static void *worker(void *unused)
{
  sem_post(&done);
  return unused;
}

int main(void)
{
  pthread_t thread;
#ifdef FIXED
  sem_init(&done, 0, 0);
  pthread_create(&thread, NULL, worker, NULL);
#else
  pthread_create(&thread, NULL, worker, NULL);
  sem_init(&done, 0, 0);
#endif
  pthread_join(thread, NULL);
  return 0;
}
