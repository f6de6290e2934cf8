/* SPDX-License-Identifier: Apache-2.0
 *
 * A handler of SIGCHLD that reaps one child for each signal: two children that end close together give one signal. The twin
 * reaps all there are.
 *
 * tell: deadlock: main waits for a signal that nobody is left to send
 * tell: the last one was SIGCHLD, at the end of P\d
 */
#include <assert.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t reaped;

static void on_child(int signal)
{
  (void)signal;
#ifdef FIXED
  while (waitpid(-1, NULL, WNOHANG) > 0)
    reaped++;
#else
  if (waitpid(-1, NULL, WNOHANG) > 0)
    reaped++;
#endif
}

int main(void)
{
  struct sigaction action = {.sa_handler = on_child};
  sigset_t child, old;
  sigaction(SIGCHLD, &action, NULL);
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, &old);
  for (int i = 0; i < 2; i++)
    if (fork() == 0)
      _exit(0);
  while (reaped < 2)
    sigsuspend(&old);
  return 0;
}
