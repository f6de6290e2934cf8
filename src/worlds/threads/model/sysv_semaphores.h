/* SPDX-License-Identifier: Apache-2.0
 *
 * System V semaphores: their rules and names; see the source.
 */
#ifndef HEDDLE_RUNTIME_SYSV_SEMAPHORES_H
#define HEDDLE_RUNTIME_SYSV_SEMAPHORES_H

#include "core/object_model.h"
#include <stddef.h>

/* Whether the operations would not wait. */
bool semaphores_permit(const struct operation *op);
/* The name of the set there, or nothing. */
void semaphores_name(uintptr_t addr, char *out, size_t n);
/* What it wanted undone is. */
void semaphores_process_ended(unsigned process);
void sysv_semaphores_reset(void);
extern const struct object_model semset_model;

#endif
