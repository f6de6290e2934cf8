/* SPDX-License-Identifier: Apache-2.0
 *
 * An address is probed: the fault is caught and left by siglongjmp.
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

static int readable(volatile const char *address)
{
  if (sigsetjmp(back, 1))
    return 0;
  (void)*address;
  return 1;
}

int main(void)
{
  struct sigaction action = {.sa_handler = caught};
  char here = 1;
  sigaction(SIGSEGV, &action, NULL);
  assert(readable(&here));
  assert(!readable((char *)16));
  assert(!readable((char *)16));
  return 0;
}
