/* SPDX-License-Identifier: Apache-2.0
 *
 * Vyukov's bounded queue for many who put and many who take: each cell has a number that says whose turn it is. Even
 * threads put one item, odd ones take one, if there is one. BROKEN: the cell is given on before the item is in it.
 *
 * broken: assertion
 */
#include "harness.h"

#define CELLS 2

static struct {
  _Alignas(64) atomic_long turn;
  _Alignas(64) atomic_long item;
} cell[CELLS];
static _Alignas(64) atomic_long put_count;
static _Alignas(64) atomic_long take_count;

/* The number of the turn that a thread got in counter, at cells that are ahead of it by so much; -1 if it is not their
 * turn. */
static long get_turn(atomic_long *counter, long ahead)
{
  long at = atomic_load(counter);
  for (;;) {
    long turn = atomic_load(&cell[at % CELLS].turn) + at % CELLS;
    if (turn < at + ahead)
      return -1;
    if (turn > at + ahead)
      at = atomic_load(counter);
    else if (atomic_compare_exchange_strong(counter, &at, at + 1))
      return at;
  }
}

static int put(long item)
{
  long at = get_turn(&put_count, 0);
  if (at < 0)
    return 0;
#ifdef BROKEN
  atomic_store(&cell[at % CELLS].turn, at + 1 - at % CELLS);
  atomic_store(&cell[at % CELLS].item, item);
#else
  atomic_store(&cell[at % CELLS].item, item);
  atomic_store(&cell[at % CELLS].turn, at + 1 - at % CELLS);
#endif
  return 1;
}

/* 0 if there is nothing. */
static long take(void)
{
  long at = get_turn(&take_count, 1);
  if (at < 0)
    return 0;
  long item = atomic_load(&cell[at % CELLS].item);
  atomic_store(&cell[at % CELLS].turn, at + CELLS - at % CELLS);
  assert(item);
  return item;
}

static long work(int me)
{
  return me % 2 ? take() : put(me + 1);
}

static void check(void)
{
  while (take())
    ;
  assert(atomic_load(&put_count) == atomic_load(&take_count));
}

#include "harness_main.h"
