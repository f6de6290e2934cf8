/* SPDX-License-Identifier: Apache-2.0
 *
 * A lock that its owner may take again. BROKEN: it is given back at the first release, not at the last.
 *
 * broken: assertion
 */
#include <stdatomic.h>

static atomic_long holder; /* 0, or thread + 1 */
static int depth;

static void acquire_once(int me)
{
  if (atomic_load(&holder) != me + 1) {
    long nobody = 0;
    while (!atomic_compare_exchange_strong(&holder, &nobody, me + 1))
      nobody = 0;
  }
  depth++;
}

static void release_once(int me)
{
  (void)me;
#ifdef BROKEN
  depth = 0;
#else
  depth--;
#endif
  if (depth == 0)
    atomic_store(&holder, 0);
}

static void acquire(int me)
{
  acquire_once(me);
  acquire_once(me);
  release_once(me);
}

static void release(int me)
{
  release_once(me);
}

#include "contest.h"
