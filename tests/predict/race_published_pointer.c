/* SPDX-License-Identifier: Apache-2.0
 *
 * A block is filled in and then published by an atomic pointer, but with relaxed order: who sees the pointer need not see
 * what it points to. The pointer itself is no race, its payload is; in no order of whole operations do the two meet, so
 * this is a race by memory orders alone, and prediction says it without proof. Fixed: release and acquire.
 *
 * verdict: race
 * truth: races=1 deadlocks=0
 * foretold: races=1 proven=0 atomicity=0
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef FIXED
#define STORE memory_order_release
#define LOAD memory_order_acquire
#else
#define STORE memory_order_relaxed
#define LOAD memory_order_relaxed
#endif

struct block {
  int payload;
};

static struct block storage;
static _Atomic(struct block *) published;

static void *publish(void *unused)
{
  storage.payload = 5;
  atomic_store_explicit(&published, &storage, STORE);
  return unused;
}

int main(void)
{
  pthread_t writer;
  struct block *seen;
  pthread_create(&writer, NULL, publish, NULL);
  while (!(seen = atomic_load_explicit(&published, LOAD)))
    sched_yield();
  int payload = seen->payload;
  pthread_join(writer, NULL);
  return payload != 5;
}
