/* SPDX-License-Identifier: Apache-2.0
 *
 * An exploration as a file of its events, for heddle estimate (estimate/events.h); see exploration_trace.c.
 */
#ifndef HEDDLE_CLI_EXPLORATION_TRACE_H
#define HEDDLE_CLI_EXPLORATION_TRACE_H

#include "core/control.h"
#include <stdbool.h>

/* Writes what the worker recorded. False: an error was printed. */
bool exploration_trace_write(const char *path, const struct control *control);

#endif
