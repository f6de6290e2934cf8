/* SPDX-License-Identifier: Apache-2.0
 *
 * A loop of compare-and-swap waits until another thread puts the value it expects.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int word;

static void *worker(void *unused)
{
  (void)unused;
  int expected = 1;
  while (!atomic_compare_exchange_strong(&word, &expected, 42))
    expected = 1;
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  atomic_store(&word, 1);
  pthread_join(thread, NULL);
  assert(atomic_load(&word) == 42);
  return 0;
}
