/* SPDX-License-Identifier: Apache-2.0
 *
 * Versions of file formats: a file begins with words that name its format, and a number. A version that this heddle
 * does not read is refused in the same words for all formats.
 */
#ifndef HEDDLE_TRACE_FORMAT_VERSION_H
#define HEDDLE_TRACE_FORMAT_VERSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Whether the text begins as `start` does, "heddle checkpoint 4", but with another number; the error says which. */
bool is_of_another_version(const char *text, size_t bytes, const char *start, char *error, size_t error_size);
/* The same of a file, which stays where it is. */
bool file_is_of_another_version(FILE *file, const char *start, char *error, size_t error_size);

#endif
