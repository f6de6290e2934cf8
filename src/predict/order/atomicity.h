/* SPDX-License-Identifier: Apache-2.0
 *
 * Prediction of atomicity violations: two accesses of one thread that look as if they belonged together, and a remote
 * access of the same bytes that could come in between with an effect that no serial order has. With the first local
 * access, the remote one and the second local one these are R W R, W W R, W R W, R W W and W W W. None of the accesses
 * needs to be part of a data race.
 *
 * Which local accesses belong together is a guess: consecutive ones of the same bytes, with no synchronisation between
 * them other than by locks, that lie in one section of a lock or in one call of a function. A call is known by the
 * calls that led to it; a place that comes again, and not after the same one as before, is taken to be in another call
 * or in the next turn of a loop, and so is a lock that was taken twice at the same place. A second access that is a
 * read-modify-write is its own check and belongs to nothing; of two atomic accesses only a load and a later store do;
 * and what one section of a lock wrote does not belong to what the next one reads.
 *
 * Predicted is what no lock and no order forbids: no lock that the thread holds from the first local access to the
 * second is held by the remote one, and nothing but locks and data (the relation `must` of run_order.h) puts the remote
 * access before or after both. That alone is a guess, too: the remote access may have come about only because of what
 * it read. Marked as sound is what an ideal proves: after it, with the first local access done, either the remote and
 * the second local access are both next; or the remote one is done, too, and nothing but locks that are free lies
 * between its thread and the second.
 *
 * One prediction for each triple of sites: party 0 is the first local access, 1 the remote one, 2 the second local one.
 * What is kept of a granule is bounded; what is forgotten is lost, nothing is invented.
 */
#ifndef HEDDLE_PREDICT_ATOMICITY_H
#define HEDDLE_PREDICT_ATOMICITY_H

#include "predict/prediction.h"

struct atomicity_options {
  bool sections;   /* accesses in one section of a lock belong together */
  bool calls;      /* accesses in one call of a function belong together */
  uint32_t levels; /* so many calls down from it count as part of it */
};

#define ATOMICITY_OPTIONS ((struct atomicity_options){.sections = true, .calls = true})

struct atomicity;

/* NULL when there is no memory. */
struct atomicity *atomicity_open(struct atomicity_options options);
void atomicity_event(struct atomicity *a, const struct trace *tables, const struct event *event);
/* Adds what was found. */
void atomicity_finish(struct atomicity *a, struct predictions *predictions);
void atomicity_close(struct atomicity *a);

#endif
