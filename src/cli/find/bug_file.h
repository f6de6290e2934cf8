/* SPDX-License-Identifier: Apache-2.0
 *
 * What a hunt leaves in its output folder: the schedule of a bug under the name it had before, if it is known there
 * (known_bugs.h), and the program that heddle compiled, in the place of the one compiled from the same sources before,
 * so that older schedules run the newest build. At most BUGS_KEPT bugs stay.
 */
#ifndef HEDDLE_CLI_BUG_FILE_H
#define HEDDLE_CLI_BUG_FILE_H

#include "cli/find/hunt.h"

#define BUGS_KEPT 200 /* in one folder: more than anybody looks through */

/* Writes the schedule and takes note of the bug. Returns the file's path, malloc'ed; NULL when it could not be written,
 * which was told. */
char *hunt_write_schedule(struct hunt *hunt, const struct story *story, struct schedule_record *schedule,
                          bool instrumented, struct seen_before *before);

/* Whether the bug is one of those the project lives with. */
bool hunt_is_in_baseline(const struct hunt *hunt, const struct story *story);

/* The program was compiled. */
void hunt_keep_program(struct hunt *hunt);

#endif
