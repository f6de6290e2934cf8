/* SPDX-License-Identifier: Apache-2.0
 *
 * timer_create with a signal that sigwaitinfo takes.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

int main(void)
{
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN, .sigev_value.sival_int = 5};
  struct itimerspec once = {{0, 0}, {0, 1000000}};
  siginfo_t information;
  sigset_t set;
  timer_t timer;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN);
  sigprocmask(SIG_BLOCK, &set, NULL);
  assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  assert(timer_settime(timer, 0, &once, NULL) == 0);
  assert(sigwaitinfo(&set, &information) == SIGRTMIN);
  assert(information.si_value.sival_int == 5);
  timer_delete(timer);
  return 0;
}
