/* SPDX-License-Identifier: Apache-2.0
 *
 * Who has taken fewest steps goes next. With writes_last, who is about to write, or to let others go first, waits until
 * nobody has anything else to do.
 */
#ifndef HEDDLE_STRATEGY_ABREAST_STEPS_H
#define HEDDLE_STRATEGY_ABREAST_STEPS_H

#include "core/strategy.h"

/* Whether it has looked at all that it is going to look at before that. */
static inline bool writes_or_yields(const struct operation *op)
{
  enum op_kind kind = (enum op_kind)op->kind;
  return kind == OP_YIELD || (op_is_memory(kind) && op_writes_memory(kind));
}

/* One of those that may go on. A thread that yields is behind all others then. */
static inline unsigned furthest_behind(uint64_t taken[MAX_THREADS], const struct choice *c,
                                       const struct threadset *going, bool writes_last)
{
  unsigned best = MAX_THREADS;
  bool best_waits = false;
  THREADSET_EACH(t, going)
  {
    if (c->yielded && taken[t] >= taken[c->current])
      taken[c->current] = taken[t] + 1;
  }
  THREADSET_EACH(t, going)
  {
    bool waits = writes_last && writes_or_yields(&c->thread[t].pending);
    if (best < MAX_THREADS && (waits == best_waits ? taken[t] >= taken[best] : waits))
      continue;
    best = t;
    best_waits = waits;
  }
  return best;
}

#endif
