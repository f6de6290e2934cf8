/* SPDX-License-Identifier: Apache-2.0
 *
 * Peterson's lock for two threads. BROKEN: it gives way first and raises its flag then.
 *
 * broken: assertion
 */
#include <stdatomic.h>

static atomic_int flag[2], turn;

static void acquire(int me)
{
#ifdef BROKEN
  atomic_store(&turn, !me);
  atomic_store(&flag[me], 1);
#else
  atomic_store(&flag[me], 1);
  atomic_store(&turn, !me);
#endif
  while (atomic_load(&flag[!me]) && atomic_load(&turn) != me)
    ;
}

static void release(int me)
{
  atomic_store(&flag[me], 0);
}

#include "contest.h"
