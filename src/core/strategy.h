/* SPDX-License-Identifier: Apache-2.0
 *
 * Strategies: "who goes next?"
 *
 * A strategy is asked at every point where more than one thread could take the next step, or at every step. It sees the
 * operations all threads are about to perform and picks one of the enabled threads. It knows nothing of pthreads, of
 * files or of the process it lives in, and must be deterministic: the same seed, execution number and sequence of
 * questions give the same answers. All its memory is the state handed to it, which outlives executions and processes;
 * so no pointers are kept in it beyond the end of an execution, and none to code at all.
 *
 * To add one: write a file in strategy/ with a table strategy_NAME, and add a line to
 * HD_STRATEGIES. */
#ifndef HEDDLE_CORE_STRATEGY_H
#define HEDDLE_CORE_STRATEGY_H

#include "core/job.h"
#include "core/operation.h"
#include "core/threadset.h"
#include "core/uncovered.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct schedule_record;
struct thread_info;
struct world;

#define HD_STRATEGIES(X)                                                                                               \
  X(rr, "run each thread until it blocks, round robin")                                                                \
  X(random, "a uniformly random thread at each point")                                                                 \
  X(pct, "random priorities with a few random changes (PCT)")                                                          \
  X(pos, "random priorities for operations (partial order sampling)")                                                  \
  X(history, "decisions that were never taken in such a state; ends when none is left")                                \
  X(abreast, "the thread that is furthest behind")                                                                     \
  X(extremes, "a few fixed schedules: the newest first, in turns, writes last")                                        \
  X(reversals, "a schedule with one pair of steps the other way round at a time")                                      \
  X(near, "a random thread of the process that runs, now and then one of another")                                     \
  X(rff, "what reads have not seen before, and variations of how it was found (reads-from feedback)")                  \
  X(surw, "every interleaving equally likely, by the lengths of threads so far (SURW)")                                \
  X(period, "all schedules of one segment, of two, of three, and so on (PERIOD)")                                      \
  X(novel, "back to a state from which not every thread has gone on, and on from there")                               \
  X(portfolio, "rr, reversals and what draws in turns, later novel")                                                   \
  X(dfs, "every interleaving, one after the other")                                                                    \
  X(dpor, "every interleaving up to equivalence, none twice")                                                          \
  X(sources, "every way in which reads find their values, none twice")                                                 \
  X(causal, "every way in which steps see what others did, one execution each")                                        \
  X(auto, "dpor and causal in turns, until one of them comes to its end")                                              \
  X(confirm, "bring threads where a prediction says they could be")                                                    \
  X(replay, "follow a recorded schedule")                                                                              \
  X(shrink, "remove context switches from a failing schedule")                                                         \
  X(localise, "go on from beginnings of a failing schedule with few switches")                                         \
  X(minimise, "remove threads and calls from a failing stress test")

enum strategy_id {
#define X(name, help) STRATEGY_##name,
  HD_STRATEGIES(X)
#undef X
      STRATEGY_COUNT
};

/* A thread as the engine knows it. */
struct thread_state {
  uint64_t operations; /* announced so far; all but the last are performed, that one too once the thread has ended */
  uint64_t tag;        /* the runtime's: marks memory only this thread has touched */
  uint64_t write_tag;
  uint64_t foreign_writes; /* the runtime's: a number for private memory that is not on its own stack */
  uintptr_t handler_sp;    /* the runtime's: where the signal handler it is in began, 0 for none */
  uintptr_t stack_low;
  uint64_t stack_size;
  uint64_t failed;    /* which of its operations was the last compare-and-swap that failed; 0: none */
  bool handler_nests; /* another handler may interrupt the one it is in */
  bool alive;         /* has an operation pending */
  bool may_block;     /* the pending operation is one that can be disabled */
  bool cut_off;       /* the pending operation never comes: its process has ended */
  uint32_t fences;    /* sequentially consistent ones so far: for who sees only operations */
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
  bool holding;                      /* observers may hold threads back, and whatever step may change whom */
  const struct thread_state *thread; /* indexed by thread: what each is about to do, and how far it came */
  const struct thread_info *info;    /* likewise: who created it */
  unsigned threads;
  const struct world *world;
  uint64_t step;
};

/* What became of an execution, told to the strategy afterwards. */
struct outcome {
  uint64_t steps;
  bool bug;                          /* a bug that ends an execution showed */
  uint64_t bug_key;                  /* which */
  uint32_t bug_kind;                 /* enum bug_kind */
  uint64_t noted;                    /* the first that was never seen before, whether it ends executions or not; 0 */
  bool cut;                          /* ended by heddle (step limit, assumption not met), not by the program */
  bool too_long;                     /* by the step limit */
  bool inside;                       /* during a step, not before one: by the end of the program or by a bug */
  const struct thread_state *thread; /* as in struct choice, at the end */
  const struct thread_info *info;
  unsigned threads;
  const struct threadset *enabled; /* exhaustive strategies: who could go on, whoever was held back by observers */
  const struct world *world;
  const struct job *job;
  uint64_t nanoseconds;                   /* since the end of the one before: of real time, if branches are recorded,
                                             and of the processor's, of probes */
  const struct schedule_record *schedule; /* as it really ran; valid during the call */
};

