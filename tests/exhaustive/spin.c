/* SPDX-License-Identifier: Apache-2.0
 *
 * spin LOCK N [K]: N threads enter a critical section K times each, behind a lock that spins. A turn in vain is no
 * event. 0 ticket lock: as many as there are orders of entering, (N*K)! / (K!)^N; 1 test and set by exchange: the same;
 *   2 compare-and-swap until it succeeds: the same;
 *   3 test and test and set: who looked while it was free and came too late is told apart; (N!)^2 if K is 1;
 *   4 queue of nodes (Mellor-Crummey and Scott): 6, 66, 1080, 23640 for 2, 3, 4, 5 threads;
 *   5 queue of nodes, where each waits for the one before (Craig, Landin, Hagersten): orders of entering;
 *   6 array of places (Anderson): orders of entering.
 */
#include "together.h"

static _Alignas(64) atomic_long word, serving, next_ticket;
static _Alignas(64) long shared;

/* 4, 5: node i is thread i's, and the last one is there from the beginning. */
static struct {
  _Alignas(64) atomic_long waits;
  _Alignas(64) atomic_long next;
} node[MOST + 1];
static _Alignas(64) atomic_long tail, place[MOST];

static void queue_enter(int me)
{
  atomic_store(&node[me].next, 0);
  atomic_store(&node[me].waits, 1);
  long before = atomic_exchange(&tail, me + 1);
  if (!before)
    return;
  atomic_store(&node[before - 1].next, me + 1);
  while (atomic_load(&node[me].waits))
    ;
}

static void queue_leave(int me)
{
  long after = atomic_load(&node[me].next);
  if (!after) {
    long self = me + 1;
    if (atomic_compare_exchange_strong(&tail, &self, 0))
      return;
    while (!(after = atomic_load(&node[me].next)))
      ;
  }
  atomic_store(&node[after - 1].waits, 0);
}

/* What is needed to leave: the ticket or place, or the node that is waited for and becomes the thread's own. */
static long enter(int lock, int me, int n, long mine)
{
  long ticket, expected, before;
  switch (lock) {
  case 0:
    ticket = atomic_fetch_add(&next_ticket, 1);
    while (atomic_load(&serving) != ticket)
      ;
    return ticket;
  case 1:
    while (atomic_exchange(&word, 1))
      ;
    return 0;
  case 2:
    do
      expected = 0;
    while (!atomic_compare_exchange_strong(&word, &expected, 1));
    return 0;
  case 3:
    do {
      while (atomic_load(&word))
        ;
      expected = 0;
    } while (!atomic_compare_exchange_strong(&word, &expected, 1));
    return 0;
  case 4:
    queue_enter(me);
    return 0;
  case 5:
    atomic_store(&node[mine].waits, 1);
    before = atomic_exchange(&tail, mine);
    while (atomic_load(&node[before].waits))
      ;
    return before;
  default:
    ticket = atomic_fetch_add(&next_ticket, 1) % n;
    while (!atomic_load(&place[ticket]))
      ;
    atomic_store(&place[ticket], 0);
    return ticket;
  }
}

static void leave(int lock, int me, int n, long mine, long held)
{
  if (lock == 0)
    atomic_store(&serving, held + 1);
  else if (lock < 4)
    atomic_store(&word, 0);
  else if (lock == 4)
    queue_leave(me);
  else if (lock == 5)
    atomic_store(&node[mine].waits, 0);
  else
    atomic_store(&place[(held + 1) % n], 1);
}

static void *body(void *arg)
{
  int me = first(arg), lock = second(arg) >> 12, n = second(arg) >> 6 & 63, k = second(arg) & 63;
  long mine = me;
  for (int i = 0; i < k; i++) {
    long held = enter(lock, me, n, mine);
    shared++;
    leave(lock, me, n, mine, held);
    if (lock == 5)
      mine = held;
  }
  return NULL;
}

int main(int argc, char **argv)
{
  int lock = number(argc, argv, 1, 0), n = number(argc, argv, 2, 2), k = number(argc, argv, 3, 1);

  if (lock == 5)
    atomic_store(&tail, n);
  atomic_store(&place[0], 1);
  for (int i = 0; i < n; i++)
    start(body, i, lock << 12 | n << 6 | k);
  finish();
  assert(shared == (long)n * k);
  for (int i = 0; i <= n; i++)
    printf("%ld %ld, ", node[i].waits, node[i].next);
  printf("tail=%ld\n", tail);
  return 0;
}
