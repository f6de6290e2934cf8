/* SPDX-License-Identifier: Apache-2.0
 *
 * A signal that is sent to a child before it runs ends it right there, in replay too: the very first execution shows it.
 *
 * verdict: found
 * expect-text: after 1 execution
 */
#include <assert.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void handler(int signal)
{
  (void)signal;
}

int main(void)
{
  pid_t child = fork();
  if (!child) {
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGUSR1, &action, NULL);
    _exit(0);
  }
  kill(child, SIGUSR1);
  int status;
  assert(wait(&status) == child);
  assert(WIFEXITED(status));
  return 0;
}
