/* SPDX-License-Identifier: Apache-2.0
 *
 * A child signals its parent, which has the signal blocked and waits for it by sigwait.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  sigset_t set;
  int got;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, NULL);
  pid_t parent = getpid(), child = fork();
  if (child == 0) {
    kill(parent, SIGUSR1);
    _exit(0);
  }
  assert(sigwait(&set, &got) == 0 && got == SIGUSR1);
  waitpid(child, NULL, 0);
  return 0;
}
