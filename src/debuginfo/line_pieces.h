/* SPDX-License-Identifier: Apache-2.0
 *
 * All code of a program, piece by piece, with the line of source that it comes from; and the code that was inlined,
 * with the line of the call. Addresses are those of the program's file.
 */
#ifndef HEDDLE_DEBUGINFO_LINE_PIECES_H
#define HEDDLE_DEBUGINFO_LINE_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line_piece {
  uint64_t from, to;
  const char *file; /* as the debug information has it, mostly absolute; valid during the call */
  uint32_t line;
  bool inlined; /* it is the code of a call in that line */
};

/* False, with one line in error: the program has no debug information, or cannot be read. */
bool line_pieces(const char *program, void (*each)(void *context, const struct line_piece *piece), void *context,
                 char *error, size_t error_size);

#endif
