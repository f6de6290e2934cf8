/* SPDX-License-Identifier: Apache-2.0
 *
 * posix_spawn() tells the error by which the child could not run its program, and leaves no child behind: no such file,
 * one that nobody may run, a file action that fails, none along the path.
 *
 * verdict: complete
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/wait.h>

extern char **environ;

int main(void)
{
  pid_t child = -1;
  char *arguments[] = {"nothing", NULL};
  posix_spawn_file_actions_t actions;
  assert(posix_spawn(&child, "/nowhere/nothing", NULL, NULL, arguments, environ) == ENOENT);
  assert(posix_spawnp(&child, "no-such-program-at-all", NULL, NULL, arguments, environ) == ENOENT);
  assert(posix_spawn(&child, "/etc/passwd", NULL, NULL, arguments, environ) == EACCES);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/nowhere/input", O_RDONLY, 0);
  assert(posix_spawn(&child, "/bin/true", &actions, NULL, arguments, environ) == ENOENT);
  posix_spawn_file_actions_destroy(&actions);
  assert(child == -1);
  assert(waitpid(-1, NULL, 0) == -1 && errno == ECHILD);
  return 0;
}
