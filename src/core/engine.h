/* SPDX-License-Identifier: Apache-2.0
 *
 * The engine: one execution, step by step. It keeps what every thread is about to do, asks the world what is enabled
 * and the strategy who goes next, writes down the schedule and hashes the trace. It lives in memory that outlives the
 * process (control.h) and uses no libc state: no allocation, no errors but return values.
 *
 * engine_run() is one execution, and the only driver of worlds: it asks whose turn it is (engine_turn) and lets that
 * task go on. The life of a step: a task announces its operation (engine_announce); when it has the turn, it says that
 * it performs it now (engine_about) and with which result it did (engine_perform), and goes on to its next
 * announcement.
 */
#ifndef HEDDLE_CORE_ENGINE_H
#define HEDDLE_CORE_ENGINE_H

#include "core/changed.h"
#include "core/control.h"
#include "core/observer.h"
#include "core/operation.h"
#include "core/strategy.h"
#include "core/threadset.h"
#include "core/world.h"

#define ENGINE_SEGMENTS (1u << 20)
#define ENGINE_CHOICES (1u << 20)

/* What engine_turn() says when it is no task's turn any more. */
enum {
  NEXT_DEADLOCK = MAX_THREADS, /* tasks are alive, none is enabled, be it that observers hold it back */
  NEXT_DIVERGED,               /* the schedule cannot be followed */
  NEXT_BLOCKED,                /* the strategy does not want what follows (PICK_BLOCKED) */
  NEXT_TOO_LONG,               /* the step limit */
  NEXT_OVER                    /* the program has ended, or a bug or heddle itself ended the execution */
};

struct engine {
  const struct world *world;       /* set anew in each process */
  const struct strategy *strategy; /* likewise */
  struct control *control;         /* likewise */
  struct job job;                  /* likewise */
  void *strategy_state;
  struct watchers watchers; /* likewise: the observers */
  struct leaning leaning;   /* for one execution */

  bool opened;
  uint32_t generation; /* of executions, and of phases of memory ownership in them; never repeats */
  uint32_t locations;  /* shared memory locations numbered so far */
  bool stacks_met;     /* the stack of a task was used by another one, ever */
  bool unkept;         /* new ones, of which observers did not keep all that was done before (observer.h: unseen) */
  uint32_t relearned;  /* executions in a row that were run again because they found new ones */
  uint32_t current;
  uint32_t threads; /* created so far in this execution */
  uint32_t processes;
  uint32_t alive_count;
  bool yielded;             /* the current thread asked to let others go first */
  bool stale;               /* some object changed: enabledness must be computed again */
  struct threadset enabled; /* right while !stale */
  struct threadset waiting; /* alive, with a pending operation that can block */
  uint64_t step;
  uint64_t max_steps;         /* now; observers may raise it */
  uint64_t first_limit;       /* at the start of the execution */
  unsigned over;              /* NEXT_*: why there are no more turns; 0: there are */
  struct outcome outcome;     /* as far as it is known */
  bool opaque;                /* some code of the program synchronises unseen: clocks know too little */
  bool performing;            /* the current operation: some observer waits for its effect */
  struct operation performed; /* which it is */
  struct effect effect;
  struct bug bug; /* that is about to be declared */
  uint64_t hash;
  uint64_t segment_base; /* operations the current thread had performed when its segment began */
  uint32_t segments, choices;
  uint32_t decisions; /* points of this execution where there was something to decide */
  bool overflow;      /* more segments or choices than can be written down */
  struct thread_state thread[MAX_THREADS];
  struct segment segment[ENGINE_SEGMENTS];
  struct data_choice choice[ENGINE_CHOICES];
};

/* One execution, from the beginning to its end. Why there are no more turns: NEXT_*. */
unsigned engine_run(struct engine *e, uint64_t execution);

/* What the strategy makes of it; false: it has no more executions to run. The outcome may have been completed
 * before. */
bool engine_conclude(struct engine *e);

/* ---- for worlds ---- */

/* A new task whose pending operation is OP_START, or MAX_THREADS when there are too many. */
unsigned engine_add_thread(struct engine *e, unsigned parent, uintptr_t start, uintptr_t pc);

/* The same for the nth task that is no thread of the program's, from 0 on: a child of main whose number is out of the
 * way of others. */
unsigned engine_add_task(struct engine *e, unsigned nth, uintptr_t start);

/* The current task is about to do this. */
void engine_announce(struct engine *e, const struct operation *op);

/* Its pending operation, of a kind that need not wait, does: the world says when it can go on. */
void engine_holds_on(struct engine *e);

/* The current task has ended. */
void engine_end_thread(struct engine *e);

/* The task never goes on: its process has ended. What it was about to do stays known. */
void engine_cut_off(struct engine *e, unsigned task);

/* Who takes the next step: a task, which is current from now on, or one of NEXT_*: then the execution is over. */
unsigned engine_turn(struct engine *e);

/* The current task performs the operation now: mostly its pending one. */
void engine_about(struct engine *e, const struct operation *op);

/* It has, with that result: the trace hash takes note. */
void engine_perform(struct engine *e, int64_t result);

/* The update of memory that the current task has just made only read. */
void engine_only_read(struct engine *e, uintptr_t addr, int order);

/* The execution is over where the current task stands. Does not return if tasks have stacks (world.h: leave). */
void engine_stop(struct engine *e);

/* A decision that is not about tasks, written into the schedule. n > 0. */
unsigned engine_choose(struct engine *e, unsigned n);

/* The same, where somebody else has decided: what follows the schedule decides by it. */
void engine_decided(struct engine *e, unsigned n, unsigned value);

/* ---- for observers and worlds ---- */

/* Write the schedule of this execution, as far as it ran, to memory of that size; 0 if it does not fit. */
uint64_t engine_write_schedule(struct engine *e, struct schedule_record *out, uint64_t size);

/* Whether others can tell the operation from its absence at all: memory only if it is shared. */
bool engine_shows(const struct engine *e, const struct operation *op);

/* Which tasks can go on now. */
const struct threadset *engine_enabled(struct engine *e);

/* Whether it is only observers that keep the task from going on. */
bool engine_is_held(const struct engine *e, unsigned task);

/* Some object's state changed in a way that may enable or disable others. */
static inline void engine_touch(struct engine *e)
{
  e->stale = true;
}

#endif
