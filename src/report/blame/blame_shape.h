/* SPDX-License-Identifier: Apache-2.0
 *
 * Mistakes of a known shape, each with what would mend it: those of deadlocks (blame_deadlock.h), memory that is freed
 * and objects that are destroyed or closed while others use them, things made public too early, checks apart from what
 * they decide on. Read from the failing run alone: from its trace, and from what its threads were about to do. Where
 * nothing fits there is no shape, rather than a wrong one.
 */
#ifndef HEDDLE_REPORT_BLAME_SHAPE_H
#define HEDDLE_REPORT_BLAME_SHAPE_H

#include "report/blame/blame.h"
#include "report/story/story.h"

/* False: of no known shape. The events of the pattern are those of the story. */
bool blame_shape(const struct story *story, struct pattern *out);

/* Such a pattern as a sentence without its end (of three accesses: describe_pattern() of blame_text.h), and what would
 * forbid it; the latter may be empty. */
void describe_shape(const struct story *story, const struct pattern *pattern, char *out, size_t n);
void describe_shape_remedy(const struct story *story, const struct pattern *pattern, char *out, size_t n);

#endif
