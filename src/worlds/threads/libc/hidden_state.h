/* SPDX-License-Identifier: Apache-2.0
 *
 * State that functions of the C library keep between calls; see hidden_state.c.
 */
#ifndef HEDDLE_RUNTIME_HIDDEN_STATE_H
#define HEDDLE_RUNTIME_HIDDEN_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* An execution begins. */
void hidden_state_reset(void);

/* "strtok()" if the address stands for the state of that function, else NULL. */
const char *hidden_state_at(uintptr_t addr);

/* The memory of a stream stands for all of it, whatever its bytes say. */
void hidden_state_stands_at(const void *stream);

/* Whether accesses there stand for more than the bytes there: of a stream, or of what libheddle.so keeps for libc. */
bool hidden_state_covers(uintptr_t addr);

/* The list of what runs at the end of the program changes (exit_handlers.c). */
void hidden_state_takes_handler(uintptr_t pc);

/* Which keys of thread-specific data there are: a new one has the lowest number that is free, and a thread that ends
 * calls the destructors of those that are still there. */
void hidden_state_changes_keys(uintptr_t pc);
void hidden_state_looks_at_keys(uintptr_t pc);

/* What the environment says of the time zone is taken over; then functions look at it. */
void sets_zone(uintptr_t pc);
void looks_at_zone(uintptr_t pc);

/* The program said what new threads are to be like (pthread_setattr_default_np), in this execution or before. */
bool thread_defaults_were_set(void);

#endif
