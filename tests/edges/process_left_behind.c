/* SPDX-License-Identifier: Apache-2.0
 *
 * A program starts a process that waits to be told to end, and ends itself: as daemons are started. Nobody waits in vain.
 *
 * verdict: complete
 */
#include <unistd.h>

int main(void)
{
  if (fork() == 0)
    for (;;)
      pause();
  return 0;
}
