/* SPDX-License-Identifier: Apache-2.0
 *
 * How threads are scheduled, as the program asks for it and is told: see scheduling.c.
 */
#ifndef HEDDLE_RUNTIME_SCHEDULING_H
#define HEDDLE_RUNTIME_SCHEDULING_H

#include "worlds/threads/system/call.h"

/* The thread that begins an execution has what the process was given; each other one, what its creator hands on. */
void scheduling_begin(void);
void scheduling_inherit(unsigned thread, unsigned creator);

/* A policy in which priorities count. */
bool is_real_time(int policy);

/* Whether the kernel would let a thread with `now` have `wanted`: 0 or an error. */
int scheduling_refused(const struct scheduling *now, const struct scheduling *wanted);

/* Beyond what the thread was given, by the mutexes it holds (mutex.c). */
int scheduling_priority(unsigned thread);

/* The system calls, of threads of the program: UNKNOWN for those of others. */
call_maker scheduling_call, nice_call;

#endif
