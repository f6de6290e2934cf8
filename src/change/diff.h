/* SPDX-License-Identifier: Apache-2.0
 *
 * A difference of two versions as `git diff -U0` tells it: which lines of which files. Pure: it reads a text, and
 * believes nothing of it. What it does not understand it passes over.
 */
#ifndef HEDDLE_CHANGE_DIFF_H
#define HEDDLE_CHANGE_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lines of the old version that were removed, and lines of the new one that came in their place. Of none of them,
 * `line` is the one that they follow. */
struct diff_hunk {
  uint32_t old_line, old_count;
  uint32_t new_line, new_count;
};

struct diff_file {
  char *old_path, *new_path; /* as the repository has them; NULL: there was none, or is none */
  bool binary;
  struct diff_hunk *hunk;
  size_t hunks, room;
};

struct diff {
  struct diff_file *file;
  size_t files, room;
};

/* False: no memory left. */
bool diff_parse(struct diff *d, const char *text);
void diff_free(struct diff *d);

/* The line of the new version that an old one became; 0: it was removed. */
uint32_t diff_new_line(const struct diff_file *f, uint32_t old_line);

#endif
