/* SPDX-License-Identifier: Apache-2.0
 *
 * The world of threads (core/world.h); see world.c.
 */
#ifndef HEDDLE_RUNTIME_WORLD_H
#define HEDDLE_RUNTIME_WORLD_H

#include "core/world.h"

extern const struct world world_of_threads;

/* In traced executions: what the current thread is about to do may be told of by another process. */
void world_note_whereabouts(const struct operation *op);

#endif
