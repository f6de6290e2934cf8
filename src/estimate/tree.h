/* SPDX-License-Identifier: Apache-2.0
 *
 * The tree of an exploration, grown from its events, and after every branch the estimates of its size.
 *
 * Of the children of a node, E were visited, S are scheduled and will be, and F are foreseen: not scheduled yet, but
 * they will be. F is what the strategies differ in: the oracle knows it (from an earlier reading of the same trace),
 * lazy says none, eager says all the others as long as something below the node is still to do.
 *
 * The estimators:
 *   WBE (weighted backtrack)  a branch has the probability Π 1/(E+S+F) over its nodes; what was explored, divided by
 * the sum of the probabilities of the branches explored RE (recursive)            a node's estimate is (1 + (S+F)/E)
 * times the sum of its visited children's
 *
 * Beside them, of each estimator a form for the forecast, in branches only: F is what finished nodes of this tree teach
 * (growth.h), and for RE also how large the later children are beside the earlier ones.
 *
 * A subtree with nothing scheduled left is finished when the execution in it ends. Its probability sums to 1 and its
 * estimate is what was explored, for every strategy; so it is added to its parent and freed. What is kept are the nodes
 * with something still to do below them, which is one path when the exploration is depth first. A branch costs its
 * length.
 */
#ifndef HEDDLE_ESTIMATE_TREE_H
#define HEDDLE_ESTIMATE_TREE_H

#include "estimate/events.h"
#include "estimate/growth.h"
#include "estimate/probes.h"
#include "estimate/scaled.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GUESSES(X)                                                                                                     \
  X(ORACLE, "oracle")                                                                                                  \
  X(LAZY, "lazy")                                                                                                      \
  X(EAGER, "eager")

/* The strategies of estimation; "strategy" alone is taken by those of scheduling. */
enum guess {
#define X(id, name) GUESS_##id,
  GUESSES(X)
#undef X
      GUESS_COUNT
};

#define ESTIMATORS(X)                                                                                                  \
  X(WBE, "wbe")                                                                                                        \
  X(RE, "re")

enum estimator {
#define X(id, name) ESTIMATOR_##id,
  ESTIMATORS(X)
#undef X
      ESTIMATOR_COUNT
};

/* What is estimated: the sum of the times of all branches, or their number. */
enum measure { MEASURE_TIME, MEASURE_BRANCHES, MEASURE_COUNT };

struct estimates {
  uint64_t branches; /* explored so far */
  double elapsed[MEASURE_COUNT];
  struct scaled total[MEASURE_COUNT][GUESS_COUNT][ESTIMATOR_COUNT];
  struct scaled learnt[ESTIMATOR_COUNT]; /* branches, with what finished nodes teach (growth.h) */
  struct probes probes;                  /* made before */
};

/* Which nodes of a trace are ever scheduled: one bit a node, in the order they are added. All zero knows nothing. */
struct oracle {
  uint64_t *bits;
  size_t words;
};
void oracle_free(struct oracle *oracle);

struct tree;

/* An empty tree. learn: fill the oracle, which must be all zero, and make no estimates. Otherwise the oracle is asked;
 * it must come from the same events. NULL: no memory. */
struct tree *tree_new(struct oracle *oracle, bool learn);
void tree_free(struct tree *tree);

/* Applies an event. False: it does not fit the events before it, or there is no memory; events->error says so. */
bool tree_apply(struct tree *tree, const struct exploration_event *event, struct events *events);

/* After EVENT_END: the estimates now. */
void tree_estimates(const struct tree *tree, struct estimates *estimates);

uint64_t tree_nodes(const struct tree *tree);      /* ever added */
uint64_t tree_open_nodes(const struct tree *tree); /* in memory now */
bool tree_running(const struct tree *tree);        /* between EVENT_START and EVENT_END */
bool tree_complete(const struct tree *tree);       /* everything scheduled was visited */

#endif
