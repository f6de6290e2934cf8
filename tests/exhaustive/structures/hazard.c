/* SPDX-License-Identifier: Apache-2.0
 *
 * Hazard pointers: thread 0 puts a new value in the place of the current one and gives the old one back once nobody
 * says that he uses it; the others say what they are about to use, look whether it is still current, and use it.
 * BROKEN: they do not look again.
 *
 * broken: assertion
 */
#include "harness.h"

static _Alignas(64) atomic_long current = 1;
static _Alignas(64) atomic_long hazard[THREADS];
static _Alignas(64) atomic_long given_back[3];

static long read_current(int me)
{
  long value = atomic_load(&current);
#ifdef BROKEN
  atomic_store(&hazard[me], value);
#else
  for (;;) {
    atomic_store(&hazard[me], value);
    long now = atomic_load(&current);
    if (now == value)
      break;
    value = now;
  }
#endif
  assert(!atomic_load(&given_back[value]));
  atomic_store(&hazard[me], 0);
  return value;
}

static long replace(void)
{
  long old = atomic_exchange(&current, 2);
  for (int i = 1; i < THREADS; i++)
    while (atomic_load(&hazard[i]) == old)
      ;
  atomic_store(&given_back[old], 1);
  return old;
}

static long work(int me)
{
  return me == 0 ? replace() : read_current(me);
}

static void check(void)
{
  assert(atomic_load(&given_back[1]) && !atomic_load(&given_back[2]));
}

#include "harness_main.h"
