/* SPDX-License-Identifier: Apache-2.0
 *
 * Hangs: from where on a trace only repeats itself, and what each thread does again and again. Of no concern outside
 * the reports.
 */
#ifndef HEDDLE_REPORT_HANG_STORY_H
#define HEDDLE_REPORT_HANG_STORY_H

#include "report/story/story_words.h"

/* The first event of the repetition at the end of a trace; count when there is none. */
size_t repetition_start(const struct trace_event *events, size_t count);

/* "T1 keeps reading state → 1 (stop.c:26); main was the last to write it (stop.c:36)". */
void describe_repetition(const struct story *story, size_t start, const struct bug_party *party,
                         char out[SENTENCE_SIZE]);

/* The bug with its parties' addresses set to what they wait for in vain, to choose the events that led there. */
struct bug hang_focus(const struct story *story, size_t start);

#endif
