/* SPDX-License-Identifier: Apache-2.0
 *
 * Which write each read sees; see the header.
 */
#include "strategy/reads_from.h"
#include "core/rng.h"
#include "core/thread_path.h"
#include "core/world.h"

uint64_t reads_from_location(const struct operation *op)
{
  return op_has_address((enum op_kind)op->kind) ? op->addr & ~UINT64_C(7) : 0;
}

bool reads_from_reads(const struct operation *op)
{
  return op->kind == OP_READ || op->kind == OP_ATOMIC_LOAD || op->kind == OP_ATOMIC_RMW ||
         !op_is_memory((enum op_kind)op->kind);
}

bool reads_from_writes(const struct operation *op)
{
  return op_writes_memory((enum op_kind)op->kind) || !op_is_memory((enum op_kind)op->kind);
}

/* ---- what was ever seen ---- */

uint64_t reads_from_pair(const struct abstract_event *read, const struct abstract_event *write)
{
  uint64_t r = mix64(read->place ^ mix64(read->thread + read->nth));
  uint64_t w = mix64(write->place ^ mix64(write->thread + write->nth) ^ 1);
  return mix64(r + 3 * w) | 1;
}

static uint32_t slot_of(const struct reads_from *r, uint64_t pair)
{
  uint32_t i = pair >> 8 & (READS_FROM_PAIRS - 1);
  while (r->pair[i] && r->pair[i] != pair)
    i = (i + 1) & (READS_FROM_PAIRS - 1);
  return i;
}

bool reads_from_knows(const struct reads_from *r, uint64_t pair)
{
  return r->pair[slot_of(r, pair)];
}

/* Whether it is new. */
bool reads_from_note(struct reads_from *r, uint64_t pair)
{
  uint32_t slot = slot_of(r, pair);
  if (r->pair[slot] || r->pairs >= READS_FROM_PAIRS / 4 * 3)
    return false;
  r->pair[slot] = pair;
  r->pairs++;
  return true;
}

static enum breadth breadth_of(const struct abstract_event *event)
{
  return event->thread ? EVENTS_NARROW : EVENTS_BROAD;
}

static uint32_t location_slot(const struct reads_from *r, uint64_t location, enum breadth breadth)
{
  uint32_t i = mix64(location + breadth) & (2 * EVENTS_MOST - 1);
  for (; r->location_at[i]; i = (i + 1) & (2 * EVENTS_MOST - 1)) {
    const struct known_event *known = &r->event[r->location_at[i]];
    if (known->location == location && breadth_of(&known->event) == breadth)
      break;
  }
  return i;
}

uint32_t reads_from_first(const struct reads_from *r, uint64_t location, enum breadth breadth)
{
  return r->location_at[location_slot(r, location, breadth)];
}

static bool is_event(const struct abstract_event *a, const struct abstract_event *b)
{
  return a->place == b->place && a->thread == b->thread && a->nth == b->nth;
}

/* Whether one thread reads there and another one writes. */
static bool is_contested(const struct reads_from *r, uint64_t location)
{
  uint64_t reader = 0, writer = 0;
  for (uint32_t i = reads_from_first(r, location, EVENTS_NARROW); i; i = r->event[i].next) {
    const struct known_event *e = &r->event[i];
    if ((e->reads && writer && writer != e->event.thread) || (e->writes && reader && reader != e->event.thread))
      return true;
    reader = e->reads ? e->event.thread : reader;
    writer = e->writes ? e->event.thread : writer;
  }
  return false;
}

/* What a read sees where nobody else writes is no question. */
static void list_reads(struct reads_from *r, uint64_t location)
{
  for (enum breadth breadth = 0; breadth < EVENT_BREADTHS; breadth++)
    for (uint32_t i = reads_from_first(r, location, breadth); i; i = r->event[i].next) {
      struct known_event *e = &r->event[i];
      if (e->reads && !e->listed)
        r->read[breadth][r->reads[breadth]++] = (uint16_t)i;
      e->listed |= e->reads;
    }
}

/* Whether it is new. */
static bool meet(struct reads_from *r, const struct abstract_event *event, uint64_t location, bool reads, bool writes)
{
  uint32_t i = mix64(event->place ^ mix64(event->thread + event->nth) ^ location) & (2 * EVENTS_MOST - 1);
  for (; r->event_at[i]; i = (i + 1) & (2 * EVENTS_MOST - 1)) {
    uint32_t number = r->event_at[i];
    if (r->event[number].location != location || !is_event(&r->event[number].event, event))
      continue;
    r->event[number].reads |= reads;
    r->event[number].writes |= writes;
    return false;
  }
  if (r->events == EVENTS_MOST)
    return false;
  uint32_t *first = &r->location_at[location_slot(r, location, breadth_of(event))], number = ++r->events;
  r->event[number] =
      (struct known_event){.event = *event, .location = location, .reads = reads, .writes = writes, .next = *first};
  r->event_at[i] = *first = number;
  return true;
}

