/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUNTIME_RWLOCK_H
#define HEDDLE_RUNTIME_RWLOCK_H

#include "core/object_model.h"
#include "worlds/threads/runtime.h"

extern const struct object_model rwlock_model;

/* The kind whose readers wait for writers that wait: what it lets pass depends on operations that have not come yet. */
static inline bool rwlock_prefers_writers(const struct object *o)
{
  return o->kind == OBJECT_RWLOCK && o->type == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

#endif
