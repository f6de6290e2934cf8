/* SPDX-License-Identifier: Apache-2.0
 *
 * Priorities, where they decide who goes on: see priorities.c.
 */
#ifndef HEDDLE_RUNTIME_PRIORITIES_H
#define HEDDLE_RUNTIME_PRIORITIES_H

#include "core/observer.h"

/* An execution begins: they decide nothing yet. */
void priorities_reset(void);
/* The thread has another policy, priority or processors. */
void priorities_settle(unsigned thread);

/* Whether they decide anything in this execution; and whether they let the thread run now. */
bool priorities_decide(void);
bool priorities_admit(unsigned thread);

extern const struct observer observer_priorities;

#endif
