/* SPDX-License-Identifier: Apache-2.0
 *
 * A source with what its schedule file says (order_file.h) in it: events before the statements that begin on the lines
 * it names, and its schedules behind the rest. It is for the compiler, not for people: no line moves, and the file goes
 * by its own name. Pure.
 */
#ifndef HEDDLE_LANGUAGE_SIDE_EDITS_H
#define HEDDLE_LANGUAGE_SIDE_EDITS_H

#include "file/source_patch.h"
#include "language/c_statements.h"
#include "language/order_file.h"

struct side_edits {
  struct source_patch patch;
  struct c_file file;
  const char *path; /* of the source, as the compiler is to call it */
  bool cxx;
};

/* The text stays the caller's. False: no memory, or the braces of the source do not match; nothing is left to free. */
bool side_edits_open(struct side_edits *edits, const char *path, bool cxx, const char *text, size_t length);
void side_edits_close(struct side_edits *edits);

/* The event comes before the statement that begins first on that line. False, with the rest of a sentence about the
 * line, if none does, or there is no memory. */
bool side_edits_place(struct side_edits *edits, unsigned line, const char *event, char *problem, size_t size);
/* The schedules of the file of that name. False: no memory. */
bool side_edits_declare(struct side_edits *edits, const struct order_file *side, const char *name);

/* The whole text, malloc'ed; NULL: no memory. */
char *side_edits_text(struct side_edits *edits, size_t *length);

#endif
