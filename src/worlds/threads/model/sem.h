/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUNTIME_SEM_H
#define HEDDLE_RUNTIME_SEM_H

#include "core/object_model.h"
#include "worlds/threads/runtime.h"

extern const struct object_model sem_model;
bool sem_is_left(const struct operation *op); /* some of it */
void sem_reset(void);                         /* no named semaphores */

/* Whether it is a named one: other processes may know it. */
/* A process that is a copy of another has open what that has; one that has ended has nothing. */
void sem_fork(unsigned process, unsigned copy);
void sem_process_ended(unsigned process);

#endif
