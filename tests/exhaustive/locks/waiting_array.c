/* SPDX-License-Identifier: Apache-2.0
 *
 * A ticket lock with a waiting array: only the next in line spins on "now serving", all others on a word of the array
 * that is shared by several tickets and changes when one of them comes next. BROKEN: who finds the word unchanged goes
 * on to wait without another look at "now serving", and misses a change that came in between.
 *
 * broken: hang
 */
#include <stdatomic.h>

#define WORDS 2

static atomic_long next, serving, changes[WORDS];

static void wait_far_away(long ticket)
{
  while (ticket - atomic_load(&serving) > 1) {
#ifdef BROKEN
    long seen = atomic_load(&changes[ticket % WORDS]);
#else
    long seen = atomic_load(&changes[ticket % WORDS]);
    if (ticket - atomic_load(&serving) <= 1)
      return;
#endif
    while (atomic_load(&changes[ticket % WORDS]) == seen)
      ;
  }
}

static void acquire(int me)
{
  (void)me;
  long ticket = atomic_fetch_add(&next, 1);
  wait_far_away(ticket);
  while (atomic_load(&serving) != ticket)
    ;
}

static void release(int me)
{
  (void)me;
  long after = atomic_load(&serving) + 1;
  atomic_store(&serving, after);
  atomic_fetch_add(&changes[(after + 1) % WORDS], 1);
}

#ifndef THREADS
#define THREADS 3 /* with two nobody is far away */
#endif
#include "contest.h"
