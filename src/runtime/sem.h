/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUNTIME_SEM_H
#define HEDDLE_RUNTIME_SEM_H

#include "runtime/runtime.h"

bool sem_enabled(const struct operation *op);
void sem_reset(void); /* no named semaphores */

/* Whether it is a named one: other processes may know it. */
bool sem_is_named(uintptr_t addr);

#endif
