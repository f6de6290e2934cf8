/* SPDX-License-Identifier: Apache-2.0
 *
 * The K42 lock: a queue of nodes as that of Mellor-Crummey and Scott, but a node lives only while its thread waits. The
 * lock itself is the node of the holder: its tail is the last in the queue, or the lock if nobody waits, and its next
 * is the first who waits. BROKEN: the holder takes itself out of the tail with a store, and forgets who has lined up.
 *
 * broken: hang
 */
#include <stdatomic.h>

#define HOLDER 9L /* stands for the lock's own node */

static struct node {
  _Alignas(64) atomic_long waits;
  _Alignas(64) atomic_long next;
} node[4];
static _Alignas(64) atomic_long tail, first; /* 0: nobody; i + 1: node i */

/* The holder's node goes: the next one, if there is one, is the first who waits from now on. */
static void leave_node(int me)
{
  long after = atomic_load(&node[me].next), self = me + 1;
  if (!after) {
    atomic_store(&first, 0);
    if (atomic_compare_exchange_strong(&tail, &self, HOLDER))
      return;
    while (!(after = atomic_load(&node[me].next)))
      ;
  }
  atomic_store(&first, after);
}

static void line_up(int me, long before)
{
  if (before == HOLDER)
    atomic_store(&first, me + 1);
  else
    atomic_store(&node[before - 1].next, me + 1);
  while (atomic_load(&node[me].waits))
    ;
  leave_node(me);
}

static void acquire(int me)
{
  atomic_store(&node[me].next, 0);
  atomic_store(&node[me].waits, 1);
  for (;;) {
    long before = atomic_load(&tail), nobody = 0;
    if (before == 0) {
      if (atomic_compare_exchange_strong(&tail, &nobody, HOLDER))
        return;
    } else if (atomic_compare_exchange_strong(&tail, &before, me + 1)) {
      line_up(me, before);
      return;
    }
  }
}

static void release(int me)
{
  (void)me;
  long after = atomic_load(&first), self = HOLDER;
  if (!after) {
#ifdef BROKEN
    atomic_store(&tail, 0);
    return;
#else
    if (atomic_compare_exchange_strong(&tail, &self, 0))
      return;
    while (!(after = atomic_load(&first)))
      ;
#endif
  }
  (void)self;
  atomic_store(&node[after - 1].waits, 0);
}

#include "contest.h"
