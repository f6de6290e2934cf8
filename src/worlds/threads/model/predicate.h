/* SPDX-License-Identifier: Apache-2.0
 *
 * Conditions that the program declared (heddle.h).
 */
#ifndef HEDDLE_RUNTIME_PREDICATE_H
#define HEDDLE_RUNTIME_PREDICATE_H

#include <stdint.h>

extern uint32_t predicates_declared;

void predicates_reset(void);
/* The current thread has come to a step: what changed since its last one, it changed. */
void predicates_look(uintptr_t pc);

#endif
