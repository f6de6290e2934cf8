/* SPDX-License-Identifier: Apache-2.0
 *
 * An order of events in which every read finds its source; see sources.h.
 *
 * What is no write comes as soon as it can: that is never wrong. Neither is it for a write if all other writes of the
 * same bytes come before or after it anyway. Of the others that can come, one is chosen, first the one that came first
 * in the execution; if that leads nowhere, another one. A write can come when nobody still has to read what it covers.
 * States that lead nowhere are remembered.
 */
#include "core/loss.h"
#include "core/rng.h"
#include "explore/sources.h"

#define STEPS_MOST 200000 /* then it is given up: the problem is hard, but small in programs as they are */

static struct arrangement *cleared(struct arrangement *a)
{
  for (uint32_t i = 0; a->places && i < ARRANGE_PLACES; i++)
    a->place[i].bytes = 0;
  for (uint32_t i = 0; a->states && i < ARRANGE_STATES; i++)
    a->dead[i] = 0;
  a->items = a->placed = a->changes = a->places = a->states = a->steps = 0;
  a->state = 0;
  return a;
}

void arrange_begin(struct sources *s)
{
  struct arrangement *a = cleared(&s->arrangement);
  for (uint32_t e = 0; e < s->order.events; e++)
    a->comes[e] = false;
  for (uint32_t e = 0; e < s->order.events + MAX_THREADS; e++)
    a->seen[e] = 0;
}

struct horizon *arrange_change(struct sources *s, uint32_t event, uint32_t source, bool writes)
{
  struct arrangement *a = &s->arrangement;
  struct alteration *c = &a->change[a->changes++];
  c->event = event;
  c->source = source;
  c->writes = writes;
  c->supposed = false;
  horizon_clear(&c->need);
  return &c->need;
}

/* ---- items ---- */

/* False: too many. */
static bool find_place(struct arrangement *a, const struct operation *op, uint32_t *out)
{
  uint64_t bytes = mix64(op->addr ^ mix64((uint64_t)op->length << 8 | op->space)) | 1;
  uint32_t at = (uint32_t)(bytes >> 52);
  while (a->place[at].bytes && a->place[at].bytes != bytes)
    at = (at + 1) % ARRANGE_PLACES;
  *out = at;
  if (a->place[at].bytes)
    return true;
  a->place[at].bytes = bytes;
  a->place[at].written = a->place[at].readers = a->place[at].writer = a->place[at].access = 0;
  return ++a->places < ARRANGE_PLACES / 2;
}

static bool add_item(struct sources *s, uint32_t event, unsigned changed)
{
  struct arrangement *a = &s->arrangement;
  const struct order_event *e = &s->order.event[event];
  const struct alteration *c = changed ? &a->change[changed - 1] : NULL;
  struct arranged *i = &a->item[a->items++];
  bool access = op_is_access(e->op.kind) && !event_is_wide(e);
  *i = (struct arranged){.event = event, .changed = (uint8_t)changed, .supposed = c && c->supposed};
  i->reads = access && event_reads(e);
  i->writes = access && (c ? c->writes : op_writes_memory(e->op.kind));
  i->source = c ? c->source : e->source; /* event, for now */
  a->item_of[event] = a->items;
  if (a->tail[e->thread])
    a->item[a->tail[e->thread] - 1].next = a->items;
  else
    a->head[e->thread] = a->items;
  a->tail[e->thread] = a->items;
  a->threads = e->thread >= a->threads ? e->thread + 1u : a->threads;
  return !access || find_place(a, &e->op, &i->place);
}

static unsigned change_of(const struct arrangement *a, uint32_t event)
{
  for (unsigned i = 0; i < a->changes; i++)
    if (a->change[i].event == event)
      return i + 1;
  return 0;
}

