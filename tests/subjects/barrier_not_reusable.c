/* SPDX-License-Identifier: Apache-2.0
 *
 * A barrier by hand, good for one round. Tick waits in round one. Tock arrives, sets `arrived` back to 0, wakes Tick,
 * and is quick enough to arrive in round two (`arrived` is 1) before Tick has the lock. Tick sees that it is not 0
 * and goes back to sleep in a round that is over; Tock waits for Tick. The twin counts rounds.
 *
 * verdict: deadlock
 * threads: 3
 */
#include <pthread.h>

enum { PARTIES = 2, ROUNDS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static int arrived;
#ifdef FIXED
static int rounds_over;
#endif

static void barrier_wait(void)
{
  pthread_mutex_lock(&lock);
#ifdef FIXED
  int this_round = rounds_over;
#endif
  if (++arrived == PARTIES) {
    arrived = 0;
#ifdef FIXED
    rounds_over++;
#endif
    pthread_cond_broadcast(&all_here);
  }
#ifdef FIXED
  while (rounds_over == this_round)
#else
  while (arrived != 0)
#endif
    pthread_cond_wait(&all_here, &lock);
  pthread_mutex_unlock(&lock);
}

static void *party(void *arg)
{
  for (int i = 0; i < ROUNDS; i++)
    barrier_wait();
  return arg;
}

int main(void)
{
  pthread_t tick, tock;

  pthread_create(&tick, NULL, party, NULL);
  pthread_create(&tock, NULL, party, NULL);
  pthread_join(tick, NULL);
  pthread_join(tock, NULL);
  return 0;
}
