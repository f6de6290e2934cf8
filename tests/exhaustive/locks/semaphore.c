/* SPDX-License-Identifier: Apache-2.0
 *
 * A semaphore that spins: it is taken by counting down if there is something left. BROKEN: the look and the counting
 * down are not one.
 *
 * broken: assertion
 */
#include <stdatomic.h>

static atomic_long left = 1;

static void acquire(int me)
{
  (void)me;
  for (;;) {
    long seen = atomic_load(&left);
    if (seen == 0)
      continue;
#ifdef BROKEN
    atomic_fetch_add(&left, -1);
    return;
#else
    if (atomic_compare_exchange_strong(&left, &seen, seen - 1))
      return;
#endif
  }
}

static void release(int me)
{
  (void)me;
  atomic_fetch_add(&left, 1);
}

#include "contest.h"
