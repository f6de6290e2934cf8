/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of a child is awaited by SIGCHLD and sigsuspend, done right.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t ended;

static void on_child(int number)
{
  (void)number;
  ended = 1;
}

int main(void)
{
  struct sigaction action = {.sa_handler = on_child};
  sigset_t set, old;
  int status;
  sigaction(SIGCHLD, &action, NULL);
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_BLOCK, &set, &old);
  pid_t child = fork();
  if (child == 0)
    _exit(0);
  while (!ended)
    sigsuspend(&old);
  assert(waitpid(child, &status, WNOHANG) == child);
  return 0;
}
