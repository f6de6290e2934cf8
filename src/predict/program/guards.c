/* SPDX-License-Identifier: Apache-2.0
 *
 * Conditions inferred from what is read before waits; see guards.h.
 */
#include "predict/program/guards.h"
#include "core/rng.h"
#include "predict/trace/number_map.h"
#include <stdlib.h>
#include <string.h>

#define SEEN 32              /* different values kept of one place */
#define INSTANCES (1u << 18) /* of all places */
#define ADDRESSES (1u << 20) /* of which something is kept */

/* What was read at a place of the code, and how often a wait followed. */
struct seen {
  int64_t last, prev;
  uint64_t reads, waits;
};

/* Of an address. Conditions are about memory that changes after somebody has looked at it. */
enum { READ = 1, CHANGED = 2 };

enum comparison { EQUAL, UNEQUAL, AT_MOST, AT_LEAST, LESS, MORE, COMPARISONS };
enum form { FORM_NONE, FORM_RELATION, FORM_AT_MOST, FORM_AT_LEAST, FORM_VALUES };

struct guard_place {
  struct seen *seen;
  uint32_t count;
  bool pairs, waited;
  enum form form;
  enum comparison relation;
  bool of_prev; /* the bound or the values are about the other variable */
  int64_t bound;
};

struct guards {
  struct guard_place *place; /* by site */
  uint32_t places;
  struct guard_section *section; /* by thread */
  uint32_t threads;
  struct guard_instance *instance;
  uint32_t instances, room;
  struct number_map by_look, first; /* instances; values at the start */
  struct number_map accesses;       /* READ, CHANGED */
  struct number_map annotated;      /* condition variables */
  bool failed;
};

int64_t event_number(const struct event *e)
{
  unsigned bits = e->length && e->length < 8 ? 64 - 8 * e->length : 0;
  return (int64_t)(e->value << bits) >> bits;
}

/* ---- what a thread has read ---- */

bool same_line(const struct trace *t, uint32_t a, uint32_t b)
{
  return a == b || !strcmp(t->sites[a].text, t->sites[b].text);
}

static bool is_read(const struct event *e)
{
  return (e->op == OP_READ || e->op == OP_ATOMIC_LOAD) && (e->flags & EVENT_VALUE);
}

static bool changes(const struct guards *g, uint64_t addr)
{
  const uint64_t *accesses = number_map_find(&g->accesses, addr);
  return accesses && (*accesses & CHANGED);
}

void section_event(struct guard_section *s, const struct guards *g, const struct trace *t, const struct event *e)
{
  struct reading *last = &s->now.last;
  if (is_read(e)) {
    if (!changes(g, e->addr))
      return;
    if (last->known && !same_line(t, last->site, e->site))
      s->now.prev.known = false;
    else if (last->known && last->addr != e->addr)
      s->now.prev = *last;
    *last = (struct reading){e->site, true, e->addr, event_number(e)};
  } else if (!op_is_memory(e->op) && !op_is_annotation(e->op) && !(e->flags & EVENT_NESTED)) {
    s->before = e->op == OP_MUTEX_LOCK ? s->now : (struct look){0};
    s->now = (struct look){0};
  }
}

/* ---- tables ---- */

static bool grow(void *table, uint32_t *count, uint32_t wanted, size_t size)
{
  if (wanted <= *count)
    return true;
  char *grown = realloc(*(void **)table, 2 * (size_t)wanted * size);
  if (!grown)
    return false;
  memset(grown + *count * size, 0, (2 * (size_t)wanted - *count) * size);
  *(void **)table = grown;
  *count = 2 * wanted;
  return true;
}

static uint64_t look_key(const struct look *l)
{
  return mix64(mix64(mix64(l->last.addr) ^ l->last.site) + (l->prev.known ? l->prev.addr : 0));
}

static struct seen *seen_at(struct guards *g, const struct look *l)
{
  struct guard_place *p = &g->place[l->last.site];
  int64_t prev = l->prev.known ? l->prev.value : 0;
  for (uint32_t i = 0; i < p->count; i++)
    if (p->seen[i].last == l->last.value && p->seen[i].prev == prev)
      return &p->seen[i];
  if (!p->seen && !(p->seen = calloc(SEEN, sizeof *p->seen)))
    g->failed = true;
  if (g->failed || p->count == SEEN)
    return NULL;
  p->seen[p->count] = (struct seen){.last = l->last.value, .prev = prev};
  return &p->seen[p->count++];
}

