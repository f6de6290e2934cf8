/* SPDX-License-Identifier: Apache-2.0
 *
 * SIGKILL cannot be blocked, not by the mask of a handler either.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void handler(int signal)
{
  (void)signal;
  raise(SIGKILL);
  _exit(0);
}

int main(void)
{
  pid_t child = fork();
  if (!child) {
    struct sigaction action = {.sa_handler = handler};
    sigaddset(&action.sa_mask, SIGKILL);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    _exit(1);
  }
  int status;
  assert(waitpid(child, &status, 0) == child);
  assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  return 0;
}
