/* SPDX-License-Identifier: Apache-2.0
 *
 * Three philosophers at a round table take the fork on their left, then the one on their right. If all three hold
 * their left fork before anyone has a right one, they starve. In the twin the last philosopher is left-handed:
 * everybody takes the fork with the lower number first, and a circle of waiting cannot close.
 *
 * verdict: deadlock
 * threads: 4
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SEATS = 3 };

static pthread_mutex_t fork_at[SEATS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                         PTHREAD_MUTEX_INITIALIZER};
static int seat_number[SEATS] = {0, 1, 2};
static atomic_int meals;

static void *philosopher(void *arg)
{
  int seat = *(int *)arg;
  int first = seat;
  int second = (seat + 1) % SEATS;

#ifdef FIXED
  if (second < first) {
    first = 0;
    second = seat;
  }
#endif
  pthread_mutex_lock(&fork_at[first]);
  pthread_mutex_lock(&fork_at[second]);
  atomic_fetch_add(&meals, 1);
  pthread_mutex_unlock(&fork_at[second]);
  pthread_mutex_unlock(&fork_at[first]);
  return NULL;
}

int main(void)
{
  pthread_t guest[SEATS];

  for (int i = 0; i < SEATS; i++)
    pthread_create(&guest[i], NULL, philosopher, &seat_number[i]);
  for (int i = 0; i < SEATS; i++)
    pthread_join(guest[i], NULL);
  assert(meals == SEATS);
  return 0;
}
