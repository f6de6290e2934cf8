/* SPDX-License-Identifier: Apache-2.0
 *
 * Main does nothing but look whether the alarm has come. It comes, if only after a long time.
 *
 * verdict: quiet
 * expect-text: a timer may expire at more moments than were tried
 */
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t over;

static void note(int number)
{
  (void)number;
  over = 1;
}

int main(void)
{
  struct sigaction action = {.sa_handler = note};
  sigaction(SIGALRM, &action, NULL);
  alarm(1);
  while (!over)
    ;
  return 0;
}
