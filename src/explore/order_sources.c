/* SPDX-License-Identifier: Apache-2.0
 *
 * The partial order of an execution, if accesses of the same bytes are ordered only where one reads what the other
 * wrote (by_source, order.h), or where one is a read that comes after the other (observed); for the search by sources
 * (sources.h).
 */
#include "core/key.h"
#include "explore/order.h"

bool events_meet(const struct order_event *a, const struct order_event *b)
{
  return op_is_access(a->op.kind) && op_is_access(b->op.kind) && a->op.addr == b->op.addr &&
         a->op.length == b->op.length && a->op.space == b->op.space && !event_is_wide(a);
}

bool event_is_uniform(const struct order *o, const struct order_event *e)
{
  bool uniform = op_is_access(e->op.kind) && e->links;
  for (unsigned i = 0; i < e->links; i++)
    uniform &= o->link[e->link + i].uniform;
  return uniform;
}

bool order_continues_uniformly(const struct order *o, const struct order_event *e, uint32_t last, uint8_t acts)
{
  if (!op_is_access(e->op.kind))
    return false;
  for (uint32_t l = last; l; l = o->link[l - 1].prev) {
    if (events_meet(&o->event[o->link[l - 1].event], e))
      return o->link[l - 1].uniform;
    if (o->link[l - 1].acts & acts)
      return false;
  }
  return true;
}

/* Another write of the same bytes as that one (a link), before it, that nothing orders with it. */
static bool has_rival(const struct order *o, const struct link *link)
{
  const struct order_event *f = &o->event[link->event];
  for (uint32_t l = link->prev; l; l = o->link[l - 1].prev) {
    uint32_t g = o->link[l - 1].event;
    if (op_writes_memory(o->event[g].op.kind) && events_meet(&o->event[g], f) && !order_before(o, g, f))
      return true;
  }
  return false;
}

static bool sees_rivals_of(const struct order *o, const struct order_event *e, const struct order_event *f)
{
  if (!op_writes_memory(f->op.kind) || events_meet(f, e) || !order_dependent(o, f, e))
    return false;
  for (unsigned i = 0; i < f->links; i++)
    if (has_rival(o, &o->link[f->link + i]))
      return true;
  return false;
}

bool order_shows_more(const struct order *o, const struct order_event *e)
{
  if (!event_reads(e) || (!event_is_wide(e) && event_is_uniform(o, e)))
    return false;
  uint32_t own = (uint32_t)(e - o->event);
  for (uint32_t f = 0; event_is_wide(e) && f < own; f++)
    if (sees_rivals_of(o, e, &o->event[f]))
      return true;
  for (unsigned i = 0; i < e->links; i++)
    for (uint32_t l = o->link[e->link + i].prev; l; l = o->link[l - 1].prev)
      if (sees_rivals_of(o, e, &o->event[o->link[l - 1].event]))
        return true;
  return false;
}

uint32_t order_last_wide(const struct order *o, const struct order_event *e, uint32_t n)
{
  bool wide = event_is_wide(e);
  if (!wide && !o->wide && !o->zones.in_use)
    return 0;
  while (n && !wide && !event_is_wide(&o->event[n - 1]))
    n--;
  return n;
}

void order_join_sources(const struct order *o, struct horizon *h, struct order_event *e)
{
  bool looks = event_reads(e), observes = looks && o->observed;
  e->source = 0;
  for (unsigned i = 0; i < e->links; i++) {
    const struct link *mine = &o->link[e->link + i];
    if (mine->uniform && !looks)
      continue;
    for (uint32_t l = mine->prev; l; l = o->link[l - 1].prev) {
      const struct order_event *f = &o->event[o->link[l - 1].event];
      bool meets = events_meet(f, e), seen = meets && op_writes_memory(f->op.kind);
      if (seen && looks) {
        e->source = o->link[l - 1].event + 1;
        looks = false;
      } else if (!(seen && observes) && (meets || !order_dependent(o, f, e))) {
        continue;
      }
      if (!horizon_has(h, f))
        horizon_join(h, o, f);
      if (key_is_memory(mine->key) ? mine->uniform && (!observes || event_reads(f)) : order_covers(o, f, e, mine))
        break;
    }
  }
  for (uint32_t f = order_last_wide(o, e, o->events); f; f = order_last_wide(o, e, f - 1))
    if (!horizon_has(h, &o->event[f - 1]) && order_dependent(o, &o->event[f - 1], e))
      horizon_join(h, o, &o->event[f - 1]);
}
