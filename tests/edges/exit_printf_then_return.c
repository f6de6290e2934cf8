/* SPDX-License-Identifier: Apache-2.0
 *
 * Main prints and returns; the unjoined worker sees that main is past its last word. Natively, with pauses, it failed
 * in 99 of 300 runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int said;

static void *worker(void *unused)
{
  (void)unused;
  assert(!atomic_load(&said));
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  atomic_store(&said, 1);
  puts("goodbye");
  return 0;
}
