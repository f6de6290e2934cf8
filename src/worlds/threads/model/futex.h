/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUNTIME_FUTEX_H
#define HEDDLE_RUNTIME_FUTEX_H

#include "core/object_model.h"
#include "worlds/threads/runtime.h"

extern const struct object_model futex_model;

/* The futex system call as the kernel does it, on the virtual scheduler: a result or -errno. */
long futex_call(uint32_t *word, int operation, uint32_t value, long timeout, uint32_t *word2, uint32_t value3,
                uintptr_t pc);

#endif
