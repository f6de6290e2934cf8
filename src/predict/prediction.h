/* SPDX-License-Identifier: Apache-2.0
 *
 * Predictions: what an analysis of a recorded run says could have happened under another schedule. Numbers are those of
 * the trace's tables. What is predicted is not reported as a bug: it is handed to the strategy confirm, which tries to
 * bring all its parties where they are said to be at the same time.
 */
#ifndef HEDDLE_PREDICT_PREDICTION_H
#define HEDDLE_PREDICT_PREDICTION_H

#include "predict/trace/trace.h"

#define HD_PREDICTIONS(X)                                                                                              \
  X(DEADLOCK, "deadlock")                                                                                              \
  X(COMMUNICATION, "communication deadlock")                                                                           \
  X(RACE, "data race")                                                                                                 \
  X(ATOMICITY, "atomicity violation")                                                                                  \
  X(TYPESTATE, "protocol error")

enum prediction_kind {
#define X(id, name) PREDICT_##id,
  HD_PREDICTIONS(X)
#undef X
      PREDICTION_COUNT
};

#define PREDICTION_PARTIES 64
#define PREDICTION_CONTEXT 8

/* A thread that is about to do something. */
struct prediction_party {
  uint32_t thread;
  uint16_t op;
  uint16_t context_length;
  uint32_t object; /* lock wanted, condition variable, handle; 0 for memory */
  uint32_t site;
  uint64_t addr; /* of memory */
  uint32_t length;
  uint32_t occurrence;                  /* which of the thread's operations of that kind at that site it is, from 1 */
  uint32_t context[PREDICTION_CONTEXT]; /* sites where the locks it holds were taken, outermost first, then its own */
  uint64_t event;                       /* number of the event, one of them */
  bool context_cut;                     /* there are more: the outermost and its own are given */
  uint32_t stack;                       /* of memory: the calls that led there */
  uint32_t lock[PREDICTION_CONTEXT];    /* of memory: the locks it holds, outermost first; 0 after the last */
};

struct prediction {
  enum prediction_kind kind;
  bool sound; /* the analysis proves that there is such an execution of the recorded operations */
  uint32_t party_count;
  struct prediction_party party[PREDICTION_PARTIES];
  char text[256];    /* what is special about it, a sentence without names of threads; may be empty */
  uint64_t concrete; /* how many there are of this name, of which these parties are one; 0 if nobody counted */
  uint64_t ordered;  /* so many of them only if a thread could run before its creation or after its end */
  uint32_t group;    /* of communication deadlocks: that of the model's result which shows it (model.h), + 1 */
  uint32_t run;      /* likewise: the run it is of, whose tables its numbers are from; all others are of all runs */
  /* Protocol errors: party 0 makes the call that is not allowed, party 1, if there is one, the call that was to come
   * after it and comes before, or the reverse. Of both, addr is the function. */
  uint32_t protocol; /* number of the automaton (protocol.h) */
  uint32_t state;    /* of the object, when the call comes */
  bool mined;        /* the runs taught the protocol, perhaps not all of it */
  bool ended;        /* one of the two is a call after the object's end: no call at all is allowed then */
  bool early;        /* the call comes before that of party 1; else after it */
};

/* A growing list. */
struct predictions {
  struct prediction *list;
  size_t count;
  bool failed; /* no memory */
};

void predictions_add(struct predictions *p, const struct prediction *prediction);
void predictions_free(struct predictions *p);

extern const char *const prediction_name[PREDICTION_COUNT];

#endif
