/* SPDX-License-Identifier: Apache-2.0
 *
 * Worlds: what is under test.
 *
 * A world can be put back to its start, knows whether a thread's pending operation can be performed now, and performs
 * it. It knows nothing of search. The world of threads (runtime/) is driven from inside: its fibers call
 * engine_announce() and engine_next() themselves and switch to the thread chosen; performing the operation is the
 * fiber going on.
 */
#ifndef HEDDLE_CORE_WORLD_H
#define HEDDLE_CORE_WORLD_H

#include "core/operation.h"
#include <stdbool.h>

struct world {
  /* Whether the operation, which is of a kind that can block, can be performed by the thread now. No side effects. */
  bool (*enabled)(unsigned thread, const struct operation *op);
};

#endif
