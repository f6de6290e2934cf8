/* SPDX-License-Identifier: Apache-2.0
 *
 * Executors: how a job gets to who does it, and the answer back. Whichever way it is, both are in the worker's memory
 * (worker.h) in the end; nobody but the executor knows how they came there.
 *
 * To add one: a file in session/, a line in HD_EXECUTORS (core/settings.h).
 */
#ifndef HEDDLE_SESSION_EXECUTOR_H
#define HEDDLE_SESSION_EXECUTOR_H

#include "core/settings.h"
#include <stdbool.h>

struct launch;
struct session_request;
struct worker;

struct executor {
  /* Starts the process, with the job that is in the worker's memory if it is busy. 0, or an errno. */
  int (*start)(struct worker *w, const struct session_request *request, const struct launch *launch);
  /* The job in the worker's memory is to be done; the process waits for one. */
  void (*give)(struct worker *w);
  /* The answer is wanted after this execution, whatever is left. */
  void (*ask)(struct worker *w);
  /* The process is to end after this execution. */
  void (*stop)(struct worker *w);
  /* It waits, and there is nothing to do any more. */
  void (*let_go)(struct worker *w);
  /* Puts what has come into the worker's memory. NULL: it comes there by itself. */
  void (*look)(struct worker *w);
  /* Who does the job looks after the tested process. */
  bool cares;
};

#define X(id, name) extern const struct executor executor_##name;
HD_EXECUTORS(X)
#undef X

extern const struct executor *const executor_table[EXECUTOR_COUNT];

#endif
