/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle: from the first word of the command line to the subcommand, and nothing else.
 */
#include "cli/command/commands.h"
#include "cli/compile/cc.h"
#include "cli/find/gdb_replay.h"
#include "cli/help/help.h"
#include "session/child.h"
#include "session/console.h"
#include "session/limits.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static int dispatch(int argc, char **argv)
{
  if (argc < 2) {
    help_overview(stderr);
    return STATUS_USAGE;
  }
  const char *name = argv[1];
  if (!strcmp(name, "--version") || !strcmp(name, "-V") || !strcmp(name, "version")) {
    printf("heddle %s\n", HEDDLE_VERSION);
    return STATUS_OK;
  }
  if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help"))
    return help_words(argc - 2, argv + 2);
  if (!strcmp(name, DEBUGGER_START))
    return debugger_start();
  const struct subcommand *command = command_find(name);
  if (!command)
    return help_unknown(name);
  if (!command->options && argc == 3 && !strcmp(argv[2], "--help"))
    return help_command(name, false);
  if (command->options) {     /* but compilers as usual */
    signal(SIGPIPE, SIG_IGN); /* a reader that leaves is no reason to leave files half done */
    child_note_inherited();
    limits_raise();
  }
  argv[1] = (char *)command->name; /* messages and files know one spelling */
  return command->run(argc - 1, argv + 1);
}

/* Descriptors 0 to 2 must not be given to files of ours. */
static void open_missing(void)
{
  for (int fd = 0; fd <= 2; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
      return;
}

/* As with `heddle check … | head`: nobody wants the rest, and that is no error. */
static bool reader_gone(void)
{
  struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&out, 1, 0) > 0 && out.revents & POLLERR;
}

int main(int argc, char **argv)
{
  open_missing();
  int status = limits_with_stack(dispatch, argc, argv);
  errno = 0;
  if ((fflush(stdout) != 0 || ferror(stdout)) && errno != EPIPE && !reader_gone()) {
    console_error("standard output cannot be written%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
    return status == STATUS_OK ? STATUS_FAILED : status;
  }
  return status;
}
