/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUNTIME_COND_H
#define HEDDLE_RUNTIME_COND_H

#include "core/object_model.h"
#include "worlds/threads/runtime.h"

/* The operations behind both the pthread and the C11 names; results as pthreads. */
int cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr, uintptr_t pc);
int cond_destroy(pthread_cond_t *cond, uintptr_t pc);
int cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, uintptr_t pc);
int cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *at,
                    uintptr_t pc);
int cond_signal(pthread_cond_t *cond, uintptr_t pc);
int cond_broadcast(pthread_cond_t *cond, uintptr_t pc);

struct object *cond_object(pthread_cond_t *cond);
/* An operation on a condition variable and the mutex of its waiters. */
struct operation cond_operation(enum op_kind kind, const struct object *c, const struct object *m, uintptr_t pc);
extern const struct object_model cond_model;

#endif
