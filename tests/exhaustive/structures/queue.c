/* SPDX-License-Identifier: Apache-2.0
 *
 * The queue of Michael and Scott: thread 0 takes OPERATIONS times, the others put one item each time. The tail may lag
 * behind by a node, and whoever sees that helps it on. BROKEN: an item is linked with a store.
 *
 * broken: assertion
 */
#ifdef BROKEN
#define THREADS 3 /* two that put */
#endif
#include "harness.h"

#ifndef OPERATIONS
#define OPERATIONS 1
#endif
#define NODES (THREADS * OPERATIONS + 2)

/* Node 1 is the dummy that the queue begins with; 0 is none. */
static struct {
  _Alignas(64) atomic_long next;
  long value;
} node[NODES];
static _Alignas(64) atomic_long head = 1;
static _Alignas(64) atomic_long tail = 1;

static void put(long mine, long value)
{
  node[mine].value = value;
  for (;;) {
    long last = atomic_load(&tail), after = atomic_load(&node[last].next);
    if (after) {
      atomic_compare_exchange_strong(&tail, &last, after);
      continue;
    }
#ifdef BROKEN
    atomic_store(&node[last].next, mine);
#else
    if (!atomic_compare_exchange_strong(&node[last].next, &after, mine))
      continue;
#endif
    atomic_compare_exchange_strong(&tail, &last, mine);
    return;
  }
}

/* 0 if there is nothing. */
static long take(void)
{
  for (;;) {
    long first = atomic_load(&head), last = atomic_load(&tail), after = atomic_load(&node[first].next);
    if (first == last) {
      if (!after)
        return 0;
      atomic_compare_exchange_strong(&tail, &last, after);
      continue;
    }
    long value = node[after].value;
    if (atomic_compare_exchange_strong(&head, &first, after))
      return value;
  }
}

static long work(int me)
{
  long got = 0;
  for (int i = 0; i < OPERATIONS; i++)
    if (me == 0)
      got = got * 8 + take();
    else
      put(2 + (me - 1) * OPERATIONS + i, me);
  return got;
}

/* What was put and not taken is still there. */
static void check(void)
{
  int left = 0, taken = 0;
  for (long n = 1; n != atomic_load(&head); n = atomic_load(&node[n].next))
    taken++;
  while (take())
    left++;
  assert(left + taken == (THREADS - 1) * OPERATIONS);
}

#include "harness_main.h"
