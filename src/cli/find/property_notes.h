/* SPDX-License-Identifier: Apache-2.0
 *
 * Notes on the properties of a search (--spec): those of which no event came, so that nothing is known by them, and
 * events that came in no execution. They are perhaps misspelt, or inlined.
 */
#ifndef HEDDLE_CLI_PROPERTY_NOTES_H
#define HEDDLE_CLI_PROPERTY_NOTES_H

#include "session/supervisor.h"
#include "session/target.h"

/* Whether some property of the user's had no event at all. */
bool properties_are_idle(const struct target *target, const struct session_result *r);
/* The file is that of the user's properties. */
void print_property_notes(const struct target *target, const char *file, const struct session_result *r);

#endif
