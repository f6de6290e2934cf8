/* SPDX-License-Identifier: Apache-2.0
 *
 * A semaphore is made again for the next round while the other thread may have posted it: that post is gone, and who
 * waits for it waits for ever.
 *
 * verdict: found
 * kind: deadlock
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
  pthread_create(&thread, NULL, work, NULL);
  sem_init(&done, 0, 0);
  sem_wait(&done);
  pthread_join(thread, NULL);
  return 0;
}
