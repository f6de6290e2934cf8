/* SPDX-License-Identifier: Apache-2.0
 *
 * The subcommands: argv[0] is the subcommand's name; each returns the exit status. Their help texts are in main.c.
 */
#ifndef HEDDLE_CLI_COMMANDS_H
#define HEDDLE_CLI_COMMANDS_H

int cmd_check(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_explore(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_localise(int argc, char **argv);
int cmd_shrink(int argc, char **argv);
int cmd_estimate(int argc, char **argv);
int cmd_convert(int argc, char **argv);
int cmd_predict(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_suite(int argc, char **argv);
int cmd_test(int argc, char **argv);
int cmd_stress(int argc, char **argv);
int cmd_minimise(int argc, char **argv);
int cmd_doctor(int argc, char **argv);

/* Prints the help of a subcommand and returns 0. */
int help_command(const char *name);

#endif
