/* SPDX-License-Identifier: Apache-2.0
 *
 * Protocol errors: calls on an object that come too late or too early under another schedule (`conn_send` after
 * `conn_close`). Three stages over a recorded run, which is read twice:
 *
 *   1. types of objects whose calls race: two threads call the same object, hold no lock in common, and nothing orders
 * the calls. Other types are not looked at further.
 *   2. the protocol of each such type, mined from the calls on its objects (mining.h), or given.
 *   3. every order the calls could have come in, checked against the protocol (lattice.h), one object after the other:
 *      what happens to one does not concern the rest.
 *
 * Locks and data order nothing here, and what is mined knows only what was seen; so there are predictions that cannot
 * happen, and those that are no errors. Whoever confirms them finds out.
 *
 * Memory grows with objects, functions and places, not with the length of the run: of every object the first
 * PROTOCOL_CALLS calls are looked at. Time is bounded by the states of lattices, for one object and for
 * all. */
#ifndef HEDDLE_PREDICT_PROTOCOL_H
#define HEDDLE_PREDICT_PROTOCOL_H

#include "predict/prediction.h"
#include "predict/protocol/automaton.h"
#include "predict/protocol/lattice.h"
#include "predict/protocol/mining.h"

#define PROTOCOL_CALLS 4096u
#define PROTOCOL_OBJECT_STATES (UINT64_C(1) << 14)
#define PROTOCOL_STATES (UINT64_C(1) << 20) /* about three seconds */
#define PROTOCOL_WAY 64u

struct protocol_options {
  struct mining_options mining;
  uint32_t width, queue; /* of lattices */
};
#define PROTOCOL_DEFAULTS                                                                                              \
  (struct protocol_options)                                                                                            \
  {                                                                                                                    \
    MINING_DEFAULTS, LATTICE_WIDTH, LATTICE_QUEUE                                                                      \
  }

struct protocol_figures {
  uint64_t calls;     /* in the run: entries of stage 1 if all were kept */
  uint64_t entries;   /* different in object, thread, clock and locks */
  uint32_t types;     /* called at all */
  uint32_t racing;    /* of these, that go on to stages 2 and 3 */
  uint32_t protocols; /* mined or given */
  uint32_t size;      /* states of them all */
  uint32_t objects;   /* of these types */
  uint32_t checked;   /* of these, called by more than one thread */
  uint32_t cut;       /* of these, not looked at to the end: too many calls or states */
  uint64_t states;    /* of all lattices */
  uint32_t levels, widest, early, left_out;
  uint64_t errors; /* transitions to an error; those at the same place in the same state are one prediction */
};

/* How it comes to an error: the calls, in order, the last one being the error. */
struct protocol_way {
  size_t length; /* of which the last PROTOCOL_WAY are kept */
  struct lattice_call call[PROTOCOL_WAY];
};

struct protocol;
struct protocol *protocol_new(struct protocol_options options); /* NULL when there is no memory */
void protocol_free(struct protocol *p);

/* A protocol written by hand: types of that name are checked against it, whether their calls race or not. It is the
 * analysis's from now on. */
bool protocol_give(struct protocol *p, struct automaton *a);

/* The first reading, an event after the other; then protocol_learn(), which says whether there is anything to check;
 * then the second reading of the same trace, and protocol_finish(). */
void protocol_event(struct protocol *p, const struct trace *t, const struct event *e);
bool protocol_learn(struct protocol *p, const struct trace *t);
void protocol_check(struct protocol *p, const struct trace *t, const struct event *e);
/* False when there was no memory for all of it. */
bool protocol_finish(struct protocol *p, const struct trace *t, struct predictions *out);

const struct protocol_figures *protocol_figures(const struct protocol *p);
/* The automata used, from 0; NULL behind the last one. */
const struct automaton *protocol_automaton(const struct protocol *p, uint32_t number);
/* The way to the i-th of the predictions that protocol_finish() added; NULL behind the last one. */
const struct protocol_way *protocol_way(const struct protocol *p, size_t i);
/* One call a line, in the order that leads to the error. */
void protocol_tell(const struct protocol *p, const struct trace *t, size_t i, FILE *out);

#endif
