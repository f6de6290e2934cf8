/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of a stress test as text: "3:0-4,7;8:2" is calls 0 to 4 and 7 of thread 3 and call 2 of thread 8.
 */
#ifndef HEDDLE_SCHEDULE_SUBSET_TEXT_H
#define HEDDLE_SCHEDULE_SUBSET_TEXT_H

#include "core/subset.h"
#include <stdio.h>

#define SUBSET_NOTHING "none" /* where a word must stand; none of the functions knows it */

void subset_print(FILE *out, const struct subset *subset);

/* The calls of the text are added to a subset whose size is known. False: it makes no sense, or is too large. */
bool subset_read(struct subset *subset, const char *text);

#endif
