/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that a person names and heddle reads. What is not a regular file could keep it waiting (a pipe that nobody
 * writes to) or never end (/dev/zero), so it is refused; opening one never blocks. Lines have a limit, for the same
 * reason.
 */
#ifndef HEDDLE_TRACE_INPUT_FILE_H
#define HEDDLE_TRACE_INPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#define INPUT_LINE_MOST (1 << 20) /* bytes: longer than any line that means something */

/* A descriptor for reading; -1, with the rest of a sentence that begins with the file's name in error. */
int input_descriptor(const char *path, char *error, size_t error_size);

/* The same as a stream; NULL, with error. */
FILE *input_open(const char *path, char *error, size_t error_size);

/* As getline(), but a line of INPUT_LINE_MOST bytes or more is cut there and *whole becomes false; whole may be
 * NULL. */
ssize_t input_line(char **line, size_t *room, FILE *in, bool *whole);

#endif
