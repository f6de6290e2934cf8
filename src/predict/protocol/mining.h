/* SPDX-License-Identifier: Apache-2.0
 *
 * Learning a protocol from the calls that a run made on objects of one type. All sequences go into a prefix tree with
 * frequencies; nodes from which the likeliest continuations are the same are merged, over and over; what is left is
 * made deterministic and minimal. The automaton accepts every sequence it was made from, and more.
 *
 * The tree is bounded: where it is full, sequences are cut, which whoever walks it is told.
 */
#ifndef HEDDLE_PREDICT_MINING_H
#define HEDDLE_PREDICT_MINING_H

#include "predict/protocol/automaton.h"

struct mining_options {
  unsigned k;     /* how far continuations are compared, 1 to MINING_DEPTH */
  double percent; /* how much of the probability the compared ones must have: 100 for all */
};
#define MINING_DEPTH 4
#define MINING_DEFAULTS                                                                                                \
  (struct mining_options)                                                                                              \
  {                                                                                                                    \
    .k = 1, .percent = 100                                                                                             \
  }

#define MINING_ROOT 0u
#define MINING_FULL UINT32_MAX
#define MINING_NODES (1u << 18)
#define MINING_METHODS 1024u

struct mining;
struct mining *mining_new(void); /* NULL when there is no memory */
void mining_free(struct mining *m);

/* A sequence goes on from the node with that method: the node it comes to, or MINING_FULL. */
uint32_t mining_step(struct mining *m, uint32_t node, uint32_t method);
/* A sequence ends at the node. */
void mining_end(struct mining *m, uint32_t node);

/* The protocol of the sequences so far; its methods are those below `methods`, without names yet. NULL when there is no
 * memory, or when it would have unreasonably many states. */
struct automaton *mining_learn(const struct mining *m, const char *type, uint32_t methods,
                               struct mining_options options);

#endif
