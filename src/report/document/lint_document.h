/* SPDX-License-Identifier: Apache-2.0
 *
 * What heddle lint found, as lines of a compiler, as JSON and as SARIF. Keys of the JSON may be added to, not renamed.
 * Nothing here decides.
 */
#ifndef HEDDLE_REPORT_LINT_DOCUMENT_H
#define HEDDLE_REPORT_LINT_DOCUMENT_H

#include "lint/lint.h"
#include <stdio.h>

struct lint_view {
  const struct findings *findings;
  const struct lint_choice *choice;
  const char *const *words; /* the command line, without "heddle" */
  size_t word_count;
  int status;
  size_t units, cached, lost, partly;
  double seconds;
};

/* `file:line: warning: …` with notes along the path, and a diff where it is certain what would mend it, for those that
 * are new; all: for all of them. */
void lint_lines(FILE *out, const struct lint_view *view, bool all, bool colour);

/* The documents as text, malloc'ed, with a final newline; NULL when there is no memory. */
char *lint_json(const struct lint_view *view);
char *lint_sarif(const struct lint_view *view);

#endif
