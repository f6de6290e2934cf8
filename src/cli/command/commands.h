/* SPDX-License-Identifier: Apache-2.0
 *
 * The subcommands: argv[0] is the subcommand's name; each returns the exit status.
 *
 * To add one: write a file here with cmd_NAME(), its help in cli/help/NAME.txt, and add a line to
 * HD_COMMANDS, at the place where people come to it in their work. From the list are made the help, the completion of
 * shells, the manual's synopsis and a page of the documentation each. */
#ifndef HEDDLE_CLI_COMMANDS_H
#define HEDDLE_CLI_COMMANDS_H

#include "core/settings.h"

/* What people do with heddle, in this order.  X(constant, title) */
#define HD_STAGES(X)                                                                                                   \
  X(BEGIN, "begin")                                                                                                    \
  X(FIND, "find bugs, or that there are none")                                                                         \
  X(UNDERSTAND, "understand one")                                                                                      \
  X(MEASURE, "look closer, measure, compare")

enum work_stage {
#define X(constant, title) STAGE_##constant,
  HD_STAGES(X)
#undef X
      STAGES
};
extern const char *const stage_title[STAGES];

/*  X(name, function and file of its help, options (FOR_*; 0: it has none of our own), stage,
 *    the options that people need first, summary) */
#define HD_COMMANDS(X)                                                                                                 \
  X("init", init, FOR_INIT, BEGIN, "", "build a project for heddle, find its tests, check them for the first time")    \
  X("doctor", doctor, FOR_DOCTOR, BEGIN, "", "say what heddle misses on this machine, and what helps")                 \
  X("cc", cc, 0, BEGIN, "", "compile C, with instrumentation")                                                         \
  X("c++", cxx, 0, BEGIN, "", "compile C++, with instrumentation")                                                     \
  X("check", check, FOR_CHECK, FIND, "time explain keep-going jobs sarif",                                             \
    "find a bug in a program or in source files, replay it, explain it")                                               \
  X("test", test, FOR_TEST, FIND, "filter list time explain junit",                                                    \
    "run each test of a cmocka, Check, Criterion or GoogleTest program")                                               \
  X("explore", explore, FOR_EXPLORE, FIND, "time iterative checkpoint resume jobs",                                    \
    "run all interleavings, up to equivalence, or show the one that fails")                                            \
  X("suite", suite, FOR_SUITE, FIND, "time policy explain junit tap", "explore many tests within one budget of time")  \
  X("enforce", enforce, FOR_ENFORCE, FIND, "spec passive explore without-sleeps verbose",                              \
    "run a program free, and hold its threads back where they would leave a property")                                 \
  X("spec", spec, FOR_SPEC, FIND, "", "write properties in C, to be linked into a program that keeps them")            \
  X("predict", predict, FOR_PREDICT, FIND, "time calls from all explain",                                              \
    "bugs that a passing run could have had, each one tried")                                                          \
  X("migrate", migrate, FOR_MIGRATE, FIND, "apply time hang grace quiet",                                              \
    "a test that sleeps becomes one that says its order, with a proof")                                                \
  X("lint", lint, FOR_LINT, FIND, "commands rules baseline diff sarif",                                                \
    "read sources, and tell where threads are created without a bound")                                                \
  X("show", show, FOR_SHOW, UNDERSTAND, "run interactive html trace program", "tell the story of a schedule file")     \
  X("replay", replay, FOR_REPLAY, UNDERSTAND, "times gdb step trace program", "run a schedule file again")             \
  X("bugs", bugs, FOR_BUGS, UNDERSTAND, "list write-baseline baseline out quiet",                                      \
    "list the bugs that were found, and whether each still shows")                                                     \
  X("localise", localise, FOR_LOCALISE, UNDERSTAND, "time all html json program",                                      \
    "which context switch of a schedule is to blame for its bug")                                                      \
  X("minimise", minimise, FOR_MINIMISE, UNDERSTAND, "time calls out jobs json",                                        \
    "find the smallest part of a stress test that still fails")                                                        \
  X("shrink", shrink, FOR_SHRINK, UNDERSTAND, "into time program quiet force",                                         \
    "write a simpler schedule with the same bug")                                                                      \
  X("schedule", schedule, FOR_SCHEDULE, UNDERSTAND, "into apply time program force",                                   \
    "pin a bug: a test that fails with it, without heddle")                                                            \
  X("run", run, FOR_RUN, MEASURE, "strategy runs seed until-bug time", "sample schedules with one strategy")           \
  X("stress", stress, FOR_STRESS, MEASURE, "runs time until-bug yield jobs",                                           \
    "run a program free, many times, and count the bugs that show by chance")                                          \
  X("record", record, FOR_RECORD, MEASURE, "into time strategy seed calls",                                            \
    "record one run of a program, for heddle predict")                                                                 \
  X("convert", convert, FOR_CONVERT, MEASURE, "", "write a recorded run in another form")                              \
  X("estimate", estimate, FOR_ESTIMATE, MEASURE, "", "estimate how large a recorded exploration is")                   \
  X("worker", worker, FOR_WORKER, MEASURE, "", "lend this machine to searches of a cluster")                           \
  X("cluster", cluster, FOR_CLUSTER, MEASURE, "", "start and end a cluster on this machine, to try it")

/* Other spellings.  X(spelling, name) */
#define HD_ALIASES(X)                                                                                                  \
  X("localize", "localise")                                                                                            \
  X("minimize", "minimise")

struct subcommand {
  const char *name;
  int (*run)(int argc, char **argv);
  unsigned options;
  enum work_stage stage;
  const char *first; /* names of options between blanks; empty: they are few */
  const char *summary;
  const unsigned char *help; /* help/NAME.txt, embedded by the build */
};

#define X(name, function, ...) +1
enum { COMMANDS = 0 HD_COMMANDS(X) };
#undef X
extern const struct subcommand commands[COMMANDS];

#define X(name, function, ...) int cmd_##function(int argc, char **argv);
HD_COMMANDS(X)
#undef X

/* By its name or another spelling of it; NULL: there is none. */
const struct subcommand *command_find(const char *name);

#endif
