/* SPDX-License-Identifier: Apache-2.0
 *
 * Vyukov's stack of three cells, made for people to find its bug: to take the top cell one takes its link first, so
 * that nobody else can take it meanwhile, and puts it back if the top has changed. Three threads, two rounds each: after
 * at least five preemptions two threads have the same cell.
 *
 * verdict: assertion
 */
#include "many.h"
#include <stdatomic.h>

#define CELLS 3
#define NONE (-1)
#ifndef ROUNDS
#define ROUNDS 2
#endif

static struct {
  atomic_int next, owner;
} cell[CELLS];
static atomic_int head, left;

/* The cell, or NONE. */
static int pop(void)
{
  while (left > 1) {
    int mine = head, seen = mine, next = atomic_exchange(&cell[mine].next, NONE);
    if (next == NONE)
      continue;
    if (atomic_compare_exchange_strong(&head, &seen, next)) {
      left--;
      return mine;
    }
    atomic_exchange(&cell[mine].next, next);
  }
  return NONE;
}

static void push(int mine)
{
  int old = head;
  do
    cell[mine].next = old;
  while (!atomic_compare_exchange_strong(&head, &old, mine));
  left++;
}

static void *body(void *number)
{
  int me = (int)(long)number, mine;
  for (int i = 0; i < ROUNDS; i++) {
    do {
      REPAIR_LOCK();
      mine = pop();
      REPAIR_UNLOCK();
    } while (mine == NONE);
    cell[mine].owner = me;
    assert(cell[mine].owner == me);
    REPAIR_LOCK();
    push(mine);
    REPAIR_UNLOCK();
  }
  return NULL;
}

int main(void)
{
  left = CELLS;
  for (int i = 0; i < CELLS; i++)
    cell[i].next = i + 1 < CELLS ? i + 1 : NONE;
  for (int i = 0; i < 3; i++)
    start(body, i);
  wait_for_all();
  return 0;
}
