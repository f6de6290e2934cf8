/* SPDX-License-Identifier: Apache-2.0
 *
 * What a thread knew of the others' past when it took its last few steps, for searches that take steps back.
 */
#ifndef HEDDLE_RUNTIME_KNOWLEDGE_H
#define HEDDLE_RUNTIME_KNOWLEDGE_H

#include <stdbool.h>

/* The current thread is about to take a step. */
void knowledge_note(void);
/* The thread knows what it knew before its last so many steps, in which it let nobody else know anything. False: they
 * are too many. */
bool knowledge_take_back(void *self, unsigned thread, unsigned steps);

#endif
