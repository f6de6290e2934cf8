/* SPDX-License-Identifier: Apache-2.0
 *
 * An alarm that was set before exec() ends the program that came by it.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  pid_t child = fork();
  if (!child) {
    alarm(1);
    execl("/bin/sleep", "sleep", "100", (char *)0);
    _exit(1);
  }
  int status;
  assert(waitpid(child, &status, 0) == child);
  assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM);
  return 0;
}
