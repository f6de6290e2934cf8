/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of the program as far as steps show it, as one number: where each thread stands and what it is about to act
 * on, what was drawn for it, and what is in the memory and the objects that were changed so far. What threads have in
 * their registers is not part of it, but what they saw last can be, as many looks as are asked for. Two states of one
 * number can differ: this guides a search, and proves nothing.
 */
#ifndef HEDDLE_STRATEGY_VISIBLE_STATE_H
#define HEDDLE_STRATEGY_VISIBLE_STATE_H

#include "core/strategy.h"

#define VISIBLE_WORDS 4096 /* that are told apart in one execution; a power of two */
#define VISIBLE_LOOKS 4

struct visible_word {
  uint64_t key, stamp, value;
};

struct visible_state {
  uint64_t stamp; /* of the execution */
  uint64_t memory, threads;
  unsigned known;              /* threads */
  uint64_t place[MAX_THREADS]; /* what each adds to threads */
  uint64_t drawn[MAX_THREADS]; /* all numbers that were, as one */
  uint64_t look[MAX_THREADS][VISIBLE_LOOKS];
  unsigned last; /* the thread that takes a step; MAX_THREADS: none yet */
  struct operation op;
  struct visible_word word[VISIBLE_WORDS];
};

void visible_state_begin(struct visible_state *s);
/* At each choice: what became of the last step, and the number; so many looks of each thread are part of it. */
uint64_t visible_state_settle(struct visible_state *s, const struct choice *c, unsigned looks);
/* The thread takes its step. */
void visible_state_step(struct visible_state *s, const struct choice *c, unsigned thread);
/* The number was drawn for that step. */
void visible_state_draw(struct visible_state *s, unsigned number);

#endif
