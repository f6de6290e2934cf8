/* SPDX-License-Identifier: Apache-2.0
 *
 * A child stops itself, and its parent waits for its end without ever letting it go on. Natively it never ends.
 *
 * verdict: found
 * kind: deadlock
 * expect-text: a process is stopped, and nobody lets it go on
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  if (fork() == 0) {
    raise(SIGSTOP);
    return 0;
  }
  return wait(NULL) < 0;
}
