/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of subcommands as a table; see the header.
 */
#include "cli/command/commands.h"
#include <string.h>

const char *const stage_title[STAGES] = {
#define X(constant, title) title,
    HD_STAGES(X)
#undef X
};

#define X(name, function, ...) extern const unsigned char function##_txt[];
HD_COMMANDS(X)
#undef X

const struct subcommand commands[COMMANDS] = {
#define X(name, function, options, stage, first, summary)                                                              \
  {name, cmd_##function, options, STAGE_##stage, first, summary, function##_txt},
    HD_COMMANDS(X)
#undef X
};

const struct subcommand *command_find(const char *name)
{
#define X(spelling, meant)                                                                                             \
  if (!strcmp(name, spelling))                                                                                         \
    name = meant;
  HD_ALIASES(X)
#undef X
  for (size_t i = 0; i < COMMANDS; i++)
    if (!strcmp(commands[i].name, name))
      return &commands[i];
  return NULL;
}
