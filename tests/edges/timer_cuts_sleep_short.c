/* SPDX-License-Identifier: Apache-2.0
 *
 * An alarm of a second ends a sleep of ten, which says how much of it was left.
 *
 * verdict: quiet
 * expect-text: a timer may expire at more moments than were tried
 */
#include <assert.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t rang;

static void note(int number)
{
  (void)number;
  rang = 1;
}

int main(void)
{
  struct sigaction action = {.sa_handler = note};
  sigaction(SIGALRM, &action, NULL);
  alarm(1);
  unsigned left = sleep(10);
  assert(rang);
  assert(left >= 8);
  return 0;
}
