/* SPDX-License-Identifier: Apache-2.0
 *
 * Edits of a source file: text put in at places of it, or in place of ranges of it, shown as a unified diff or applied.
 * Pure: what is edited is text in memory, and nothing is read or written here. A file of the user's is changed by
 * output_file_change() (output_file.h), and only when the user asked for that.
 *
 * Places are offsets into the text as it was, whatever was edited before. Texts put in at one place stand in the order
 * in which they came. Ranges must not overlap.
 */
#ifndef HEDDLE_FILE_SOURCE_PATCH_H
#define HEDDLE_FILE_SOURCE_PATCH_H

#include <stdbool.h>
#include <stddef.h>

struct source_edit {
  size_t from, to; /* what is replaced; the same: nothing */
  char *text;      /* malloc'ed */
};

struct source_patch {
  const char *text; /* as it was; the caller's, and there until the patch is closed */
  size_t length;
  struct source_edit *edit; /* by place */
  size_t edits, room;
};

void source_patch_open(struct source_patch *patch, const char *text, size_t length);
void source_patch_close(struct source_patch *patch);

/* The place of a column of a line, both from 1, columns in bytes; the end of the line if it is shorter, of the text if
 * there is no such line. */
size_t source_patch_place(const struct source_patch *patch, size_t line, size_t column);
/* The line of a place, from 1, and where that line begins. */
size_t source_patch_line(const struct source_patch *patch, size_t place);
size_t source_patch_line_begin(const struct source_patch *patch, size_t place);

/* Both copy the text. False when there is no memory, when the place is not in the text, or when the range overlaps one
 * that is replaced already; the patch is then as before. */
bool source_patch_insert(struct source_patch *patch, size_t place, const char *text);
bool source_patch_replace(struct source_patch *patch, size_t from, size_t to, const char *text);

/* The edited text, malloc'ed, NUL-terminated; NULL when there is no memory. */
char *source_patch_apply(const struct source_patch *patch, size_t *length);

/* The edits as patch(1) takes them, with three lines around each; malloc'ed, empty if nothing changes. The names are
 * those of the file before and after. NULL when there is no memory. */
char *source_patch_diff(const struct source_patch *patch, const char *before, const char *after);

#endif
