/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that wait in loops, as an execution meets them: who would look in vain (vain.h) does not go on, and whether
 * those who wait in the middle of a loop wait for good is found out when nobody else is left.
 */
#ifndef HEDDLE_EXPLORE_ROUNDS_H
#define HEDDLE_EXPLORE_ROUNDS_H

#include "core/strategy.h"
#include "explore/order.h"
#include "explore/vain.h"

#define ROUNDS_STOOD 256

struct rounds {
  struct threadset unsettled; /* threads that wait in the middle of a loop, when nobody else can go on */
  unsigned current;           /* the one that went round last */
  uint32_t stood;             /* where the first of them has stood since */
  uint64_t stood_at[ROUNDS_STOOD];
  struct vain_look last; /* its last look */
};

/* The look that a thread is about to take, with what it sees. False: it is none, or that is not known. */
bool look_ahead(const struct world *w, unsigned thread, const struct operation *op, struct vain_look *out);
/* Whether the thread is about to look in vain. */
enum look_verdict judge_next_look(const struct vain *v, const struct order *o, const struct choice *c, unsigned t);
bool would_look_in_vain(const struct vain *v, const struct order *o, const struct choice *c, unsigned t);

/* Nobody can go on but those who wait in a loop. Some stand in the middle of it (unsettled): whether they wait for good
 * shows when they go round. The next step of theirs; PICK_BLOCKED: one comes out of it, so this execution is one with
 * rounds in vain, and others show what can happen; MAX_THREADS: all of them wait for good. */
unsigned rounds_next(struct rounds *r, const struct choice *c);

#endif
