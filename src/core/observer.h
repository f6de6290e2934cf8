/* SPDX-License-Identifier: Apache-2.0
 *
 * Observers: "what does it mean?"
 *
 * An observer sees every event of an execution, after the operation was chosen and before the thread goes on, and may
 * declare a bug. It never decides what runs. Its state lives behind the engine and is told of each new execution.
 *
 * To add one: write a file in observer/, declare its table here and add a line to HD_OBSERVERS.
 */
#ifndef HEDDLE_CORE_OBSERVER_H
#define HEDDLE_CORE_OBSERVER_H

#include "core/operation.h"

struct engine;

struct observer {
  const char *name;
  void (*begin)(struct engine *engine);
  /* The thread performs the operation now. */
  void (*event)(struct engine *engine, unsigned thread, const struct operation *op);
};

#endif
