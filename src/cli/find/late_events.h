/* SPDX-License-Identifier: Apache-2.0
 *
 * Events of a run that were told late (EVENT_LATE): kept while its file is written, then put where they belong.
 */
#ifndef HEDDLE_CLI_LATE_EVENTS_H
#define HEDDLE_CLI_LATE_EVENTS_H

#include "predict/trace/trace.h"
#include <stdio.h>

struct late_event {
  uint64_t after; /* number of the event that it follows, in the file without late ones */
  struct event event;
};

struct late_events {
  struct late_event *list; /* in the order of the run */
  uint32_t count, room;
};

/* False: no memory. They are added in their order. */
bool late_events_add(struct late_events *l, uint64_t after, const struct event *event);

/* The trace in the file, which is at its end, is written again with them. Returns how many events it has then; 0: it
 * could not be. */
uint64_t late_events_insert(const struct late_events *l, FILE *file);

void late_events_free(struct late_events *l);

#endif
