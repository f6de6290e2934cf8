/* SPDX-License-Identifier: Apache-2.0
 *
 * What a session covered: the sets of several workers and sessions in one, and how they are told: counts, a plot of
 * their growth over executions, what is missing; on a terminal and as JSON. Keys of the JSON may be added to, not
 * renamed.
 */
#ifndef HEDDLE_REPORT_COVERAGE_DOCUMENT_H
#define HEDDLE_REPORT_COVERAGE_DOCUMENT_H

#include "core/control.h"
#include "debuginfo/call_sites.h"
#include "debuginfo/symbols.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct covered {
  struct covered_point *points; /* sorted by place, each once */
  struct covered_pair *pairs;
  size_t point_count, pair_count;
  struct hotspot hotspots[CONTROL_HOTSPOTS];
  size_t hotspot_count;
  uint64_t executions; /* of all sessions so far */
  uint64_t lost;       /* entries there was no room for */
};

/* Adds what one worker saw. Its executions come after those of earlier sessions, which c->executions counts. False: no
 * memory. */
bool covered_add(struct covered *c, const struct coverage *sets);
void covered_add_hotspots(struct covered *c, const struct hotspot *hotspots, size_t count);
void covered_free(struct covered *c);

/* How much had been covered by the first so many executions. */
struct growth {
  uint64_t executions;
  size_t points, pairs, both; /* both: pairs that were seen in both orders */
};
struct growth covered_by(const struct covered *c, uint64_t executions);

/* Whether all hotspots are as expected. */
bool hotspots_met(const struct covered *c);
void hotspots_print(FILE *out, const struct covered *c);

/* All there is to tell. */
struct coverage_view {
  const struct covered *covered;
  bool sets; /* points and pairs were asked for; hotspots are always there */
  const struct call_site *sites;
  size_t site_count;
  struct symbols *symbols; /* NULL: places are numbers */
  const char *program;     /* path */
};

/* Points and pairs in words and as a plot. */
void coverage_print(FILE *out, const struct coverage_view *view);

/* Sets the keys "coverage" and "hotspots"; *good becomes false when there is no memory. */
void coverage_json(json_t *root, const struct coverage_view *view, bool *good);

#endif
