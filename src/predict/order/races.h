/* SPDX-License-Identifier: Apache-2.0
 *
 * Prediction of data races from a recorded run. A race is a pair of accesses of the same byte by two threads, one of
 * them a write, one of them not atomic, that
 *
 * - the run itself does not order by happens-before, or
 * - can come next in their threads at the same moment of another execution of the same operations: a sync-preserving
 *   race, which happens-before may hide behind the order in which sections of a lock happened to come.
 *
 * Only the second is marked as sound. The first is a race by the definition of C, too, but nobody has shown that both
 * sides can meet: one may rest on what the other wrote, through a race before it or a relaxed atomic. What is proven,
 * and what of synchronisation is understood how, is in run_order.h. A race that needs another outcome of a branch is
 * not found.
 *
 * One prediction a pair of sites. Of each granule of memory the last accesses of every context are kept, a few; what is
 * forgotten is lost and nothing is invented.
 */
#ifndef HEDDLE_PREDICT_RACES_H
#define HEDDLE_PREDICT_RACES_H

#include "predict/prediction.h"

struct races;

/* NULL when there is no memory. */
struct races *races_open(void);
void races_event(struct races *r, const struct trace *tables, const struct event *event);
/* Adds what was found. */
void races_finish(struct races *r, struct predictions *predictions);
void races_close(struct races *r);

#endif
