/* SPDX-License-Identifier: Apache-2.0
 *
 * A reduced stress test as a C file of its own: the text of the test's source, and a main that makes the calls that are
 * left, each written out.
 */
#ifndef HEDDLE_CLI_STANDALONE_H
#define HEDDLE_CLI_STANDALONE_H

#include "cli/find/stress_calls.h"
#include <stdbool.h>

/* sources: what the test will be compiled from; the first is written here. whole: the file of the whole test, as it can
 * be read from here. False: an error was printed. */
bool standalone_write(char *const *sources, size_t count, const char *whole, const struct stress_calls *calls);

#endif
