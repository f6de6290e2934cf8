/* SPDX-License-Identifier: Apache-2.0
 *
 * A child stops itself; its parent waits until it has, lets it go on, and is told of both, and of its end.
 *
 * verdict: complete
 */
#include <assert.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  int status, go[2];
  char c;
  assert(!pipe(go));
  pid_t child = fork();
  if (child == 0) {
    close(go[1]);
    raise(SIGSTOP);
    _exit(read(go[0], &c, 1) ? 1 : 5);
  }
  assert(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
  assert(waitpid(child, &status, WUNTRACED | WNOHANG) == 0); /* it was told */
  assert(!kill(child, SIGCONT));
  assert(waitpid(child, &status, WCONTINUED) == child && WIFCONTINUED(status));
  close(go[1]);
  assert(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 5);
  return 0;
}
