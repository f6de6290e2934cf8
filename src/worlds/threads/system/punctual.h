/* SPDX-License-Identifier: Apache-2.0
 *
 * Sleeps and timeouts that end in time, see the source.
 */
#ifndef HEDDLE_RUNTIME_PUNCTUAL_H
#define HEDDLE_RUNTIME_PUNCTUAL_H

#include "worlds/threads/runtime.h"

/* An execution begins. */
void punctual_reset(void);

/* The next step of the current thread ends when what it waits for is there, or at this time. */
void ends_at(int64_t deadline);
/* It has been taken, or was given up. */
void has_ended_wait(struct thread *t);

/* The wall clock was put on by so much: those who sleep until it shows some time have that much less to go. */
void sleepers_follow_wall_clock(int64_t put_on);

/* Time passes: whoever stands before a wait is in it by then. So is who was told to be. */
void time_passes_for_all(void);
void seen_to_wait(unsigned thread);
/* So it was with what the thread waits for now. */
bool has_begun_to_wait(unsigned thread);

/* Operations that time alone can end. */
bool punctual_is_timed(enum op_kind kind);
/* Whether such a one can go on without more time: what it waits for is there, or its time is known to have come. */
bool punctual_is_over(unsigned thread, const struct operation *op);
/* Whether a thread whose wait has an end can go on. */
bool punctual_permits(unsigned thread, const struct operation *op);

#endif
