/* SPDX-License-Identifier: Apache-2.0
 *
 * quick_exit runs its handlers while the worker lives; the handler takes away what the worker uses. Natively, with
 * pauses, it failed in 33 of 300 runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int table = 1;

static void tear_down(void)
{
  atomic_store(&table, 0);
}

static void *worker(void *unused)
{
  (void)unused;
  assert(atomic_load(&table));
  return NULL;
}

int main(void)
{
  pthread_t thread;
  at_quick_exit(tear_down);
  pthread_create(&thread, NULL, worker, NULL);
  quick_exit(0);
}
