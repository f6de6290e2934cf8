/* SPDX-License-Identifier: Apache-2.0
 *
 * Why an execution was chosen, for those that showed a bug: what it was to show becomes part of the answer, and is told
 * in words (report/story/tried_text.h). For strategies that choose executions for what they show.
 */
#ifndef HEDDLE_CORE_ATTEMPT_H
#define HEDDLE_CORE_ATTEMPT_H

#include "core/abstract_schedule.h"
#include <stdbool.h>

struct outcome;

/* Whether there is a bug of the execution to tell it of, and room. */
bool attempt_is_wanted(const struct outcome *outcome);
/* If it is: the execution was to show that. */
void attempt_tell(const struct outcome *outcome, const struct abstract_schedule *schedule);

/* The program may have written over what is read from an answer. */
bool abstract_schedule_is_sound(const struct abstract_schedule *schedule);

#endif
