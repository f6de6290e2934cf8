/* SPDX-License-Identifier: Apache-2.0
 *
 * The work-stealing deque of Chase and Lev, of a fixed size: thread 0 puts two tasks at the bottom and takes two from
 * there, the others steal one each at the top. BROKEN: the owner takes the last task without asking the thieves.
 *
 * broken: assertion
 */
#include "harness.h"

#define TASKS 2

static _Alignas(64) atomic_long top;
static _Alignas(64) atomic_long bottom;
static _Alignas(64) atomic_long slot[TASKS];
static _Alignas(64) atomic_long done[TASKS + 1];

static void put(long task)
{
  long b = atomic_load(&bottom);
  atomic_store(&slot[b % TASKS], task);
  atomic_store(&bottom, b + 1);
}

/* 0 if there is nothing. */
static long take(void)
{
  long b = atomic_load(&bottom) - 1;
  atomic_store(&bottom, b);
  long t = atomic_load(&top);
  if (t > b) {
    atomic_store(&bottom, b + 1);
    return 0;
  }
  long task = atomic_load(&slot[b % TASKS]);
  if (t < b)
    return task;
#ifdef BROKEN
  atomic_store(&top, t + 1);
#else
  if (!atomic_compare_exchange_strong(&top, &t, t + 1))
    task = 0;
#endif
  atomic_store(&bottom, b + 1);
  return task;
}

static long steal(void)
{
  long t = atomic_load(&top), b = atomic_load(&bottom);
  if (t >= b)
    return 0;
  long task = atomic_load(&slot[t % TASKS]);
  return atomic_compare_exchange_strong(&top, &t, t + 1) ? task : 0;
}

static long run(long task)
{
  assert(!task || !atomic_exchange(&done[task], 1));
  return task;
}

static long work(int me)
{
  if (me != 0)
    return run(steal());
  for (long task = 1; task <= TASKS; task++)
    put(task);
  long first = run(take());
  return first * 8 + run(take());
}

static void check(void)
{
  for (long task = run(take()); task; task = run(take()))
    ;
  for (long task = 1; task <= TASKS; task++)
    assert(atomic_load(&done[task]));
}

#include "harness_main.h"
