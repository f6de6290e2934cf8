/* SPDX-License-Identifier: Apache-2.0
 *
 * Why an execution was chosen, in words, from what it was to show (core/abstract_schedule.h): "T2's read of head at
 * stack.c:31 sees T1's second update at stack.c:22".
 */
#ifndef HEDDLE_REPORT_TRIED_TEXT_H
#define HEDDLE_REPORT_TRIED_TEXT_H

#include "core/abstract_schedule.h"
#include "report/story/story_words.h"

struct control;

/* A line for each constraint, without an end, malloc'ed; NULL: there is none, or no memory. The story's threads and
 * symbols are those of the program; the control block says where its modules are. */
char *tried_text(const struct story *story, const struct control *control, const struct abstract_schedule *tried);

/* "  tries    T2's read of ..."; nothing if the execution was to show nothing in particular. */
void story_tries(FILE *out, const struct story *story);

#endif