static struct guard_instance *instance_of(struct guards *g, const struct look *l)
{
  uint64_t *known = number_map_find(&g->by_look, look_key(l));
  if (known || g->instances >= INSTANCES)
    return known ? &g->instance[*known] : NULL;
  uint32_t i = g->instances ? g->instances : 1;
  known = number_map_at(&g->by_look, look_key(l));
  if (!known || !grow(&g->instance, &g->room, i + 1, sizeof *g->instance)) {
    g->failed = true;
    return NULL;
  }
  *known = i;
  g->instances = i + 1;
  g->instance[i] =
      (struct guard_instance){.site = l->last.site, .addr = l->last.addr, .prev = l->prev.known ? l->prev.addr : 0};
  return &g->instance[i];
}

/* ---- the passes ---- */

void guards_survey(struct guards *g, const struct event *e)
{
  if (!op_is_memory(e->op) || (g->accesses.count >= ADDRESSES && !number_map_find(&g->accesses, e->addr)))
    return;
  uint64_t *accesses = number_map_at(&g->accesses, e->addr);
  g->failed |= !accesses;
  if (accesses)
    *accesses |= !op_writes_memory(e->op) ? READ : *accesses & READ ? CHANGED : 0;
}

static void note_first(struct guards *g, const struct event *e)
{
  if (number_map_find(&g->first, e->addr))
    return;
  uint64_t *first = number_map_at(&g->first, e->addr);
  if (!first)
    g->failed = true;
  else if (is_read(e))
    *first = (uint64_t)event_number(e);
}

static void note_wait(struct guards *g, const struct guard_section *s, const struct event *e)
{
  bool unlocked = !s->now.last.known;
  const struct look *l = unlocked ? &s->before : &s->now;
  struct seen *seen = l->last.known ? seen_at(g, l) : NULL;
  struct guard_instance *instance = seen ? instance_of(g, l) : NULL;
  if (!instance)
    return;
  seen->waits++;
  g->place[l->last.site].waited = true;
  instance->cond = e->object;
  instance->mutex = e->second;
  instance->wait = e->site;
  instance->unlocked = unlocked;
}

static void note_read(struct guards *g, const struct guard_section *s, const struct event *e)
{
  struct seen *seen = seen_at(g, &s->now);
  g->place[e->site].pairs |= s->now.prev.known;
  if (seen)
    seen->reads++;
  instance_of(g, &s->now);
}

void guards_event(struct guards *g, const struct trace *t, const struct event *e)
{
  if (g->failed || (e->flags & (EVENT_PENDING | EVENT_HIDDEN)))
    return;
  if (!grow(&g->place, &g->places, t->site_count, sizeof *g->place) ||
      !grow(&g->section, &g->threads, t->thread_count, sizeof *g->section)) {
    g->failed = true;
    return;
  }
  struct guard_section *s = &g->section[e->thread];
  bool guards = e->op == OP_COND_GUARD_WAIT || e->op == OP_COND_GUARD_SIGNAL || e->op == OP_COND_GUARD_BROADCAST;
  if (guards)
    g->failed |= !number_map_at(&g->annotated, e->object);
  if (e->op == OP_COND_WAIT && !(e->flags & EVENT_FAILED))
    note_wait(g, s, e);
  section_event(s, g, t, e);
  if (op_is_memory(e->op) && changes(g, e->addr))
    note_first(g, e);
  if (is_read(e) && e->site && changes(g, e->addr))
    note_read(g, s, e);
}

/* ---- what the condition is ---- */

static bool related(enum comparison r, int64_t last, int64_t prev)
{
  switch (r) {
  case EQUAL:
    return last == prev;
  case UNEQUAL:
    return last != prev;
  case AT_MOST:
    return last <= prev;
  case AT_LEAST:
    return last >= prev;
  case LESS:
    return last < prev;
  default:
    return last > prev;
  }
}

static bool find_relation(struct guard_place *p)
{
  for (unsigned r = 0; r < COMPARISONS; r++) {
    bool fits = true;
    for (uint32_t i = 0; i < p->count; i++) {
      const struct seen *s = &p->seen[i];
      bool holds = related((enum comparison)r, s->last, s->prev);
      fits &= s->waits ? holds : !holds;
      fits &= !s->waits || s->reads == s->waits;
    }
    if (fits) {
      p->form = FORM_RELATION;
      p->relation = (enum comparison)r;
      return true;
    }
  }
  return false;
}

static int64_t number_of(const struct guard_place *p, uint32_t i)
{
  return p->of_prev ? p->seen[i].prev : p->seen[i].last;
}

