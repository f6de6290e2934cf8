/* SPDX-License-Identifier: Apache-2.0
 *
 * Text with a checksum: the first line is a title, the second a checksum over all the rest and the title. A text of
 * which one byte was changed, added or is missing has no seal that holds.
 */
#ifndef HEDDLE_TRACE_SEALED_H
#define HEDDLE_TRACE_SEALED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Title and room for the checksum; the caller writes the rest behind it. */
void seal_begin(FILE *out, const char *title);
/* When the text is whole. */
void seal(char *text, size_t bytes);

enum seal_state { SEAL_HOLDS, SEAL_BROKEN, SEAL_OF_ANOTHER };
/* *rest: where the text behind the checksum begins. */
enum seal_state seal_check(const char *text, size_t bytes, const char *title, size_t *rest);

#endif
