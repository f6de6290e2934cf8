/* SPDX-License-Identifier: Apache-2.0
 *
 * alarm and sigsuspend, with the signal blocked in between: the handler always runs.
 *
 * verdict: quiet
 */
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t rang;

static void ring(int number)
{
  (void)number;
  rang = 1;
}

int main(void)
{
  struct sigaction action = {.sa_handler = ring};
  sigset_t set, old;
  sigaction(SIGALRM, &action, NULL);
  sigemptyset(&set);
  sigaddset(&set, SIGALRM);
  sigprocmask(SIG_BLOCK, &set, &old);
  alarm(1);
  while (!rang)
    sigsuspend(&old);
  return 0;
}
