/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUNTIME_ONCE_H
#define HEDDLE_RUNTIME_ONCE_H

#include "core/object_model.h"
#include "worlds/threads/runtime.h"

/* Behind pthread_once, call_once and C++'s static guards: true if the caller must do it and then call once_done()
 * or, when it failed, once_undone(). done: whether the program's own memory says it was done before. */
bool once_enter(const void *control, bool done, uintptr_t pc);
void once_done(const void *control, uintptr_t pc);
void once_undone(const void *control);

extern const struct object_model once_model;

#endif
