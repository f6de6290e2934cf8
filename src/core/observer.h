/* SPDX-License-Identifier: Apache-2.0
 *
 * Observers: "what does it mean?"
 *
 * An observer sees every event of an execution, when its thread has been chosen and before it goes on, and may declare
 * a bug. It never decides what runs. What it keeps is of one execution; begin() is told of each new one.
 *
 * To add one: write a file in observer/ with a table observer_NAME, and add a line to HD_OBSERVERS.
 */
#ifndef HEDDLE_CORE_OBSERVER_H
#define HEDDLE_CORE_OBSERVER_H

#include "core/operation.h"
#include <stdbool.h>

struct observer {
  const char *name;
  /* Any of these may be NULL. */
  void (*begin)(void);
  /* Whether it wants to be told of events in the execution that has just begun; without it, always. */
  bool (*looks)(void);
  /* The thread performs the operation now. */
  void (*event)(unsigned thread, const struct operation *op);
  /* No thread takes the next step; why is NEXT_DEADLOCK or NEXT_TOO_LONG (engine.h). True: let it go on a little. */
  bool (*stopped)(unsigned why);
};

/* In the order they are told. */
#define HD_OBSERVERS(X)                                                                                      \
  X(trace)                                                                                                   \
  X(race)                                                                                                    \
  X(pending)                                                                                                 \
  X(coverage)                                                                                                \
  X(record)                                                                                                  \
  X(hang)                                                                                                    \
  X(deadlock)

#define X(name) extern const struct observer observer_##name;
HD_OBSERVERS(X)
#undef X

void observers_begin(void);
void observers_event(unsigned thread, const struct operation *op);
/* True if one of them lets the execution go on. */
bool observers_stopped(unsigned why);

#endif
