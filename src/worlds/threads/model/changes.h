/* SPDX-License-Identifier: Apache-2.0
 *
 * What was done to objects of the system whose state is more than a number, in the order in which it was done: so it
 * can be told what an operation could have done earlier in the execution (core/object_model.h: possible). The state of
 * such an object is how many changes there were when it was changed last.
 */
#ifndef HEDDLE_RUNTIME_CHANGES_H
#define HEDDLE_RUNTIME_CHANGES_H

#include "worlds/threads/runtime.h"

struct change {
  uint32_t object;
  uint16_t what; /* as the model has it */
  uint16_t index;
  int64_t value;
};

/* Returns the new state of the object. */
uint64_t change_noted(uint32_t object, unsigned what, unsigned index, int64_t value);
/* The change that made the state n, n > 0. */
const struct change *change_at(uint64_t n);
void changes_reset(void);

#endif
