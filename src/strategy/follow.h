/* SPDX-License-Identifier: Apache-2.0
 *
 * Following a recorded schedule, step by step; shared by replay (which must follow it exactly) and shrink (which
 * follows a mutilated one as well as it can). Positions are absolute: "run this thread until it has performed so many
 * operations in all", so that a segment that is left out is made up for by the thread's next one.
 */
#ifndef HEDDLE_STRATEGY_FOLLOW_H
#define HEDDLE_STRATEGY_FOLLOW_H

#include "core/control.h"

#define FOLLOW_UNTIL_BLOCKED UINT64_MAX

struct follow_segment {
  uint32_t thread; /* index into the schedule's threads */
  uint16_t op;
  uint16_t spare;
  uint64_t position; /* operations the thread has performed in all when the segment ends */
  uint64_t pc;       /* of the operation it is about to do then, by name; 0 if it is not to be checked */
};

struct follower {
  const struct schedule_thread *threads;
  const struct follow_segment *segments;
  const struct data_choice *choices;
  uint32_t thread_count, segment_count, choice_count;
  uint32_t at; /* current segment */
  uint32_t choice_at;
};

/* The engine's number of the schedule's thread, or MAX_THREADS while it has not been created. */
unsigned follow_thread(const struct follower *f, const struct choice *c, uint32_t thread);

/* Exactly as recorded: PICK_DIVERGED when that is impossible. */
unsigned follow_exactly(struct follower *f, const struct choice *c);

/* As well as possible; always one of the enabled threads. */
unsigned follow_roughly(struct follower *f, const struct choice *c);

/* The next recorded data choice, or 0 when there is none that fits. */
unsigned follow_choose(struct follower *f, unsigned n);

/* Relative counts of a record's segments made absolute. threads: scratch, one counter for each thread. */
void follow_from_record(struct follow_segment *out, struct schedule_record *record, uint64_t *threads);

#endif
