/* SPDX-License-Identifier: Apache-2.0
 *
 * A non-blocking timerfd has nothing to read before its time, and something after a sleep beyond it.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

int main(void)
{
  struct itimerspec late = {{0, 0}, {1000, 0}}, soon = {{0, 0}, {0, 1000000}};
  uint64_t expirations;
  int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  timerfd_settime(timer, 0, &late, NULL);
  assert(read(timer, &expirations, sizeof expirations) == -1 && errno == EAGAIN);
  timerfd_settime(timer, 0, &soon, NULL);
  usleep(3000);
  assert(read(timer, &expirations, sizeof expirations) == sizeof expirations && expirations == 1);
  return 0;
}
