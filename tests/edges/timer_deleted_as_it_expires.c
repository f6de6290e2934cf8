/* SPDX-License-Identifier: Apache-2.0
 *
 * A timer that starts a thread when it expires is deleted: before, meanwhile or after. Where the thread has been started
 * it runs the function that it was started for.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <signal.h>
#include <time.h>

static int seen;

static void expire(union sigval value)
{
  assert(value.sival_int == 7);
  __atomic_store_n(&seen, 1, __ATOMIC_SEQ_CST);
}

int main(void)
{
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = expire, .sigev_value.sival_int = 7};
  struct itimerspec soon = {.it_value.tv_nsec = 1};
  timer_t timer;
  assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  assert(timer_settime(timer, 0, &soon, NULL) == 0);
  __atomic_load_n(&seen, __ATOMIC_SEQ_CST);
  assert(timer_delete(timer) == 0);
  __atomic_load_n(&seen, __ATOMIC_SEQ_CST);
  return 0;
}
