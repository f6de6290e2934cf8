/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedule files: the schedules of a test beside its source, which stays as it is.
 *
 *     # The first take finds an element, the second one waits.
 *     schedule take_waits:
 *       afterAdd1 -> beforeTake1,
 *       [beforeTake2] -> beforeAdd2
 *
 *     queue_test.c:31 afterAdd1    # before the statement that begins on that line
 *
 * A line "schedule NAME:", "pin NAME:" or "formula NAME:" begins a schedule, which goes on until the next such line or
 * a place; places are "FILE:LINE EVENT". "#" begins a comment. What stands behind the colon is order_parse.h's.
 *
 * Neither allocates nor calls libc, as programs that run without heddle read theirs. Who reads the file, and puts the
 * events where the places say, is elsewhere.
 */
#ifndef HEDDLE_LANGUAGE_ORDER_FILE_H
#define HEDDLE_LANGUAGE_ORDER_FILE_H

#include "language/order_parse.h"

#define ORDER_FILE_BYTES (1 << 16) /* that are read: far more than 16 schedules of 64 orderings */
#define ORDER_PLACES 64

struct order_entry {
  const char *name, *text;
  enum order_kind kind;
  unsigned line, column; /* where the text begins in the file, from 1 */
};

struct order_place {
  const char *file; /* as it is written: beside the schedule file, or from the root */
  unsigned line;
  const char *event;
  unsigned from; /* the line of the schedule file */
};

struct order_file {
  unsigned schedules, places;
  struct order_entry schedule[ORDERINGS_MOST];
  struct order_place place[ORDER_PLACES];
};

/* The text is cut into pieces, which the entries point into, so it must stay. False, with the first error, if it is no
 * schedule file, or one of its schedules is wrong. */
bool order_file_read(char *text, struct order_file *out, struct order_error *error);

#endif
