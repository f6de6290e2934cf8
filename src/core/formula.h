/* SPDX-License-Identifier: Apache-2.0
 *
 * Formulas about the order of events: what HD_FORMULA says, which is more than orderings can (core/ordering.h).
 *
 * A run is a sequence of instants. At each, an event happens, or threads become blocked or go on, or both; every event
 * happens once. At an instant
 *
 *   a          holds if a happens then,
 *   [t]        if thread t is blocked then,
 *   !f f&&g f||g  as usual,
 *   f -> g     if g has never held so far, or f held at or before some instant at which g did.
 *
 * A run keeps a formula that holds at its last instant. So "a -> b" means what it means in an ordering, and
 * "(b && [t]) -> b" that t is blocked when b happens. Three bits for each arrow are all that has to be remembered, and
 * they are only ever set.
 *
 * A thread is held before an event behind which nothing that may come could make the formula hold. What may come is
 * taken for more than it is (every event that has not happened, in every order, with any threads blocked), so whoever
 * is held is held rightly; but some runs come to their end and have not kept the formula.
 */
#ifndef HEDDLE_CORE_FORMULA_H
#define HEDDLE_CORE_FORMULA_H

#include "core/ordering.h"

/* Sets of arrows. */
struct formula_past {
  uint64_t occurred;    /* events */
  uint64_t left, right; /* whose left side, whose right side has held */
  uint64_t kept;        /* whose right side has, not before the left one did */
  uint32_t standing;    /* threads that were blocked at the last instant */
  bool holds;           /* at the last instant */
};

struct formula_instant {
  unsigned event;    /* from 1, 0: none */
  uint32_t standing; /* threads that are blocked, by their numbers in the formula */
};

/* Before the first instant. */
void formula_begin(const struct ordering *o, struct formula_past *past);
void formula_go_on(const struct ordering *o, struct formula_past *past, struct formula_instant now);
/* Whether it holds now, or may later. */
bool formula_may_hold(const struct ordering *o, const struct formula_past *past);
/* Whether the event may happen next. */
bool formula_admits(const struct ordering *o, const struct formula_past *past, struct formula_instant now);

/* Whether it matters at events only who is blocked: a formula for runs in which nobody sees more. */
bool formula_asks_at_events(const struct ordering *o);

/* The parts that would not hold any more behind that event: "a && [t2] -> a to hold". */
size_t formula_unmet_text(const struct ordering *o, const struct formula_past *past, struct formula_instant now,
                          char *out, size_t size);

#endif
