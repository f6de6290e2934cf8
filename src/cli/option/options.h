/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line of the subcommands: one parser of all settings (core/settings.h), and their help.
 *
 * Options stand before the program, the program's own arguments after `--`. A wrong option is told in one line with the
 * nearest right one; nothing here acts on an option.
 */
#ifndef HEDDLE_CLI_OPTIONS_H
#define HEDDLE_CLI_OPTIONS_H

#include "core/control.h"
#include "session/console.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Who gave an option its value. */
enum { ORIGIN_NONE, ORIGIN_FILE, ORIGIN_VARIABLE, ORIGIN_COMMAND_LINE };
struct setting_origin {
  uint32_t from; /* ORIGIN_* */
  uint32_t line; /* of the file */
};

struct options {
  unsigned who; /* the subcommand, one of FOR_* */
  union {
    struct settings settings; /* all of them, for what goes through the table; one by one for everybody else */
    struct {
      HD_SETTINGS(SETTING_FIELD)
    };
  };

  struct setting_origin origin[SETTINGS];
  char **words; /* the whole command line, from the subcommand's name on */
  size_t word_count;
  char **operands; /* programs, source files or schedule files, into argv */
  size_t operand_count;
  char **args; /* what stood after `--`, into argv */
  size_t arg_count;
};

/* Parses argv[1 …] (argv[0] is the subcommand's name) for the subcommand `who`, one of FOR_*. False: an error was
 * printed, the status is STATUS_USAGE. When options->help is set the rest was not looked at. */
bool options_parse(struct options *options, unsigned who, int argc, char **argv);

/* Gives one option a value, NULL for a flag; the text must live as long as the options. False: an error was printed. */
bool options_set(struct options *options, const struct setting *setting, const char *text,
                 struct setting_origin origin);

/* The options of a subcommand, with defaults, for its help: those in a list of names with blanks between, or all of
 * them (NULL). Returns how many were left out. */
size_t options_help(FILE *out, unsigned who, const char *names);

/* Whether a person may choose that strategy for the subcommand; those that follow a given schedule belong to replay and
 * to check's own shrinking. */
bool strategy_is_for(enum strategy_id id, unsigned who);

/* The configuration of an execution by the options. */
void config_from_options(struct control_config *config, const struct options *options);

/* The settings as they mean something to the execution: those that were not given are what the subcommand made of
 * them. */
struct settings settings_in_force(const struct options *options, const struct control_config *config);

/* The nearest of `count` names to a word a person typed, or NULL when none is near. */
const char *nearest_name(const char *word, const char *const *names, size_t count);

/* The number of cores this process may use. */
unsigned core_count(void);

#endif
