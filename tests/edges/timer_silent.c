/* SPDX-License-Identifier: Apache-2.0
 *
 * A timer that tells nobody: the program looks at the time that is left, and sleeps meanwhile.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
  struct sigevent event = {.sigev_notify = SIGEV_NONE};
  struct itimerspec once = {{0, 0}, {0, 3000000}}, left;
  timer_t timer;
  assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  assert(timer_settime(timer, 0, &once, NULL) == 0);
  do {
    usleep(1000);
    assert(timer_gettime(timer, &left) == 0);
  } while (left.it_value.tv_sec || left.it_value.tv_nsec);
  timer_delete(timer);
  return 0;
}
