/* SPDX-License-Identifier: Apache-2.0
 *
 * A timerfd with an absolute time in the past expires at once.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

int main(void)
{
  struct itimerspec past = {{0, 0}, {0, 1}};
  uint64_t expirations = 0;
  int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  timerfd_settime(timer, TFD_TIMER_ABSTIME, &past, NULL);
  assert(read(timer, &expirations, sizeof expirations) == sizeof expirations);
  assert(expirations == 1);
  return 0;
}
