/* SPDX-License-Identifier: Apache-2.0
 *
 * Units of work: parts of a search that do not depend on each other, as plain bytes, so that they can be given to other
 * processes, kept in files and sent to other machines.
 *
 * A unit is a sequence of steps; to explore it is to explore all that can follow them. For each node on the way it tells
 * what need not be tried there (sleepers) and what waits there or beyond already, by others or for others. What comes
 * back is a hand-in: the witnesses found for nodes on the way that were not known there, and what is left of the unit, if
 * it was not finished: the nodes of the current branch with what was explored and what waits there. Steps carry their
 * operations, because who puts hand-ins together (cli/frontier.c) must know what depends on what.
 */
#ifndef HEDDLE_EXPLORE_UNIT_H
#define HEDDLE_EXPLORE_UNIT_H

#include "core/operation.h"
#include "explore/ending.h"
#include <stdbool.h>
#include <stdint.h>

struct explorer;

/* One step, followed by its data choices (uint32_t each, an even number of them). */
struct unit_step {
  struct operation op;
  uint32_t nth; /* of the thread */
  uint32_t outcome;
  uint16_t thread;
  uint16_t choices;
  uint16_t final; /* enum ending */
  bool awaits;
  bool hidden;
};

static inline uint32_t unit_step_bytes(const struct unit_step *s)
{
  return (uint32_t)sizeof *s + (s->choices + 1u) / 2 * 8;
}

static inline const struct unit_step *unit_step_next(const struct unit_step *s)
{
  return (const struct unit_step *)((const char *)s + unit_step_bytes(s));
}

/* Followed, for each step, by struct unit_level, its sleepers (steps), what waits (trees: each step is followed by struct
 * unit_branch and what may follow it), and then the step itself. */
struct unit {
  uint32_t steps;
  uint32_t known; /* what was put into the frontier later is not known here */
  uint64_t bytes; /* of all that follows */
};

struct unit_level {
  uint32_t sleepers;
  uint32_t waiting;
};

struct unit_branch {
  uint32_t then;
  uint32_t id; /* of its place in the frontier; 0 for a new one */
};

/* What follows a hand-in, in this order:
 *   for each tree of witnesses found for a node on the way: struct unit_found, the ids of the known places it goes on
 *   from, an even number of them, and the tree;
 *   for each open node, from the unit's own on: struct unit_node; the steps explored there; the trees that wait there; the
 *   step to the next node, but for the last. */
struct hand_in {
  uint64_t bytes;
  uint32_t founds;
  uint32_t nodes; /* 0: the unit is finished */
  uint32_t full;  /* it did not fit: what is missing must be explored again */
  uint32_t spare;
};

struct unit_found {
  uint32_t node;
  uint32_t known;
};

struct unit_node {
  uint32_t explored;
  uint32_t waiting;
  uint32_t able; /* threads that could have gone on */
  uint32_t cost; /* under a bound */
};

/* Start on a unit. */
void explorer_load(struct explorer *x, const struct unit *unit);
/* Write down what came of it, to memory of that size. */
void explorer_hand_in(struct explorer *x, struct hand_in *out, uint64_t size);

#endif
