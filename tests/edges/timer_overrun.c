/* SPDX-License-Identifier: Apache-2.0
 *
 * A timer goes off every millisecond while its signal is blocked. Who takes the signal after ten is told that at least
 * eight more were missed. No failure in 200 native runs.
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
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
  struct itimerspec every_millisecond = {{0, 1000000}, {0, 1000000}};
  siginfo_t taken;
  sigset_t set;
  timer_t timer;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN);
  sigprocmask(SIG_BLOCK, &set, NULL);
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  timer_settime(timer, 0, &every_millisecond, NULL);
  usleep(10500);
  assert(sigwaitinfo(&set, &taken) == SIGRTMIN);
  assert(taken.si_overrun >= 8);
  assert(timer_getoverrun(timer) >= 8);
  timer_delete(timer);
  return 0;
}
