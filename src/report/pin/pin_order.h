/* SPDX-License-Identifier: Apache-2.0
 *
 * Which orders between the threads make an execution what it was: pairs of operations of two threads, the first before
 * the second, from which all others follow. Pure: numbers in, numbers out.
 *
 * Two operations conflict if they touch the same and one of them changes it. Every execution in which all conflicting
 * pairs have the same order does the same. A pair is left out if it follows from the order in each thread, from what is
 * so in every run (a thread begins after it was created), and from the other pairs.
 */
#ifndef HEDDLE_REPORT_PIN_ORDER_H
#define HEDDLE_REPORT_PIN_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PIN_TOUCHES 3

struct pin_touch {
  uint32_t kind;      /* of objects; the same address may be several */
  uintptr_t from, to; /* not included */
  bool changes;
};

struct pin_operation {
  uint32_t thread;
  bool counts;      /* else it only stands in the order of its thread */
  bool left;        /* its thread was about to do it: nothing came behind it */
  size_t follows;   /* the operation, from 1, that comes before it in every run; 0: none */
  uint32_t touches; /* used entries of */
  struct pin_touch touch[PIN_TOUCHES];
};

struct pin_pair {
  size_t first, second; /* numbers of operations */
};

bool pin_conflict(const struct pin_operation *a, const struct pin_operation *b);

/* The pairs, by their second operation; malloc'ed, *count of them. NULL with *count 0: there are none, or no memory. */
struct pin_pair *pin_order(const struct pin_operation *operation, size_t operations, uint32_t threads, size_t *count);

#endif
