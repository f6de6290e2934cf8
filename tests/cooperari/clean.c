/* SPDX-License-Identifier: Apache-2.0
 *
 * Two kinds of tasks take turns by two events. A first task waits for `ping` and answers with `pong`; a second one
 * announces `ping` and waits for `pong`. An event counts how often it came; a task remembers the count it saw last and
 * waits when it is still the same. It compares outside the monitor of the event: if the event comes between the look
 * and the wait, the task waits for something that has been, and soon all wait. With several tasks of a kind it is worse:
 * two events that came together are taken for one. In the twin the look is under the monitor, and each event counts.
 *
 * verdict: deadlock
 * also: race
 */
#include "threads.h"

enum { ROUNDS = 2 };

struct event {
  pthread_mutex_t monitor;
  pthread_cond_t came;
  int count;
};

static struct event ping = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
static struct event pong = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};

static void announce(struct event *event)
{
  pthread_mutex_lock(&event->monitor);
  event->count++;
  pthread_cond_broadcast(&event->came);
  pthread_mutex_unlock(&event->monitor);
}

/* Waits for an event later than the one seen last; returns the count to remember. */
static int await(struct event *event, int seen)
{
#ifdef FIXED
  pthread_mutex_lock(&event->monitor);
  while (event->count == seen)
    pthread_cond_wait(&event->came, &event->monitor);
  pthread_mutex_unlock(&event->monitor);
  return seen + 1;
#else
  if (event->count == seen) {
    pthread_mutex_lock(&event->monitor);
    pthread_cond_wait(&event->came, &event->monitor);
    pthread_mutex_unlock(&event->monitor);
  }
  return event->count;
#endif
}

static void first_task(void)
{
  for (int round = 0, seen = 0; round < ROUNDS; round++) {
    seen = await(&ping, seen);
    announce(&pong);
  }
}

static void second_task(void)
{
  for (int round = 0, seen = 0; round < ROUNDS; round++) {
    announce(&ping);
    seen = await(&pong, seen);
  }
}

static void task(int number)
{
  if (number % 2 == 0)
    first_task();
  else
    second_task();
}

int main(int argc, char **argv)
{
  run_threads(thread_count(argc, argv), task);
  return 0;
}
