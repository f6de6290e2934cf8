/* SPDX-License-Identifier: Apache-2.0
 *
 * Conditions that nobody declared, inferred from the memory that a thread reads before it waits: a pass over the trace,
 * to be made before a trace program is built from it, and one before that which tells what memory changes at all.
 *
 * The shape that is understood: `while (condition) wait`, or `if`, where the condition is about one variable, or
 * compares two on one line of the source. The last shared variables that a thread read before a wait, since it took the
 * mutex or woke, are those of the condition; if it read none since then, those it read right before it took the mutex.
 * The same place in the code that was read without a wait after it is a wait that did not happen. What values made it
 * wait, and what values did not, tell the condition: a relation of the two variables that was always so, or a bound, or
 * just these values.
 *
 * What cannot be known so: conditions of waits that never happened in the run; conditions computed before, or by calls
 * that read no shared memory; of several variables, those that were not read because the others decided already;
 * signals that are skipped. Program's own words (heddle.h) about a condition variable come first: nothing is inferred
 * for it.
 */
#ifndef HEDDLE_PREDICT_GUARDS_H
#define HEDDLE_PREDICT_GUARDS_H

#include "predict/trace/trace.h"

struct guards;
struct guards *guards_begin(void);                                                 /* NULL: no memory */
void guards_survey(struct guards *g, const struct event *e);                       /* first pass */
void guards_event(struct guards *g, const struct trace *t, const struct event *e); /* second pass */
/* After the last event. False: no memory. */
bool guards_end(struct guards *g);
void guards_free(struct guards *g);

/* ---- for those who use them ---- */

/* What a thread has read of late. */
struct reading {
  uint32_t site;
  bool known;
  uint64_t addr;
  int64_t value;
};

struct look { /* prev: another variable, on the same line */
  struct reading last, prev;
};

struct guard_section {
  struct look now;    /* since it took a mutex, or woke */
  struct look before; /* right before that */
};

/* The thread's next event. */
void section_event(struct guard_section *s, const struct guards *g, const struct trace *t, const struct event *e);

/* A condition about certain memory. */
struct guard_instance {
  bool guards;   /* else it is none after all */
  uint32_t site; /* where the last variable is read */
  uint64_t addr, prev;
  uint32_t cond, mutex;
  uint32_t wait; /* where it is waited */
  bool unlocked; /* looked at without the mutex */
};

/* Instances, from 1. */
uint32_t guards_count(const struct guards *g);
const struct guard_instance *guards_instance(const struct guards *g, uint32_t i);
/* The instance that this look at memory asks for; 0: none. */
uint32_t guards_find(const struct guards *g, const struct look *look);
/* Whether it makes one wait. */
bool guards_hold(const struct guards *g, uint32_t instance, int64_t last, int64_t prev);
/* The value that memory has before anything happens, as far as that is known. */
int64_t guards_start(const struct guards *g, uint64_t addr);

bool same_line(const struct trace *t, uint32_t site, uint32_t other);
int64_t event_number(const struct event *e); /* its value, with its sign */

#endif
