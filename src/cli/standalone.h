/* SPDX-License-Identifier: Apache-2.0
 *
 * A reduced stress test as a C file of its own: the text of the test's source, and a main that makes the calls that are
 * left, each written out.
 */
#ifndef HEDDLE_CLI_STANDALONE_H
#define HEDDLE_CLI_STANDALONE_H

#include "cli/stress_calls.h"
#include <stdbool.h>

/* source: the file of the test, as it can be read from here. False: an error was printed. */
bool standalone_write(const char *path, const char *source, const struct stress_calls *calls);

#endif
