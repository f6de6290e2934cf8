/* SPDX-License-Identifier: Apache-2.0
 *
 * A parent waits with pause() until its child says by SIGUSR1 that it is ready: the signal may come before the wait. The twin
 * blocks it until sigsuspend().
 *
 * tell: deadlock: main waits for a signal that nobody is left to send
 * tell: main waits for a signal \(handshake\.c:\d+\); the last one was SIGUSR1, sent by P1\s+\(handshake\.c:\d+\)
 * tell: P1 +handshake\.c:\d+ +sends +SIGUSR1 to main
 * twin: complete
 */
#include <assert.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t ready;

static void on_ready(int signal)
{
  (void)signal;
  ready = 1;
}

int main(void)
{
  struct sigaction action = {.sa_handler = on_ready};
  sigset_t usr1, old;
  sigaction(SIGUSR1, &action, NULL);
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
#ifdef FIXED
  sigprocmask(SIG_BLOCK, &usr1, &old);
#else
  sigprocmask(SIG_BLOCK, NULL, &old);
#endif
  pid_t parent = getpid(), child = fork();
  if (child == 0) {
    kill(parent, SIGUSR1);
    _exit(0);
  }
  while (!ready)
#ifdef FIXED
    sigsuspend(&old);
#else
    pause();
#endif
  assert(waitpid(child, NULL, 0) == child);
  return 0;
}
