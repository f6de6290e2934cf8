/* SPDX-License-Identifier: Apache-2.0
 *
 * A schedule in gdb. heddle prepares a replay, then becomes gdb; gdb starts the program by way of heddle again, so that
 * it finds the same arguments, environment, descriptors and addresses as in any other replay, however often it is run.
 * What gdb can do then is in packaging/heddle-gdb.py, where it stands in
 * worlds/threads/process/debugger.c. */
#ifndef HEDDLE_CLI_GDB_REPLAY_H
#define HEDDLE_CLI_GDB_REPLAY_H

#include "cli/find/saved_schedule.h"
#include "cli/option/options.h"

/* The word by which gdb calls heddle to become the program; of no use to people. */
#define DEBUGGER_START "--start-for-debugger"

/* Becomes gdb. Returns only an exit status: an error was printed. */
int debugger_run(const struct saved_schedule *saved, const struct options *options);

/* Becomes the program, in a child of gdb. Returns only an exit status. */
int debugger_start(void);

#endif
