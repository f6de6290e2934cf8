/* SPDX-License-Identifier: Apache-2.0
 *
 * The queue lock of Mellor-Crummey and Scott: each thread spins on its own node until its predecessor hands the lock
 * on. BROKEN: a thread that sees no successor empties the queue with a store; a successor that has just lined up and
 * not yet said so is forgotten, and spins for ever.
 *
 * broken: hang
 */
#include <stdatomic.h>
#include <stddef.h>

struct node {
  struct node *_Atomic next;
  atomic_int waits;
};

static struct node node[4];
static struct node *_Atomic tail;

static void acquire(int me)
{
  atomic_store(&node[me].next, NULL);
  atomic_store(&node[me].waits, 1);
  struct node *before = atomic_exchange(&tail, &node[me]);
  if (!before)
    return;
  atomic_store(&before->next, &node[me]);
  while (atomic_load(&node[me].waits))
    ;
}

static void release(int me)
{
  struct node *after = atomic_load(&node[me].next);
  if (!after) {
#ifdef BROKEN
    atomic_store(&tail, NULL);
    return;
#else
    struct node *self = &node[me];
    if (atomic_compare_exchange_strong(&tail, &self, NULL))
      return;
    while (!(after = atomic_load(&node[me].next)))
      ;
#endif
  }
  atomic_store(&after->waits, 0);
}

#include "contest.h"
