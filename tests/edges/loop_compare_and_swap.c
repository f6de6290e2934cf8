/* SPDX-License-Identifier: Apache-2.0
 *
 * A compare-and-swap that fails once by itself, before any other thread has touched the word.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int word = 1;

static void *worker(void *unused)
{
  (void)unused;
  int expected = 0;
  while (!atomic_compare_exchange_strong(&word, &expected, 42))
    expected = 1;
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  assert(atomic_load(&word) == 42);
  return 0;
}
