/* SPDX-License-Identifier: Apache-2.0
 *
 * posix_spawn() waits for the child's program to begin, not for its end: whoever looks for the status at once may be too
 * early.
 *
 * verdict: found
 */
#include <assert.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/wait.h>

extern char **environ;

int main(void)
{
  pid_t child;
  char *arguments[] = {"true", NULL};
  if (posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ))
    return 1;
  assert(waitpid(child, NULL, WNOHANG) == child);
  return 0;
}
