/* SPDX-License-Identifier: Apache-2.0
 *
 * `heddle init`: heddle in a project that has a build of its own. The work is done by programs of that build, so it is
 * a script (packaging/init.sh); here are its options.
 */
#include "cli/command/commands.h"
#include "cli/help/help.h"
#include "cli/option/options.h"
#include "session/installed.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cmd_init(int argc, char **argv)
{
  struct options options;
  if (!options_parse(&options, FOR_INIT, argc, argv))
    return STATUS_USAGE;
  if (options.help)
    return help_command("init", options.all_options);
  if (options.operand_count > 1) {
    console_error("init takes one folder; \"%s\" is one too many", options.operands[1]);
    return STATUS_USAGE;
  }
  if (options.operand_count && chdir(options.operands[0]) != 0) {
    console_error("%s: no such folder", options.operands[0]);
    return STATUS_USAGE;
  }
  char self[PATH_MAX], script[PATH_MAX + 16], seconds[32];
  struct heddle_paths paths;
  if (!heddle_executable(self) || heddle_paths(&paths) != 0) {
    console_error("libheddle.so is neither beside the program nor in ../lib/heddle; build or install heddle whole");
    return STATUS_FAILED;
  }
  snprintf(script, sizeof script, "%s/init.sh", paths.lib_dir);
  snprintf(seconds, sizeof seconds, "%gs", options.seconds > 0 ? options.seconds : 10);
  setenv("HEDDLE", self, 1);
  setenv("INIT_TIME", seconds, 1);
  setenv("INIT_DRY", options.dry_run ? "1" : "", 1);
  execl("/bin/sh", "sh", script, (char *)NULL);
  console_error("cannot run %s", script);
  return STATUS_FAILED;
}
