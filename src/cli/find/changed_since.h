/* SPDX-License-Identifier: Apache-2.0
 *
 * What was changed in a program since a revision (--changed): asked of git, read from the sources that the program was
 * compiled from, told to its search as a map (core/changed.h) and to the person as lines. */
#ifndef HEDDLE_CLI_CHANGED_SINCE_H
#define HEDDLE_CLI_CHANGED_SINCE_H

#include "report/document/json.h"
#include "session/target.h"
#include <stdbool.h>

/* All zero: nobody asked. */
struct changed_since {
  const struct json_changed
      *told;      /* kept until the end: other tests of the program have the same; NULL: nobody asked */
  unsigned reach; /* what of it the program has: 0 nothing, 1 what it is about, 2 its lines */
  bool is_news;   /* it was not asked of this program before */
};

/* Puts the map where sessions take it from. False: an error was printed. */
bool changed_since_open(struct changed_since *c, const char *revision, const char *heuristic, struct target *target);

/* Which lines are looked at first, if that is news. */
void changed_since_print(const struct changed_since *c);

#endif
