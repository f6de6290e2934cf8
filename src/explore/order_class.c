/* SPDX-License-Identifier: Apache-2.0
 *
 * What the order of an execution says of it as a whole: the class it belongs to, and whether it ends in its last event.
 */
#include "core/rng.h"
#include "explore/order.h"

/* Of the first n events of a thread. */
static uint32_t visible_among(const struct order *o, unsigned thread, uint32_t n)
{
  uint32_t e = o->last[thread];
  while (e && o->event[e - 1].nth > n) {
    uint32_t jump = o->event[e - 1].jump;
    e = jump && o->event[jump - 1].nth >= n ? jump : o->event[e - 1].previous;
  }
  return e ? o->event[e - 1].visible : 0;
}

bool order_ends_in_last(const struct order *o)
{
  const struct order_event *last = &o->event[o->events - 1];
  for (unsigned t = 0; t < MAX_THREADS; t++) {
    uint32_t visible = o->last[t] ? o->event[o->last[t] - 1].visible : 0;
    uint32_t before = t < last->width ? o->clock[last->clock + t] : 0;
    if (visible && visible_among(o, t, before) < visible)
      return false;
  }
  return true;
}

/* What the event did, whatever the order: kind, choices, and what it saw of an end that is not counted. */
static uint64_t deed(const struct order *o, const struct order_event *e, uint32_t nth, uint64_t *sum)
{
  uint64_t h = mix64((uint64_t)e->op.kind << 40 ^ (uint64_t)e->thread << 32 ^ nth);
  bool arrival = e->op.kind == OP_BARRIER_ARRIVE; /* who came last, and so made the choice, does not matter */
  uint64_t chosen = arrival ? mix64(mix64(e->op.addr) + e->op.arg) : h;
  for (unsigned c = 0; c < e->choices; c++)
    chosen = mix64(chosen ^ o->choice[e->choice + c][1]);
  if (arrival && e->choices)
    *sum += chosen;
  else if (!arrival)
    h = chosen;
  if (e->op.kind == OP_TIMEDJOIN && e->links)
    h = mix64(h ^ o->link[e->link].before);
  return h;
}

uint64_t order_class(const struct order *o, bool all)
{
  uint64_t sum = 0;
  for (uint32_t i = 0; i < o->events; i++) {
    const struct order_event *e = &o->event[i];
    if (!all && e->hidden)
      continue;
    uint64_t h = deed(o, e, all ? e->nth : e->visible, &sum);
    for (unsigned t = 0; t < e->width; t++) {
      uint32_t nth = o->clock[e->clock + t], seen = all ? nth : visible_among(o, t, nth);
      if (seen)
        h = mix64(h + mix64((uint64_t)t << 32 | seen));
    }
    sum += h;
  }
  return sum;
}
