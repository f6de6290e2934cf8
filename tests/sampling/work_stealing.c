/* SPDX-License-Identifier: Apache-2.0
 *
 * A queue of work without locks: its owner puts and takes at one end, a thief takes at the other. Who takes the last
 * one has to look whether the other did; the owner does not, so that both have it.
 *
 * verdict: assertion
 */
#include "many.h"
#include <stdatomic.h>

#define SIZE 4
static atomic_int head, tail;
static atomic_int slot[SIZE], taken[SIZE + 1];

static void put(int item)
{
  slot[tail % SIZE] = item;
  tail++;
}

static void use(int item)
{
  assert(atomic_fetch_add(&taken[item], 1) == 0);
}

/* The item, or 0. */
static int take(void)
{
  int last = --tail;
  if (head > last) {
    tail = last + 1;
    return 0;
  }
  int item = slot[last % SIZE];
#ifdef FIXED
  int first = head;
  if (first < last)
    return item;
  tail = last + 1;
  first = last;
  return atomic_compare_exchange_strong(&head, &first, first + 1) ? item : 0;
#else
  return item;
#endif
}

static int steal(void)
{
  int first = head;
  if (first >= tail)
    return 0;
  int item = slot[first % SIZE];
  return atomic_compare_exchange_strong(&head, &first, first + 1) ? item : 0;
}

static void *thief(void *unused)
{
  for (int i = 0; i < 2; i++) {
    int item = steal();
    if (item)
      use(item);
  }
  return unused;
}

int main(void)
{
  start(thief, 0);
  for (int i = 1; i <= 3; i++)
    put(i);
  for (int i = 0; i < 3; i++) {
    int item = take();
    if (item)
      use(item);
  }
  wait_for_all();
  return 0;
}
