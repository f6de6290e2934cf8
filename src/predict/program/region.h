/* SPDX-License-Identifier: Apache-2.0
 *
 * Regions of a trace program: runs of lines that only take and release locks. What a region says is which nestings of
 * locks the thread goes through, so each nesting that was there before, between the same lines, goes again as soon as
 * it is complete. Never across any other line. Locks released in another order than the reverse of their taking are
 * kept together until all of them are released.
 */
#ifndef HEDDLE_PREDICT_REGION_H
#define HEDDLE_PREDICT_REGION_H

#include "predict/program/trace_program.h"

/* A lock that was taken in the region and is held at its end. */
struct region_lock {
  uint32_t object;
  uint32_t unit;  /* line where that begins which must be kept together with it */
  uint32_t scope; /* line from which on nothing else was taken or released */
};

struct region {
  uint32_t scope; /* the same outside all those locks */
  struct region_lock *held;
  uint32_t count, room;
};

/* Adds a line to the end of the body. False: no memory. While a body grows, the first line of a complete nesting has
 * its length in `jump`. */
bool region_add(struct body *body, struct region *region, const struct program_line *line);
void region_free(struct region *region);

#endif
