/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules of one kind of objects: when an operation on one can be performed, and what is known of it meanwhile. There
 * is one for each primitive, beside its code. `self` is the world's.
 */
#ifndef HEDDLE_CORE_OBJECT_MODEL_H
#define HEDDLE_CORE_OBJECT_MODEL_H

#include "core/operation.h"
#include <stdbool.h>
#include <stdint.h>

struct object_model {
  /* Any of these may be NULL, but for enabled() if one of the operations can block. */

  /* Whether the operation, one that can block, can be performed by the task now. */
  bool (*enabled)(void *self, unsigned task, const struct operation *op);
  /* How much of the object is left, or which round it is in; key: see key.h. The operation acts on it. */
  uint64_t (*state)(void *self, const struct operation *op, uint64_t key);
  /* The task that could end the wait for the operation, and where it took what is waited for (0: not known); -1: nobody
   * in particular. */
  int (*holder)(void *self, const struct operation *op, uintptr_t *pc);
  /* Whether another task has released the one that stands before the operation: signalled, woken. */
  bool (*released)(void *self, unsigned task, const struct operation *op);
  /* Whether the task could perform the operation, one that can block, if its object were in a state that it had earlier
   * in this execution. NULL: the state is not such that it says so. */
  bool (*possible)(void *self, unsigned task, const struct operation *op, uint64_t state);
};

/* An object as others may see it. */
struct object_view {
  uintptr_t addr;
  uint8_t space; /* enum space, footprint.h */
  enum object_kind kind;
  uint8_t type;   /* as the primitive has it */
  bool recursive; /* a lock whose owner may take it again */
  int owner;      /* task, -1 for none */
  uint32_t count; /* how often the owner took it, … */
  uint64_t state; /* a number for all that is kept of it */
};

#endif
