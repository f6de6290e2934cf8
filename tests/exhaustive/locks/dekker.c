/* SPDX-License-Identifier: Apache-2.0
 *
 * Dekker's lock for two threads. BROKEN: the flag is raised only after the other one was looked at.
 *
 * broken: assertion
 */
#include <stdatomic.h>

static atomic_int flag[2], turn;

static void acquire(int me)
{
#ifdef BROKEN
  while (atomic_load(&flag[!me]))
    ;
  atomic_store(&flag[me], 1);
#else
  atomic_store(&flag[me], 1);
  while (atomic_load(&flag[!me])) {
    if (atomic_load(&turn) == me)
      continue;
    atomic_store(&flag[me], 0);
    while (atomic_load(&turn) != me)
      ;
    atomic_store(&flag[me], 1);
  }
#endif
}

static void release(int me)
{
  atomic_store(&turn, !me);
  atomic_store(&flag[me], 0);
}

#include "contest.h"
