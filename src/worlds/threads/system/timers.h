/* SPDX-License-Identifier: Apache-2.0
 *
 * Timers of the program, on the virtual clock; see timers.c.
 */
#ifndef HEDDLE_RUNTIME_TIMERS_H
#define HEDDLE_RUNTIME_TIMERS_H

#include "worlds/threads/system/call.h"
#include <signal.h>

/* When the next one expires; INT64_MAX for never. */
int64_t timers_next(void);
/* It does; time is then, if it was not later already. It is about to go on until that time. */
void timers_expire(int64_t until);
/* Whether a timer expires just now that was set so long ago that whoever waits has begun to before. */
bool timers_come_late(void);
/* Whether that clock may take its step now. */
bool timers_can_expire(unsigned clock);
/* So much was done that the clock may take it whatever the others can do; false: no timer is left that it would be
 * for. */
bool timers_come_due(void);
/* The signal of an expiry is about to wait for its receiver; false: it is none of a timer. */
bool timers_signal_waits(const siginfo_t *info);
/* The signal of an expiry reaches the program: how many more there were meanwhile. */
void timers_signal_taken(siginfo_t *info);
/* An operation that comes to be pending: what lets time pass may let a timer expire, which concerns anything. */
void timers_may_expire_in(struct operation *pending);
/* The wall clock was put on by so much: timers that were set for a time that it is to show expire that much earlier. */
void timers_follow_wall_clock(int64_t put_on);
/* Its timers are gone, but those that are descriptors others have. */
void timers_process_ended(unsigned process);
/* This process is about to be another program; it is: the timers that stay have a clock again. */
void timers_exec(void);
void timers_go_on(void);
void timers_reset(void);
bool is_clock(unsigned task);
/* This process has a task that takes the steps of time, from now on. */
void timers_need_clock(void);

/* ---- timers that are descriptors (kernel/counter.c) ---- */

/* The descriptor of a new one, or -errno, and its channel. */
long timer_descriptor_new(bool nonblocking, bool close_on_exec, uint16_t *channel, uintptr_t pc);
/* It counts one expiry more, or none so far. */
void timer_descriptor_expired(uint16_t channel, uint64_t times);
uint16_t timer_channel(long fd); /* 0: it is no timer's */
void timers_channel_closed(uint16_t channel);

/* True, with the result, if the call is about timers. */
bool timer_call(const struct call *call, long *result);

#endif
