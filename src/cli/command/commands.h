/* SPDX-License-Identifier: Apache-2.0
 *
 * The subcommands: argv[0] is the subcommand's name; each returns the exit status.
 *
 * To add one: write a file here with cmd_NAME(), its help in cli/help/NAME.txt, and add a line to
 * HD_COMMANDS. */
#ifndef HEDDLE_CLI_COMMANDS_H
#define HEDDLE_CLI_COMMANDS_H

#include "core/settings.h"

/*  X(name, function and file of its help, options (FOR_*; 0: it has none of our own), summary) */
#define HD_COMMANDS(X)                                                                                                 \
  X("check", check, FOR_CHECK, "find a bug in a program or in source files, replay it, explain it")                    \
  X("run", run, FOR_RUN, "sample schedules with one strategy")                                                         \
  X("explore", explore, FOR_EXPLORE, "run all interleavings, up to equivalence, or show the one that fails")           \
  X("replay", replay, FOR_REPLAY, "run a schedule file again")                                                         \
  X("show", show, FOR_SHOW, "tell the story of a schedule file")                                                       \
  X("bugs", bugs, FOR_BUGS, "list the bugs that were found, and whether each still shows")                             \
  X("localise", localise, FOR_LOCALISE, "which context switch of a schedule is to blame for its bug")                  \
  X("shrink", shrink, FOR_SHRINK, "write a simpler schedule with the same bug")                                        \
  X("estimate", estimate, FOR_ESTIMATE, "estimate how large a recorded exploration is")                                \
  X("suite", suite, FOR_SUITE, "explore many tests within one budget of time")                                         \
  X("predict", predict, FOR_PREDICT, "bugs that a passing run could have had, each one tried")                         \
  X("convert", convert, FOR_CONVERT, "write a recorded run in another form")                                           \
  X("record", record, FOR_RECORD, "record one run of a program, for heddle predict")                                   \
  X("test", test, FOR_TEST, "run each test of a cmocka, Check, Criterion or GoogleTest program")                       \
  X("stress", stress, FOR_STRESS, "run a program free, many times, and count the bugs that show by chance")            \
  X("minimise", minimise, FOR_MINIMISE, "find the smallest part of a stress test that still fails")                    \
  X("doctor", doctor, FOR_DOCTOR, "say what heddle misses on this machine, and what helps")                            \
  X("cc", cc, 0, "compile C, with instrumentation")                                                                    \
  X("c++", cxx, 0, "compile C++, with instrumentation")

#define X(name, function, options, summary) int cmd_##function(int argc, char **argv);
HD_COMMANDS(X)
#undef X

/* Prints the help of a subcommand and returns 0. */
int help_command(const char *name);

#endif
