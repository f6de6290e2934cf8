/* SPDX-License-Identifier: Apache-2.0
 *
 * Who, what and where of an event or of a thread's part in a bug, as the sentences on shapes need them.
 */
#ifndef HEDDLE_REPORT_TOLD_PART_H
#define HEDDLE_REPORT_TOLD_PART_H

#include "report/story/story_words.h"

/* Files are named once, in the first place that is told: place_after(). */
struct told_part {
  char who[THREAD_NAME_SIZE], what[OBJECT_SIZE], where[PLACE_SIZE];
};

/* Of an event of the story, by its index. */
struct told_part part_of(const struct story *story, size_t event);

/* Of any event, such as one of those that were left. */
struct told_part part_of_event(const struct story *story, const struct trace_event *event);

struct told_part part_of_party(const struct story *story, const struct bug_party *party);

#endif
