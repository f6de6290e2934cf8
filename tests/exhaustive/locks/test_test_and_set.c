/* SPDX-License-Identifier: Apache-2.0
 *
 * A test-and-test-and-set lock: it looks until the lock is free, and only then tries to take it. BROKEN: what it got
 * when it tried is not looked at.
 *
 * broken: assertion
 */
#include <stdatomic.h>

static atomic_int taken;

static void acquire(int me)
{
  (void)me;
  do {
    while (atomic_load(&taken))
      ;
#ifdef BROKEN
  } while (atomic_exchange(&taken, 1), 0);
#else
  } while (atomic_exchange(&taken, 1));
#endif
}

static void release(int me)
{
  (void)me;
  atomic_store(&taken, 0);
}

#include "contest.h"
