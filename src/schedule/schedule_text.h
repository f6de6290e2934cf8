/* SPDX-License-Identifier: Apache-2.0
 *
 * What the writer and the reader of schedule files share: the words of the format. Of no concern to
 * others. */
#ifndef HEDDLE_TRACE_SCHEDULE_TEXT_H
#define HEDDLE_TRACE_SCHEDULE_TEXT_H

extern const char *const schedule_race_name[3]; /* by enum race_mode */

#endif
