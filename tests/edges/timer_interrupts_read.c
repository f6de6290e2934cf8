/* SPDX-License-Identifier: Apache-2.0
 *
 * A timeout for a read by a ticking timer: one tick at least comes while the read waits, which then fails with EINTR.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

static void nothing(int number)
{
  (void)number;
}

int main(void)
{
  struct sigaction action = {.sa_handler = nothing};
  struct itimerval every = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
  int ends[2];
  char byte;
  assert(pipe(ends) == 0);
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &every, NULL);
  long count = read(ends[0], &byte, 1);
  int why = errno;
  setitimer(ITIMER_REAL, &never, NULL);
  assert(count == -1 && why == EINTR);
  return 0;
}
