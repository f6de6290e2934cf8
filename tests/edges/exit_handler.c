/* SPDX-License-Identifier: Apache-2.0
 *
 * An atexit handler takes away the table while an unjoined worker still looks into it. Natively, with pauses, it
 * failed in 94 of 300 runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int entries[4];
static _Atomic(int *) table = entries;

static void tear_down(void)
{
  atomic_store(&table, NULL);
}

static void *worker(void *unused)
{
  (void)unused;
  int *now = atomic_load(&table);
  assert(now);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  atexit(tear_down);
  pthread_create(&thread, NULL, worker, NULL);
  return 0;
}
