/* SPDX-License-Identifier: Apache-2.0
 *
 * Hemlock: a queue without nodes. A thread exchanges itself into the tail and spins on a word of the thread before,
 * which grants the lock there and waits until the grant has been taken. BROKEN: whether somebody has lined up behind it
 * is a load, and to leave the tail a store; who came in between is forgotten.
 *
 * broken: hang
 */
#include <stdatomic.h>

static atomic_long tail;     /* 0, or thread + 1 */
static atomic_long grant[4]; /* 0, or 1: the lock is handed on */

static void acquire(int me)
{
  long before = atomic_exchange(&tail, me + 1);
  if (!before)
    return;
  while (!atomic_load(&grant[before - 1]))
    ;
  atomic_store(&grant[before - 1], 0);
}

static void release(int me)
{
  long self = me + 1;
#ifdef BROKEN
  if (atomic_load(&tail) == self) {
    atomic_store(&tail, 0);
    return;
  }
#else
  if (atomic_compare_exchange_strong(&tail, &self, 0))
    return;
#endif
  atomic_store(&grant[me], 1);
  while (atomic_load(&grant[me]))
    ;
}

#include "contest.h"
