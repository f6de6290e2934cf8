/* SPDX-License-Identifier: Apache-2.0
 *
 * A price is published by the thread of a timer, and its version is raised only after: a reader that comes in between takes
 * half of a new price with the old version, twice. The timer may be deleted while its thread still runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

struct price { char name[8]; int bid, ask; };
static struct price current = {"GOLD", 100, 102};
static atomic_int version;

static void tick(union sigval v)
{
  (void)v;
  current.bid += 5;
  current.ask += 5;
  atomic_fetch_add(&version, 1);
}

static void *reader(void *unused)
{
  struct price copy;
  int before;
  do {
    before = atomic_load(&version);
    copy = current;
  } while (before != atomic_load(&version));
  assert(copy.ask - copy.bid == 2);
  return unused;
}

int main(void)
{
  timer_t id;
  struct sigevent e = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick};
  struct itimerspec in = {.it_value.tv_nsec = 1000000};
  pthread_t r;
  timer_create(CLOCK_MONOTONIC, &e, &id);
  timer_settime(id, 0, &in, NULL);
  pthread_create(&r, NULL, reader, NULL);
  pthread_join(r, NULL);
  timer_delete(id);
  return 0;
}
