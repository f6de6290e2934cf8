/* SPDX-License-Identifier: Apache-2.0
 *
 * What a change is about: its impacted code points. A point is a line, in its function and unit, or a field or global
 * variable, wherever it is used. They come from a difference of two versions and from facts about both:
 *
 *   - lines that were changed, or follow what was removed, and those in which a changed macro is used;
 *   - all lines that are under a lock, or were, if one of them was changed, or what takes or releases it;
 *   - fields and global variables that are declared or used in such a line, or in a function that is called there.
 *
 * That is neither all that a change can matter for nor only what it does matter for: it orders a search, and no more.
 */
#ifndef HEDDLE_CHANGE_IMPACT_H
#define HEDDLE_CHANGE_IMPACT_H

#include "change/diff.h"
#include "frontend/source_facts.h"
#include <stdio.h>

/* By the numbers of texts in the facts of the new version. */
struct impact_point {
  uint32_t file, line; /* of a line */
  uint32_t function;   /* its name; UINT32_MAX: it is in none */
  uint32_t field;      /* UINT32_MAX: it is a line */
  bool global;         /* the field is a global variable */
};

struct impact {
  const struct source_facts *facts; /* of the new version */
  struct impact_point *point;       /* lines first, sorted */
  size_t points, room;
  bool failed; /* no memory left */
};

/* The points of the whole difference. old: facts of the old version of the files that are in both, may be empty. False:
 * no memory left. */
bool impact_find(struct impact *m, const struct diff *diff, const struct source_facts *new,
                 const struct source_facts *old);
void impact_free(struct impact *m);

/* Whether one of the lines is a point. */
bool impact_has_lines(const struct impact *m, uint32_t file, uint32_t first, uint32_t last);

/* `unit:function:line:*` or `*:*:*:struct.member`. */
void impact_format(const struct impact *m, const struct impact_point *p, char *out, size_t size);

#endif
