/* SPDX-License-Identifier: Apache-2.0
 *
 * Resource deadlocks that one recorded run predicts: threads in a circle, each of which asked for a lock that the next
 * one held, such that all of them could have held their locks at the same time. A circle of dependencies (dependency.h)
 * is reported when
 *
 *   - all its threads and all locks asked for differ,
 *   - each lock asked for is held by the next thread, and the last one's by the first,
 *   - no two of its threads hold a lock in common, which would keep them apart (a gate),
 *
 * where two holds for reading do not keep each other out, and a request for reading waits for a writer only. Chains of
 * dependencies are made longer level by level; a chain that closes is reported and not extended, so no circle is
 * told of that consists of smaller ones.
 *
 * A prediction need not be possible: neither memory nor signals are looked at. And it knows only of the locks and
 * places of this run; of read-write locks that let a waiting writer keep readers out only that readers wait for
 * writers.
 */
#ifndef HEDDLE_PREDICT_GOODLOCK_H
#define HEDDLE_PREDICT_GOODLOCK_H

#include "predict/prediction.h"

struct goodlock_options {
  enum naming naming; /* what makes two circles the same one */
  unsigned k;
  uint32_t max_length; /* threads in a circle; 0, or more than PREDICTION_PARTIES: that many */
  size_t max_bytes;    /* of dependencies, as much again of all chains, and of predictions; 0 is GOODLOCK_BYTES */
  bool start_order;    /* leave out circles that creation and joining of threads make impossible */
  bool every_rotation; /* find each circle once from every thread in it: to see what that costs */
};

#define GOODLOCK_BYTES (64u << 20)

/* What was found, and what could not be looked at. */
struct goodlock_summary {
  uint32_t dependencies;
  uint32_t nested;  /* of which so many were made with another lock held */
  uint64_t cycles;  /* concrete: threads and locks of this run */
  uint64_t ordered; /* of which creation and joining make so many impossible; left out, or not */
  uint32_t groups;  /* different ones by name; with start_order those that are left */
  bool length_hit;  /* there may be longer ones */
  bool memory_hit;  /* there may be others */
};

struct goodlock;

/* NULL: no memory. */
struct goodlock *goodlock_open(const struct goodlock_options *options);
void goodlock_event(struct goodlock *g, const struct trace *tables, const struct event *e);
/* Adds a prediction for each group; without memory, sets out->failed. */
void goodlock_finish(struct goodlock *g, const struct trace *tables, struct predictions *out,
                     struct goodlock_summary *summary);
/* Bytes used for what was seen. */
size_t goodlock_bytes(const struct goodlock *g);
void goodlock_close(struct goodlock *g);

#endif
