/* SPDX-License-Identifier: Apache-2.0
 *
 * The alarm may ring before main() looks, which is all that main() does: the clock was there before the first step.
 *
 * verdict: found
 */
#include <assert.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/time.h>

static atomic_int rung;

static void ring(int signal)
{
  rung = signal;
}

int main(void)
{
  struct itimerval soon = {.it_value = {0, 1}};
  signal(SIGALRM, ring);
  setitimer(ITIMER_REAL, &soon, NULL);
  assert(rung == 0);
}
