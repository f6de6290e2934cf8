/* SPDX-License-Identifier: Apache-2.0
 *
 * A child stops itself, and its parent lets it go on without waiting until it has stopped: if SIGCONT comes first, the
 * child is stopped for ever, and the parent waits for its end.
 *
 * verdict: found
 * kind: deadlock
 * expect-text: is stopped
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  pid_t child = fork();
  if (child == 0) {
    raise(SIGSTOP);
    _exit(0);
  }
  kill(child, SIGCONT);
  waitpid(child, NULL, 0);
  return 0;
}
