/* SPDX-License-Identifier: Apache-2.0
 *
 * The engine: one execution, step by step. It keeps what every thread is about to do, asks the world what is enabled
 * and the strategy who goes next, writes down the schedule and hashes the trace. It lives in memory that outlives the
 * process (control.h) and uses no libc state: no allocation, no errors but return values.
 *
 * The life of a step: a thread announces its operation (engine_announce); engine_next() says which thread takes the
 * next step; that thread performs its pending operation (engine_perform) and runs on to its next announcement.
 */
#ifndef HEDDLE_CORE_ENGINE_H
#define HEDDLE_CORE_ENGINE_H

#include "core/control.h"
#include "core/operation.h"
#include "core/strategy.h"
#include "core/threadset.h"
#include "core/world.h"

#define ENGINE_SEGMENTS (1u << 20)
#define ENGINE_CHOICES (1u << 20)

/* What engine_next() says when it is no thread's turn. */
enum {
  NEXT_DEADLOCK = MAX_THREADS, /* threads are alive, none is enabled */
  NEXT_DIVERGED,               /* the schedule cannot be followed */
  NEXT_BLOCKED,                /* whatever follows was explored elsewhere */
  NEXT_TOO_LONG                /* the step limit */
};

struct engine {
  const struct world *world;       /* set anew in each process */
  const struct strategy *strategy; /* likewise */
  struct control *control;         /* likewise */
  void *strategy_state;

  bool opened;
  uint32_t generation; /* of executions, and of phases of memory ownership in them; never repeats */
  uint32_t locations;  /* shared memory locations numbered so far */
  uint32_t relearned;  /* executions in a row that were run again because they found new ones */
  uint32_t current;
  uint32_t threads; /* created so far in this execution */
  uint32_t alive_count;
  bool yielded;             /* the current thread asked to let others go first */
  bool stale;               /* some object changed: enabledness must be computed again */
  struct threadset enabled; /* right while !stale */
  struct threadset waiting; /* alive, with a pending operation that can block */
  uint64_t step;
  uint64_t max_steps;   /* now; it may be raised */
  uint64_t first_limit; /* at the start of the execution */
  uint64_t hash;
  uint64_t segment_base; /* operations the current thread had performed when its segment began */
  uint32_t segments, choices;
  uint32_t decisions; /* points of this execution where there was something to decide */
  bool overflow;      /* more segments or choices than can be written down */
  struct thread_state thread[MAX_THREADS];
  struct segment segment[ENGINE_SEGMENTS];
  struct data_choice choice[ENGINE_CHOICES];
};

/* A new execution; thread 0 is alive and current, with nothing pending. */
void engine_begin(struct engine *e, uint64_t seed, uint64_t execution);

/* A new thread whose pending operation is OP_START, or MAX_THREADS when there are too many. */
unsigned engine_add_thread(struct engine *e, unsigned parent, uintptr_t start, uintptr_t pc);

/* The same for a task that is no thread of the program's: there is one at most, a child of main whose number is out of the
 * way of others. */
unsigned engine_add_task(struct engine *e, uintptr_t start);

/* The current thread is about to do this. count: whether it counts as one more operation (a second phase does not). */
void engine_announce(struct engine *e, const struct operation *op);

/* The current thread has ended. */
void engine_end_thread(struct engine *e);

/* Who takes the next step: a thread, which is current from now on, or one of NEXT_*. */
unsigned engine_next(struct engine *e);

/* The current thread has performed its operation with that result: the trace hash takes note. */
void engine_perform(struct engine *e, int64_t result);

/* A decision that is not about threads, written into the schedule. n > 0. */
unsigned engine_choose(struct engine *e, unsigned n);

/* Write the schedule of this execution, as far as it ran, to memory of that size; 0 if it does not fit. */
uint64_t engine_write_schedule(struct engine *e, struct schedule_record *out, uint64_t size);

/* Which threads can go on now. */
const struct threadset *engine_enabled(struct engine *e);

/* Some object's state changed in a way that may enable or disable others. */
static inline void engine_touch(struct engine *e)
{
  e->stale = true;
}

#endif
