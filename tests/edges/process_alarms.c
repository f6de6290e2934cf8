/* SPDX-License-Identifier: Apache-2.0
 *
 * One child after the other sets an alarm and is ended by it. What expires the timers of the first one ends with it;
 * those of the second must expire all the same.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  for (int i = 0; i < 2; i++) {
    pid_t child = fork();
    if (!child) {
      alarm(1);
      for (;;)
        pause();
    }
    int status;
    assert(waitpid(child, &status, 0) == child);
    assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM);
  }
  return 0;
}
