/* SPDX-License-Identifier: Apache-2.0
 *
 * Guided execution: a smaller test follows the failing execution of a larger one as well as it can.
 *
 * What is left of the larger execution when the events of the removed threads and calls are taken out is the retained
 * trace. The thread whose event comes next in it goes on. If it is about to do something else, then either events of
 * the trace can no longer happen, and what it is about to do is found a little further on (lookahead), or belongs to a
 * later call: those before it are skipped; or it is a new event, which happens while the trace waits. Threads that
 * cannot go on are passed over, so the holder of a lock comes to release it. Knows events, not programs; no pointers in
 * its state.
 */
#ifndef HEDDLE_STRATEGY_GUIDE_H
#define HEDDLE_STRATEGY_GUIDE_H

#include "core/subset.h"
#include "core/threadset.h"
#include <stdbool.h>
#include <stdint.h>

#define GUIDE_EVENTS (1u << 20)
#define GUIDE_NONE UINT32_MAX
#define GUIDE_NAMES 512u /* main is 0, thread n of the test n + 1, others lie behind */
#define GUIDE_OTHERS 256u
#define GUIDE_EXTRA 2000u /* new events of a thread in a row: it has lost its way, or waits for what will not come */

struct guide_event {
  uint16_t thread; /* its name */
  uint16_t kind;   /* enum op_kind */
  uint16_t of;     /* which thread of the test it belongs to, CALL_NONE for none, */
  uint16_t call;   /* and which call, or CALL_* */
  uint32_t next;   /* the next one of the same thread, or GUIDE_NONE */
  uintptr_t pc;
};

struct guide_trace {
  uint32_t count;
  bool overflow; /* there were more */
  struct guide_event event[GUIDE_EVENTS];
};

struct guide {
  uint32_t lookahead;
  bool whole;                   /* the window counts, and skips, the events of all threads, not of one */
  uint32_t cursor[GUIDE_NAMES]; /* next event of each thread in the retained trace */
  uint32_t extra[GUIDE_NAMES];  /* new events in a row */
  struct guide_trace retained;
};

enum guide_step { GUIDE_MATCHED, GUIDE_SKIPPED, GUIDE_NEW };

void guide_note(struct guide_trace *trace, const struct guide_event *event);

/* The trace without what is not in the subset, and every thread at its start. */
void guide_begin(struct guide *g, const struct guide_trace *failed, const struct subset *kept);

/* The place in the retained trace of the next event of this thread; GUIDE_NONE when it has none left. */
static inline uint32_t guide_place(const struct guide *g, uint32_t name)
{
  return g->cursor[name];
}

/* A thread performs this event. One that has lost its way has no events left from then on. */
enum guide_step guide_perform(struct guide *g, const struct guide_event *event);

#endif
