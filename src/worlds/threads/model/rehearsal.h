/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether waits are repeated when they end for no reason; see rehearsal.c.
 */
#ifndef HEDDLE_RUNTIME_REHEARSAL_H
#define HEDDLE_RUNTIME_REHEARSAL_H

#include "core/operation.h"
#include <stdbool.h>
#include <stdint.h>

struct object;
struct section;

/* This process is a copy that only tries what comes next, and leaves nothing behind. */
extern bool rehearsing;

/* The current thread is about to wait on that condition. True, in a copy of the process: the wait is over, for no
 * reason. */
bool rehearsal_of_wait(uint32_t condition, uint32_t mutex, uintptr_t pc);
/* It has taken that mutex. */
void section_begin(uint32_t mutex);
/* It takes that step. */
void section_step(struct section *section, const struct operation *op);
/* Waits with that mutex could end now, if they ended for no reason. */
void sections_compare(const struct object *mutex);
/* In such a copy: the thread would take that step. Returns if others could not tell. */
void rehearsal_step(const struct operation *op);
/* In such a copy: it does not come back. */
_Noreturn void rehearsal_ends(void);

#endif
