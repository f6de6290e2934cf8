/* SPDX-License-Identifier: Apache-2.0
 *
 * A division by zero is caught by the program's own handler of SIGFPE. No failure in 100 native runs with pauses.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

static sigjmp_buf back;

static void caught(int number)
{
  (void)number;
  siglongjmp(back, 1);
}

int main(void)
{
  struct sigaction action = {.sa_handler = caught};
  volatile int zero = 0, result = 7, failed = 0;
  sigaction(SIGFPE, &action, NULL);
  if (sigsetjmp(back, 1) == 0)
    result = result / zero;
  else
    failed = 1;
  assert(failed && result == 7);
  return 0;
}
