/* SPDX-License-Identifier: Apache-2.0
 *
 * Readers that the updater waits for, as in read-copy-update: a reader counts itself in a number that is odd while it
 * reads; thread 0 publishes a new version, waits until each reader that was reading has ended, and gives the old
 * version back. BROKEN: it waits before it publishes.
 *
 * broken: assertion
 */
#include "harness.h"

static _Alignas(64) atomic_long version = 1;
static _Alignas(64) atomic_long reads[THREADS];
static _Alignas(64) atomic_long given_back[3];

static void wait_for_readers(void)
{
  for (int i = 1; i < THREADS; i++) {
    long seen = atomic_load(&reads[i]);
    if (seen & 1)
      while (atomic_load(&reads[i]) == seen)
        ;
  }
}

static long update(void)
{
#ifdef BROKEN
  wait_for_readers();
  long old = atomic_exchange(&version, 2);
#else
  long old = atomic_exchange(&version, 2);
  wait_for_readers();
#endif
  atomic_store(&given_back[old], 1);
  return old;
}

static long work(int me)
{
  if (me == 0)
    return update();
  atomic_fetch_add(&reads[me], 1);
  long mine = atomic_load(&version);
  assert(!atomic_load(&given_back[mine]));
  atomic_fetch_add(&reads[me], 1);
  return mine;
}

static void check(void)
{
  assert(atomic_load(&version) == 2);
}

#include "harness_main.h"
