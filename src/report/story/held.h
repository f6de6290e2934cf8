/* SPDX-License-Identifier: Apache-2.0
 *
 * Which locks threads held at their accesses, and what that says of two or three accesses that went wrong together:
 * what would have kept them apart. Read from the trace.
 */
#ifndef HEDDLE_REPORT_HELD_H
#define HEDDLE_REPORT_HELD_H

#include "report/blame/blame.h"
#include "report/story/moment.h"
#include "report/story/story_words.h"

#define HELD_MOST 8 /* more are not told */

struct held {
  uint32_t count;
  struct moment_lock lock[HELD_MOST];
};

/* The locks of its thread when an event happens. */
struct held held_at(const struct story *story, size_t event);
bool holds_at(const struct story *story, size_t event, uintptr_t lock);

/* The name of a lock, as some event knows it; empty for none. */
void describe_lock_name(const struct story *story, uintptr_t lock, char out[OBJECT_SIZE]);

/* "holding a and b", "holding no lock"; names between quotes (may be empty). */
void describe_held(const struct story *story, const struct held *held, const char *quote, char *out, size_t n);

/* Whether a thread created another one, which it can then wait for. */
bool has_created(const struct story *story, uint32_t parent, uint32_t child);

/* Whether the thread of two accesses held one lock at both, and had unlocked it in between. */
bool relocked(const struct story *story, size_t first, size_t last);

/* Whether the thread of the event held a lock then, and has not unlocked it until the end. */
bool held_to_the_end(const struct story *story, size_t event);

/* What would keep the two accesses of the first thread (events 0 and 2 of one of the five patterns) together and that
 * of the other one (event 1) out; empty when the locks do not tell. */
void describe_triple_remedy(const struct story *story, const struct pattern *pattern, char *out, size_t n);

/* How often the thread of an event has left a barrier before it; and which one, the last, 0 for none. */
uint32_t phase_of(const struct story *story, size_t event, uintptr_t *barrier);

/* The two accesses of a data race, the earlier one first, in a sentence; and what would order them, empty when the
 * locks do not tell. False: they are not in the trace. */
bool race_events(const struct story *story, size_t event[2]);

/* What would have ordered the two, had it the memory order for that: an atomic write of the first thread behind its
 * access, and the read of that by the other one before its own. False: there is none. */
bool race_flag(const struct story *story, const size_t event[2], size_t flag[2]);
void describe_race(const struct story *story, const size_t event[2], char *out, size_t n);
void describe_race_remedy(const struct story *story, const size_t event[2], char *out, size_t n);

#endif
