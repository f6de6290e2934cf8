/* SPDX-License-Identifier: Apache-2.0
 *
 * Units of an exhaustive search; see work.c.
 */
#ifndef HEDDLE_RUNTIME_WORK_H
#define HEDDLE_RUNTIME_WORK_H

#include <stdbool.h>

/* Shared memory as earlier processes found it, if everything was elsewhere in them. */
void work_relocate(void);
/* What a session without units was told of shared memory at its start. */
void work_know(void);
/* Begin the unit that was given, if one was. */
void work_take(void);
/* Write down what came of the current one; only_lessons: the search begins anew, because of what was learnt, and that
 * is all. */
void work_hand_in(bool only_lessons);
/* Notes the processor time since it was noted last. */
void work_note_time(void);
/* It is written: the state says so, and who gave it is told. */
void work_tell(void);
/* After WORKER_HANDED: wait for the next one and begin it. False: there is none, the session is over. */
bool work_wait(void);

#endif
