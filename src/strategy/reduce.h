/* SPDX-License-Identifier: Apache-2.0
 *
 * Delta debugging: which of n factors does a failure need? As a sequence of questions, "does it still fail without
 * these?", so that whoever asks can run the test in any way. State without pointers; nothing here knows what a factor
 * is.
 *
 * Of a range of factors of which none was left out yet, the second half is left out, then the first. If neither can be,
 * both matter: the first half is reduced with the second in place, then the second with what is left of the
 * first. */
#ifndef HEDDLE_STRATEGY_REDUCE_H
#define HEDDLE_STRATEGY_REDUCE_H

#include <stdbool.h>
#include <stdint.h>

#define REDUCE_DEPTH 32 /* ranges halve: enough for 2^32 factors */

struct reduce_range {
  uint32_t from, to; /* not included */
};

struct reduction {
  struct reduce_range range; /* being reduced */
  bool second;               /* the first half is being tried to be left out */
  uint32_t waiting_count;
  struct reduce_range waiting[REDUCE_DEPTH]; /* to be reduced after it, the last one first */
};

void reduce_open(struct reduction *r, uint32_t factors);

/* The factors to leave out next, besides those that were left out already. False: it is over. */
bool reduce_next(struct reduction *r, struct reduce_range *without);

/* The answer: whether it still fails. The factors are left out for good then. */
void reduce_tell(struct reduction *r, bool fails);

#endif
