/* SPDX-License-Identifier: Apache-2.0
 *
 * The reader of exploration traces: what an exploration did, one event a line.
 *
 *     heddle exploration trace 3    the first line; may be missing in traces of other tools. 2 has no Drop, 1 no probes
 *     AddNode x y                   node x was found below node y, which is - for the root
 *     Explore x                     x is scheduled: it will be visited
 *     Drop x                        or not, after all; an execution must be in the node above
 *     Probe m e                     before the first execution: a probe says that there are m × 2^e of them
 *     Start                         an execution starts, from the root
 *     Transition x                  it moves to x
 *     End t                         it ended, after t units of time
 *
 * Checks each line by itself; what the events say together is for tree.h. Keeps one line in memory.
 */
#ifndef HEDDLE_ESTIMATE_EVENTS_H
#define HEDDLE_ESTIMATE_EVENTS_H

#include "estimate/scaled.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define EXPLORATION_TRACE_HEADER "heddle exploration trace 3"

enum event_kind { EVENT_ADD_NODE, EVENT_EXPLORE, EVENT_DROP, EVENT_PROBE, EVENT_START, EVENT_TRANSITION, EVENT_END };

struct exploration_event {
  enum event_kind kind;
  uint64_t node;   /* of EVENT_ADD_NODE, EVENT_EXPLORE, EVENT_DROP, EVENT_TRANSITION */
  uint64_t parent; /* of EVENT_ADD_NODE that is no root */
  bool root;
  double time;        /* of EVENT_END: finite, not negative */
  struct scaled size; /* of EVENT_PROBE */
};

#define EVENTS_ERROR_SIZE 512

struct events {
  FILE *in;
  const char *name; /* of the file, for errors */
  size_t line;      /* of the last event, from 1 on */
  char *text;
  size_t room;
  char error[EVENTS_ERROR_SIZE];
};

enum events_result { EVENTS_ONE, EVENTS_OVER, EVENTS_BAD };

/* The stream stays the caller's. */
void events_init(struct events *events, FILE *in, const char *name);
void events_free(struct events *events);

/* Reads the next event. EVENTS_BAD: one line is in events->error. */
enum events_result events_next(struct events *events, struct exploration_event *event);

/* Sets events->error to "name:line: …", or "name: …" before the first line, and returns false. */
bool events_fail(struct events *events, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
