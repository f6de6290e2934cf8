/* SPDX-License-Identifier: Apache-2.0
 *
 * A computation is given up by a ticking timer whose handler jumps out of it.
 *
 * verdict: quiet
 */
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

static sigjmp_buf back;

static void ring(int number)
{
  (void)number;
  siglongjmp(back, 1);
}

int main(void)
{
  struct itimerval every = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
  if (sigsetjmp(back, 1) == 0) {
    signal(SIGALRM, ring);
    setitimer(ITIMER_REAL, &every, NULL);
    for (volatile unsigned i = 0;; i++)
      ;
  }
  setitimer(ITIMER_REAL, &never, NULL);
  return 0;
}
