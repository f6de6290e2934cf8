/* SPDX-License-Identifier: Apache-2.0
 *
 * Origins of threads, heap blocks and objects (core/naming.h), noted where they are made; only with
 * rt.naming. */
#ifndef HEDDLE_RUNTIME_ORIGIN_H
#define HEDDLE_RUNTIME_ORIGIN_H

#include "core/naming.h"
#include "worlds/threads/runtime.h"

void origins_reset(void); /* a new execution */
/* The current thread calls a function from the place pc; its frame is about to be pushed. */
void origin_of_call(struct frame *frame, uintptr_t pc);
/* The current thread makes something at pc. */
void origin_of_thread(unsigned thread, uintptr_t pc);
uint32_t origin_of_block(uintptr_t pc); /* a number for heap_find() to give back; 0 when there are too many */
/* It is about to use these objects: they are made here, if they are not known yet. */
void origin_of_objects(const struct operation *op);

const struct origin *thread_origin(unsigned thread);
const struct origin *object_origin(uint32_t id);

#endif
