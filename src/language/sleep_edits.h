/* SPDX-License-Identifier: Apache-2.0
 *
 * A test that sleeps becomes one that says its order: names for the events that its sleeps stand for (sleep_orders.h),
 * the text of its schedule, and the edits of the file. Pure.
 */
#ifndef HEDDLE_LANGUAGE_SLEEP_EDITS_H
#define HEDDLE_LANGUAGE_SLEEP_EDITS_H

#include "language/sleep_orders.h"

#define SLEEP_SCHEDULE "as_slept" /* its name in the test */

struct sleep_event {
  bool used;      /* some rule has it */
  bool bracketed; /* or asks whether its thread is blocked there */
  bool numbered;  /* threads come to it more than once */
  bool shared;    /* several threads do */
  char name[ORDERING_NAME];
};

struct sleep_edits {
  const struct sleep_marks *marks;
  const struct c_file *file;
  const struct sleep_orders *orders;
  const struct sleep_run *run; /* the first one that the orders are from */
  struct sleep_event *event;   /* of each mark */
  bool included;               /* the test has our header */
};

/* False: no memory, nothing is left to free. */
bool sleep_edits_open(struct sleep_edits *edits, const struct sleep_marks *marks, const struct c_file *file,
                      const struct sleep_orders *orders, const struct sleep_run *run);
void sleep_edits_free(struct sleep_edits *edits);

/* The rules, one in a line, malloc'ed; NULL: no memory. */
char *sleep_edits_schedule(const struct sleep_edits *edits);
/* False: no memory. kept: the sleeps stay beside their events, for a look whether they keep the schedule. */
bool sleep_edits_make(struct sleep_edits *edits, struct source_patch *patch, bool kept);

#endif
