/* SPDX-License-Identifier: Apache-2.0
 *
 * A queue of cells without locks: who takes moves the head with a compare-and-swap, but reads the value of the cell
 * behind it only then; by that time the cell may have been used again.
 *
 * verdict: assertion
 */
#include "many.h"
#include <stdatomic.h>

#define CELLS 4
static atomic_int head, tail, value[CELLS];

static int put(int item)
{
  int at = tail;
  if (at - head >= CELLS - 1)
    return 0;
  value[at % CELLS] = item;
  tail = at + 1;
  return 1;
}

/* The item, or 0. */
static int take(void)
{
  for (;;) {
    int at = head;
    if (at == tail)
      return 0;
    int item = value[at % CELLS];
    if (!atomic_compare_exchange_strong(&head, &at, at + 1))
      continue;
#ifdef FIXED
    return item;
#else
    item = value[at % CELLS];
    return item;
#endif
  }
}

static atomic_int seen[16];

static void *taker(void *unused)
{
  for (int i = 0; i < 2; i++) {
    int item = take();
    assert(!item || atomic_fetch_add(&seen[item], 1) == 0);
  }
  return unused;
}

int main(void)
{
  start(taker, 0);
  start(taker, 1);
  for (int i = 1; i <= 6; i++)
    put(i);
  wait_for_all();
  for (int item; (item = take()) != 0;)
    assert(atomic_fetch_add(&seen[item], 1) == 0);
  return 0;
}
