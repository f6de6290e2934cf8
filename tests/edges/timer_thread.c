/* SPDX-License-Identifier: Apache-2.0
 *
 * timer_create with a function that runs in a thread of its own and posts a semaphore.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

static sem_t expired;

static void expire(union sigval value)
{
  assert(value.sival_int == 9);
  sem_post(&expired);
}

int main(void)
{
  struct sigevent event = {
      .sigev_notify = SIGEV_THREAD, .sigev_notify_function = expire, .sigev_value.sival_int = 9};
  struct itimerspec once = {{0, 0}, {0, 1000000}};
  timer_t timer;
  sem_init(&expired, 0, 0);
  assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  assert(timer_settime(timer, 0, &once, NULL) == 0);
  while (sem_wait(&expired) != 0)
    ;
  timer_delete(timer);
  return 0;
}
