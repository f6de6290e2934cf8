/* SPDX-License-Identifier: Apache-2.0
 *
 * Anderson's array lock: a ticket is a place, and each thread spins on its own until the thread before opens it.
 * BROKEN: to draw a ticket is a load and a store.
 *
 * broken: assertion hang
 */
#include <stdatomic.h>

#define PLACES 4

static atomic_long next;
static atomic_long is_open[PLACES] = {1};
static long mine[PLACES];

static void acquire(int me)
{
#ifdef BROKEN
  long ticket = atomic_load(&next);
  atomic_store(&next, ticket + 1);
#else
  long ticket = atomic_fetch_add(&next, 1);
#endif
  while (!atomic_load(&is_open[ticket % PLACES]))
    ;
  atomic_store(&is_open[ticket % PLACES], 0);
  mine[me] = ticket;
}

static void release(int me)
{
  atomic_store(&is_open[(mine[me] + 1) % PLACES], 1);
}

#include "contest.h"
