/* SPDX-License-Identifier: Apache-2.0
 *
 * Processes that are kept from execution to execution. A fork by the kernel takes half a millisecond; where a process
 * of that number is left from an execution before, and nothing but memory tells it from the one that forks, it becomes
 * the copy by its memory. Whoever forks leaves all that counts in memory that both share, and the other one takes it
 * from there when it has the turn for the first time.
 *
 * All that are kept began as copies of the first process at the snapshot, or of copies of it, so only what was written
 * since can differ: pages that the snapshot tracks (memory/snapshot.c), the heap, stacks, and the runtime's own
 * variables. What the kernel keeps of a process must not have changed in either of them (system/effects.h), but for
 * shared anonymous memory, which is mapped anew. Only in snapshot mode.
 */
#ifndef HEDDLE_RUNTIME_SLOTS_H
#define HEDDLE_RUNTIME_SLOTS_H

#include <stdbool.h>

/* This process, about to fork, makes the kept process of that number a copy of itself. False: it has to fork really.
 * Returns a second time in the copy, which has the turn then, with copied set. */
bool slot_copy(unsigned process, bool *copied) __attribute__((noinline));

/* What the kernel calls the process; it was forked really, and may be kept. */
void slot_filled(unsigned process, int real);
/* The same of one that is kept; 0: there is none. */
int slot_real(unsigned process);
/* After the execution: whether it is kept. */
bool slot_keeps(unsigned process);
/* It is ended; what is left of it is for the first process to take away. */
void slot_empty(unsigned process);
void slot_reap(unsigned process);

/* This process was given the turn: if it is to be the copy of another, that goes on, and this does not return. */
void slot_look(void);

#endif
