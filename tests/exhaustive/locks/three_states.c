/* SPDX-License-Identifier: Apache-2.0
 *
 * A mutex with three states, as one makes of futexes: free, taken, taken and somebody may wait. Who waits sleeps if the
 * word still says so; who leaves a mutex that somebody may wait for wakes one. BROKEN: who has slept takes it as if
 * nobody else did, and with three threads the third sleeps on.
 *
 * broken: hang
 */
#include <stdatomic.h>

#ifdef BROKEN
#define THREADS 3
#define AFTER_SLEEP 1
#else
#define AFTER_SLEEP 2
#endif

static atomic_long state, wakes; /* wakes: how many sleepers may go on */

static void sleep_if_contended(void)
{
  if (atomic_load(&state) != 2)
    return;
  for (;;) {
    long left = atomic_load(&wakes);
    if (left > 0 && atomic_compare_exchange_strong(&wakes, &left, left - 1))
      return;
  }
}

static void acquire(int me)
{
  (void)me;
  long expected = 0, wanted = 2;
  if (atomic_compare_exchange_strong(&state, &expected, 1))
    return;
  while (atomic_exchange(&state, wanted) != 0) {
    sleep_if_contended();
    wanted = AFTER_SLEEP;
  }
}

static void release(int me)
{
  (void)me;
  if (atomic_exchange(&state, 0) == 2)
    atomic_fetch_add(&wakes, 1);
}

#include "contest.h"