static bool add_items(struct sources *s)
{
  struct arrangement *a = &s->arrangement;
  bool good = true;
  for (unsigned t = 0; t < MAX_THREADS; t++)
    a->head[t] = a->tail[t] = a->done[t] = 0;
  a->threads = 0;
  for (uint32_t e = 0; e < s->order.events && good; e++) {
    unsigned changed = change_of(a, e);
    if (changed || a->comes[e])
      good = add_item(s, e, changed);
  }
  for (unsigned i = 0; i < a->changes; i++)
    if (a->change[i].event >= s->order.events) /* a phantom */
      good = good && add_item(s, a->change[i].event, i + 1);
  for (uint32_t i = 0; i < a->items && good; i++) {
    struct arranged *item = &a->item[i];
    if (!item->reads)
      continue;
    item->source = item->source ? a->item_of[item->source - 1] : 0;
    if (item->source)
      a->item[item->source - 1].readers++;
    else
      a->place[item->place].readers++;
  }
  return good;
}

/* Of two unchanged items, whatever their order in the end. */
static bool are_ordered(const struct sources *s, const struct arranged *i, const struct arranged *j)
{
  const struct order *o = &s->order;
  return !i->changed && !j->changed &&
         (order_before(o, i->event, &o->event[j->event]) || order_before(o, j->event, &o->event[i->event]));
}

/* Where more than that write the same bytes, nothing is looked for. */
#define WRITERS_MOST 64

static void find_lone_writes(struct sources *s)
{
  struct arrangement *a = &s->arrangement;
  for (uint32_t i = 0; i < a->items; i++)
    a->item[i].alone = a->item[i].writes && !a->item[i].changed;
  for (uint32_t i = 0; i < a->items; i++) {
    struct arranged *item = &a->item[i];
    if (!item->writes)
      continue;
    uint32_t seen = 0;
    item->rival = a->place[item->place].writer;
    a->place[item->place].writer = i + 1;
    for (uint32_t j = item->rival; j; j = a->item[j - 1].rival) {
      bool ordered = ++seen <= WRITERS_MOST && are_ordered(s, item, &a->item[j - 1]);
      item->alone &= ordered;
      a->item[j - 1].alone &= ordered;
    }
  }
}

/* ---- placing ---- */

static uint64_t part_of_state(uint64_t kind, uint64_t a, uint64_t b)
{
  return mix64(kind << 56 ^ a << 28 ^ b);
}

static uint32_t *readers_of(struct arrangement *a, const struct arranged *i)
{
  return i->source ? &a->item[i->source - 1].readers : &a->place[i->place].readers;
}

static void place(struct sources *s, uint32_t at)
{
  struct arrangement *a = &s->arrangement;
  struct arranged *i = &a->item[at];
  unsigned t = s->order.event[i->event].thread;
  a->order[a->placed++] = at;
  a->head[t] = i->next;
  a->done[t]++;
  a->state += part_of_state(1, t, a->done[t]);
  if (i->reads)
    --*readers_of(a, i);
  if (!i->writes)
    return;
  i->before = a->place[i->place].written;
  a->place[i->place].written = at + 1;
  a->state += part_of_state(2, i->place, at + 1) - part_of_state(2, i->place, i->before);
}

static void take_back(struct sources *s)
{
  struct arrangement *a = &s->arrangement;
  uint32_t at = a->order[--a->placed];
  struct arranged *i = &a->item[at];
  unsigned t = s->order.event[i->event].thread;
  a->head[t] = at + 1;
  a->state -= part_of_state(1, t, a->done[t]);
  a->done[t]--;
  if (i->reads)
    ++*readers_of(a, i);
  if (!i->writes)
    return;
  a->place[i->place].written = i->before;
  a->state -= part_of_state(2, i->place, at + 1) - part_of_state(2, i->place, i->before);
}

static bool has_come(const struct arrangement *a, const uint32_t *clock, unsigned width, unsigned own)
{
  for (unsigned t = 0; t < width; t++)
    if (t != own && clock[t] > a->done[t])
      return false;
  return true;
}

/* Whoever comes last to a barrier chooses who is told so: all others who came before it still do. */
static bool chooses_too_early(const struct sources *s, const struct order_event *e)
{
  const struct arrangement *a = &s->arrangement;
  const struct order *o = &s->order;
  if (e->op.kind != OP_BARRIER_ARRIVE || !e->choices)
    return false;
  for (uint32_t l = o->link[e->link].prev; l; l = o->link[l - 1].prev) {
    const struct order_event *f = &o->event[o->link[l - 1].event];
    if (a->comes[o->link[l - 1].event] && f->nth > a->done[f->thread])
      return true;
  }
  return false;
}

