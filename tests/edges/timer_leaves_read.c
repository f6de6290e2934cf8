/* SPDX-License-Identifier: Apache-2.0
 *
 * An alarm ends a read that nobody would answer: its handler jumps out of it.
 *
 * verdict: quiet
 * expect-text: a timer may expire at more moments than were tried
 */
#include <assert.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static sigjmp_buf before;

static void leave(int number)
{
  (void)number;
  siglongjmp(before, 1);
}

int main(void)
{
  struct sigaction action = {.sa_handler = leave};
  int ends[2];
  char byte;
  volatile int over = 0;
  pipe(ends);
  sigaction(SIGALRM, &action, NULL);
  if (sigsetjmp(before, 1)) {
    over = 1;
  } else {
    alarm(1);
    read(ends[0], &byte, 1);
  }
  alarm(0);
  assert(over);
  return 0;
}
