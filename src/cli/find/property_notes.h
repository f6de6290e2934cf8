/* SPDX-License-Identifier: Apache-2.0
 *
 * Notes on the properties of the user (--spec): those of which no event came, so that nothing is known by them, and
 * events that came in no execution, or that none can have, since nothing in the program leads to them. They are
 * perhaps misspelt, or inlined.
 */
#ifndef HEDDLE_CLI_PROPERTY_NOTES_H
#define HEDDLE_CLI_PROPERTY_NOTES_H

#include "core/config.h"
#include "session/supervisor.h"
#include "session/target.h"

/* Whether some property of the user's had no event at all. */
bool properties_are_idle(const struct target *target, const struct session_result *r);
/* The file is that of the user's properties. r: a search that is over; NULL: the program is only about to run. */
void print_property_notes(const struct control_config *config, const struct target *target, const char *file,
                          const struct session_result *r);

#endif
