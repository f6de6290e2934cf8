/* SPDX-License-Identifier: Apache-2.0
 *
 * Waits that only the outside of the program can end; see outside.c.
 */
#ifndef HEDDLE_RUNTIME_OUTSIDE_H
#define HEDDLE_RUNTIME_OUTSIDE_H

#include "worlds/threads/runtime.h"

/* Whether what the thread waits for comes from outside the program, as far as one can tell. */
bool wait_is_outside(unsigned thread, const struct operation *op);
/* The same of a descriptor of this process. */
bool fd_is_outside(int fd);
/* Whether another process, a child of the program or one that shares memory with it, may end the wait. */
bool processes_may_end_wait(const struct operation *op);
/* The same, and nobody inside the program can end it. */
bool wait_is_only_outside(const struct operation *op);
/* Nobody but the outside can let the thread go on (process: another process). True: its client did. Otherwise the
 * execution is over; whether it proves something is noted. */
bool outside_goes_on(unsigned thread, bool process);
/* Where no thread can go on, or none comes to an end: whether the outside is the reason. Then it is no deadlock. */
extern const struct observer observer_outside;
/* A wait with a timeout for something outside came to its end in vain; true if that was so often that nothing else will
 * come of it. */
bool outside_in_vain(const struct operation *op);
/* Whether other processes may have the memory, too. */
bool in_shared_mapping(uintptr_t addr);

#endif
