/* SPDX-License-Identifier: Apache-2.0
 *
 * Guided execution, see the header.
 */
#include "strategy/guide.h"

void guide_note(struct guide_trace *trace, const struct guide_event *event)
{
  if (trace->count == GUIDE_EVENTS)
    trace->overflow = true;
  else
    trace->event[trace->count++] = *event;
}

static bool is_kept(const struct guide_event *e, const struct subset *kept)
{
  if (e->of == CALL_NONE)
    return true;
  return e->call >= CALL_STARTS ? subset_has_thread(kept, e->of) : subset_has(kept, e->of, e->call);
}

void guide_begin(struct guide *g, const struct guide_trace *failed, const struct subset *kept)
{
  uint32_t last[GUIDE_NAMES];
  for (uint32_t i = 0; i < GUIDE_NAMES; i++)
    g->cursor[i] = last[i] = GUIDE_NONE, g->extra[i] = 0;
  g->retained.count = 0;
  for (uint32_t i = 0; i < failed->count; i++) {
    const struct guide_event *e = &failed->event[i];
    if (!is_kept(e, kept))
      continue;
    uint32_t at = g->retained.count++;
    g->retained.event[at] = *e;
    g->retained.event[at].next = GUIDE_NONE;
    if (last[e->thread] == GUIDE_NONE)
      g->cursor[e->thread] = at;
    else
      g->retained.event[last[e->thread]].next = at;
    last[e->thread] = at;
  }
}

static bool matches(const struct guide_event *a, const struct guide_event *b)
{
  return a->thread == b->thread && a->kind == b->kind && a->pc == b->pc && a->of == b->of && a->call == b->call;
}

/* A thread that acts for a later call will do nothing more for the earlier ones. */
static void leave_calls(struct guide *g, const struct guide_event *event)
{
  uint32_t *cursor = &g->cursor[event->thread];
  while (*cursor != GUIDE_NONE && event->call < CALL_STARTS) {
    const struct guide_event *expected = &g->retained.event[*cursor];
    if (expected->of != event->of || expected->call >= event->call)
      break;
    *cursor = expected->next;
  }
}

/* The place of the event in the window behind the one that is expected, or GUIDE_NONE. */
static uint32_t look_ahead(const struct guide *g, const struct guide_event *event, uint32_t from)
{
  const struct guide_event *trace = g->retained.event;
  uint32_t at = trace[from].next;
  for (uint32_t seen = 0; at != GUIDE_NONE; at = trace[at].next) {
    if (g->whole ? at - from > g->lookahead : ++seen > g->lookahead)
      return GUIDE_NONE;
    if (matches(event, &trace[at]))
      return at;
  }
  return GUIDE_NONE;
}

/* All threads leave out what lies before. */
static void skip_whole(struct guide *g, uint32_t to)
{
  for (uint32_t i = 0; i < GUIDE_NAMES; i++)
    while (g->cursor[i] < to)
      g->cursor[i] = g->retained.event[g->cursor[i]].next;
}

enum guide_step guide_perform(struct guide *g, const struct guide_event *event)
{
  uint32_t *cursor = &g->cursor[event->thread], before = *cursor;
  leave_calls(g, event);
  uint32_t at = *cursor;
  if (at != GUIDE_NONE && !matches(event, &g->retained.event[at])) {
    at = look_ahead(g, event, at);
    if (at != GUIDE_NONE && g->whole)
      skip_whole(g, at);
  }
  if (at == GUIDE_NONE) {
    if (*cursor != GUIDE_NONE && ++g->extra[event->thread] > GUIDE_EXTRA)
      *cursor = GUIDE_NONE;
    return GUIDE_NEW;
  }
  g->extra[event->thread] = 0;
  *cursor = g->retained.event[at].next;
  return at == before ? GUIDE_MATCHED : GUIDE_SKIPPED;
}
