/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops that wait. A thread may stand again exactly where it stood before. If doing what it did in between, alone and
 * from the present state, would meet the same and leave everything as it is, it waits until something of what it looked
 * at has changed. So spin locks, polling and "wait until the flag is set" have finitely many executions, and a loop
 * that nobody can end shows as such.
 *
 * That a thread stands where it stood is known exactly (world.h: local). What its iteration did for a moment and took
 * back (a lock taken and released) is tried once, not again and again.
 */
#ifndef HEDDLE_EXPLORE_AWAIT_H
#define HEDDLE_EXPLORE_AWAIT_H

#include "explore/order.h"

#define AWAIT_VISITS 4

struct await {
  uint32_t last;                /* event of the thread before it, + 1 */
  uint32_t visits;              /* 0: it does not wait */
  uint32_t visit[AWAIT_VISITS]; /* events before which it stood at the same place */
  struct watched_keys watched;  /* all that the iterations looked at */
  bool in_vain;                 /* it waits since its look would be (vain.h) */
  bool in_doubt;                /* it may be */
};

/* Looks for earlier visits of a thread to where it stands, about to do op, after its last event (+ 1). */
void await_find(const struct order *o, struct await *a, uint32_t last, const struct operation *op, uint64_t local);

/* Whether one of the iterations would be in vain now. */
bool await_blocks(const struct order *o, const struct await *a, const struct world *world, const struct operation *op);

/* Whether the event, which came because something had changed, could have come without e and what follows from it. */
bool await_possible_without(const struct order *o, const struct order_event *late, uint32_t e);

/* Livelocks: whether all threads that can run (their loops in a, by thread) have run since some event, have come back
 * to where they stood before it, and left everything as it was then. So they can go on like that for ever, and no fair
 * scheduler need end it. Only for loops on memory: that two threads take locks from each other again and again is ended
 * by any real lock sooner or later. since: that event. */
bool await_cycles(const struct order *o, const struct await *a, const struct threadset *enabled,
                  const struct world *world, uint32_t *since);

#endif
