/* SPDX-License-Identifier: Apache-2.0
 *
 * A process ends its workers by a signal to its group, but may do so before a worker has left it for a group of its own, which it does
 * to be spared. The twin moves the worker itself, before it goes on.
 *
 * verdict: assertion
 * threads: 2
 * runs: 3000
 */
#include <assert.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  int status;
  setpgid(0, 0);
  pid_t worker = fork();
  if (worker == 0) {
    setpgid(0, 0);
    _exit(0);
  }
#ifdef FIXED
  setpgid(worker, worker);
#endif
  signal(SIGTERM, SIG_IGN);
  kill(0, SIGTERM);
  assert(waitpid(worker, &status, 0) == worker);
  assert(WIFEXITED(status));
  return 0;
}
