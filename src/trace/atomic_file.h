/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that are there whole or not at all: a temporary file next to the target, then a rename.
 */
#ifndef HEDDLE_TRACE_ATOMIC_FILE_H
#define HEDDLE_TRACE_ATOMIC_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the file. A target that exists and is no regular file (a pipe, a terminal, /dev/stdout) is written to
 * directly. On failure returns false with one line in error, and the old file, if any, is as it was. */
bool atomic_file_write(const char *path, const void *data, size_t length, char *error, size_t error_size);

#endif
