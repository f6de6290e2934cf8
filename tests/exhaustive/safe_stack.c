/* SPDX-License-Identifier: Apache-2.0
 *
 * safe_stack A B G: a stack of three cells without locks, as Vyukov has made it for people to find its bug: to take the
 * top cell one takes its link first, so that nobody else can take it meanwhile, and puts it back if the top has
 * changed. Two threads take and give back a cell in turns, A and B times altogether. A cell whose link is taken is
 * looked at again; if G is 1, a thread gives up instead: then there are no loops that wait, and 2 1 1 has the 36
 * executions by reads-from, 34 and 2 that are given up, of a test of Nidhugg's, and its 21 where updates whose result
 * nobody uses commute.
 */
#include "together.h"

#define CELLS 3
#define NONE (-1)

static struct {
  _Alignas(64) atomic_long next;
} cell[CELLS];
static _Alignas(64) atomic_long top;
static _Alignas(64) atomic_long left;
static int gives_up; /* written before the first thread exists */

/* The cell, or NONE: it was given up. */
static long take(void)
{
  for (;;) {
    if (atomic_load(&left) <= 1) {
      if (gives_up)
        return NONE;
      continue;
    }
    long mine = atomic_load(&top), seen = mine, next = atomic_exchange(&cell[mine].next, NONE);
    if (next == NONE) {
      if (gives_up)
        return NONE;
      continue;
    }
    if (atomic_compare_exchange_strong(&top, &seen, next)) {
      atomic_fetch_sub(&left, 1);
      return mine;
    }
    atomic_exchange(&cell[mine].next, next);
  }
}

static void give_back(long mine)
{
  long old = atomic_load(&top);
  do
    atomic_store(&cell[mine].next, old);
  while (!atomic_compare_exchange_strong(&top, &old, mine));
  atomic_fetch_add(&left, 1);
}

static void *body(void *arg)
{
  long mine = 0, taken = 0;
  for (int i = 0; i < first(arg); i++)
    if (i % 2 == 0) {
      mine = take();
      if (mine == NONE)
        break;
      taken = taken * 4 + mine + 1;
    } else
      give_back(mine);
  return result((int)taken);
}

int main(int argc, char **argv)
{
  gives_up = number(argc, argv, 3, 0);
  atomic_store(&left, CELLS);
  for (int i = 0; i < CELLS; i++)
    atomic_store(&cell[i].next, i + 1 < CELLS ? i + 1 : NONE);
  start(body, number(argc, argv, 1, 2), 0);
  start(body, number(argc, argv, 2, 1), 0);
  finish();
  printf("top=%ld left=%ld, %ld %ld %ld\n", top, left, cell[0].next, cell[1].next, cell[2].next);
  return 0;
}