/* Executions that are none of a search's own: it finds something out by them. */
enum aside {
  ASIDE_NOT,      /* it is one of its own */
  ASIDE_REPORTED, /* it does not count, but bugs it shows are bugs */
  ASIDE_SILENT    /* it comes before the search, which will show what it shows: it does not report either */
};

/* How far a search is that comes to an end. */
struct standing {
  bool finished;    /* nothing is left to explore */
  bool bounded;     /* but for what lies beyond the bound */
  bool restarts;    /* what it took for granted does not hold: all is to be explored again */
  bool busy;        /* it is in the middle of something: what it stands for cannot be told before the next execution */
  enum aside aside; /* the last execution, or the one that runs */
  uint64_t lost;    /* what it had to leave out: a set of LOST_* (loss.h) */
  uint64_t class_hash;        /* of the last execution: the same for equivalent ones */
  struct uncovered uncovered; /* with LOST_CAUSALITY: the first that it is about */
};

struct strategy {
  const char *name;
  size_t state_size;
  bool every_step;    /* wants to be asked even when only one thread is enabled */
  bool private_steps; /* and at accesses of private memory */
  bool calls;         /* asks the world for the calls that led a thread where it is */
  bool names;         /* asks it for names of threads and objects that hold from run to run */
  bool remembers;     /* an execution depends on those before it: they must be run by one process */
  bool by_number;     /* it depends on its seed and number only, and on what memory is known to be shared */
  bool punctual;      /* time passes only when nothing else can go on */
  bool exhaustive;    /* must know from the start what memory is shared */
  bool asks;          /* between executions it takes its time to find the next one, which is measured */
  bool leans;         /* who is enabled may be narrowed to who attends to a change of the program (changed.h) */

  /* Whether private memory is of no interest in the execution that begins, though it has private_steps; NULL: it always
   * is. */
  bool (*passes_private)(const void *state);
  /* A new session: state is zeroed memory of state_size bytes; NULL: nothing is to be prepared. */
  void (*open)(void *state, const struct job *job);
  /* More to do in the same session, after an answer: the next unit. NULL: there never is. */
  void (*take)(void *state, const struct world *world, const struct job *job);
  /* A new execution; seed is a function of the session's seed and the execution's number. The job stays until its
   * end. */
  void (*begin)(void *state, const struct job *job, uint64_t seed, uint64_t execution);
  /* One of choice->enabled; or PICK_DIVERGED when the schedule being followed cannot be, or PICK_BLOCKED. */
  unsigned (*pick)(void *state, const struct choice *choice);
  /* A number below n: a decision that is not about threads (which waiter, which value). */
  unsigned (*choose)(void *state, unsigned n);
  /* False when there is nothing left to run. */
  bool (*end)(void *state, const struct outcome *outcome);
  /* What is left of the unit, and what was found for others, becomes part of the answer; only_lessons: what was learnt
   * about the program, since the rest counts no more. NULL: it has no units. */
  void (*hand_in)(void *state, const struct world *world, const struct job *job, bool only_lessons);
  /* How far it is, for strategies that know (exhaustive). */
  struct standing (*standing)(const void *state);
  /* What was done so far counts no more: the program does more than was known then. */
  void (*restart)(void *state);
  /* The strategy that really makes the execution; NULL: itself. */
  enum strategy_id (*member)(const void *state);
  /* All that may be; STRATEGY_COUNT ends them. NULL: itself. */
  const enum strategy_id *members;
  /* Stress tests: whether the call is part of the test in this execution; and that the task acts for it now. */
  bool (*has_call)(const void *state, uint32_t thread, uint32_t call);
  void (*at_call)(void *state, unsigned task, uint32_t thread, uint32_t call);
  /* After PICK_DIVERGED: what was expected there, as a sentence; its length, 0 when the program went on after the end
   * of the schedule. NULL: it follows none. */
  size_t (*expected)(const void *state, char *out, size_t n);
  /* Whether the schedule of the last execution is to be kept instead of the one kept before; NULL: none ever is. */
  bool (*keeps)(const void *state);
};

#define PICK_DIVERGED MAX_THREADS
#define PCT_DEPTH_MAX 100              /* ordering constraints; bugs of more than four are hardly known */
#define PICK_BLOCKED (MAX_THREADS + 1) /* what follows is not wanted: it was explored elsewhere, or is in vain */

#define X(name, help) extern const struct strategy strategy_##name;
HD_STRATEGIES(X)
#undef X

extern const struct strategy *const strategy_table[STRATEGY_COUNT];
extern const char *const strategy_help[STRATEGY_COUNT];

/* STRATEGY_COUNT when there is none of that name. */
enum strategy_id strategy_by_name(const char *name);

#endif
