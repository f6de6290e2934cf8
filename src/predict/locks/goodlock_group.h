/* SPDX-License-Identifier: Apache-2.0
 *
 * Circles of lock dependencies become predictions: those of the same names are one, with the number of them. Part of
 * goodlock.c's work, of no concern to others.
 */
#ifndef HEDDLE_PREDICT_GOODLOCK_GROUP_H
#define HEDDLE_PREDICT_GOODLOCK_GROUP_H

#include "predict/locks/dependency.h"
#include "predict/locks/goodlock.h"

struct groups {
  const struct goodlock_options *options;
  const struct dependencies *seen;
  const struct trace *tables;
  struct predictions *out;
  struct goodlock_summary *summary;
  struct intern names; /* of circles: number n is prediction first + n - 1 */
  size_t first;
  bool full; /* no room for more of them */
};

void groups_begin(struct groups *g);

/* A circle of dependencies (indexes), each waiting for the next. */
void groups_add(struct groups *g, const uint32_t *cycle, uint32_t length);

/* False when there was no memory. */
bool groups_end(struct groups *g);

#endif
