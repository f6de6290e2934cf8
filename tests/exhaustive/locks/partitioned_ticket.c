/* SPDX-License-Identifier: Apache-2.0
 *
 * A ticket lock whose "now serving" is spread over two words, so that those who wait do not all look at one. BROKEN:
 * the next one is called in the word of the ticket that has been served.
 *
 * broken: hang
 */
#include <stdatomic.h>

#define WORDS 2

static atomic_long next, serving[WORDS], current;

static void acquire(int me)
{
  (void)me;
  long ticket = atomic_fetch_add(&next, 1);
  while (atomic_load(&serving[ticket % WORDS]) != ticket)
    ;
  atomic_store(&current, ticket);
}

static void release(int me)
{
  (void)me;
  long ticket = atomic_load(&current);
#ifdef BROKEN
  atomic_store(&serving[ticket % WORDS], ticket + 1);
#else
  atomic_store(&serving[(ticket + 1) % WORDS], ticket + 1);
#endif
}

#include "contest.h"
