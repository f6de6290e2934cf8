/* SPDX-License-Identifier: Apache-2.0
 *
 * An alarm clock and its clients. The clock ticks and rings every alarm that is due; a client sets an alarm three ticks
 * ahead, and looks it up to wait for it. Clients that want to wake at the same time share an alarm. A client who does
 * not find his alarm concludes that it has rung already. But there is room for two alarms, and a third is dropped
 * without a word: three clients who set theirs in three successive ticks, and the last one is up before his time.
 * The clock and one client are safe. In the twin there is room for everybody.
 *
 * verdict: assertion
 * impossible: 2
 */
#include "threads.h"
#include <assert.h>
#include <stdbool.h>
#include <unistd.h>

enum {
  AHEAD = 3,
  TICK_MICROSECONDS = 1000,
#ifdef FIXED
  PLACES = THREADS_MOST
#else
  PLACES = 2
#endif
};

static struct alarm {
  bool set;
  int time;
  pthread_cond_t rung;
} place[PLACES];

static pthread_mutex_t monitor = PTHREAD_MUTEX_INITIALIZER;
static int now;
static int asleep; /* clients who have not returned */

static struct alarm *find_alarm(int time)
{
  for (int i = 0; i < PLACES; i++)
    if (place[i].set && place[i].time == time)
      return &place[i];
  return NULL;
}

static void set_alarm(int time)
{
  if (find_alarm(time))
    return;
  for (int i = 0; i < PLACES; i++)
    if (!place[i].set) {
      place[i].set = true;
      place[i].time = time;
      return;
    }
}

static void ring_alarms(void)
{
  for (int i = 0; i < PLACES; i++)
    if (place[i].set && place[i].time <= now) {
      place[i].set = false;
      pthread_cond_broadcast(&place[i].rung);
    }
}

static void run_clock(void)
{
  bool wanted = true;
  while (wanted) {
    usleep(TICK_MICROSECONDS);
    pthread_mutex_lock(&monitor);
    now++;
    ring_alarms();
    wanted = asleep > 0;
    pthread_mutex_unlock(&monitor);
  }
}

static void run_client(void)
{
  pthread_mutex_lock(&monitor);
  int time = now + AHEAD;
  set_alarm(time);
  pthread_mutex_unlock(&monitor);

  pthread_mutex_lock(&monitor);
  struct alarm *mine = find_alarm(time);
  while (mine && now < time)
    pthread_cond_wait(&mine->rung, &monitor);
  asleep--;
  assert(now >= time);
  pthread_mutex_unlock(&monitor);
}

static void clock_or_client(int number)
{
  if (number == 0)
    run_clock();
  else
    run_client();
}

int main(int argc, char **argv)
{
  int n = thread_count(argc, argv);

  for (int i = 0; i < PLACES; i++)
    pthread_cond_init(&place[i].rung, NULL);
  asleep = n - 1;
  run_threads(n, clock_or_client);
  assert(asleep == 0);
  return 0;
}
