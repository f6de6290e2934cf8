/* SPDX-License-Identifier: Apache-2.0
 *
 * A moment of a traced execution: right before one of its events, what each thread is about to do, who waits, who holds
 * which lock. Found from the trace alone; no words, no printing. Whatever is in the trace (the tested program may have
 * written there), what comes out is safe to use.
 */
#ifndef HEDDLE_REPORT_MOMENT_H
#define HEDDLE_REPORT_MOMENT_H

#include "report/story/story.h"
#include <errno.h>

/* Whether it took a lock, not only tried to. */
static inline bool event_takes_lock(const struct trace_event *e)
{
  return op_takes_lock(e->op) && (e->result == 0 || e->result == EOWNERDEAD);
}

/* The same of a certain lock: who wakes from a wait takes its mutex again. */
static inline bool event_takes(const struct trace_event *e, uintptr_t lock)
{
  const bool wakes = e->op == OP_COND_WAKE || e->op == OP_COND_TIMEDWAKE;
  return wakes ? e->second == lock : event_takes_lock(e) && e->addr == lock;
}

static inline bool event_reads(const struct trace_event *e)
{
  return e->op == OP_READ || e->op == OP_ATOMIC_LOAD || e->op == OP_ATOMIC_RMW;
}

/* Whether nothing of its thread comes after it. */
static inline bool event_ends_thread(const struct trace_event *e)
{
  return e->op == OP_EXIT || (e->op == OP_PROCESS_END && e->arg != END_BY_EXEC);
}

/* Whether they are of the same memory, at least in part. */
static inline bool events_overlap(const struct trace_event *a, const struct trace_event *b)
{
  return a->addr < b->addr + b->length && b->addr < a->addr + a->length;
}

enum moment_thread_state {
  THREAD_NOT_YET, /* created later */
  THREAD_ENDED,
  THREAD_READY,
  THREAD_WAITS
};

struct moment_thread {
  enum moment_thread_state state;
  const struct trace_event *next; /* NULL when it is not in the trace */
  bool left;                      /* and will not be performed */
};

/* A lock, and the event that took it. Several for a recursive one. */
struct moment_lock {
  uint32_t thread;
  uintptr_t addr;
  const struct trace_event *by; /* of a condition variable: the wake-up that took the mutex again */
};

#define MOMENT_LOCKS 256 /* more are not told */

struct moment {
  uint32_t threads;
  struct moment_thread thread[MAX_THREADS];
  uint32_t locks;
  struct moment_lock lock[MOMENT_LOCKS];
};

/* Whether the thread of a wait on a condition looked at something between taking its mutex and the wait, as it
 * should. */
bool looks_before_wait(const struct story *story, size_t wait);

/* The moment before event `at` of the story's trace; at its end when there is no such event. */
void moment_find(const struct story *story, size_t at, struct moment *moment);

#endif
