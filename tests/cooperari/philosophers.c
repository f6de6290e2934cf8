/* SPDX-License-Identifier: Apache-2.0
 *
 * Dining philosophers: each takes the fork on his left, then the one on his right, all alike. If everybody has his left
 * fork before anybody has a right one, they starve. The more there are, the more must happen in a row. In the twin the
 * last philosopher takes his forks in the other order, and the circle of waiting cannot close.
 *
 * verdict: deadlock
 */
#include "threads.h"
#include <assert.h>
#include <stdbool.h>

static pthread_mutex_t fork_at[THREADS_MOST];
static bool has_eaten[THREADS_MOST];
static int seats;

static void philosopher(int seat)
{
  int left = seat, right = (seat + 1) % seats;

#ifdef FIXED
  if (right < left) {
    right = left;
    left = 0;
  }
#endif
  pthread_mutex_lock(&fork_at[left]);
  pthread_mutex_lock(&fork_at[right]);
  has_eaten[seat] = true;
  pthread_mutex_unlock(&fork_at[right]);
  pthread_mutex_unlock(&fork_at[left]);
}

int main(int argc, char **argv)
{
  seats = thread_count(argc, argv);
  for (int i = 0; i < seats; i++)
    pthread_mutex_init(&fork_at[i], NULL);
  run_threads(seats, philosopher);
  for (int i = 0; i < seats; i++)
    assert(has_eaten[i]);
  return 0;
}
