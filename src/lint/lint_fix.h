/* SPDX-License-Identifier: Apache-2.0
 *
 * What would mend a finding, where that is certain: a line of the source, and what to write in its place. Nothing is
 * changed by heddle; it is told as a diff, and is in the documents.
 */
#ifndef HEDDLE_LINT_LINT_FIX_H
#define HEDDLE_LINT_LINT_FIX_H

#include "lint/lint_finding.h"

/* In that line of the finding's file the word becomes another one; none if it is not there exactly once. */
void fix_word(struct findings *all, struct lint_finding *f, uint32_t line, const char *word, const char *by);

/* Before the statement that is all of that line, the call comes that is written in another line; none if either is not
 * so. */
void fix_call_before(struct findings *all, struct lint_finding *f, uint32_t line, const char *call, uint32_t written);

#endif
