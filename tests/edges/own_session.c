/* SPDX-License-Identifier: Apache-2.0
 *
 * As daemons do: the process leaves the session it was started in, and leads its own. Natively when it leads no group
 * yet, as one that a script or make starts.
 *
 * verdict: complete
 */
#define _GNU_SOURCE
#include <assert.h>
#include <unistd.h>

int main(void)
{
  assert(getpgrp() != getpid());
  assert(setsid() == getpid());
  assert(getsid(0) == getpid() && getpgrp() == getpid());
  assert(setpgid(0, 0) == -1);
  return 0;
}
