/* SPDX-License-Identifier: Apache-2.0
 *
 * A handler of SIGCHLD waits for one child at a time. Two that end while it is blocked are told of by one signal, and one
 * of them is never waited for. The twin waits for all that there are.
 *
 * verdict: deadlock
 * threads: 3
 * runs: 1000
 */
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t ended;

static void on_end(int signal)
{
  (void)signal;
  int before = errno;
#ifdef FIXED
  while (waitpid(-1, NULL, WNOHANG) > 0)
    ended++;
#else
  if (waitpid(-1, NULL, 0) > 0)
    ended++;
#endif
  errno = before;
}

int main(void)
{
  struct sigaction action = {.sa_handler = on_end};
  sigset_t child_ends, before;
  sigemptyset(&child_ends);
  sigaddset(&child_ends, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child_ends, &before);
  sigaction(SIGCHLD, &action, NULL);
  for (int i = 0; i < 2; i++)
    if (fork() == 0)
      _exit(0);
  while (ended < 2)
    sigsuspend(&before);
  return 0;
}
