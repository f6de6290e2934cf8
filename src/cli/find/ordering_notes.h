/* SPDX-License-Identifier: Apache-2.0
 *
 * What is to be said of the schedules that a test names (HD_SCHEDULE) beside its bugs.
 */
#ifndef HEDDLE_CLI_ORDERING_NOTES_H
#define HEDDLE_CLI_ORDERING_NOTES_H

#include "session/supervisor.h"

/* " that keeps its schedule", for the end of "in any interleaving"; empty if the test has none. */
const char *kept_orderings(const struct session_result *r);

/* Events that never happened, or more than once: then the schedule does not say what it seems to. */
void print_ordering_notes(const struct session_result *r);

#endif
