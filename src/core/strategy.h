/* SPDX-License-Identifier: Apache-2.0
 *
 * Strategies: "who goes next?"
 *
 * A strategy is asked at every point where more than one thread could take the next step. It sees the operations all
 * threads are about to perform and picks one of the enabled threads. It knows nothing of pthreads, of files or of the
 * process it lives in, and must be deterministic: the same seed, execution number and sequence of questions give the
 * same answers. All its memory is the state handed to it, which outlives executions and processes; so no pointers to
 * code or to anything outside that state are kept in it.
 *
 * To add one: write a file here, declare its table in this header, and add a line to strategy_table (table.c).
 */
#ifndef HEDDLE_CORE_STRATEGY_H
#define HEDDLE_CORE_STRATEGY_H

#include "core/operation.h"
#include "core/threadset.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct control;
struct schedule_record;
struct world;

/* A thread as the engine knows it. */
struct thread_state {
  uint64_t
      operations; /* announced so far; all but the last are performed, that one too once the thread has ended */
  uint64_t tag;   /* the runtime's: marks memory only this thread has touched */
  uint64_t write_tag;
  uint64_t foreign_writes; /* the runtime's: to private memory that is not on its own stack */
  uintptr_t handler_sp;    /* the runtime's: where the signal handler it is in began, 0 for none */
  uintptr_t stack_low;
  uint64_t stack_size;
  bool handler_nests; /* another handler may interrupt the one it is in */
  bool alive;     /* has an operation pending */
  bool may_block; /* the pending operation is one that can be disabled */
  struct operation pending;
};

/* How many operations the thread has performed. */
static inline uint64_t thread_performed(const struct thread_state *thread)
{
  return thread->operations - thread->alive;
}

/* The question. Pointers are valid during the call only. */
struct choice {
  const struct threadset *enabled;   /* two or more members, but for strategies that ask for every step */
  unsigned count;                    /* of members */
  unsigned current;                  /* the thread that took the last step; it need not be enabled */
  bool yielded;                      /* current is about to yield: others should run first */
  const struct thread_state *thread; /* indexed by thread: what each is about to do, and how far it came */
  unsigned threads;
  const struct world *world;
  uint64_t step;
};

/* What became of an execution, told to the strategy afterwards. */
struct outcome {
  uint64_t steps;
  bool bug;          /* a bug that ends an execution showed */
  uint64_t bug_key;  /* which */
  uint32_t bug_kind; /* enum bug_kind */
  bool cut;          /* ended by heddle (step limit, assumption not met), not by the program */
  bool too_long;     /* by the step limit */
  bool inside;       /* during a step, not before one: by the end of the program or by a bug */
  const struct thread_state *thread; /* as in struct choice, at the end */
  unsigned threads;
  const struct threadset *enabled;
  const struct world *world;
  const struct schedule_record *schedule; /* as it really ran; valid during the call */
};

struct strategy {
  const char *name;
  size_t state_size;
  bool every_step;    /* wants to be asked even when only one thread is enabled */
  bool private_steps; /* and at accesses of private memory */
  bool calls;         /* asks the world for the calls that led a thread where it is */
  bool names;         /* asks it for names of threads and objects that hold from run to run */
  bool remembers;     /* an execution depends on those before it: they must be run by one process */
  bool exhaustive;    /* must know from the start what memory is shared */

  /* Whether private memory is of no interest in the execution that begins, though it has private_steps; NULL: it always is. */
  bool (*passes_private)(const void *state);
  /* A new session: state is zeroed memory of state_size bytes. */
  void (*open)(void *state, const struct control *control);
  /* A new execution; seed is a function of the session's seed and the execution's number. */
  void (*begin)(void *state, const struct control *control, uint64_t seed, uint64_t execution);
  /* One of choice->enabled; or PICK_DIVERGED when the schedule being followed cannot be. */
  unsigned (*pick)(void *state, const struct choice *choice);
  /* A number below n: a decision that is not about threads (which waiter, which value). */
  unsigned (*choose)(void *state, unsigned n);
  /* False when there is nothing left to run. */
  bool (*end)(void *state, const struct outcome *outcome);
  /* Whether the schedule of the last execution is to be kept instead of the one kept before; NULL: none ever is. */
  bool (*keeps)(const void *state);
};

#define PICK_DIVERGED MAX_THREADS
#define PCT_DEPTH_MAX 100 /* ordering constraints; bugs of more than four are hardly known */
#define PICK_BLOCKED (MAX_THREADS + 1) /* all that could go on was explored elsewhere */

#define HD_STRATEGIES(X)                                                                                     \
  X(rr, "run each thread until it blocks, round robin")                                                      \
  X(random, "a uniformly random thread at each point")                                                       \
  X(pct, "random priorities with a few random changes (PCT)")                                                \
  X(pos, "random priorities for operations (partial order sampling)")                                        \
  X(history, "decisions that were never taken in such a state; ends when none is left")                      \
  X(abreast, "the thread that is furthest behind")                                                           \
  X(portfolio, "rr once, then pos, pct, abreast and random in turns")                                        \
  X(dfs, "every interleaving, one after the other")                                                          \
  X(dpor, "every interleaving up to equivalence, none twice")                                                \
  X(confirm, "bring threads where a prediction says they could be")                                          \
  X(replay, "follow a recorded schedule")                                                                    \
  X(shrink, "remove context switches from a failing schedule")                                               \
  X(localise, "go on from beginnings of a failing schedule with few switches")                               \
  X(minimise, "remove threads and calls from a failing stress test")

#define X(name, help) extern const struct strategy strategy_##name;
HD_STRATEGIES(X)
#undef X

enum strategy_id {
#define X(name, help) STRATEGY_##name,
  HD_STRATEGIES(X)
#undef X
      STRATEGY_COUNT
};

extern const struct strategy *const strategy_table[STRATEGY_COUNT];
extern const char *const strategy_help[STRATEGY_COUNT];

/* STRATEGY_COUNT when there is none of that name. */
enum strategy_id strategy_by_name(const char *name);

#endif
