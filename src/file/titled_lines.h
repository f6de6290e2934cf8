/* SPDX-License-Identifier: Apache-2.0
 *
 * Text files of heddle's whose first line names their format and version, and whose other lines stand for themselves.
 */
#ifndef HEDDLE_FILE_TITLED_LINES_H
#define HEDDLE_FILE_TITLED_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* Hands every line behind the first to take(), which says whether it is one. False, with one line in error: it cannot
 * be read, is of another version, or a line is none; complaint says what was expected then. */
bool titled_lines_read(const char *path, const char *first_line, bool (*take)(void *data, const char *line), void *data,
                       const char *complaint, char *error, size_t error_size);

#endif
