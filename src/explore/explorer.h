/* SPDX-License-Identifier: Apache-2.0
 *
 * The search through all executions, as a tree that is walked depth first and of which only the current branch is kept.
 *
 * A node is a point before a step. It holds what need not be tried there any more (its sleepers: threads whose step was
 * explored, here or further up, with everything that can follow) and what must still be tried (its witnesses: sequences
 * of steps that lead to an execution that no sleeper's subtree contains).
 *
 * Two ways to find witnesses. Depth first search tries every thread at every node. Optimal dynamic partial order
 * reduction looks at the races of an execution that has ended: for two events e, e' that depend on each other and could
 * have come in the other order, the witness at the node before e is all that does not happen after e, and then the step
 * of e'. It is dropped if a sleeper of that node, or the first step of a witness already there, could as well have come
 * first (a weak initial): then that one's subtree contains it. A witness wakes all sleepers by the time it ends, so
 * no execution is ever abandoned, and none is run twice. At most one witness starts with each thread (and each outcome
 * of its data choices), and a witness is cut down to the steps it needs, so memory grows with the length of one
 * execution and the number of threads, not with the number of executions.
 *
 * A search may be confined to the part below a node (a unit, unit.h): what it finds for nodes further up is handed in.
 */
#ifndef HEDDLE_EXPLORE_EXPLORER_H
#define HEDDLE_EXPLORE_EXPLORER_H

#include "core/control.h"
#include "explore/await.h"
#include "explore/order.h"

#define EXPLORER_SLEEPERS (1u << 26)
#define EXPLORER_POOL (1u << 27) /* words of eight bytes */
#define POOL_CLASSES 24

/* A thread at a node that is not to be tried there again. */
struct sleeper {
  uint16_t thread;
  uint16_t final : 1, /* its step ended the program, so any other step before it makes a difference */
      outcomes : 15;  /* how many its first data choice has, 0 for none */
  uint32_t outcome; /* of its data choices, 0 for none */
};

/* One step of a witness, followed by its data choices. */
struct step_token {
  struct operation op;
  uint16_t thread;
  uint16_t choices;
  uint32_t outcome; /* of all its choices, 0 for none or not known yet */
};

struct witness {
  uint32_t next;  /* in the node's list, + 1 */
  uint32_t steps;
  uint32_t words; /* of the block it is in */
  uint32_t bytes; /* of what follows: tokens, each with `choices` numbers of 4 bytes, padded to 8 */
};

struct node {
  uint32_t sleeper, sleepers; /* inherited ones first, then children explored here */
  uint32_t inherited;
  uint32_t first, last; /* witnesses, + 1 */
  uint32_t witnesses;
  uint32_t explored; /* children */
  uint32_t cost;     /* preemptions or delays up to here */
  bool preset;       /* its sleepers were given, with the unit */
};

struct explorer {
  bool reducing;      /* dpor, not dfs */
  uint32_t bound;     /* enum search_bound */
  uint32_t bound_limit;
  bool finished;      /* all of the unit is explored */
  bool polls_exit;    /* dfs: the program asks whether a thread has ended */
  bool many_creators; /* dfs: more than one thread creates threads */
  bool restart;       /* what was taken for granted does not hold: explore all again */
  bool bounded;       /* something was left out for the bound */
  bool lost_count;    /* something was left out for another reason: no memory, a loop that does end after all */
  uint32_t creator;   /* dfs: the thread that creates threads, + 1 */

  bool whole;     /* the unit is all there is */
  uint32_t root;  /* else one witness at this node; what is found for it and the nodes above is handed in */
  uint32_t fixed; /* events that are followed as they were */
  uint32_t fresh; /* first event of this execution whose races were not looked at */
  uint32_t guide; /* the witness that is followed from there on, + 1 */

  /* This execution. */
  bool blocked;        /* nothing but sleepers was left */
  bool freewheeling;   /* only loops that wait are left, and run on unrecorded */
  uint32_t position;   /* steps taken */
  uint32_t choice_at;  /* data choices of the current step so far */
  uint32_t current;    /* the thread that took the last step */
  uint32_t guide_step; /* steps of the guide taken */
  struct step_token *guide_token; /* the next one, or that of the current step */
  bool guided;                    /* the current step was told by the guide */
  uint64_t class_hash;            /* of the last execution */
  struct await await[MAX_THREADS];

  uint32_t free_block[POOL_CLASSES];
  uint32_t pool_used;
  struct horizon horizon[2]; /* scratch */
  struct node node[ORDER_EVENTS];
  struct sleeper sleeper[EXPLORER_SLEEPERS];
  uint64_t pool[EXPLORER_POOL];
  struct order order;
};

void explorer_open(struct explorer *x, const struct control *control, bool reducing);
void explorer_begin(struct explorer *x);
unsigned explorer_pick(struct explorer *x, const struct choice *c);
unsigned explorer_choose(struct explorer *x, unsigned n);
bool explorer_end(struct explorer *x, const struct outcome *outcome);
/* More memory turned out to be shared: what was explored did not see it. */
void explorer_restart(struct explorer *x);

/* ---- for the parts of the explorer ---- */

/* reversal.c: puts a witness for every race of the new events, and for those of operations that never came. */
void explorer_reverse_races(struct explorer *x, const struct outcome *outcome);
/* The other outcomes of the data choices of the new events. */
void explorer_add_outcomes(struct explorer *x);

/* witness.c */
uint32_t witness_new(struct explorer *x, uint32_t steps, uint32_t bytes); /* + 1; 0: no memory */
void witness_free(struct explorer *x, uint32_t witness);
struct witness *witness_at(struct explorer *x, uint32_t witness);
static inline struct step_token *witness_tokens(struct witness *w)
{
  return (struct step_token *)(w + 1);
}
static inline uint32_t *token_choices(struct step_token *t)
{
  return (uint32_t *)(t + 1);
}
static inline uint32_t token_bytes(unsigned choices)
{
  return (uint32_t)(sizeof(struct step_token) + (4u * choices + 7) / 8 * 8);
}
static inline struct step_token *token_next(struct step_token *t)
{
  return (struct step_token *)((char *)t + token_bytes(t->choices));
}
/* Into the list of the node, at its end. */
void node_add_witness(struct explorer *x, uint32_t node, uint32_t witness);
uint32_t node_take_witness(struct explorer *x, uint32_t node);

/* One number for a sequence of outcomes; 0 is none. */
static inline uint32_t outcome_add(uint32_t outcome, uint32_t value)
{
  return outcome * 31 + value + 1;
}
uint32_t event_outcome(const struct order *o, const struct event *e, unsigned choices);

#endif
