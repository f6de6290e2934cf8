/* SPDX-License-Identifier: Apache-2.0
 *
 * What a deadlock is made of, where that is a known shape: locks taken in a circle, a lock kept while waiting, a signal
 * that comes too early or wakes the wrong thread; a wait that is left without looking again; and one critical section
 * made two. Read from the failing run alone, so it is true whatever other runs do.
 */
#ifndef HEDDLE_REPORT_BLAME_DEADLOCK_H
#define HEDDLE_REPORT_BLAME_DEADLOCK_H

#include "report/blame/blame.h"
#include "report/story/story.h"

/* False: it is no deadlock, or of no known shape. The events of the pattern are those of the story. */
bool blame_deadlock(const struct story *story, struct pattern *out);

/* A thread wakes at or behind that step and uses what it had looked at before it waited, though somebody has changed
 * that since the signal. */
bool blame_wake(const struct story *story, uint64_t step, struct pattern *out);

/* A thread has unlocked a lock before that step and locks it again behind, while another one takes it in between. */
bool blame_split(const struct story *story, uint64_t step, struct pattern *out);

/* Such a pattern as a sentence without its end, and what would forbid it. */
void describe_deadlock(const struct story *story, const struct pattern *pattern, char *out, size_t n);
void describe_deadlock_remedy(const struct story *story, const struct pattern *pattern, char *out, size_t n);

#endif
