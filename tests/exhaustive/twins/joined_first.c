/* SPDX-License-Identifier: Apache-2.0
 *
 * Who draws first waits until main has joined the other one, if that is the second: main joins the first one before it
 * does anything else. If that one draws first there is a deadlock, else a flag is set too late.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static atomic_int drawn;
static sem_t goes_on;

static void *draw(void *unused)
{
  if (atomic_fetch_add(&drawn, 1) == 0)
    sem_wait(&goes_on);
  return unused;
}

int main(void)
{
  pthread_t thread[2];
  sem_init(&goes_on, 0, 0);
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, draw, NULL);
  pthread_join(thread[0], NULL);
  assert(atomic_load(&drawn) < 2); /* only reached if the second one drew first */
  sem_post(&goes_on);
  pthread_join(thread[1], NULL);
}
