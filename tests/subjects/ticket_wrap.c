/* SPDX-License-Identifier: Apache-2.0
 *
 * A ticket lock that saves space: tickets are counted modulo 2, which is plenty for two threads. A third one came
 * later. It draws the same number as the first, which is still being served, and walks in beside it.
 *
 * verdict: assertion
 * threads: 4
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#ifdef FIXED
enum { NUMBERS = 4 };
#else
enum { NUMBERS = 2 };
#endif

static atomic_uint next_ticket;
static atomic_uint now_serving;
static atomic_int inside;

static void *customer(void *arg)
{
  unsigned mine = atomic_fetch_add(&next_ticket, 1) % NUMBERS;

  while (now_serving != mine)
    sched_yield();
  assert(atomic_fetch_add(&inside, 1) == 0);
  atomic_fetch_sub(&inside, 1);
  now_serving = (mine + 1) % NUMBERS;
  return arg;
}

int main(void)
{
  pthread_t thread[3];

  for (int i = 0; i < 3; i++)
    pthread_create(&thread[i], NULL, customer, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
