/* SPDX-License-Identifier: Apache-2.0
 *
 * All orders in which the calls of a run could have come, checked against a protocol. Calls of different threads that
 * nothing orders could have come in any order. A state of the lattice says how many of its calls each thread has made;
 * a level is all states with the same sum. Each state carries, for every object, the set of protocol states it can be
 * in on some way there, so the work is one per state, not one per order.
 *
 * A level is only known whole when the run has ended. Two numbers bound what is kept meanwhile: a level counts as
 * complete when it has `width` states, or when nothing more can be made of the calls that wait and at least `queue` of
 * them do. Orders that are lost this way are not found.
 *
 * The index of a state counts calls and nothing else. Who knows of whose calls, by creation, join and wake-ups, is what
 * the clocks of the caller say (causality.h); how those count does not matter.
 */
#ifndef HEDDLE_PREDICT_LATTICE_H
#define HEDDLE_PREDICT_LATTICE_H

#include "predict/protocol/automaton.h"

#define LATTICE_THREADS 64u /* calls of further threads are left out */

struct lattice_call {
  uint64_t number; /* of the event */
  uint32_t thread, object, method, site;
  uint32_t function, occurrence; /* for whoever reads the error */
};

struct lattice_error {
  const struct lattice_call *call;    /* the one that the protocol does not allow */
  uint32_t state;                     /* in which its object is then */
  const uint32_t *from;               /* calls each thread has made, by slot: the state before it */
  uint32_t threads;                   /* slots */
  const struct lattice_call *last;    /* the last call of another thread on that object on the way; may be NULL */
  const struct lattice_call *missing; /* one of another thread that came before it in the run and is not on the way: the
                                       * first that would have allowed it, or the last; may be NULL */
  const struct lattice_step *way;     /* for lattice_way() */
};

struct lattice_options {
  uint32_t width; /* 0 for no bound */
  uint32_t queue;
  void (*error)(void *arg, const struct lattice_error *error);
  void (*level)(void *arg, uint32_t states); /* may be NULL: a level is complete */
  void *arg;
};
#define LATTICE_WIDTH 64
#define LATTICE_QUEUE 64

struct lattice_figures {
  uint64_t states, transitions, errors;
  uint32_t levels, widest;
  uint32_t early;    /* levels declared complete before the end of the run */
  uint32_t left_out; /* calls of threads beyond LATTICE_THREADS */
};

struct lattice;
struct lattice *lattice_new(const struct automaton *a, struct lattice_options options);
void lattice_free(struct lattice *l);

/* One more call, in the order of the run. It is known to whoever has more than `epoch` for its thread; known[t]: what
 * its own thread has for thread t, of `threads` threads. The error function is called from here and from
 * lattice_finish(). */
void lattice_add(struct lattice *l, const struct lattice_call *call, uint32_t epoch, const uint32_t *known,
                 uint32_t threads);

/* The run has ended. False when there was no memory: then not all was looked at. */
bool lattice_finish(struct lattice *l);
const struct lattice_figures *lattice_figures(const struct lattice *l);

/* The calls on the way to the error, the last one being the error; returns how many, of which the last `room` are
 * given. */
size_t lattice_way(const struct lattice_error *error, struct lattice_call *out, size_t room);

#endif