/* All that must come before it has, and what it would read is its source. */
static bool is_ready(const struct sources *s, const struct arranged *i)
{
  const struct arrangement *a = &s->arrangement;
  const struct order_event *e = &s->order.event[i->event];
  if (i->reads && a->place[i->place].written != i->source)
    return false;
  if (chooses_too_early(s, e))
    return false;
  if (!i->changed)
    return has_come(a, &s->order.clock[e->clock], e->width, e->thread);
  const struct horizon *need = &a->change[i->changed - 1].need;
  return has_come(a, need->at, need->width, e->thread);
}

/* Nobody else reads what it covers. */
static bool can_cover(struct arrangement *a, const struct arranged *i)
{
  uint32_t last = a->place[i->place].written;
  uint32_t left = last ? a->item[last - 1].readers : a->place[i->place].readers;
  return left == (i->reads ? 1 : 0);
}

/* All that can do no harm. */
static bool can_come(struct sources *s, const struct arranged *i)
{
  return (!i->writes || i->alone) && is_ready(s, i) && (!i->writes || can_cover(&s->arrangement, i));
}

static void place_what_can(struct sources *s)
{
  struct arrangement *a = &s->arrangement;
  for (bool again = true; again;) {
    again = false;
    for (unsigned t = 0; t < a->threads; t++)
      while (a->head[t] && can_come(s, &a->item[a->head[t] - 1])) {
        place(s, a->head[t] - 1);
        again = true;
      }
  }
}

/* The first write after that one (item, + 1) which can come, + 1. */
static uint32_t next_write(struct sources *s, uint32_t after)
{
  struct arrangement *a = &s->arrangement;
  uint32_t best = 0;
  for (unsigned t = 0; t < a->threads; t++) {
    uint32_t i = a->head[t];
    if (i > after && (!best || i < best) && a->item[i - 1].writes && is_ready(s, &a->item[i - 1]) &&
        can_cover(a, &a->item[i - 1]))
      best = i;
  }
  return best;
}

/* ---- states that lead nowhere ---- */

static uint32_t dead_slot(const struct arrangement *a, uint64_t state)
{
  uint32_t at = (uint32_t)(mix64(state) >> 52);
  while (a->dead[at] && a->dead[at] != state)
    at = (at + 1) % ARRANGE_STATES;
  return at;
}

static bool is_dead(const struct arrangement *a)
{
  return a->dead[dead_slot(a, a->state | 1)];
}

static void bury(struct arrangement *a)
{
  if (a->states >= ARRANGE_STATES / 2)
    return;
  a->dead[dead_slot(a, a->state | 1)] = a->state | 1;
  a->states++;
}

/* False: there is no such order. */
static bool arrange(struct sources *s)
{
  struct arrangement *a = &s->arrangement;
  uint32_t depth = 0, tried = 0;
  find_lone_writes(s);
  for (;;) {
    if (!tried)
      place_what_can(s);
    if (a->placed == a->items)
      return true;
    uint32_t next = !tried && is_dead(a) ? 0 : next_write(s, tried);
    if (next && ++a->steps > STEPS_MOST) {
      s->lost |= LOST_TOO_LONG;
      return false;
    }
    if (next) {
      a->level[depth] = a->placed;
      a->tried[depth++] = next;
      place(s, next - 1);
      tried = 0;
      continue;
    }
    bury(a);
    if (!depth)
      return false;
    tried = a->tried[--depth];
    while (a->placed > a->level[depth])
      take_back(s);
  }
}

/* ---- observed: what comes before what is known ---- */

/* Whether the read comes after the write of the same bytes. */
static bool sees(const struct sources *s, const struct arranged *read, const struct arranged *write)
{
  const struct arrangement *a = &s->arrangement;
  if (!read->changed)
    return !write->changed && write->event < read->event;
  const struct horizon *need = &a->change[read->changed - 1].need;
  return a->seen[write->event] >> (read->changed - 1) & 1 || horizon_has(need, &s->order.event[write->event]);
}

