/* SPDX-License-Identifier: Apache-2.0
 *
 * The alarm may ring before main() looks, and main() knows it.
 *
 * verdict: complete
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
  int seen = rung;
  assert(seen == 0 || seen == SIGALRM);
}
