/* SPDX-License-Identifier: Apache-2.0
 *
 * Lamport's bakery for any number of threads, with loads and stores alone. BROKEN: nobody says that he is still
 * choosing his number.
 *
 * broken: assertion
 */
#include <stdatomic.h>

#ifndef THREADS
#define THREADS 2
#endif

static atomic_long choosing[THREADS], ticket[THREADS];

static int is_before(int other, int me, long mine)
{
  long its = atomic_load(&ticket[other]);
  return its != 0 && (its < mine || (its == mine && other < me));
}

static void acquire(int me)
{
  long highest = 0;
#ifndef BROKEN
  atomic_store(&choosing[me], 1);
#endif
  for (int i = 0; i < THREADS; i++) {
    long its = i == me ? 0 : atomic_load(&ticket[i]);
    highest = its > highest ? its : highest;
  }
  atomic_store(&ticket[me], highest + 1);
#ifndef BROKEN
  atomic_store(&choosing[me], 0);
#endif
  for (int i = 0; i < THREADS; i++) {
    if (i == me)
      continue;
    while (atomic_load(&choosing[i]))
      ;
    while (is_before(i, me, highest + 1))
      ;
  }
}

static void release(int me)
{
  atomic_store(&ticket[me], 0);
}

#include "contest.h"
