/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread tells its progress a dozen times, by stores with release and no load in between: nothing overtakes them.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int progress;

static void *work(void *unused)
{
  for (int i = 1; i <= 12; i++)
    atomic_store_explicit(&progress, i, memory_order_release);
  return unused;
}

int main(void)
{
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  assert(atomic_load_explicit(&progress, memory_order_acquire) <= 12);
  pthread_join(worker, NULL);
  return 0;
}
