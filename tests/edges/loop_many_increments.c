/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads increment an atomic counter a hundred thousand times each.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int count;

static void *worker(void *unused)
{
  (void)unused;
  for (int i = 0; i < 100000; i++)
    atomic_fetch_add(&count, 1);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(atomic_load(&count) == 200000);
  return 0;
}
