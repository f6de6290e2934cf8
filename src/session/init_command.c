/* SPDX-License-Identifier: Apache-2.0
 *
 * Running the command of --init, see the header. It runs as the user's shell would, before the program is started; what
 * it prints to standard output is not shown, since that would be thousands of times.
 */
#include "session/init_command.h"
#include "session/child.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_STARTED (127 << 8) /* as the shell says it, in the words of waitpid */

int init_command_run(const struct target *target)
{
  char *argv[] = {"sh", "-c", (char *)target->init, NULL};
  int null = open("/dev/null", O_RDWR | O_CLOEXEC), status = NOT_STARTED;
  if (null < 0)
    return NOT_STARTED;
  struct child child = {.path = "/bin/sh",
                        .folder = target->folder,
                        .argv = argv,
                        .envp = environ,
                        .descriptor = {{null, STDIN_FILENO}, {null, STDOUT_FILENO}},
                        .descriptors = 2};
  pid_t pid = child_spawn(&child);
  close(null);
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  return status;
}
