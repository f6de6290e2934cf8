/* SPDX-License-Identifier: Apache-2.0
 *
 * What must come before what, whatever the schedule: the order within a thread, creation before the first event of the
 * thread created, its last event before a join, a signal before the end of the waits that it ended. Locks and memory
 * order nothing here, on purpose: their order is what another schedule changes.
 *
 * Kept as vector clocks, one a thread. Creations, joins, signals and ends of waits tick, that is, increase the thread's
 * own entry; what a thread does between two ticks shares a clock, and its order is that of the
 * events. */
#ifndef HEDDLE_PREDICT_CAUSALITY_H
#define HEDDLE_PREDICT_CAUSALITY_H

#include "predict/trace/trace.h"

/* Entries beyond count are 0. */
struct clock {
  uint32_t *at; /* by thread */
  uint32_t count, room;
};

struct notification; /* a signal or broadcast that has not woken all it will */

struct condition_state {
  struct notification *sent; /* oldest first */
  uint32_t sent_count, sent_room;
  uint32_t waiters; /* threads between the begin and the end of a wait */
};

struct thread_past {
  struct clock clock;
  uint64_t wait_began; /* number of the event, 0 if it is in no wait */
};

/* All zero: nothing has happened. */
struct causality {
  struct thread_past *thread;
  struct condition_state *condition; /* by object */
  uint32_t threads, conditions;
  bool failed; /* no memory: clocks are not to be believed */
};

/* Follows one event. */
void causality_event(struct causality *c, const struct event *e);

/* The clock of a thread after the event that was followed last; NULL if there is no memory. Valid until the next. */
const struct clock *causality_clock(struct causality *c, uint32_t thread);

/* All entries at most as large, and not all equal. */
bool clock_before(const struct clock *a, const struct clock *b);

static inline uint32_t clock_get(const struct clock *c, uint32_t thread)
{
  return thread < c->count ? c->at[thread] : 0;
}

void causality_free(struct causality *c);

#endif
