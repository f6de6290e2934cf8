/* SPDX-License-Identifier: Apache-2.0
 *
 * The handler of a watchdog prints, but it comes only when nobody can go on any more.
 *
 * verdict: quiet
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void bark(int number)
{
  printf("signal %d\n", number);
  fflush(stdout);
  _exit(0);
}

int main(void)
{
  signal(SIGALRM, bark);
  alarm(60);
  printf("waiting\n");
  for (;;)
    pause();
}
