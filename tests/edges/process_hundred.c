/* SPDX-License-Identifier: Apache-2.0
 *
 * A hundred processes, one after the other, as scripts and builds start them.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  for (int i = 0; i < 100; i++) {
    int status;
    pid_t child = fork();
    if (child == 0)
      _exit(i);
    assert(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == i);
  }
  return 0;
}
