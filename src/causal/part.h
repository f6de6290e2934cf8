/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of one search by causality that several processes share (causal.h): what goes to them and comes back, as bytes.
 *
 * Somebody, who runs nothing himself, keeps all classes and all courses that wait. Who explores is given some courses
 * and those classes that it does not know yet, so that it can tell what is subsumed; it hands in the classes that it
 * ran and the courses that it found. Only courses that are run at the same time can lead to the same class: the second
 * to be handed in does not count. Nothing else depends on who ran what, so the classes are those of one process.
 *
 * Steps and values are told apart by numbers made from addresses: all who share a search have the program at the same
 * ones.
 */
#ifndef HEDDLE_CAUSAL_PART_H
#define HEDDLE_CAUSAL_PART_H

#include "causal/causal.h"

/* A job: followed by the classes and the courses. */
struct causal_job {
  uint64_t epoch;
  uint32_t base;    /* so many classes of this epoch were told it before; 0: it is to forget all that it knows */
  uint32_t classes; /* that follow: each its words, the threads, the steps of each, and their prefixes */
  uint32_t courses; /* that follow those */
  bool begins;      /* the first execution of all is to be run */
  bool alone;       /* what they lead to is explored as well; else it is handed in */
};

/* An answer: followed by the classes that were run and the courses that are left, those that were given included. */
struct causal_answer {
  uint32_t classes, courses;
  bool lacks; /* it was not told what it was taken to know: nothing was done */
  bool full;  /* not all that is left could be kept, or handed in */
  struct planned planned;
};

/* ---- who explores ---- */

/* False: the job makes no sense. */
bool causal_take_job(struct causal *c, const struct causal_job *job, uint64_t bytes);
/* Returns its bytes. */
uint64_t causal_write_answer(struct causal *c, struct causal_answer *out, uint64_t room);

/* ---- who keeps it all ---- */

/* Of that many bytes at most, for who was told the first `base` classes. With no courses in it if none is left, or if
 * there is room for none. `most`: courses. Returns its bytes. */
uint64_t causal_write_job(struct causal *keeper, struct causal_job *out, uint64_t room, uint32_t most);
/* What was handed in, or given out and not answered. repeats: classes that others had run. False: damaged. */
bool causal_take_answer(struct causal *keeper, const struct causal_answer *in, uint64_t bytes, uint64_t *repeats);
/* The courses of a job that nobody answers wait again. */
void causal_return_job(struct causal *keeper, const struct causal_job *job);
static inline bool causal_has_courses(const struct causal *keeper)
{
  bool any = false;
  for (unsigned i = 0; i < REASONS; i++)
    any |= keeper->work.head[i] != 0;
  return any;
}

#endif
