/* SPDX-License-Identifier: Apache-2.0
 *
 * A child sets a timerfd that it has from its parent, and ends; the parent, which has a timer of its own, sees it
 * expire.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  alarm(100);
  pid_t child = fork();
  if (!child) {
    struct itimerspec once = {.it_value = {.tv_sec = 1}};
    _exit(timerfd_settime(timer, 0, &once, NULL));
  }
  int status;
  uint64_t times;
  assert(waitpid(child, &status, 0) == child && status == 0);
  assert(read(timer, &times, sizeof times) == sizeof times && times == 1);
  return 0;
}
