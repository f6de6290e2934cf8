/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads in front of a door. Each says that it wants through and looks whether the other one does too; if so, it
 * takes it back and starts again. BROKEN: they can do so in step for ever, a livelock in which the flags change all the
 * time. Otherwise one of the two insists.
 *
 * broken: hang
 */
#include <stdatomic.h>

static atomic_int wants[2];

static void acquire(int me)
{
  for (;;) {
    atomic_store(&wants[me], 1);
#ifdef BROKEN
    if (!atomic_load(&wants[!me]))
      return;
#else
    if (me == 0) {
      while (atomic_load(&wants[1]))
        ;
      return;
    }
    if (!atomic_load(&wants[0]))
      return;
#endif
    atomic_store(&wants[me], 0);
#ifndef BROKEN
    while (atomic_load(&wants[0]))
      ;
#endif
  }
}

static void release(int me)
{
  atomic_store(&wants[me], 0);
}

#include "contest.h"
