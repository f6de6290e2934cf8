/* SPDX-License-Identifier: Apache-2.0
 *
 * setitimer ticks; main waits for three of them and switches it off.
 *
 * verdict: quiet
 */
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

static volatile sig_atomic_t ticks;

static void tick(int number)
{
  (void)number;
  ticks++;
}

int main(void)
{
  struct sigaction action = {.sa_handler = tick};
  struct itimerval every = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
  sigset_t set, old;
  sigaction(SIGALRM, &action, NULL);
  sigemptyset(&set);
  sigaddset(&set, SIGALRM);
  sigprocmask(SIG_BLOCK, &set, &old);
  setitimer(ITIMER_REAL, &every, NULL);
  while (ticks < 3)
    sigsuspend(&old);
  setitimer(ITIMER_REAL, &never, NULL);
  return 0;
}
