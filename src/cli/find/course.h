/* SPDX-License-Identifier: Apache-2.0
 *
 * The course of an exploration as a file for heddle estimate (estimate/events.h); see course.c.
 */
#ifndef HEDDLE_CLI_COURSE_H
#define HEDDLE_CLI_COURSE_H

#include "core/control.h"
#include <stdbool.h>

/* Writes what the worker recorded. False: an error was printed. */
bool course_write(const char *path, const struct control *control);

#endif
