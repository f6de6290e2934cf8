/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of the events that pin a bug: the function, and what it does there: withdraw_has_read_balance.
 */
#ifndef HEDDLE_REPORT_PIN_NAMES_H
#define HEDDLE_REPORT_PIN_NAMES_H

#include "core/ordering.h"
#include "report/story/story.h"

/* behind: it has been done. nth: the time in a loop, 1 for none. */
void pin_event_name(const struct story *story, const struct trace_event *event, const char *function, bool behind,
                    uint32_t nth, char out[ORDERING_NAME]);

/* Any text as a name: letters, digits, and _ for all else. */
void pin_name_from(const char *text, char *out, size_t size);

#endif
