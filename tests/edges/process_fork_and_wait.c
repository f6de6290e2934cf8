/* SPDX-License-Identifier: Apache-2.0
 *
 * The usual fork and waitpid: the child's status is always the same.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  int status;
  pid_t child = fork();
  if (child == 0)
    _exit(7);
  assert(waitpid(child, &status, 0) == child);
  assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  return 0;
}
