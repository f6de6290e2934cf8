/* SPDX-License-Identifier: Apache-2.0
 *
 * A timerfd in a poll set together with a pipe nobody writes to.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

int main(void)
{
  struct itimerspec once = {{0, 0}, {0, 1000000}};
  uint64_t expirations = 0;
  int ends[2];
  assert(pipe(ends) == 0);
  int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  timerfd_settime(timer, 0, &once, NULL);
  struct pollfd wanted[2] = {{ends[0], POLLIN, 0}, {timer, POLLIN, 0}};
  assert(poll(wanted, 2, -1) == 1);
  assert(!wanted[0].revents && wanted[1].revents == POLLIN);
  assert(read(timer, &expirations, sizeof expirations) == sizeof expirations);
  assert(expirations == 1);
  return 0;
}
