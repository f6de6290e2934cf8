/* SPDX-License-Identifier: Apache-2.0
 *
 * What heddle stress tells: how often each bug showed in free runs, plain and with pauses, as a table and as JSON. Keys
 * of the document may be added to, not renamed. Counts what it is given; nothing here runs or judges a
 * program. */
#ifndef HEDDLE_REPORT_STRESS_DOCUMENT_H
#define HEDDLE_REPORT_STRESS_DOCUMENT_H

#include "core/bug.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum stress_mode { STRESS_PLAIN, STRESS_YIELDS, STRESS_MODES };

#define STRESS_TEXT 192
#define STRESS_BUGS 32 /* that are told apart; programs that fail in more ways are counted together */

/* How one run ended. */
struct stress_outcome {
  bool bug;
  enum bug_kind kind;
  char text[STRESS_TEXT];
  char where[STRESS_TEXT]; /* file:line, or empty */
  double seconds;
};

struct stress_bug {
  struct stress_outcome outcome;
  struct {
    uint64_t count, first; /* the number of the first run that showed it */
  } in[STRESS_MODES];
};

struct stress_report {
  const char *program;
  const char *const *args;
  size_t arg_count;
  unsigned yields; /* of 100 hooks, how many pause; 0: that mode was not run */
  struct {
    uint64_t runs, failed;
    double seconds; /* of all its runs */
  } in[STRESS_MODES];
  struct stress_bug bugs[STRESS_BUGS];
  size_t bug_count;
  bool interrupted;
};

void stress_count(struct stress_report *report, enum stress_mode mode, uint64_t run,
                  const struct stress_outcome *outcome);

void stress_table(FILE *out, const struct stress_report *report);

/* The document as text, malloc'ed, with a final newline; NULL when there is no memory. */
char *stress_json(const struct stress_report *report);

#endif
