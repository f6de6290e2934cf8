/* SPDX-License-Identifier: Apache-2.0
 *
 * A watchdog says that there was no answer in time, unless there was one; the answer is taken unless the watchdog said so.
 * Each looks first and says then, so that both are said. The twin has one exchange decide.
 *
 * verdict: assertion
 * threads: 2
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { OPEN, ANSWERED, TIMED_OUT };
static atomic_int outcome;
static atomic_int said;

static void say(int what)
{
#ifdef FIXED
  int open = OPEN;
  if (atomic_compare_exchange_strong(&outcome, &open, what))
    said++;
#else
  if (outcome == OPEN) {
    outcome = what;
    said++;
  }
#endif
}

static void *watches(void *timer)
{
  uint64_t times;
  assert(read(*(int *)timer, &times, sizeof times) == sizeof times);
  say(TIMED_OUT);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  struct itimerspec soon = {.it_value = {.tv_nsec = 500000}};
  assert(timerfd_settime(timer, 0, &soon, NULL) == 0);
  pthread_create(&thread, NULL, watches, &timer);
  say(ANSWERED);
  pthread_join(thread, NULL);
  assert(said == 1);
  return 0;
}
