/* SPDX-License-Identifier: Apache-2.0
 *
 * See zones.h.
 */
#include "explore/zones.h"
#include "core/footprint.h"
#include "core/rng.h"

struct zone_range zone_range_of(const struct operation *op)
{
  if (op_is_memory(op->kind)) {
    struct footprint f = footprint_of_access(op);
    return (struct zone_range){f.space, f.touch >= TOUCH_CHANGES, f.addr, f.length};
  }
  if (op->kind == OP_SYSTEM || op_is_on_channels(op->kind) || !op->object)
    return (struct zone_range){0};
  struct footprint footprint[FOOTPRINTS_MOST];
  unsigned n = op_footprints(op, footprint);
  for (const struct footprint *f = footprint; f < footprint + n; f++)
    if (f->length && (f->touch != TOUCH_STANDS_ON || op->traits & OP_ON_HEAP)) /* else nobody can free it */
      return (struct zone_range){f->space, false, f->addr, f->length};
  return (struct zone_range){0};
}

static uint32_t zones_of(const struct zone_range *r)
{
  return r->length ? (uint32_t)(((r->addr + r->length - 1) >> ZONE_SHIFT) - (r->addr >> ZONE_SHIFT) + 1) : 0;
}

bool zones_have(const struct zone_range *r)
{
  return r->length && r->length < (ZONES_MOST - 1) << ZONE_SHIFT;
}

static struct zone_slot *slot_of(struct zones *z, const struct zone_range *r, uint32_t nth)
{
  uint64_t zone = (r->addr >> ZONE_SHIFT) + nth;
  uint64_t key = key_in_space(r->space, zone << ZONE_SHIFT) + 1; /* not 0 */
  uint32_t at = (uint32_t)(mix64(key) >> (64 - ZONE_BITS));
  while (z->slot[at].key && z->slot[at].key != key)
    at = (at + 1) & ((1u << ZONE_BITS) - 1);
  z->keys += !z->slot[at].key;
  z->slot[at].key = key;
  return &z->slot[at];
}

static bool has_room(const struct zones *z, uint32_t from, uint32_t places)
{
  return from + places <= ZONE_PLACES && z->keys + places <= (1u << ZONE_BITS) / 4 * 3;
}

static void put(struct zones *z, const struct zone_range *r, uint32_t event, uint32_t first, uint32_t nth)
{
  const struct zone_slot *slot = slot_of(z, r, nth);
  struct zone_place *place = &z->place[first + nth];
  place->event = event;
  for (unsigned c = 0; c < ZONE_CLASSES; c++)
    place->before[c] = slot->last[c];
}

uint32_t zones_look(struct zones *z, const struct operation *op, uint32_t event, uint16_t *places, bool *full)
{
  struct zone_range r = zone_range_of(op);
  uint32_t n = zones_have(&r) ? zones_of(&r) : 0, first = z->ahead;
  *places = 0;
  *full |= n && !has_room(z, first, n);
  if (!n || *full)
    return 0;
  for (uint32_t i = 0; i < n; i++)
    put(z, &r, event, first, i);
  z->ahead += n;
  *places = (uint16_t)n;
  return first;
}

uint32_t zones_add(struct zones *z, const struct operation *op, bool large, uint32_t event, uint16_t *places,
                   bool *full)
{
  z->ahead = z->places;
  uint32_t first = zones_look(z, op, event, places, full);
  struct zone_range r = zone_range_of(op);
  for (uint32_t i = 0; i < *places; i++)
    slot_of(z, &r, i)->last[2 * large + r.changes] = first + i + 1;
  z->places = z->ahead;
  return first;
}

void zones_remove(struct zones *z, const struct operation *op, uint32_t first, uint16_t places)
{
  struct zone_range r = zone_range_of(op);
  if (!places)
    return;
  for (uint32_t i = 0; i < places; i++) {
    struct zone_slot *slot = slot_of(z, &r, i);
    for (unsigned c = 0; c < ZONE_CLASSES; c++)
      slot->last[c] = z->place[first + i].before[c];
  }
  z->places = z->ahead = first;
}

void zones_tidy(struct zones *z)
{
  if (z->keys <= (1u << ZONE_BITS) / 2)
    return;
  for (uint32_t i = 0; i < 1u << ZONE_BITS; i++)
    z->slot[i] = (struct zone_slot){0};
  z->keys = 0;
}

/* ---- the way back ---- */

/* Small ones find each other elsewhere, and who only looks leaves out who only look. */
static bool passes(const struct zone_walk *w, unsigned class)
{
  bool large = class >= ZONE_LARGE_LOOKS, changes = class == ZONE_SMALL_CHANGES || class == ZONE_LARGE_CHANGES;
  return (!large && !w->large) || (!changes && !w->range.changes);
}

struct zone_walk zones_walk(const struct zones *z, const struct operation *op, bool large, uint32_t first,
                            uint16_t places, uint32_t floor)
{
  return (struct zone_walk){.z = z,
                            .range = zone_range_of(op),
                            .large = large,
                            .ends = op->kind == OP_FREE,
                            .first = first,
                            .places = places,
                            .class = ZONE_CLASSES,
                            .floor = floor,
                            .bound = floor};
}

/* To the next chain. False: there is none. */
static bool next_chain(struct zone_walk *w)
{
  if (w->class == 0) {
    w->zone++;
    w->class = ZONE_CLASSES;
    w->bound = w->floor;
  }
  if (w->zone == w->places)
    return false;
  w->class --;
  w->at = passes(w, w->class) ? 0 : w->z->place[w->first + w->zone].before[w->class];
  return true;
}

uint32_t zones_next(struct zone_walk *w)
{
  w->at = w->at ? w->z->place[w->at - 1].before[w->class] : 0;
  while (!w->at || w->z->place[w->at - 1].event < w->bound)
    if (!next_chain(w))
      return 0;
  return w->z->place[w->at - 1].event + 1;
}

void zones_cover(struct zone_walk *w, const struct operation *f)
{
  uint64_t zone = ((w->range.addr >> ZONE_SHIFT) + w->zone) << ZONE_SHIFT, size = UINT64_C(1) << ZONE_SHIFT;
  uint64_t low = w->range.addr > zone ? w->range.addr : zone, high = w->range.addr + w->range.length;
  if (high > zone + size)
    high = zone + size;
  bool all = op_writes_memory(f->kind) && f->addr <= low && f->addr + f->length >= high;
  if (all && (f->kind == OP_FREE || !w->ends)) /* what stands there matters to who frees it */
    w->bound = w->z->place[w->at - 1].event;
}
