/* SPDX-License-Identifier: Apache-2.0
 *
 * Who waits for whom, when no task can go on.
 */
#ifndef HEDDLE_CORE_WAITS_H
#define HEDDLE_CORE_WAITS_H

#include "core/engine.h"

/* The task is one of the program's, has not ended, and is not just held back by observers: if nobody can go on, it
 * stands before an operation that it cannot perform. */
bool task_waits(const struct engine *e, unsigned task);
/* The task that could end its wait, and where it took what is waited for (0: not known); -1: nobody in particular. */
int task_waits_for(const struct engine *e, unsigned task, uintptr_t *pc);
/* Whether that one held the lock when a fork copied its memory, and is not in the process that has the copy. */
bool task_is_left_behind(const struct engine *e, unsigned task, int holder);
/* Whether who holds what it waits for has ended, or only held it when a fork copied it. */
bool task_waits_in_vain(const struct engine *e, unsigned task);
/* Whether those who could end its wait wait for it in the end. */
bool task_waits_in_circle(const struct engine *e, unsigned task);
/* One more of the bug, if there is room: it waits, and for whom. */
void bug_add_waiting(struct engine *e, struct bug *bug, unsigned task);

#endif
