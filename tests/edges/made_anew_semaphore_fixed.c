/* SPDX-License-Identifier: Apache-2.0
 *
 * A semaphore is made again for the next round before the thread is there that posts it.
 *
 * verdict: complete
 */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t done;

static void *work(void *unused)
{
  sem_post(&done);
  return unused;
}

int main(void)
{
  pthread_t thread;
  sem_init(&done, 0, 0);
  sem_init(&done, 0, 0);
  pthread_create(&thread, NULL, work, NULL);
  sem_wait(&done);
  pthread_join(thread, NULL);
  return 0;
}
