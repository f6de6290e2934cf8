/* SPDX-License-Identifier: Apache-2.0
 *
 * Abstract schedules (core/abstract_schedule.h) in words: "T2's read of head at stack.c:31 sees T1's second update at
 * stack.c:22".
 */
#ifndef HEDDLE_REPORT_TRIED_TEXT_H
#define HEDDLE_REPORT_TRIED_TEXT_H

#include "core/abstract_schedule.h"
#include "report/story/story_words.h"

struct control;

/* The story's threads and symbols are those of the program; the control block says where its modules are. */
void describe_constraint(const struct story *story, const struct control *control, const struct constraint *constraint,
                         char out[SENTENCE_SIZE]);

#endif
