/* SPDX-License-Identifier: Apache-2.0
 *
 * What strategies share whose search is not divided: the unit is all of it, and what is handed in before the end says
 * only that it has not come to its end.
 */
#ifndef HEDDLE_STRATEGY_UNDIVIDED_H
#define HEDDLE_STRATEGY_UNDIVIDED_H

#include "core/strategy.h"
#include "explore/unit.h"

/* It goes on where it stands. */
static inline void undivided_take(void *state, const struct world *world, const struct job *job)
{
  (void)state, (void)world;
  job->answered[ANSWER_PROBES] = 0;
}

static inline void undivided_hand_in(const struct job *job, bool finished)
{
  struct hand_in *out = job->answer[ANSWER_HAND_IN];
  *out = (struct hand_in){.bytes = sizeof *out, .finished = finished};
  job->answered[ANSWER_HAND_IN] = out->bytes;
}

#endif
