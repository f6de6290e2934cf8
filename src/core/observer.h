/* SPDX-License-Identifier: Apache-2.0
 *
 * Observers: "what does it mean?"
 *
 * An observer sees every operation of an execution, when its task has been chosen (about) and when it has had its
 * effect (performed); nothing else runs in between. It may declare a bug (finding.h). It may also hold a task back
 * (admits), for example until a schedule that a test asks for is followed; then it must say which operations that makes
 * dependent on others (matters), or a search would take their order for granted. What it sees is the engine and the
 * world, never how a world is made. What it keeps is its state: memory that is zero at first, and its own in every
 * process.
 *
 * To add one: write a file in observer/ with a table observer_NAME, and add a line to HD_OBSERVERS.
 */
#ifndef HEDDLE_CORE_OBSERVER_H
#define HEDDLE_CORE_OBSERVER_H

#include "core/bug.h"
#include "core/operation.h"
#include <stdbool.h>
#include <stddef.h>

struct engine;

/* What became of an operation. */
struct effect {
  bool known;     /* result is: accesses of memory have none */
  int64_t result; /* as the call returned it: value or errno */
  bool unchanged; /* an atomic update that only read, with this order */
  uint8_t order;
};

/* What is to be done when no task takes the next step. */
enum stop { STOP_UNEXPLAINED, STOP_GO_ON, STOP_END };

struct observer {
  const char *name;
  size_t state_size;
  /* Any of these may be NULL. */

  /* A new execution. */
  void (*begin)(void *state, struct engine *e);
  /* Whether it wants to know of operations, and to hold tasks back; without it, always. Asked when an execution has
   * just begun; one that thinks better of it meanwhile says so (watchers_choose). */
  bool (*looks)(const void *state, const struct engine *e);

  /* Whether it holds tasks back at all; without it, always. Asked together with looks. */
  bool (*holds)(const void *state, const struct engine *e);
  /* Whether the task may perform its pending operation now, as far as this one is concerned. No side effects. */
  bool (*admits)(void *state, const struct engine *e, unsigned task, const struct operation *op);
  /* Whether admits() may answer differently for some task once the operation was performed: then it depends on all
   * others. Asked when it comes to be pending, so the answer must hold whatever others do before its turn. */
  bool (*matters)(void *state, const struct engine *e, unsigned task, const struct operation *op);

  /* The task performs the operation now. */
  void (*about)(void *state, struct engine *e, unsigned task, const struct operation *op);
  bool only_memory; /* about: only what op_concerns_memory() is of interest */
  /* It has; its effect is there to see. */
  void (*performed)(void *state, struct engine *e, unsigned task, const struct operation *op,
                    const struct effect *effect);

  /* The task accesses memory that nobody else is known to use, which is no step; asked only of those that look. False:
   * it keeps no more such accesses of that memory; if others come to use it, what was kept is not all (engine.h:
   * unkept). */
  bool (*unseen)(void *state, struct engine *e, unsigned task, const struct operation *op);
  /* That access was an update, and only read, with this order. */
  void (*unseen_only_read)(void *state, uintptr_t addr, uint8_t order);

  /* No task takes the next step; why is NEXT_DEADLOCK, NEXT_TOO_LONG or NEXT_DIVERGED (engine.h). The first that
   * explains it decides. If tasks stand because they are held back, and nobody explains it, the execution counts as cut
   * short. */
  enum stop (*stopped)(void *state, struct engine *e, unsigned why);
  /* A bug is about to be declared: details can be added. */
  void (*declares)(void *state, struct engine *e, struct bug *bug);
  /* The memory there is new: what was done to its predecessor orders nothing and races with nothing. */
  void (*renewed)(void *state, struct engine *e, uintptr_t addr, size_t size);
  /* The execution is over. */
  void (*end)(void *state, struct engine *e);
};

/* In the order they are told. */
#define HD_OBSERVERS(X)                                                                                                \
  X(trace)                                                                                                             \
  X(race)                                                                                                              \
  X(pending)                                                                                                           \
  X(overtaking)                                                                                                        \
  X(coverage)                                                                                                          \
  X(event_recorder)                                                                                                    \
  X(property)                                                                                                          \
  X(orderings)                                                                                                         \
  X(hang)                                                                                                              \
  X(deadlock)

#define X(name) extern const struct observer observer_##name;
HD_OBSERVERS(X)
#undef X

#define OBSERVERS_MOST 16

/* Those of an engine, with their states. */
struct watcher {
  const struct observer *observer;
  void *state;
};

struct watchers {
  unsigned count;
  struct watcher watcher[OBSERVERS_MOST];
  /* At the moment: */
  unsigned looking[2], awaiting; /* watchers that want about: of accesses of memory [true], of all else; performed */
  unsigned holding;              /* and those that may hold tasks back */
  unsigned keeping;              /* and those that keep accesses that are no steps */
  struct watcher look[2][OBSERVERS_MOST], await[OBSERVERS_MOST], hold[OBSERVERS_MOST], keep[OBSERVERS_MOST];
};

/* One more, after those that are there. */
void watchers_add(struct watchers *w, const struct observer *observer, void *state);

void watchers_begin(struct watchers *w, struct engine *e);
/* Asks all whether they want to know of operations; not while they are told of one. */
void watchers_choose(struct watchers *w, const struct engine *e);
void watchers_about(struct watchers *w, struct engine *e, unsigned task, const struct operation *op);
void watchers_performed(struct watchers *w, struct engine *e, unsigned task, const struct operation *op,
                        const struct effect *effect);
bool watchers_admit(struct watchers *w, const struct engine *e, unsigned task, const struct operation *op);
bool watchers_mind(struct watchers *w, const struct engine *e, unsigned task, const struct operation *op);
/* Whether one of them still keeps such accesses of that memory. */
bool watchers_unseen(struct watchers *w, struct engine *e, unsigned task, const struct operation *op);
void watchers_unseen_only_read(struct watchers *w, uintptr_t addr, uint8_t order);
/* True if one of them lets the execution go on. */
bool watchers_stopped(struct watchers *w, struct engine *e, unsigned why);
void watchers_declare(struct watchers *w, struct engine *e, struct bug *bug);
void watchers_renew(struct watchers *w, struct engine *e, uintptr_t addr, size_t size);
void watchers_end(struct watchers *w, struct engine *e);

#endif
