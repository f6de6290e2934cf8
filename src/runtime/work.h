/* SPDX-License-Identifier: Apache-2.0
 *
 * Units of an exhaustive search; see work.c.
 */
#ifndef HEDDLE_RUNTIME_WORK_H
#define HEDDLE_RUNTIME_WORK_H

#include <stdbool.h>

/* Begin the unit that was given, if one was. */
void work_take(void);
/* Write down what came of the current one. */
void work_hand_in(void);
/* After WORKER_HANDED: wait for the next one and begin it. False: there is none, the session is over. */
bool work_wait(void);

#endif
