/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUNTIME_FUTEX_H
#define HEDDLE_RUNTIME_FUTEX_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct operation;

bool futex_enabled(unsigned thread, const struct operation *op);

/* The futex system call as the kernel does it, on the virtual scheduler: a result or -errno. */
long futex_call(uint32_t *word, int operation, uint32_t value, long timeout, uint32_t *word2, uint32_t value3,
                uintptr_t pc);

/* Whether the descriptor operation can go on (filter.c). */
bool fd_ready(const struct operation *op);
/* A system call of the program made through syscall() (filter.c): a result or -errno. */
long system_call(long number, const long *arg, uintptr_t pc);

#define VIRTUAL_PID 4242

/* time.c */
int virtual_yield(uintptr_t pc);
struct timespec virtual_time(clockid_t clock);
int virtual_sleep(clockid_t clock, bool absolute, const struct timespec *how_long, uintptr_t pc); /* 0 or errno */

#endif
