/* SPDX-License-Identifier: Apache-2.0
 *
 * Which order the sleeps of a test stand for, from runs in which they ended in time: when the sleep of a thread is over,
 * every other thread has come to some place, and sleeps there itself, has ended, or is blocked. That is what the sleep
 * was for, as far as it holds in all runs, and as far as it does not follow from the rest: from the order within a
 * thread, from creations and joins, or from what other sleeps stand for.
 *
 * Pure. A run is what its threads did that matters here, in its order; places are marks (sleep_marks.h).
 */
#ifndef HEDDLE_LANGUAGE_SLEEP_ORDERS_H
#define HEDDLE_LANGUAGE_SLEEP_ORDERS_H

#include "core/ordering.h"
#include "core/threadset.h"
#include "language/sleep_marks.h"

enum sleep_step_kind {
  STEP_MARK,   /* comes to the mark `what` */
  STEP_SLEPT,  /* its sleep ends */
  STEP_CREATE, /* thread `what` */
  STEP_JOIN,   /* thread `what` */
  STEP_OTHER
};

struct sleep_step {
  uint32_t thread;
  uint32_t kind; /* enum sleep_step_kind */
  uint32_t what;
  bool blocked;  /* before it, for so long: */
  bool joins;    /* and that in a join */
  uint64_t since;
  uint64_t step; /* its number; they grow */
};

struct sleep_run {
  struct sleep_step *step;
  size_t steps;
  struct sleep_step left[MAX_THREADS]; /* what threads were about to do at the end */
  size_t left_count;
};

/* That a thread came to a mark for the nth time, from 1. */
struct sleep_instance {
  uint32_t mark, thread, nth;
};

struct sleep_rule {
  struct sleep_instance event;  /* the end of a sleep: waits for */
  struct sleep_instance before; /* this, */
  bool blocked;                 /* and for its thread to be blocked then */
};

struct sleep_orders {
  struct sleep_rule *rule;
  size_t rules;
  enum sleep_stays *stays; /* of each mark that is a sleep */
};

/* False: no memory, nothing is left to free. The first run is the one whose places are named. */
bool sleep_orders_find(struct sleep_orders *orders, const struct sleep_marks *marks, const struct c_file *file,
                       const struct sleep_run *run, size_t runs);
void sleep_orders_free(struct sleep_orders *orders);

#endif
