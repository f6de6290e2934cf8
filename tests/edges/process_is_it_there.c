/* SPDX-License-Identifier: Apache-2.0
 *
 * Nobody waits for this child, which leaves nothing behind when it ends; its parent asks with kill() whether it is
 * still there and relies on that.
 *
 * verdict: found
 */
#include <assert.h>
#include <signal.h>
#include <unistd.h>

int main(void)
{
  signal(SIGCHLD, SIG_IGN);
  pid_t child = fork();
  if (child == 0)
    _exit(0);
  assert(kill(child, 0) == 0);
  return 0;
}
