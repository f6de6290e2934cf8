/* SPDX-License-Identifier: Apache-2.0
 *
 * Peterson's lock for any number of threads: at each level the last who came waits while somebody is as far as he is.
 * BROKEN: who comes says so after he has given way, not before.
 *
 * broken: assertion
 */
#include <stdatomic.h>

#ifndef THREADS
#define THREADS 2
#endif

static atomic_long level[THREADS], last[THREADS];

static int somebody_as_far(int me, int at)
{
  for (int i = 0; i < THREADS; i++)
    if (i != me && atomic_load(&level[i]) >= at)
      return 1;
  return 0;
}

static void acquire(int me)
{
  for (int at = 1; at < THREADS; at++) {
#ifdef BROKEN
    atomic_store(&last[at], me);
    atomic_store(&level[me], at);
#else
    atomic_store(&level[me], at);
    atomic_store(&last[at], me);
#endif
    while (somebody_as_far(me, at) && atomic_load(&last[at]) == me)
      ;
  }
}

static void release(int me)
{
  atomic_store(&level[me], 0);
}

#include "contest.h"
