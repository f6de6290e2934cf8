/* SPDX-License-Identifier: Apache-2.0
 *
 * Ways through the trace of a failing run that those who look for the shape of a mistake have in common. Numbers in,
 * numbers out; nothing is told here.
 */
#ifndef HEDDLE_REPORT_TRAIL_H
#define HEDDLE_REPORT_TRAIL_H

#include "report/blame/blame.h"
#include "report/story/moment.h"
#include "report/story/story.h"

static inline struct pattern pattern_of(enum pattern_kind kind, size_t a, size_t b, size_t c, size_t d)
{
  return (struct pattern){.kind = kind, .event = {a, b, c, d}};
}

/* Whether the bug is a wrong value, or what came of one. */
bool shows_by_value(const struct bug *bug);

/* The thread that failed. */
uint32_t failing_thread(const struct story *story);

/* What a thread was about to do at the end, NULL when it is not known. */
const struct trace_event *left_of(const struct story *story, uint32_t thread);

/* The first event behind the next preemption from an event on, behind the last one. NO_EVENT: there is none. A schedule
 * that was made short has none in vain. */
size_t next_preemption(const struct story *story, size_t from);
unsigned count_preemptions(const struct story *story);
size_t last_preemption(const struct story *story);

/* The nearest access of that memory by a thread before an event; or at or behind one. */
size_t access_before(const struct story *story, size_t from, uint32_t thread, const struct trace_event *memory);
size_t access_after(const struct story *story, size_t from, uint32_t thread, const struct trace_event *memory);

/* Where the value was written that an event read: the last write before it. */
size_t find_source(const struct story *story, size_t read);
/* The thread's last read of that memory; NO_EVENT: there is none. */
size_t find_last_read(const struct story *story, uint32_t thread, const struct trace_event *memory);
/* The last read of the same thread before that one, of other memory, that saw what the other thread had written. */
size_t find_told_by(const struct story *story, size_t read, uint32_t other);

/* The thread reads again what it has just read, and sees the same: it waits in a loop. */
bool is_repeated(const struct story *story, size_t read);

/* Where a thread created another one. */
size_t find_creation(const struct story *story, uint32_t parent, uint32_t child);

/* Whether two events are of one line of the source. */
bool is_same_line(const struct story *story, const struct trace_event *a, const struct trace_event *b);

/* Whether the source decides on something in the line of an event. */
bool is_tested(const struct story *story, const struct trace_event *event);

/* Whether some call that led to an event has this in the name of its function. */
bool is_called_in(const struct story *story, const struct trace_event *event, const char *name);

/* By how much an update moved the word. */
uint64_t moved_by(const struct trace_event *update);
/* Whether all updates of the word count it up and down by so much: what a compare-exchange puts there may be less than
 * before, and still be no count. */
bool is_counter(const struct story *story, const struct trace_event *word, uint64_t by);

#endif
