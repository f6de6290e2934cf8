/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of a stress test that are tried while it is made smaller: threads first, then the calls of each thread that
 * is left, then the thread as a whole; again until a whole pass leaves nothing out. State without pointers; whether a
 * part fails is for others to find out.
 */
#ifndef HEDDLE_STRATEGY_CANDIDATES_H
#define HEDDLE_STRATEGY_CANDIDATES_H

#include "core/subset.h"
#include "strategy/reduce.h"

struct candidates {
  struct subset kept;  /* the smallest that is known to fail */
  struct subset tried; /* the candidate */
  bool has_fixed;
  struct subset fixed; /* calls that no candidate leaves out alone; call 0 is the thread, which it never does */
  enum { REDUCE_THREADS, REDUCE_CALLS, DROP_THREAD, THREAD_DONE } stage;
  uint32_t thread; /* whose calls are reduced */
  bool removed;    /* something, in this pass */
  struct reduction reduction;
  uint32_t factors, factor[SUBSET_CALLS]; /* threads, or calls of the thread */
};

/* All of a test is known to fail. threads and calls must be within the limits of subset.h. fixed: calls that cannot be
 * left out but with their whole thread (core/parts.h); NULL: any can. */
void candidates_open(struct candidates *c, uint32_t threads, uint32_t calls, const struct subset *fixed);

/* Puts the next candidate into tried. False: there is none; kept is the result. */
bool candidates_next(struct candidates *c);

/* Whether the candidate fails as the whole test did. */
void candidates_tell(struct candidates *c, bool fails);

#endif
