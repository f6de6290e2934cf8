/* SPDX-License-Identifier: Apache-2.0
 *
 * A test-and-set lock. BROKEN: it tests, and then it sets.
 *
 * broken: assertion
 */
#include <stdatomic.h>

static atomic_int taken;

static void acquire(int me)
{
  (void)me;
#ifdef BROKEN
  while (atomic_load(&taken))
    ;
  atomic_store(&taken, 1);
#else
  while (atomic_exchange(&taken, 1))
    ;
#endif
}

static void release(int me)
{
  (void)me;
  atomic_store(&taken, 0);
}

#include "contest.h"
