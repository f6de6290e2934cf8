/* SPDX-License-Identifier: Apache-2.0
 *
 * Handlers in Lua. The interpreter is loaded when the first one runs; without scripts nobody needs it.
 */
#ifndef HEDDLE_ENFORCE_PROPERTY_SCRIPT_H
#define HEDDLE_ENFORCE_PROPERTY_SCRIPT_H

#include "heddle_property.h"
#include <stdbool.h>
#include <stddef.h>

/* Whether the interpreter is there; else why not. */
bool property_scripts_open(char *error, size_t size);
/* With the event as globals: property, event, message, thread, and values by the names of parameters. One script runs
 * at a time; an error in it is told. */
void property_run_script(const char *text, const struct hd_property_event *event);

#endif
