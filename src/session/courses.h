/* SPDX-License-Identifier: Apache-2.0
 *
 * The division of a search by causality: who gets which courses (causal/part.h). A planner (planner.h), whose self is a
 * struct division, for what all exhaustive searches keep.
 *
 * One worker explores alone until others have nothing to do. Then what waits is given out in batches that take a while
 * each; what a batch leads to is handed in, since another one may lead there, too. If processes have the program at
 * different addresses, only the first one goes on.
 */
#ifndef HEDDLE_SESSION_COURSES_H
#define HEDDLE_SESSION_COURSES_H

#include "core/planned.h"
#include <stdbool.h>
#include <stdint.h>

struct planner;

struct course_seat {
  uint32_t told;          /* classes that the worker knows */
  struct causal_job *job; /* that it has, without classes; NULL: none */
};

struct courses {
  struct causal *keeper; /* of all classes, and of the courses that wait */
  struct course_seat *seat;
  unsigned seats; /* one for each worker that had a job */
  unsigned out;   /* jobs */
  bool begun;
  bool abreast;     /* two jobs were out at one time */
  bool single;      /* others cannot take part: addresses differ */
  uint64_t layout;  /* of who answered first */
  double pace;      /* seconds for an execution, as of the last answer */
  uint64_t repeats; /* executions that others had made, too */
};

extern const struct planner courses_planner;

/* Nothing is left, and nobody has anything. */
bool courses_are_finished(const struct courses *k);
struct planned courses_planned(const struct courses *k);
void courses_close(struct courses *k);

#endif
