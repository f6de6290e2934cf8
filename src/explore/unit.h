/* SPDX-License-Identifier: Apache-2.0
 *
 * Units of work: parts of a search that do not depend on each other, as plain bytes, so that they can be given to other
 * processes, kept in files and sent to other machines.
 *
 * A unit is a sequence of steps; to explore it is to explore all that can follow them. For each node on the way it
 * tells what was explored there before, or is by others, and what waits there or beyond already, by others or for
 * others. What sleeps there follows from that, and is found by who explores: nobody else knows all that a step depends
 * on. Of a unit that somebody has begun it tells the same for nodes of its own: who takes it goes on where that one
 * stood. What comes back is a hand-in: the witnesses found for nodes on the way that were not known there, and what is
 * left of the unit, if it was not finished: the nodes of the current branch with what was explored and what waits
 * there. Steps carry their operations, because who puts hand-ins together (session/frontier.c) must know what depends
 * on what; all addresses in them are told by name (world.h), since others have them elsewhere.
 */
#ifndef HEDDLE_EXPLORE_UNIT_H
#define HEDDLE_EXPLORE_UNIT_H

#include "core/operation.h"
#include "core/threadset.h"
#include "explore/ending.h"
#include "explore/watched.h"
#include <stdbool.h>
#include <stdint.h>

struct explorer;
struct world;

/* What a step costs: preemptions or delays in the lower half, and how often a change of the program put off what led to
 * it in the upper one. */
#define COST_PUT_OFF (1u << 16)
#define COST_BOUND (COST_PUT_OFF - 1)
#define PUT_OFF_ANY (UINT32_MAX / COST_PUT_OFF) /* nothing is put off: it goes on as if there were no change */

/* One step, followed by its data choices (uint32_t each, an even number of them) and by what it waits to see changed
 * (struct watched_key). */
struct unit_step {
  struct operation op;
  uint32_t nth; /* of the thread */
  uint32_t outcome;
  uint32_t cost; /* under a bound: up to here, it included */
  uint32_t turn; /* breadth first: of one that waits, when it was found */
  uint16_t thread;
  uint16_t choices;
  uint16_t outcomes; /* of one that was explored: how many its first data choice has, 0 for none */
  uint8_t final;     /* enum ending */
  uint8_t watched;
  bool awaits;
  bool hidden;
  bool wide;     /* all that could have come instead of it was found (widening.c) */
  bool supposed; /* that it can come there is not known */
};

static inline uint32_t unit_step_choice_bytes(const struct unit_step *s)
{
  return (s->choices + 1u) / 2 * 8;
}

static inline uint32_t unit_step_bytes(const struct unit_step *s)
{
  return (uint32_t)(sizeof *s + unit_step_choice_bytes(s) + s->watched * sizeof(struct watched_key));
}

static inline struct watched_key *unit_step_watched(const struct unit_step *s)
{
  return (struct watched_key *)((char *)(s + 1) + unit_step_choice_bytes(s));
}

static inline const struct unit_step *unit_step_next(const struct unit_step *s)
{
  return (const struct unit_step *)((const char *)s + unit_step_bytes(s));
}

#define LESSON_PLACES 48

/* What a search has learnt about the program on its way, and all who share it must know to walk the same tree. */
struct lessons {
  struct threadset interrupted; /* threads that are cancelled or get signals */
  uint32_t creator;             /* the thread that creates threads, + 1 */
  bool many_creators;           /* more than one does */
  bool polls_exit;              /* the program asks whether a thread has ended */
  bool updates_show;            /* somebody waits for what some of several updates lead to */
  bool told_apart;              /* threads that could be taken for each other (symmetry.h) are not the same */
  bool comes_round;             /* threads come back to where all of them were (cycle.c) */
  bool thrifty;                 /* witnesses take too much memory: of each only the first step is kept */
  bool livelocked;              /* a livelock was shown */
  bool chooses;                 /* there are data choices */
  uint32_t places;              /* in the code, where threads look in vain (vain.h): by name */
  uint64_t place[LESSON_PLACES];
};

/* A place joins those that are known. */
static inline void lessons_add_place(struct lessons *l, uint64_t name)
{
  for (uint32_t i = 0; i < l->places; i++)
    if (l->place[i] == name)
      return;
  if (l->places < LESSON_PLACES)
    l->place[l->places++] = name;
}

/* Followed, for each step, by struct unit_level, what comes before it (steps), what waits (trees: each step is followed
 * by struct unit_branch and what may follow it), and then the step itself. */
struct unit {
  uint32_t steps;
  uint32_t root;  /* so many of them lead to it; the others, if it has been begun, to where its exploration goes on */
  uint32_t known; /* what was put into the frontier later is not known here */
  uint64_t bytes; /* of all that follows */
  struct lessons lessons;
  uint32_t probes;  /* to be made before, at the root only (descent.h) */
  uint32_t put_off; /* what the change of the program puts off more often is left in it */
};

struct unit_level {
  uint32_t before;
  uint32_t waiting;
};

struct unit_branch {
  uint32_t then;
  uint32_t id; /* of its place in the frontier; 0 for a new one */
};

/* What follows a hand-in, in this order:
 *   for each step on the way that made data choices: its node (uint64_t) and the step as it came, since it may have
 * been left to who explores what they are; for each tree of witnesses found for a node on the way: struct unit_found,
 * the ids of the known places it goes on from, an even number of them, and the tree; for each open node, from the
 * unit's own on: struct unit_node; the steps explored there; the trees that wait there; the step to the next node, but
 * for the last. */
struct hand_in {
  uint64_t bytes;
  uint32_t founds;
  uint32_t chosen;
  uint32_t nodes; /* 0: the unit is finished, or has not been begun */
  uint32_t finished;
  uint32_t full;    /* it did not fit: what is missing must be explored again */
  uint32_t plain;   /* what was found are single steps, which may be there already (explore/widening.c) */
  uint32_t dropped; /* what was left out for the bound was too much to be kept: it is not in it */
  struct lessons lessons;
};

struct unit_found {
  uint32_t node;
  uint32_t known;
};

struct unit_node {
  uint32_t explored;
  uint32_t waiting;
  uint32_t able; /* threads that could have gone on */
  uint32_t even; /* steps follow on eight bytes */
};

/* Start on a unit. */
void explorer_load(struct explorer *x, const struct world *world, const struct unit *unit);
/* Write down what came of it, to memory of that size. Between two executions. */
void explorer_hand_in(struct explorer *x, const struct world *world, struct hand_in *out, uint64_t size);
/* The same when the search begins anew: only what was learnt. */
void explorer_hand_in_lessons(const struct explorer *x, const struct world *world, struct hand_in *out);

#endif
