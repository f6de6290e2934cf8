/* SPDX-License-Identifier: Apache-2.0
 *
 * Deadlocks of trace programs: a trace program is a world of the engine (core/world.h), in this process, and the
 * engine's own search goes through all its executions up to equivalence (strategy dpor). If that takes too long, random
 * walks follow, and the result is partial. One successor for each waiter that a signal may wake, no wake-ups for no
 * reason, waits with a timeout may time out at any moment.
 *
 * A deadlock: nobody can move, and a thread that was started is not through. Deadlocks in which the same statements are
 * blocked are one group, shown by a shortest execution.
 *
 * Neither sound nor complete for the program that was recorded: see trace_program.h. Groups are predictions, to be
 * confirmed by an execution.
 */
#ifndef HEDDLE_PREDICT_MODEL_H
#define HEDDLE_PREDICT_MODEL_H

#include "predict/prediction.h"
#include "predict/program/trace_program.h"

struct model_limits {
  uint64_t executions; /* of the exhaustive search; 0: MODEL_EXECUTIONS */
  uint64_t walks;      /* random ones, if that was not enough; 0: MODEL_WALKS */
  double seconds;      /* for all; half of it is for walks. 0: no limit */
  uint64_t seed;
};

#define MODEL_EXECUTIONS 100000
#define MODEL_WALKS 10000

/* A step of a counterexample: what a thread does, by what it can be known in another run. */
struct model_step {
  uint32_t thread;
  uint16_t op;     /* enum op_kind; a wait is two steps, COND_WAIT and COND_WAKE */
  uint16_t flags;  /* of the line: LINE_SYNTHETIC, … */
  uint32_t object; /* of the trace's tables; a thread created or joined; 0 for predicates */
  uint32_t second; /* the mutex of a wait */
  uint32_t site, occurrence;
  uint32_t line; /* in the thread's body */
};

struct model_group {
  uint64_t key;            /* of the set of blocked statements */
  bool communication;      /* somebody waits for a signal, a semaphore or a barrier; else only for locks */
  bool walked;             /* found by random walks alone */
  uint64_t executions;     /* that ended so */
  struct model_step *step; /* the shortest of them; of those, the one nearest to the recorded order */
  uint32_t steps;
  uint64_t distance;          /* how near that is */
  struct model_step *blocked; /* where the threads stand: COND_WAKE with the mutex in `second` has its signal already */
  uint32_t blocked_count;
};

struct model_result {
  struct model_group *group;
  uint32_t groups;
  uint64_t executions, walks; /* run */
  uint64_t deadlocks;         /* executions of both that ended so */
  double seconds;
  bool complete;  /* there are no other executions */
  bool too_large; /* more threads than the engine has */
};

/* False: no memory; result can be freed all the same. */
bool model_explore(const struct trace_program *p, const struct model_limits *limits, struct model_result *result);
void model_free(struct model_result *result);

/* One prediction for each group; those of locks alone only if they are wanted. A party that waits stands before its
 * wake-up: OP_COND_WAKE, OP_BARRIER_LEAVE. Where it is not known where a wait that did not happen would be, its site is
 * 0, and the object says which. */
void model_predict(const struct model_result *result, bool locks, struct predictions *predictions);

/* The counterexample of a group, a line a step, then who is blocked where. */
void model_write(const struct model_group *group, const struct trace_program *p, const struct trace *t, FILE *out);

#endif
