/* SPDX-License-Identifier: Apache-2.0
 *
 * Pause plans: what of a counterexample (model.h) still counts when the program cannot be led along all of it, because
 * another schedule takes it along another way. Around every wait that is never woken few orders matter, and each is a
 * pause: a thread stops before something until another one has done something.
 *
 *   A notification that comes too early: the waiter stops between the look at its condition and the wait, until it was
 *   told; whoever changes the condition, until it was looked at.
 *   A wait inside an outer lock: who wants that lock stops before it until the waiter waits.
 *   A notification that is skipped: who makes its condition false stops until the waiter waits, the notifier stops
 * before it looks at the condition until that is done, wherever the counterexample has it.
 */
#ifndef HEDDLE_PREDICT_PAUSES_H
#define HEDDLE_PREDICT_PAUSES_H

#include "worlds/trace/model.h"

#define PAUSES_MOST 64

struct pause {
  struct model_step held, until;
};

/* How many there are. */
uint32_t pauses_of(const struct trace_program *p, const struct model_group *group, struct pause out[PAUSES_MOST]);

#endif
