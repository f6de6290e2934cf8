/* SPDX-License-Identifier: Apache-2.0
 *
 * Places of a test that synchronises by sleeping, at which events may stand: between statements of the test's own code,
 * and where a sleep is over. The test is first given all of them, under numbers, and watched; those that its order
 * needs stay, under names.
 *
 * The test's own code is what nobody in the file calls (main, bodies of threads, tests that a framework is given), and
 * what these call if it creates threads, or sleeps and is called from one place. The rest is under test, and left
 * alone. So is what only some builds have (#if): an event there would be missing from the others.
 */
#ifndef HEDDLE_LANGUAGE_SLEEP_MARKS_H
#define HEDDLE_LANGUAGE_SLEEP_MARKS_H

#include "file/source_patch.h"
#include "language/c_statements.h"

enum sleep_mark_kind {
  MARK_BEFORE, /* the statement */
  MARK_BEHIND, /* it, which is the last of its list */
  MARK_SLEEP   /* the statement is a sleep, and over */
};

struct sleep_mark {
  enum sleep_mark_kind kind;
  size_t statement;
};

/* Why a sleep stays where it is. */
enum sleep_stays {
  SLEEP_GOES,
  SLEEP_IN_CALLED, /* of code that others call */
  SLEEP_IN_SOME,   /* builds only: what the others do is not known */
  SLEEP_POLLS,     /* until something has changed */
  SLEEP_UNREACHED,
  SLEEP_VARIES, /* not as often in one run as in another */
  SLEEP_UNSEEN, /* what a thread does meanwhile has no mark */
  SLEEP_ALONE   /* nobody else does anything meanwhile */
};

struct sleep_marks {
  struct sleep_mark *mark;
  size_t marks;
  size_t *left; /* statements that sleep in what is left alone */
  size_t left_count;
};

/* False: no memory, nothing is left to free. */
bool sleep_marks_find(struct sleep_marks *marks, const struct c_file *file);
void sleep_marks_free(struct sleep_marks *marks);

/* The numbered events of all marks, for a test that is watched: "m12". False: no memory. */
bool sleep_marks_number(const struct sleep_marks *marks, const struct c_file *file, struct source_patch *patch);

#endif