void reads_from_meet(struct reads_from *r, const struct abstract_event *event, uint64_t location, bool reads,
                     bool writes)
{
  const struct abstract_event place = {.place = event->place, .kind = event->kind};
  if (event->thread && !meet(r, event, location, reads, writes))
    return;
  meet(r, &place, location, reads, writes);
  if (is_contested(r, location))
    list_reads(r, location);
}

/* ---- an execution ---- */

void reads_from_begin(struct reads_from *r)
{
  r->stamp++;
  r->known = 0;
  r->last = NULL;
  r->new_pairs = r->new_places = 0;
  r->signature = 0;
}

static struct last_write *written_at(struct reads_from *r, uint64_t location)
{
  uint32_t i = mix64(location) & (READS_FROM_LOCATIONS - 1);
  for (unsigned tries = 0; tries < 16; tries++, i = (i + 1) & (READS_FROM_LOCATIONS - 1)) {
    struct last_write *w = &r->written[i];
    if (w->stamp != r->stamp)
      *w = (struct last_write){.location = location, .stamp = r->stamp};
    if (w->location == location)
      return w;
  }
  struct last_write *w = &r->written[i]; /* what was there is forgotten */
  *w = (struct last_write){.location = location, .stamp = r->stamp};
  return w;
}

const struct abstract_event *reads_from_writer(struct reads_from *r, uint64_t location)
{
  return &written_at(r, location)->by;
}

static uint32_t counter_of(const struct reads_from *r, unsigned t, uintptr_t pc)
{
  uint64_t key = mix64(pc ^ (uint64_t)(t + 1) << 48) | 1;
  uint32_t i = key >> 8 & (READS_FROM_COUNTERS - 1);
  for (unsigned tries = 0; tries < 16 && r->counter[i].stamp == r->stamp && r->counter[i].key != key; tries++)
    i = (i + 1) & (READS_FROM_COUNTERS - 1);
  return i;
}

uint32_t reads_from_nth(const struct reads_from *r, unsigned t, uintptr_t pc)
{
  uint64_t key = mix64(pc ^ (uint64_t)(t + 1) << 48) | 1;
  uint32_t i = counter_of(r, t, pc);
  bool counted = r->counter[i].stamp == r->stamp && r->counter[i].key == key;
  uint32_t nth = counted ? r->counter[i].count + 1 : 1;
  return nth < READS_FROM_NTH ? nth : READS_FROM_NTH;
}

static void count_place(struct reads_from *r, unsigned t, uintptr_t pc, uint32_t nth)
{
  uint32_t i = counter_of(r, t, pc);
  r->counter[i].key = mix64(pc ^ (uint64_t)(t + 1) << 48) | 1;
  r->counter[i].stamp = r->stamp;
  r->counter[i].count = nth;
}

void reads_from_settle(struct reads_from *r, const struct choice *c)
{
  for (; r->known < c->threads; r->known++)
    r->path[r->known] = thread_path(c->info, r->known);
  if (r->last && c->thread[r->last_task].failed == r->last_operation)
    r->last->by = r->before;
  r->last = NULL;
}

static void see(struct reads_from *r, const struct abstract_event *read, const struct abstract_event *write)
{
  uint64_t pair = reads_from_pair(read, write);
  const struct abstract_event at = {.place = read->place}, from = {.place = write->place};
  uint64_t places = reads_from_pair(&at, &from);
  r->signature += mix64(places); /* twice the same is another signature */
  if (reads_from_note(r, places))
    r->new_places++;
  if (!reads_from_note(r, pair))
    return;
  if (r->new_pairs < PAIRS_MOST)
    r->first_pair[r->new_pairs] = pair;
  r->new_pairs++;
}

void reads_from_step(struct reads_from *r, const struct choice *c, unsigned t)
{
  const struct operation *op = &c->thread[t].pending;
  uint64_t location = reads_from_location(op);
  if (!location)
    return;
  const struct world *world = c->world;
  struct last_write *w = written_at(r, location);
  bool reads = reads_from_reads(op), writes = reads_from_writes(op);
  struct abstract_event event = {.place = world->name(world->self, op->pc),
                                 .thread = r->path[t],
                                 .nth = reads_from_nth(r, t, op->pc),
                                 .kind = op->kind};
  count_place(r, t, op->pc, event.nth);
  if (reads && (op_is_memory((enum op_kind)op->kind) || w->by.thread != event.thread))
    see(r, &event, &w->by);
  if (event.nth < READS_FROM_NTH)
    reads_from_meet(r, &event, world->name(world->self, location), reads, writes);
  if (!writes)
    return;
  r->before = w->by;
  r->last = w;
  r->last_task = t;
  r->last_operation = c->thread[t].operations;
  w->by = event;
}
