/* SPDX-License-Identifier: Apache-2.0
 *
 * Lock dependencies of a recorded run: which lock each thread asked for while it held which others, and at which places
 * in the code it had taken them. A set: what happens again in the same way is one dependency, so it grows with the
 * program and not with the run. Made when a lock is asked for, so that a run that deadlocked by itself has them too.
 *
 * Attempts and requests with a timeout make no dependency, since nobody waits for ever there; what they took is held
 * all the same.
 */
#ifndef HEDDLE_PREDICT_DEPENDENCY_H
#define HEDDLE_PREDICT_DEPENDENCY_H

#include "predict/order/causality.h"
#include "predict/trace/intern.h"
#include "predict/trace/lockset.h"

struct dependency {
  uint32_t thread;
  uint32_t held;    /* the set of locks it held: number in dependencies.locksets */
  uint32_t lock;    /* the one it asked for */
  uint32_t context; /* where those held were taken, outermost first, then its own site: number in .contexts */
  uint32_t site;
  uint32_t occurrence; /* which of the thread's operations of that kind at that site was the first of these */
  uint32_t first;      /* clock of the first of these: number in .clocks */
  uint32_t last;       /* the thread's own entry in the clock of the last of these */
  uint64_t event;      /* number of the first of these */
  uint16_t op;
  bool shared;  /* asked for reading */
  bool hidden;  /* at the end of a condition wait */
  bool pending; /* at the end of the run it was still asking */
};

/* All zero but for the bound: nothing has happened. */
struct dependencies {
  size_t max_bytes; /* 0 for no bound */
  struct dependency *list;
  uint32_t room;
  struct intern keys;      /* of dependencies: number n is list[n - 1] */
  struct intern locksets;  /* words as lockset_number() makes them */
  struct intern contexts;  /* words are sites */
  struct intern clocks;    /* words are entries */
  struct intern places;    /* thread, operation, site */
  uint32_t *place_count;   /* operations there, by number in places */
  uint32_t *context_words; /* scratch */
  uint32_t place_room, context_room;
  struct locksets now;
  struct causality past;
  bool full;   /* the bound was hit: later ones are missing, and `last` is not to be believed */
  bool failed; /* no memory */
};

static inline uint32_t dependencies_count(const struct dependencies *d)
{
  return d->keys.count;
}

/* Follows one event. */
void dependencies_event(struct dependencies *d, const struct event *e);

/* Whether all of a come before all of b, in every schedule of the same events. */
bool dependency_before(const struct dependencies *d, const struct dependency *a, const struct dependency *b);

/* Bytes in use for what is remembered. */
size_t dependencies_bytes(const struct dependencies *d);

void dependencies_free(struct dependencies *d);

#endif
