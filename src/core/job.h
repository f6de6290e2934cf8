/* SPDX-License-Identifier: Apache-2.0
 *
 * Job in, answer out: what a worker is given to do, and what it gives back. Both are the settings or the counts of a
 * session and a few parts, each a run of bytes that mean the same in every process and on every machine of one kind:
 * addresses are in them by name (world.h), places by numbers that hold. How they get to the worker and back is the
 * executor's.
 */
#ifndef HEDDLE_CORE_JOB_H
#define HEDDLE_CORE_JOB_H

#include <stddef.h>
#include <stdint.h>

struct control_config;

/* An execution of an exhaustive search, for comparisons. */
struct execution_line {
  uint64_t class_hash; /* the same for equivalent ones */
  uint64_t output;     /* hash of what it printed */
  uint64_t bug_key;    /* 0 for none */
};

/* A node of the branch that an execution of an exhaustive search took. The first one of a branch has `thread`
 * BRANCH_START and the time it took, in nanoseconds, in `step`. */
struct branch_node {
  uint16_t thread;
  uint16_t able;    /* threads that could go on */
  uint32_t waiting; /* children still to be tried, after the execution */
  uint64_t step;    /* a number for the step taken: thread and data choices */
};
#define BRANCH_START UINT16_MAX

/* How many executions an exhaustive search has, as one probe (explore/descent.h) says: mantissa × 2^exponent. */
struct probe_line {
  double mantissa;
  int64_t exponent;
};

/* How far a search by few segments (strategy/period.c) came: all schedules of fewer segments were run, and so many of
 * those of this number. */
struct reach_line {
  uint64_t segments, done, of;
};

/*  X(constant, bytes at most) */
#define HD_JOB_PARTS(X)                                                                                                \
  X(SCHEDULE, UINT64_C(1) << 28)   /* struct schedule_record: to follow */                                             \
  X(TRIALS, UINT64_C(1) << 23)     /* struct trials: beginnings of it to follow (trials.h) */                          \
  X(PLAN, UINT64_C(1) << 21)       /* struct plan: where to bring threads (plan.h) */                                  \
  X(UNIT, UINT64_C(1) << 30)       /* struct unit: what to explore (explore/unit.h) */                                 \
  X(LOCATIONS, UINT64_C(1) << 23)  /* names (uint64_t) of memory that others found to be shared */                     \
  X(INPUT, UINT64_C(1) << 32)      /* standard input, whole */                                                         \
  X(PROPERTIES, UINT64_C(1) << 21) /* struct property_set: what to look at (property.h) */                             \
  X(CHANGED, UINT64_C(1) << 24)    /* struct changed_map: what was changed in the program (changed.h) */               \
  X(CORPUS, UINT64_C(1) << 20)     /* struct corpus_area: what others found worth going on from, while it grows */

#define HD_ANSWER_PARTS(X)                                                                                             \
  X(HAND_IN, UINT64_C(1) << 33)   /* struct hand_in: what is left of the unit, and what is new above it */             \
  X(TRIALS, UINT64_C(1) << 23)    /* struct trials, with verdicts */                                                   \
  X(OUTCOME, UINT64_C(1) << 12)   /* struct plan_outcome */                                                            \
  X(SUBSET, UINT64_C(1) << 16)    /* struct subset: the smallest test that fails */                                    \
  X(CALLS, UINT64_C(1) << 25)     /* struct made_calls: of the last execution (parts.h) */                             \
  X(BRANCHES, UINT64_C(10) << 30) /* struct branch_node, execution after execution */                                  \
  X(LINES, UINT64_C(1) << 30)     /* struct execution_line of each execution */                                        \
  X(PROBES, UINT64_C(1) << 14)    /* struct probe_line of each probe */                                                \
  X(LOCATIONS, UINT64_C(1) << 23) /* names of memory found to be shared */                                             \
  X(CORPUS, UINT64_C(1) << 20)    /* struct corpus_area: what is worth going on from */                                \
  X(TRIED, UINT64_C(1) << 17)     /* struct tried_area: what executions that showed bugs were to show */               \
  X(REACH, UINT64_C(1) << 12)     /* struct reach_line */                                                              \
  X(MONITORS, UINT64_C(1) << 20)  /* struct monitor_trace: what monitors read in a traced execution */

enum job_part {
#define X(id, most) JOB_##id,
  HD_JOB_PARTS(X)
#undef X
      JOB_PART_COUNT
};

enum answer_part {
#define X(id, most) ANSWER_##id,
  HD_ANSWER_PARTS(X)
#undef X
      ANSWER_PART_COUNT
};

/* Most bytes of each. */
enum {
#define X(id, most) JOB_##id##_MOST = most,
  HD_JOB_PARTS(X)
#undef X
#define X(id, most) ANSWER_##id##_MOST = most,
      HD_ANSWER_PARTS(X)
#undef X
};

/* As a strategy sees it, in its own process. A part that is not there has no bytes. The parts of the answer are made
 * where they are, so that they outlive the process; who makes one says how many bytes it has. */
struct job {
  const struct control_config *config;
  const void *part[JOB_PART_COUNT];
  uint64_t bytes[JOB_PART_COUNT];
  void *answer[ANSWER_PART_COUNT];
  volatile uint64_t *answered; /* bytes of each */
};

#endif
