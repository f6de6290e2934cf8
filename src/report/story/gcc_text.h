/* SPDX-License-Identifier: Apache-2.0
 *
 * A bug as a compiler would tell it, for editors and CI that read such lines: "bank.c:40: error: … [assertion]", and
 * its steps as notes.
 */
#ifndef HEDDLE_REPORT_GCC_TEXT_H
#define HEDDLE_REPORT_GCC_TEXT_H

#include "report/story/story.h"

void story_gcc(FILE *out, const struct story *story);

#endif
