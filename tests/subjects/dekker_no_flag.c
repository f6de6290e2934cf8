/* SPDX-License-Identifier: Apache-2.0
 *
 * Dekker's lock with the flag raised too late: a thread looks whether the other one wants to enter, and says that it
 * wants to only when the way is free. Both look, neither has a flag up, both enter. The whole point of the algorithm
 * is to raise the flag before looking.
 *
 * verdict: assertion
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int wants[2];
static atomic_int turn;
static atomic_int inside;

static void enter(int me)
{
  int other = 1 - me;

#ifdef FIXED
  wants[me] = 1;
#endif
  while (wants[other]) {
    if (turn == me) {
      sched_yield();
      continue;
    }
    wants[me] = 0; /* the other one goes first */
    while (turn != me)
      sched_yield();
    wants[me] = 1;
  }
#ifndef FIXED
  wants[me] = 1;
#endif
}

static void leave(int me)
{
  turn = 1 - me;
  wants[me] = 0;
}

static void *visit(void *arg)
{
  int me = *(int *)arg;

  enter(me);
  assert(atomic_fetch_add(&inside, 1) == 0);
  atomic_fetch_sub(&inside, 1);
  leave(me);
  return NULL;
}

int main(void)
{
  pthread_t a, b;
  int number[2] = {0, 1};

  pthread_create(&a, NULL, visit, &number[0]);
  pthread_create(&b, NULL, visit, &number[1]);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
