/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUNTIME_TIME_H
#define HEDDLE_RUNTIME_TIME_H

#include "worlds/threads/runtime.h"

bool clock_exists(clockid_t clock);
/* What the clock says. */
struct timespec virtual_now(clockid_t clock);
/* A reading of the clock; it moves time on by a tick. */
struct timespec virtual_time(clockid_t clock);
/* The program sets it, for itself: the machine's stays as it is. 0 or -errno. */
long set_wall_clock(const struct timespec *to);
/* 0 or an errno. left: how much of it was left when a signal ended it, NULL for nobody's business. */
int virtual_sleep(clockid_t clock, bool absolute, const struct timespec *how_long, struct timespec *left, uintptr_t pc);
int virtual_yield(uintptr_t pc);

/* A wait until the deadline goes on: to its end, or to a timer that is due before. That one expires, and handlers of
 * what it sends to this thread run. */
enum wait_end {
  WAIT_IS_OVER,
  WAIT_INTERRUPTED, /* by a handler */
  WAIT_GOES_ON      /* what is waited for may be there now */
};
enum wait_end time_goes_on(int64_t deadline); /* SA_RESTART makes no difference to waits with an end */
/* The running thread is about to take a step and holds this by itself (rt.local). */
void time_note_round(uint64_t local);

#endif
