/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of the process, its threads and its group, to the program and to the kernel: see own_numbers.c.
 */
#ifndef HEDDLE_RUNTIME_OWN_NUMBERS_H
#define HEDDLE_RUNTIME_OWN_NUMBERS_H

#include "worlds/threads/system/call.h"

#define NO_THREAD (-1)
/* The thread that has the number, the program's or the kernel's for it, and lives; NO_THREAD. */
int thread_of_number(long number);

long own_group(void);
long own_session(void);

/* Of a clock that counts the time of a process or a thread; of others, the kernel knows. */
bool process_clock_exists(clockid_t clock);
/* When what it counts the time of began, in virtual time. */
uint64_t process_clock_began(clockid_t clock);

/* CAP_*: whether the kernel would let it do that. */
bool has_capability(int capability);

/* The same call with the numbers that the kernel knows. */
struct call with_real_numbers(const struct call *call);

call_maker clock_resolution_call;

#endif
