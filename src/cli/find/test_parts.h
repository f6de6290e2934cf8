/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of an ordinary program as parts of a test (core/parts.h): which of them can be left out, found in the program's
 * file, and those that an execution made, in words.
 */
#ifndef HEDDLE_CLI_TEST_PARTS_H
#define HEDDLE_CLI_TEST_PARTS_H

#include "core/control.h"
#include "core/parts.h"
#include "debuginfo/symbols.h"
#include "report/story/minimised.h"

/* Calls of the functions of the list (debuginfo/watch_list.h) can be left out from now on, but for those that give
 * their caller something. False: an error was printed. */
bool parts_watch(struct control_config *config, const char *program, const char *list);

/* Threads, calls and what had to stay, as words; all malloc'ed. */
struct parts_told {
  struct test_call *call;
  struct test_stay *stay;
  char **thread;
  size_t calls, stays, threads;
};

/* symbols: of the execution. Threads that are not in kept were left out; NULL: none was. False: no memory. */
bool parts_tell(struct parts_told *told, const struct made_calls *made, const struct control *control,
                const char *program, struct symbols *symbols, const struct subset *kept);
void parts_told_free(struct parts_told *told);

#endif