/* Of what must come before the others of its place, and of what they find, one more, or one less, has to come. */
static void count_before(struct sources *s, uint32_t at, uint32_t by)
{
  struct arrangement *a = &s->arrangement;
  const struct arranged *i = &a->item[at];
  for (uint32_t j = a->place[i->place].access; j; j = a->item[j - 1].beside) {
    struct arranged *other = &a->item[j - 1];
    if (j - 1 == at)
      continue;
    if (i->reads && other->writes && !sees(s, i, other))
      other->early += by;
    if (!i->writes || !other->reads || !sees(s, other, i))
      continue;
    other->early += by;
    if (other->source && other->source != at + 1)
      a->item[other->source - 1].early += by;
  }
}

static bool is_access(const struct arranged *i)
{
  return i->reads || i->writes;
}

/* The first that can come, + 1; 0: none. */
static uint32_t next_observed(const struct sources *s)
{
  const struct arrangement *a = &s->arrangement;
  uint32_t best = 0;
  for (unsigned t = 0; t < a->threads; t++) {
    uint32_t i = a->head[t];
    if (i && (!best || i < best) && !a->item[i - 1].early && is_ready(s, &a->item[i - 1]))
      best = i;
  }
  return best;
}

/* False: there is no such order. */
static bool arrange_observed(struct sources *s)
{
  struct arrangement *a = &s->arrangement;
  for (uint32_t i = 0; i < a->items; i++) {
    struct arranged *item = &a->item[i];
    if (!is_access(item))
      continue;
    item->beside = a->place[item->place].access;
    a->place[item->place].access = i + 1;
  }
  for (uint32_t i = 0; i < a->items; i++)
    if (is_access(&a->item[i]))
      count_before(s, i, 1);
  for (uint32_t i; (i = next_observed(s));) {
    place(s, i - 1);
    if (is_access(&a->item[i - 1]))
      count_before(s, i - 1, UINT32_MAX); /* - 1 */
  }
  return a->placed == a->items;
}

/* ---- the course ---- */

static struct event_id id_of(const struct order *o, uint32_t event)
{
  return (struct event_id){o->event[event].thread, o->event[event].nth};
}

static struct course *new_course(struct sources *s, struct parting *h, uint32_t steps, uint32_t choices,
                                 struct event_id id)
{
  uint32_t words = (uint32_t)(sizeof(struct course) + steps * sizeof(struct course_step)) / 4 + choices;
  uint32_t p = pool_take(s, words);
  if (!p)
    return NULL;
  struct course *course = course_at(s, p);
  *course = (struct course){.next = h->todo, .words = words, .steps = steps, .thread = id.thread, .nth = id.nth};
  h->todo = p;
  return course;
}

static uint32_t *write_step(uint32_t *out, const struct order *o, uint32_t event, const struct event_id *source,
                            unsigned choices, bool fresh)
{
  const struct order_event *e = &o->event[event];
  *(struct course_step *)out = (struct course_step){.thread = e->thread,
                                                    .choices = (uint16_t)choices,
                                                    .fresh = fresh,
                                                    .reads = source,
                                                    .source = source ? *source : (struct event_id){0}};
  out += sizeof(struct course_step) / 4;
  for (unsigned c = 0; c < choices; c++)
    *out++ = o->choice[e->choice + c][1];
  return out;
}

static void write_course(struct sources *s, struct parting *h, uint32_t stands)
{
  const struct arrangement *a = &s->arrangement;
  const struct order *o = &s->order;
  uint32_t choices = 0, steps = 0;
  for (uint32_t i = 0; i < a->items; i++) {
    choices += a->item[i].changed ? 0 : o->event[a->item[i].event].choices;
    steps += !a->item[i].supposed;
  }
  struct course *course = new_course(s, h, steps, choices, id_of(o, stands));
  if (!course)
    return;
  uint32_t *out = course->step;
  for (uint32_t i = 0; i < a->items; i++) {
    const struct arranged *item = &a->item[a->order[i]];
    struct event_id source = {0};
    if (item->supposed)
      continue;
    if (item->source && item->reads)
      source = id_of(o, a->item[item->source - 1].event);
    out = write_step(out, o, item->event, item->reads ? &source : NULL,
                     item->changed ? 0 : o->event[item->event].choices, item->changed);
  }
}

