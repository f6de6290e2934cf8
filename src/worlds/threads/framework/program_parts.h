/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads and calls of an ordinary program that can be left out (program_parts.c), as those who start threads and see
 * calls tell of them. Without config.leaves_out nothing is done.
 */
#ifndef HEDDLE_RUNTIME_PROGRAM_PARTS_H
#define HEDDLE_RUNTIME_PROGRAM_PARTS_H

#include "core/observer.h"
#include <stdbool.h>
#include <stdint.h>

void parts_begin(void); /* a new execution */

/* Main is about to start a thread; has started it; a thread was joined, and its result is asked for or not. */
void parts_starting(void);
void parts_started(unsigned thread, uintptr_t pc);
void parts_joined(unsigned thread, bool asked);
/* Whether the current thread is to run its function. */
bool parts_run_thread(void);

/* A watched function was called, its return address is in that slot: whether it is to return at once. */
bool parts_leave_out(uint32_t function, const uintptr_t *argument, uintptr_t *return_slot);
/* A function returned, and so many are left on the shadow call stack. */
void parts_returned(uint32_t frames);

extern const struct observer observer_parts;

#endif
