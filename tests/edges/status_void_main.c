/* SPDX-License-Identifier: Apache-2.0
 *
 * main returns nothing, so its exit status is an accident; the lost update behind it is the bug. Natively, with
 * pauses, it failed in 19 of 300 runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int count;

static void *worker(void *unused)
{
  (void)unused;
  atomic_store(&count, atomic_load(&count) + 1);
  return NULL;
}

void main(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(atomic_load(&count) == 2);
}
