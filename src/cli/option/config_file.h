/* SPDX-License-Identifier: Apache-2.0
 *
 * Options that are not on the command line: heddle.conf, lines `option = value` with the names of the options, and the
 * variable HEDDLE_OPTIONS, words as on the command line. The variable counts more than the file, the command line more
 * than both. What is for another subcommand is passed over.
 *
 * heddle.conf is that of the current folder, or of the nearest folder above it that has one of this user's. It may come
 * from a stranger, with the sources, so it runs nothing by itself: a command in it is used only after the person at the
 * terminal agreed to it (consent.h), `program` is not taken, and files are written below its folder only. Paths in it
 * are seen from its folder.
 */
#ifndef HEDDLE_CLI_CONFIG_FILE_H
#define HEDDLE_CLI_CONFIG_FILE_H

#include "cli/option/options.h"

/* Sets what the file and the variable say. False: an error was printed. */
bool config_apply(struct options *options);

/* Whether all commands that are still those of the file may be used; asks. False: an error was printed. */
bool config_commands_agreed(const struct options *options);

/* The options that have a value of somebody's, and whose it is. */
void config_print(const struct options *options);

#endif
