/* SPDX-License-Identifier: Apache-2.0
 *
 * An instruction with a lock is a full barrier, even on a word of the thread's own stack: what the worker read before it
 * is ordered before what main writes after its own. The flag itself is relaxed. No failure in 250 native runs.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define barrier() __asm__ volatile("lock; addl $0, 0(%%rsp)" : : : "memory", "cc")

static int *data;
static atomic_int done;

static void *worker(void *unused)
{
  (void)unused;
  int seen = *data;
  assert(seen == 1);
  barrier();
  atomic_store_explicit(&done, 1, memory_order_relaxed);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  data = malloc(sizeof *data);
  assert(data);
  *data = 1;
  pthread_create(&thread, NULL, worker, NULL);
  while (!atomic_load_explicit(&done, memory_order_relaxed))
    __asm__ volatile("pause");
  barrier();
  *data = 2;
  free(data);
  pthread_join(thread, NULL);
  return 0;
}
