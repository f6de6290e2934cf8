/* SPDX-License-Identifier: Apache-2.0
 *
 * Which findings of heddle lint a change of the sources is about: those in a function, or on a path through a function,
 * that has a line more, less or other than before. Of a line that went nothing is left to compare a finding with: a
 * release that was removed shows at a return that was not touched.
 */
#ifndef HEDDLE_CLI_CHANGED_FINDINGS_H
#define HEDDLE_CLI_CHANGED_FINDINGS_H

#include "lint/lint.h"

/* Marks new findings that the work tree's difference from the revision is not about. False, with one line in error. */
bool leave_unchanged_findings(struct findings *findings, const struct whole_program *program, const char *revision,
                              char *error, size_t error_size);

#endif
