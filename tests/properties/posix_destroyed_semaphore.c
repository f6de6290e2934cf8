/* SPDX-License-Identifier: Apache-2.0
 *
 * DestroyedSemaphore: main destroys the semaphore as soon as it got through, while a second thread may still post it.
 * Fixed: it waits for both. */
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
  pthread_t thread[2];
  sem_init(&done, 0, 0);
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  sem_wait(&done);
#ifdef FIXED
  sem_wait(&done);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  sem_destroy(&done);
#else
  sem_destroy(&done);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
#endif
  return 0;
}
