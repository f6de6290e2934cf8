/* SPDX-License-Identifier: Apache-2.0
 *
 * BoundedBuffer: put makes room under the lock and fills it outside: whoever takes it in between finds nothing there.
 */
#include "harness.h"

#define SLOTS 16u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint slot[SLOTS]; /* 0: empty */
static unsigned first, last;

static void make(void)
{
  first = last = 0;
}

static void put(unsigned value, unsigned b)
{
  (void)b;
  pthread_mutex_lock(&lock);
  bool room = last - first < SLOTS;
  unsigned at = room ? last++ % SLOTS : 0;
#ifdef FIXED
  if (room)
    slot[at] = value + 1;
#endif
  pthread_mutex_unlock(&lock);
#ifndef FIXED
  if (room)
    slot[at] = value + 1;
#endif
}

static void get(unsigned a, unsigned b)
{
  (void)a, (void)b;
  pthread_mutex_lock(&lock);
  if (first != last)
    assert(atomic_exchange(&slot[first++ % SLOTS], 0) != 0);
  pthread_mutex_unlock(&lock);
}

static void check(void)
{
  assert(last - first <= SLOTS);
}

HD_STRESS(make, check, 100, 100, HD_OPERATION(put, 50), HD_OPERATION(get))
