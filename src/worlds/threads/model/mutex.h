/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUNTIME_MUTEX_H
#define HEDDLE_RUNTIME_MUTEX_H

#include "core/object_model.h"
#include "worlds/threads/runtime.h"

/* The operations behind both the pthread and the C11 names; results as pthreads. */
int mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr, uintptr_t pc);
int mutex_destroy(pthread_mutex_t *mutex, uintptr_t pc);
int mutex_lock(pthread_mutex_t *mutex, uintptr_t pc);
int mutex_trylock(pthread_mutex_t *mutex, uintptr_t pc);
int mutex_lock_until(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *at, uintptr_t pc);
int mutex_unlock(pthread_mutex_t *mutex, uintptr_t pc);

/* For condition variables. */
struct object *mutex_object(pthread_mutex_t *mutex);
void mutex_give_up(struct object *mutex);
int mutex_retake(struct object *mutex, uintptr_t pc);
bool mutex_checks_owner(const struct object *mutex);

/* The highest priority that mutexes lend the thread; 0: none. */
int mutexes_ceiling(unsigned thread);
/* Who has the mutex that the thread waits for, if that hands its priority on; -1: nobody. */
int mutex_lent_by(unsigned thread, const struct operation *op);

extern const struct object_model mutex_model;

#endif
