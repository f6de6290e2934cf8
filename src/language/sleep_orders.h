/* SPDX-License-Identifier: Apache-2.0
 *
 * Which order the sleeps of a test stand for, from runs in which they ended in time: when the sleep of a thread is
 * over, every other thread has come to some place, and sleeps there itself, has ended, or is blocked. That is what the
 * sleep was for; where runs differ, one or the other. What follows from the rest is left out: from the order within a
 * thread, from creations and joins, or from what other sleeps stand for. That a thread is blocked never does: the next
 * step of somebody may change it, and by mistake even one that should not.
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
  bool blocked; /* before it, for so long: */
  bool joins;   /* and that in a join */
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

struct sleep_fact {
  struct sleep_instance at; /* the last mark that a thread came to, */
  bool blocked;             /* and it is blocked behind it */
};

#define SLEEP_FACTS 4

/* One of the facts about a thread, each of which held in some run. */
struct sleep_rule {
  struct sleep_instance event; /* the end of a sleep: waits for it */
  struct sleep_fact fact[SLEEP_FACTS];
  size_t facts;
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