bool arrange_course(struct sources *s, struct parting *h, uint32_t event)
{
  if (!add_items(s)) {
    s->lost |= LOST_TOO_LONG;
    return false;
  }
  if (s->order.observed ? !arrange_observed(s) : !arrange(s))
    return false;
  write_course(s, h, event);
  return true;
}

/* How many events of each thread are in the prefix. */
static void count_prefix(const struct sources *s, const struct parting *h, uint32_t count[MAX_THREADS])
{
  for (unsigned t = 0; t < MAX_THREADS; t++)
    count[t] = 0;
  for (uint32_t i = 0; i < h->at; i++)
    count[s->explored[i].id.thread]++;
}

void course_to_wait(struct sources *s, struct parting *h, unsigned thread, uint32_t nth)
{
  const struct order *o = &s->order;
  uint32_t choices = 0, count[MAX_THREADS];
  count_prefix(s, h, count);
  for (uint32_t i = 0; i < o->events; i++)
    choices += o->event[i].nth <= count[o->event[i].thread] ? o->event[i].choices : 0;
  struct course *course = new_course(s, h, h->at, choices, (struct event_id){thread, nth});
  if (!course)
    return;
  uint32_t *out = course->step;
  course->held = thread + 1;
  for (uint32_t i = 0; i < o->events; i++)
    if (o->event[i].nth <= count[o->event[i].thread])
      out = write_step(out, o, i, NULL, o->event[i].choices, false);
}

void course_to_wait_instead(struct sources *s, struct parting *h, uint32_t voided)
{
  uint32_t choices = 0, count[MAX_THREADS], left[MAX_THREADS], words = course_at(s, voided)->words;
  count_prefix(s, h, count);
  for (unsigned t = 0; t < MAX_THREADS; t++)
    left[t] = count[t];
  const uint32_t *in = course_at(s, voided)->step, *end = (uint32_t *)course_at(s, voided) + words;
  for (const struct course_step *step; in < end; in += sizeof *step / 4 + step->choices) {
    step = (const struct course_step *)in;
    choices += left[step->thread] ? step->choices : 0;
    left[step->thread] -= left[step->thread] > 0;
  }
  struct event_id id = {course_at(s, voided)->thread, course_at(s, voided)->nth};
  struct course *course = new_course(s, h, h->at, choices, id);
  if (!course)
    return;
  uint32_t *out = course->step;
  course->held = id.thread + 1;
  in = course_at(s, voided)->step;
  for (const struct course_step *step; in < end; in += sizeof *step / 4 + step->choices) {
    step = (const struct course_step *)in;
    if (!count[step->thread])
      continue;
    count[step->thread]--;
    for (unsigned i = 0; i < sizeof *step / 4 + step->choices; i++)
      *out++ = in[i];
    ((struct course_step *)(out - sizeof *step / 4 - step->choices))->fresh = false;
  }
}

void course_outcome(struct sources *s, struct parting *h, uint32_t n, uint32_t stands, uint32_t event, uint32_t choice,
                    uint32_t value)
{
  const struct order *o = &s->order;
  uint32_t choices = 0;
  for (uint32_t i = 0; i < n; i++)
    choices += i == event ? choice + 1 : o->event[i].choices;
  struct course *course = new_course(s, h, n, choices, id_of(o, stands));
  uint32_t *out = course ? course->step : NULL;
  for (uint32_t i = 0; out && i < n; i++) {
    const struct order_event *e = &o->event[i];
    struct event_id source = {0};
    if (e->source)
      source = id_of(o, e->source - 1);
    bool reads = event_reads(e) && !event_is_wide(e);
    out = write_step(out, o, i, reads ? &source : NULL, i == event ? choice + 1 : e->choices, i == event);
    if (i == event)
      out[-1] = value;
  }
}
