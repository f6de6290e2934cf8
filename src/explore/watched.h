/* SPDX-License-Identifier: Apache-2.0
 *
 * What a step waits to see changed: bytes of keys, which are objects and words of memory (order.h). It is part of what
 * the step depends on, so it goes with the step wherever that goes.
 */
#ifndef HEDDLE_EXPLORE_WATCHED_H
#define HEDDLE_EXPLORE_WATCHED_H

#include "core/operation.h"
#include <stdint.h>

#define ORDER_WATCHED 16 /* keys, at most */

struct watched_key {
  uint64_t key;
  uint64_t bytes;
};

/* Which of the bytes of a key the operation acts on; none if it has nothing to do with it. */
uint8_t order_acts_on(const struct operation *op, uint64_t key);

#endif
