/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUNTIME_THREAD_H
#define HEDDLE_RUNTIME_THREAD_H

#include "core/object_model.h"
#include "worlds/threads/runtime.h"

/* The virtual thread of that id, or MAX_THREADS. */
unsigned thread_of(pthread_t id);
/* See world.h. */
bool thread_is_twin(unsigned elder, unsigned thread);
bool thread_was_told_apart(unsigned thread, uint64_t value);
struct object *thread_object(unsigned thread);
/* As if it had never run; its frames are kept to be used again. */
void thread_renew(struct thread *thread, struct fiber *fiber);
/* Room for the calls that it is in, which it keeps, where they are of interest. */
void thread_give_frames(unsigned thread);
const char *thread_name_of(unsigned thread);
/* Its name is looked at or changed, of any thread but MAX_THREADS: a step where others do so, or properties ask. */
void thread_touch_name(unsigned thread, enum op_kind kind, uintptr_t pc);

/* What C11's functions share with pthreads. */
int thread_create_c11(unsigned long *id, int (*start)(void *), void *arg, uintptr_t pc);
int thread_join(pthread_t id, void **result, uintptr_t pc);
int thread_detach(pthread_t id, uintptr_t pc);
_Noreturn void thread_exit(void *result);

/* Threads that the program did not create itself: one that runs on its behalf, and a task of the system's own, which is
 * no thread to it. */
struct attributes;
unsigned thread_start_detached(void *(*start)(void *), const struct attributes *attributes);
/* Of a thread that is to be started later; NULL: as usual. */
void thread_will_need(const pthread_attr_t *attr, struct attributes *out);
unsigned thread_start_system(void *(*start)(void *), unsigned nth, const char *name);

/* The current thread in a process that is a copy of this one: added here, and made of what it is a copy of there. */
unsigned thread_add_copy(uintptr_t pc);
void thread_is_copy(unsigned thread, unsigned of);
/* What else is kept by thread (cancel.c, signals.c). */
void cancel_copy_thread(unsigned thread, unsigned of);
void signals_copy_thread(unsigned thread, unsigned of);

/* Processors a thread may run on, as the system calls have it: a result or -errno. Only kept, since one runs at a
 * time. */
long processors_allowed(const void *set, size_t size, cpu_set_t *out); /* those of them that there are */
long thread_set_affinity(unsigned thread, size_t size, const void *set);
long thread_get_affinity(unsigned thread, size_t size, void *set);

/* What people call it: T1, P2 (step.c). */
const char *thread_label(unsigned thread);

extern const struct object_model thread_model;

/* The robust mutexes a thread holds when it ends pass to whoever locks them next (mutex.c). */
void mutexes_abandon(unsigned thread);
/* The same of all that the threads of a process hold, which has ended. */
void mutexes_die(unsigned process);

#endif
