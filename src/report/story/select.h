/* SPDX-License-Identifier: Apache-2.0
 *
 * Which events of a trace matter for a bug. Numbers in, numbers out: no names, no printing. Of no concern outside the
 * reports.
 */
#ifndef HEDDLE_REPORT_SELECT_H
#define HEDDLE_REPORT_SELECT_H

#include "core/bug.h"
#include "core/control.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRIPLES_MAX 12

/* Two accesses of one thread to the same place, with one of another in between that no serial order allows. */
enum triple_kind {
  LOST_UPDATE,  /* read, their write, write */
  CHANGED_READ, /* read, their write, read */
  OVERWRITTEN,  /* write, their write, read */
  SEEN_BETWEEN  /* write, their read, write */
};

struct triple {
  enum triple_kind kind;
  size_t first, between, last; /* indices of events */
  int weight;
};

struct selection {
  size_t end;    /* events from here on are after the bug */
  size_t *event; /* chosen indices, ascending; malloc'ed */
  size_t count;
  struct triple triple[TRIPLES_MAX];
  size_t triple_count;
};

/* What nothing in the trace shows, but who tells the story knows. */
struct insight {
  /* An event that tells nothing; asked of those that would be chosen. */
  bool (*is_dull)(const void *context, const struct trace_event *event);
  /* The event that sent the last one of the signals that the party waits for; NULL: none did. */
  const struct trace_event *(*last_signal)(const void *context, const struct bug_party *party);
  /* Indices of events that must be told, up to the first that is none; may be NULL. */
  const size_t *decisive;
  const void *context;
};

/* Chooses at most limit events; insight may be NULL. False when there is no memory; the selection is then empty. */
bool select_events(const struct bug *bug, const struct trace_event *events, size_t count, size_t limit,
                   const struct insight *insight, struct selection *out);
/* Whether an event frees the memory that a party of the bug used too late. The bug itself, which may be a second free,
 * does not. */
bool frees_party(const struct bug *bug, const struct trace_event *event, const struct bug_party *party);

void selection_free(struct selection *selection);

#endif
