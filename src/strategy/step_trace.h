/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps of an execution, and which two of them could have come the other way round as far as one execution tells:
 * they meet in something, no lock keeps them apart, and nobody was seen to wait for the first one before the second.
 * Only the first steps of the first threads are kept: this guides a search, and proves nothing.
 */
#ifndef HEDDLE_STRATEGY_STEP_TRACE_H
#define HEDDLE_STRATEGY_STEP_TRACE_H

#include "core/abstract_schedule.h"
#include "core/strategy.h"

#define TRACE_STEPS 512
#define TRACE_THREADS 32

struct traced_step {
  struct operation op;
  struct abstract_event event;
  unsigned thread;
  uint64_t locks;                /* that the thread has: a bit of its address for each */
  uint16_t after[TRACE_THREADS]; /* so many steps of each thread must come first */
};

struct step_trace {
  unsigned known; /* threads whose path is */
  uint64_t path[MAX_THREADS];
  bool waiting[TRACE_THREADS]; /* at the last choice */
  uint64_t locks[TRACE_THREADS];
  uint16_t clock[TRACE_THREADS][TRACE_THREADS];
  uint32_t steps;
  struct traced_step step[TRACE_STEPS];
};

/* What two steps have to do with each other. */
enum bond {
  BOND_NONE,
  BOND_FAR,    /* one of them may concern anything */
  BOND_COARSE, /* they meet in a part of the system: files, descriptors, ... */
  BOND_NEAR    /* in memory, an object or a channel */
};

void step_trace_begin(struct step_trace *t);
/* At each choice, before anything else. */
void step_trace_settle(struct step_trace *t, const struct choice *c);
/* Whether the thread stands before that event, whose place is at that address. */
bool step_trace_is_at(const struct step_trace *t, const struct choice *c, unsigned thread,
                      const struct abstract_event *event, uintptr_t pc);
/* The thread takes its step. */
void step_trace_step(struct step_trace *t, const struct choice *c, unsigned thread);

enum bond steps_bond(const struct traced_step *a, const struct traced_step *b);
/* Whether the later one can come only when the earlier one has. */
bool step_is_after(const struct traced_step *earlier, const struct traced_step *later);
/* Whether the step is one that can come earlier or later than another thread's. */
bool step_is_movable(const struct traced_step *s);
/* Whether it needs one of these locks: it cannot come as long as another thread has them. */
bool step_takes_one_of(const struct traced_step *s, uint64_t locks);
/* Whether its thread has met the same thing before. */
bool step_trace_met_before(const struct step_trace *t, uint32_t step);
/* A number for the orders in which the steps met: equal ones mean that nothing new was seen. */
uint64_t step_trace_signature(const struct step_trace *t);
uint64_t abstract_event_number(const struct abstract_event *e);

#endif
