/* SPDX-License-Identifier: Apache-2.0
 *
 * Probes: random descents that tell how many executions a search will have, before it walks the first of them.
 *
 * The search runs one execution of each class of equivalent ones. Which children a node has is found out late by it,
 * so its own tree says little while it is young. Another tree has as many leaves and shows its children at once: at
 * each node every thread that could go on and does not sleep, in a fixed order, those before it asleep below it until
 * something they depend on wakes them. Each class has one execution there in which nobody is left but sleepers, and all
 * other branches come to nothing. If a descent takes the child c of a node with probability q(c), then Π 1/q(c) over
 * its way, or 0 where it came to nothing, has the number of leaves as its expected value (Knuth 1975), whatever q is.
 *
 * How much one descent says depends on q and on how many come to nothing. Both are served by a model of the program:
 * how often each thread reads and changes each object, the most that was seen so far. By it, threads that nobody else
 * can disturb any more go on alone (a persistent set), and q is the share of the classes in which the step comes before
 * all that depend on it: of m steps of a thread and k of others whose order counts, the first is one of the m in m/(m +
 * k). For programs whose steps are always the same, all descents say the same or nearly so. Where the model is wrong, q
 * only makes them differ more; a persistent set that is too small makes them say too little. Before the first probe a
 * few scouts go any way, to fill in the model.
 *
 * A search without reduction has a leaf for every order of the steps, so there nobody sleeps and all who could go on
 * are candidates; the share of a thread is that of its steps among those that are left.
 *
 * Nothing of this is known to the search, which begins with an empty tree afterwards.
 */
#ifndef HEDDLE_EXPLORE_DESCENT_H
#define HEDDLE_EXPLORE_DESCENT_H

#include "core/job.h"
#include "core/strategy.h"
#include <stdbool.h>
#include <stdint.h>

#define DESCENT_THREADS 32 /* programs with more are not probed */
#define DESCENT_KEYS 512   /* objects, a power of two; likewise */
#define DESCENT_SWAPS 1024

/* What threads do to an object. */
struct descent_object {
  uint64_t key;                                                     /* 0: none */
  uint32_t readers, changers;                                       /* threads that will, in this execution */
  uint32_t version;                                                 /* how often it was changed */
  uint64_t changer;                                                 /* by what thread and place in the code, last */
  uint16_t reads[DESCENT_THREADS], changes[DESCENT_THREADS];        /* in an execution, the most that was seen */
  uint16_t has_read[DESCENT_THREADS], has_changed[DESCENT_THREADS]; /* in this one */
  uint32_t seen[DESCENT_THREADS];                                   /* the version that the thread touched last */
};

/* All zero is one that has nothing to do. */
struct descent {
  uint32_t left;        /* executions to come, of these the last ones are probes */
  uint32_t scouts;      /* still to come */
  uint64_t walked;      /* steps of those before, */
  uint64_t nanoseconds; /* and what they took */
  uint64_t stream;
  double mantissa; /* Π 1/q = mantissa × 2^exponent */
  int64_t exponent;
  bool reducing;  /* it is about a search with reduction */
  bool crowded;   /* too many threads or objects */
  bool surprised; /* in this execution: the model did not know of all that was done */
  uint32_t objects;
  uint32_t sweepers; /* threads that will do what concerns everything (op_is_global) */
  uint16_t sweeps[DESCENT_THREADS], has_swept[DESCENT_THREADS];
  uint16_t steps[DESCENT_THREADS], has_stepped[DESCENT_THREADS]; /* where others could have gone on, too */
  uint8_t swap[DESCENT_SWAPS];                                   /* enum swap_memory, by the situation */
  struct descent_object object[DESCENT_KEYS];
};

/* So many are to be made. */
void descent_open(struct descent *p, uint32_t probes, bool reducing);
void descent_begin(struct descent *p);
/* One of those who are awake, and in `passed` those of them who sleep below it. able: who could go on at all. */
unsigned descent_pick(struct descent *p, const struct choice *c, const struct threadset *able,
                      const struct threadset *awake, struct threadset *passed);
/* Whether what the thread is about to do is a compare-and-swap that would fail here, by the model: as it did the last
 * time when the object had been changed last by the same step; else where others have changed it since the thread
 * touched it. */
bool descent_foresees_failure(struct descent *p, unsigned thread, const struct operation *op);
/* The thread took this step. */
void descent_note(struct descent *p, unsigned thread, const struct operation *op);
/* A data choice of that many outcomes. */
unsigned descent_choose(struct descent *p, unsigned outcomes);
/* The execution is over; in_vain: it came to nothing. True: it was a probe, and this is what it says; `anew`: those
 * before say too little, since the model was incomplete, and enough are to come. */
bool descent_end(struct descent *p, bool in_vain, const struct outcome *outcome, struct probe_line *line, bool *anew);

#endif
