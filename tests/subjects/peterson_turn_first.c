/* SPDX-License-Identifier: Apache-2.0
 *
 * Peterson's lock with two lines swapped: "after you" is said before "I want". Ann gives Bob the turn and is stopped.
 * Bob gives Ann the turn, wants, sees that Ann does not want, and enters. Ann wants, sees that it is her turn, and
 * enters too. All accesses are sequentially consistent: it is the algorithm that is wrong, not the memory.
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
  turn = other;
#else
  turn = other;
  wants[me] = 1;
#endif
  while (wants[other] && turn == other)
    sched_yield();
}

static void leave(int me)
{
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
  pthread_t ann, bob;
  int number[2] = {0, 1};

  pthread_create(&ann, NULL, visit, &number[0]);
  pthread_create(&bob, NULL, visit, &number[1]);
  pthread_join(ann, NULL);
  pthread_join(bob, NULL);
  return 0;
}
