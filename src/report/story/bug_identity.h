/* SPDX-License-Identifier: Apache-2.0
 *
 * What makes a bug the same one tomorrow: two numbers made from words, not from addresses.
 *
 * `exact` is made from kind, text, and for each party its function, file, line and object: the same in every run of one
 * build. `lasting` leaves the lines out, and which element of an array it is: it survives edits elsewhere in the file,
 * but two bugs of one function may share it. Whoever compares asks for `exact` first, and for `lasting` only where the
 * program was rebuilt in between.
 */
#ifndef HEDDLE_REPORT_BUG_IDENTITY_H
#define HEDDLE_REPORT_BUG_IDENTITY_H

#include "report/story/story.h"

#define IDENTITY_DIGITS 17 /* hexadecimal, and their end */

struct bug_identity {
  char exact[IDENTITY_DIGITS], lasting[IDENTITY_DIGITS];
};

/* scope: what it is a bug of: the program's short name, and the test's. */
struct bug_identity bug_identity(const struct story *story, const char *scope);

#endif
