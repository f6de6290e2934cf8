/* SPDX-License-Identifier: Apache-2.0
 *
 * A lock that is taken by compare-and-swap, again and again until it succeeds. BROKEN: whoever finds it taken twice
 * goes in all the same.
 *
 * broken: assertion
 */
#include <stdatomic.h>

static atomic_long owner_of_lock;

static void acquire(int me)
{
  long nobody = 0;
#ifdef BROKEN
  for (int tries = 0; tries < 2 && !atomic_compare_exchange_strong(&owner_of_lock, &nobody, me + 1); tries++)
    nobody = 0;
#else
  while (!atomic_compare_exchange_strong(&owner_of_lock, &nobody, me + 1))
    nobody = 0;
#endif
}

static void release(int me)
{
  (void)me;
  atomic_store(&owner_of_lock, 0);
}

#include "contest.h"
