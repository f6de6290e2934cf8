/* SPDX-License-Identifier: Apache-2.0
 *
 * What heddle says of itself: of all commands, of one of them, of a topic; and all of it as JSON, from which the build
 * makes the manual, the completion of shells and the pages of the commands.
 */
#ifndef HEDDLE_CLI_HELP_H
#define HEDDLE_CLI_HELP_H

#include <stdbool.h>
#include <stdio.h>

/*  X(name, file of its text; its first line is the summary) */
#define HD_TOPICS(X)                                                                                                   \
  X("start", topic_start)                                                                                              \
  X("builds", topic_builds)                                                                                            \
  X("story", topic_story)                                                                                              \
  X("complete", topic_complete)                                                                                        \
  X("strategies", topic_strategies)                                                                                    \
  X("ci", topic_ci)                                                                                                    \
  X("settings", topic_settings)

/* What `heddle` says without arguments. */
void help_overview(FILE *out);

/* `heddle help [WORD...]`: the exit status. */
int help_words(int argc, char **argv);

/* Prints the help of a subcommand, with all its options or those that people need first, and returns 0. */
int help_command(const char *name, bool all_options);

/* Says that there is no such command, and which one is near; returns the status of wrong use. */
int help_unknown(const char *name);

#endif
