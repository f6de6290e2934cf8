/* SPDX-License-Identifier: Apache-2.0
 *
 * main cancels the second thread while it waits, if it drew first: only then the assertion fails.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static atomic_int drawn, cancelled;
static sem_t never;

static void note(void *unused)
{
  (void)unused;
  atomic_store(&cancelled, 1);
}

static void *draw(void *unused)
{
  if (atomic_fetch_add(&drawn, 1) == 0) {
    pthread_cleanup_push(note, NULL);
    sem_wait(&never);
    pthread_cleanup_pop(0);
  }
  return unused;
}

int main(void)
{
  pthread_t thread[2];
  sem_init(&never, 0, 0);
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, draw, NULL);
  pthread_cancel(thread[1]);
  pthread_join(thread[1], NULL);
  assert(!atomic_load(&cancelled));
  sem_post(&never);
  pthread_join(thread[0], NULL);
}
