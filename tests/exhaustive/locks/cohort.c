/* SPDX-License-Identifier: Apache-2.0
 *
 * A cohort lock: threads of one side take a ticket lock of their side first and the global one then; who leaves hands
 * both to a waiting neighbour, at most once in a row. BROKEN: it hands them on without a look whether somebody waits.
 *
 * broken: hang assertion
 */
#include <stdatomic.h>

#define SIDES 2

static atomic_long global;
static struct {
  _Alignas(64) atomic_long next;
  _Alignas(64) atomic_long serving;
  _Alignas(64) atomic_long handed; /* 1: the global lock comes with the local one */
} side[SIDES];

static void acquire(int me)
{
  int s = me % SIDES;
  long ticket = atomic_fetch_add(&side[s].next, 1);
  while (atomic_load(&side[s].serving) != ticket)
    ;
  if (atomic_load(&side[s].handed) == 1)
    return;
  while (atomic_exchange(&global, 1))
    ;
}

static void release(int me)
{
  int s = me % SIDES;
  long ticket = atomic_load(&side[s].serving);
#ifdef BROKEN
  int hands_on = atomic_load(&side[s].handed) == 0;
#else
  int hands_on = atomic_load(&side[s].handed) == 0 && atomic_load(&side[s].next) != ticket + 1;
#endif
  atomic_store(&side[s].handed, hands_on);
  if (!hands_on)
    atomic_store(&global, 0);
  atomic_store(&side[s].serving, ticket + 1);
}

#include "contest.h"
