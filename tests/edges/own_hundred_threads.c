/* SPDX-License-Identifier: Apache-2.0
 *
 * A hundred threads add one each.
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
  atomic_fetch_add(&count, 1);
  return NULL;
}

int main(void)
{
  pthread_t thread[100];
  for (int i = 0; i < 100; i++)
    assert(pthread_create(&thread[i], NULL, worker, NULL) == 0);
  for (int i = 0; i < 100; i++)
    pthread_join(thread[i], NULL);
  assert(atomic_load(&count) == 100);
  return 0;
}
