/* SPDX-License-Identifier: Apache-2.0
 *
 * Passengers board a plane with two seats through a ring: one half of the threads bring passengers in, the other half
 * let them out. Who finds the plane full waits, but under `if`: when a seat becomes free, all who wait are woken, and
 * the second one takes a seat that is not there. The ends of the ring meet, a full plane looks empty, passengers are
 * lost, and those who let them out wait for ever. One who brings in and one who lets out are safe. In the twin it is
 * `while`.
 *
 * verdict: deadlock
 * impossible: 2
 */
#include "threads.h"
#include <assert.h>

enum { PASSENGERS = 6, RING = 3 }; /* a ring of three holds two */

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int seat[RING];
static int first, end; /* empty when they are the same */
static int boarded, left;

static int after(int place)
{
  return (place + 1) % RING;
}

static void board(int passenger)
{
  pthread_mutex_lock(&door);
#ifdef FIXED
  while (after(end) == first)
#else
  if (after(end) == first)
#endif
    pthread_cond_wait(&changed, &door);
  seat[end] = passenger;
  end = after(end);
  boarded += passenger;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&door);
}

static void leave(void)
{
  pthread_mutex_lock(&door);
  while (first == end)
    pthread_cond_wait(&changed, &door);
  left += seat[first];
  first = after(first);
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&door);
}

static void fill_or_empty(int number)
{
  for (int i = 0; i < PASSENGERS; i++)
    if (number % 2 == 0)
      board(number * PASSENGERS + i + 1);
    else
      leave();
}

int main(int argc, char **argv)
{
  run_threads(thread_count(argc, argv), fill_or_empty);
  assert(boarded == left);
  return 0;
}
