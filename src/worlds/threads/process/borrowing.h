/* SPDX-License-Identifier: Apache-2.0
 *
 * Children that borrow their parent, until they run a program of their own or end; see borrowing.c.
 */
#ifndef HEDDLE_RUNTIME_BORROWING_H
#define HEDDLE_RUNTIME_BORROWING_H

#include "worlds/threads/system/call.h"

/* Whether the copy that the call is for borrows this thread. */
bool borrowing_is_wanted(const struct call *clone);
/* That process, which was just made, does; the thread waits until it is given back. */
void borrowing_await(unsigned process, uintptr_t pc);
/* For who waits so. */
bool borrowing_is_over(const struct operation *op);
/* This process is about to run its program, or to end: it gives back what it borrowed, if it did. */
void borrowing_ends(void);
/* This process is about to end with that status, as its code has it. */
void borrowing_fails(int status);
/* posix_spawn() made that process, as the thread says since borrowing_of_spawn(true): the error by which it could not
 * run its program, and it was waited for; 0: none. */
int borrowing_error(int id, uintptr_t pc);
void borrowing_of_spawn(bool begins);

#endif
