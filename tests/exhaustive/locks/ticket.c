/* SPDX-License-Identifier: Apache-2.0
 *
 * A ticket lock. BROKEN: to draw a ticket is a load and a store, so two threads can have the same one; or one has it
 * back after it was served already, and waits for ever.
 *
 * broken: assertion hang
 */
#include <stdatomic.h>

static atomic_int next_ticket, now_serving;

static void acquire(int me)
{
  (void)me;
#ifdef BROKEN
  int mine = atomic_load(&next_ticket);
  atomic_store(&next_ticket, mine + 1);
#else
  int mine = atomic_fetch_add(&next_ticket, 1);
#endif
  while (atomic_load(&now_serving) != mine)
    ;
}

static void release(int me)
{
  (void)me;
  atomic_store(&now_serving, atomic_load(&now_serving) + 1);
}

#include "contest.h"
