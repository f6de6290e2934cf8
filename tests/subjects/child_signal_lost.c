/* SPDX-License-Identifier: Apache-2.0
 *
 * A process looks whether the signal of its child's end has come and then waits for it: if it comes in between, the wait
 * is for nothing. The twin blocks the signal while it looks, and lets it in only while it waits (sigsuspend).
 *
 * verdict: deadlock
 * threads: 2
 */
#include <assert.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t ended;

static void on_end(int signal)
{
  (void)signal;
  ended = 1;
}

int main(void)
{
  struct sigaction action = {.sa_handler = on_end};
  sigset_t child_ends, before;
  sigaction(SIGCHLD, &action, NULL);
  sigemptyset(&child_ends);
  sigaddset(&child_ends, SIGCHLD);
#ifdef FIXED
  sigprocmask(SIG_BLOCK, &child_ends, &before);
#else
  (void)before;
#endif
  pid_t child = fork();
  if (child == 0)
    _exit(3);
#ifdef FIXED
  while (!ended)
    sigsuspend(&before);
#else
  if (!ended)
    pause();
#endif
  int status;
  assert(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
  return 0;
}
