/* SPDX-License-Identifier: Apache-2.0
 *
 * How a search went on: executions over time, and how many there seemed to be in all. Few points, whatever the length
 * of the search: when there is no room, every second one is dropped and half as many are taken from then on. Knows
 * nothing of what is searched.
 */
#ifndef HEDDLE_REPORT_PACE_H
#define HEDDLE_REPORT_PACE_H

#include <stdbool.h>
#include <stdint.h>

#define PACE_POINTS 128

struct pace_point {
  double seconds;
  uint64_t executions;
  double estimate; /* of all executions there are; 0: not known */
};

struct pace {
  uint32_t count;
  double least;           /* seconds between two points */
  struct pace_point from; /* where the present part of the search began */
  struct pace_point point[PACE_POINTS];
};

/* So far in this part of the search. last: it ends here, and the next one begins. */
void pace_note(struct pace *pace, const struct pace_point *now, bool last);

#endif
