/* SPDX-License-Identifier: Apache-2.0
 *
 * Treiber's stack: THREADS threads push and pop one node each, by compare-and-swap at the top until it succeeds. Nodes
 * are not used again, so the top is a good witness that nothing has changed. BROKEN: a pop takes the top with a store.
 *
 * broken: assertion
 */
#include "harness.h"

static struct {
  _Alignas(64) long next; /* number of a node, 0: none */
  _Alignas(64) atomic_long taken;
} node[THREADS + 1];
static _Alignas(64) atomic_long top;

static void push(long mine)
{
  long old = atomic_load(&top);
  do
    node[mine].next = old;
  while (!atomic_compare_exchange_strong(&top, &old, mine));
}

static long pop(void)
{
  long old = atomic_load(&top);
#ifdef BROKEN
  if (old)
    atomic_store(&top, node[old].next);
#else
  while (old && !atomic_compare_exchange_strong(&top, &old, node[old].next))
    ;
#endif
  return old;
}

static long work(int me)
{
  push(me + 1);
  long got = pop();
  assert(got && !atomic_exchange(&node[got].taken, 1));
  return got;
}

static void check(void)
{
  assert(atomic_load(&top) == 0);
}

#include "harness_main.h"