/* Values that made it wait are on one side of all others, or at least none of those. */
static bool find_values(struct guard_place *p)
{
  int64_t low[2] = {INT64_MAX, INT64_MAX}, high[2] = {INT64_MIN, INT64_MIN};
  for (uint32_t i = 0; i < p->count; i++) {
    bool waits = p->seen[i].waits;
    if (waits && p->seen[i].reads > p->seen[i].waits)
      return false;
    for (uint32_t k = 0; k < p->count; k++)
      if (number_of(p, i) == number_of(p, k) && waits != (p->seen[k].waits != 0))
        return false;
    low[waits] = number_of(p, i) < low[waits] ? number_of(p, i) : low[waits];
    high[waits] = number_of(p, i) > high[waits] ? number_of(p, i) : high[waits];
  }
  bool others = low[0] <= high[0];
  p->form = others && high[1] < low[0] ? FORM_AT_MOST : others && low[1] > high[0] ? FORM_AT_LEAST : FORM_VALUES;
  p->bound = p->form == FORM_AT_MOST ? high[1] : low[1];
  return true;
}

static void understand(struct guard_place *p)
{
  if (!p->waited || (p->pairs && find_relation(p)) || find_values(p))
    return;
  p->of_prev = p->pairs;
  if (!p->pairs || !find_values(p))
    p->form = FORM_NONE;
}

static bool place_holds(const struct guard_place *p, int64_t last, int64_t prev)
{
  int64_t number = p->of_prev ? prev : last;
  bool found = false;
  switch (p->form) {
  case FORM_RELATION:
    return related(p->relation, last, prev);
  case FORM_AT_MOST:
    return number <= p->bound;
  case FORM_AT_LEAST:
    return number >= p->bound;
  case FORM_VALUES:
    for (uint32_t i = 0; i < p->count; i++)
      found |= p->seen[i].waits && number_of(p, i) == number;
    return found;
  default:
    return false;
  }
}

/* ---- the end ---- */

/* What all waits of one place wait on, if it is the same for all. */
struct lent {
  uint32_t cond, mutex, wait;
  bool unlocked, several;
};

static bool lend_objects(struct guards *g)
{
  struct lent *of = calloc(g->places + 1, sizeof *of);
  if (!of)
    return false;
  for (uint32_t i = 1; i < g->instances; i++) {
    const struct guard_instance *from = &g->instance[i];
    struct lent *to = &of[from->site];
    if (!from->cond)
      continue;
    to->several |= to->cond && (to->cond != from->cond || to->mutex != from->mutex);
    to->cond = from->cond;
    to->mutex = from->mutex;
    to->wait = from->wait;
    to->unlocked = from->unlocked;
  }
  for (uint32_t i = 1; i < g->instances; i++) {
    struct guard_instance *to = &g->instance[i];
    const struct lent *from = &of[to->site];
    if (to->cond || from->several)
      continue;
    to->cond = from->cond;
    to->mutex = from->mutex;
    to->wait = from->wait;
    to->unlocked = from->unlocked;
  }
  free(of);
  return true;
}

bool guards_end(struct guards *g)
{
  for (uint32_t i = 0; i < g->places; i++)
    understand(&g->place[i]);
  g->failed |= !lend_objects(g);
  for (uint32_t i = 1; !g->failed && i < g->instances; i++) {
    struct guard_instance *instance = &g->instance[i];
    const struct guard_place *p = &g->place[instance->site];
    bool half = p->form == FORM_RELATION && !instance->prev; /* only one of the two was read */
    if (!p->waited || p->form == FORM_NONE || half || !instance->cond || number_map_find(&g->annotated, instance->cond))
      continue;
    instance->guards = true;
  }
  return !g->failed;
}

struct guards *guards_begin(void)
{
  return calloc(1, sizeof(struct guards));
}

void guards_free(struct guards *g)
{
  if (!g)
    return;
  for (uint32_t i = 0; i < g->places; i++)
    free(g->place[i].seen);
  free(g->place);
  free(g->section);
  free(g->instance);
  number_map_free(&g->by_look);
  number_map_free(&g->first);
  number_map_free(&g->accesses);
  number_map_free(&g->annotated);
  free(g);
}

/* ---- asking ---- */

uint32_t guards_count(const struct guards *g)
{
  return g->instances;
}

const struct guard_instance *guards_instance(const struct guards *g, uint32_t i)
{
  return &g->instance[i];
}

uint32_t guards_find(const struct guards *g, const struct look *look)
{
  const uint64_t *i = number_map_find(&g->by_look, look_key(look));
  return i && g->instance[*i].guards ? (uint32_t)*i : 0;
}

bool guards_hold(const struct guards *g, uint32_t instance, int64_t last, int64_t prev)
{
  return place_holds(&g->place[g->instance[instance].site], last, prev);
}

int64_t guards_start(const struct guards *g, uint64_t addr)
{
  const uint64_t *first = number_map_find(&g->first, addr);
  return first ? (int64_t)*first : 0;
}
