/* SPDX-License-Identifier: Apache-2.0
 *
 * A process that is stopped in its sleep holds up nobody else's.
 *
 * verdict: quiet
 * options: --sleeps exact
 * expect-text: no bug
 */
#include <assert.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  pid_t child = fork();
  int status;
  if (!child) {
    sleep(2);
    _exit(7);
  }
  sleep(1);
  kill(child, SIGSTOP);
  assert(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
  sleep(10);
  kill(child, SIGCONT);
  assert(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
  return 0;
}
