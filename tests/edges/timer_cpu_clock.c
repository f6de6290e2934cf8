/* SPDX-License-Identifier: Apache-2.0
 *
 * ITIMER_PROF counts the time the process really computes; the program computes until it rings.
 *
 * verdict: quiet
 */
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

static volatile sig_atomic_t rang;

static void ring(int number)
{
  (void)number;
  rang = 1;
}

int main(void)
{
  struct sigaction action = {.sa_handler = ring};
  struct itimerval once = {{0, 0}, {0, 1000}};
  sigaction(SIGPROF, &action, NULL);
  setitimer(ITIMER_PROF, &once, NULL);
  while (!rang)
    ;
  return 0;
}
