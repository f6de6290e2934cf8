/* SPDX-License-Identifier: Apache-2.0
 *
 * A read-write lock with a bias for readers: as long as the bias stands, a reader only puts itself into a table; a
 * writer takes the lock below, takes the bias away and waits until the table is empty. BROKEN: a reader does not look
 * at the bias again once it is in the table.
 *
 * broken: assertion
 */
#include <stdatomic.h>

static atomic_long bias = 1, lock_below, table[4];

static void take_below(void)
{
  while (atomic_exchange(&lock_below, 1))
    ;
}

static void acquire(int me)
{
  (void)me;
  take_below();
  if (!atomic_load(&bias))
    return;
  atomic_store(&bias, 0);
  for (int i = 0; i < 4; i++)
    while (atomic_load(&table[i]))
      ;
}

static void release(int me)
{
  (void)me;
  atomic_store(&lock_below, 0);
}

static void acquire_shared(int me)
{
  if (atomic_load(&bias)) {
    atomic_store(&table[me], 1);
#ifdef BROKEN
    return;
#else
    if (atomic_load(&bias))
      return;
    atomic_store(&table[me], 0);
#endif
  }
  take_below();
}

static void release_shared(int me)
{
  if (atomic_load(&table[me]))
    atomic_store(&table[me], 0);
  else
    atomic_store(&lock_below, 0);
}

#include "library.h"
