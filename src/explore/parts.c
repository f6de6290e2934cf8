/* SPDX-License-Identifier: Apache-2.0
 *
 * What other parts of a division an execution shows; see sources.h. Every pair of events on the same object or word is
 * looked at once, when the later found of them is new. Parts of reads by what they observe are in observed.c.
 */
#include "explore/parts.h"
#include "core/key.h"
#include "core/loss.h"
#include "core/rng.h"
#include "explore/without.h"

/* ---- who is who ---- */

uint64_t number_of_event(const struct order *o, uint32_t event)
{
  return mix64((uint64_t)o->event[event].thread << 32 | o->event[event].nth);
}

/* Its source does not tell all. */
static bool past_counts(const struct order *o, const struct order_event *e)
{
  if (e->hidden || !(e->links || event_is_wide(e)))
    return false;
  return !event_is_uniform(o, e) || (o->observed && event_reads(e));
}

uint64_t sign_with(const struct order *o, uint32_t event, uint32_t source, const struct horizon *past)
{
  const struct order_event *e = &o->event[event];
  const uint32_t *clock = past ? past->at : &o->clock[e->clock];
  unsigned width = past ? past->width : e->width;
  uint64_t h = number_of_event(o, event);
  if (source)
    h = mix64(h ^ number_of_event(o, source - 1));
  for (unsigned c = 0; c < e->choices; c++)
    h = mix64(h + o->choice[e->choice + c][1] + 1);
  uint64_t sum = h;
  for (unsigned t = 0; t < width && past_counts(o, e); t++)
    if (t != e->thread && clock[t])
      sum += mix64(h ^ mix64((uint64_t)t << 32 | clock[t]));
  return sum;
}

void sources_identify(struct sources *s)
{
  const struct order *o = &s->order;
  uint32_t count[MAX_THREADS + 1] = {0};
  for (uint32_t i = 0; i < o->events; i++)
    count[o->event[i].thread]++;
  s->first[0] = 0;
  for (unsigned t = 0; t < MAX_THREADS; t++)
    s->first[t + 1] = s->first[t] + count[t];
  for (uint32_t i = 0; i < o->events; i++) {
    s->nth[s->first[o->event[i].thread] + o->event[i].nth - 1] = i;
    s->at[i] = UINT32_MAX;
    s->sign[i] = sign_with(o, i, o->event[i].source, NULL);
  }
  for (uint32_t i = 0; i < s->explored_count; i++)
    s->at[s->nth[s->first[s->explored[i].id.thread] + s->explored[i].id.nth - 1]] = i;
}

uint64_t sources_class(const struct sources *s)
{
  uint64_t sum = 0;
  for (uint32_t i = 0; i < s->order.events; i++)
    sum += mix64(s->sign[i]);
  return sum;
}

/* ---- parts that are known ---- */

bool add_part(struct sources *s, struct parting *h, uint64_t part)
{
  const uint32_t words = sizeof(struct part_known) / 4;
  for (uint32_t p = h->done; p; p = ((struct part_known *)&s->pool[p - 1])->next)
    if (((struct part_known *)&s->pool[p - 1])->part == part)
      return false;
  uint32_t p = pool_take(s, words);
  if (!p)
    return false;
  *(struct part_known *)&s->pool[p - 1] = (struct part_known){.part = part, .next = h->done};
  h->done = p;
  return true;
}

uint64_t sum_past(struct sources *s, const struct parting *h, const struct horizon *past)
{
  uint64_t sum = 0;
  for (unsigned t = 0; t < past->width; t++)
    for (uint32_t n = 0; n < past->at[t]; n++) {
      uint32_t e = s->nth[s->first[t] + n];
      if (!in_prefix(s, h, e))
        sum += mix64(s->sign[e]);
    }
  return sum;
}

static void add_past(struct sources *s, const struct horizon *past)
{
  for (unsigned t = 0; t < past->width; t++)
    for (uint32_t n = 0; n < past->at[t]; n++)
      arrange_add(s, s->nth[s->first[t] + n]);
}

void begin_course(struct sources *s, const struct parting *h, const struct horizon *past)
{
  arrange_begin(s);
  for (uint32_t i = 0; i < h->at; i++)
    arrange_add(s, s->nth[s->first[s->explored[i].id.thread] + s->explored[i].id.nth - 1]);
  add_past(s, past);
}

static uint64_t part_by_source(struct sources *s, const struct parting *h, uint32_t source, const struct horizon *past)
{
  uint64_t part = mix64(BY_SOURCE);
  if (!source)
    return part;
  part = mix64(part ^ number_of_event(&s->order, source - 1));
  return in_prefix(s, h, source - 1) ? part : part + sum_past(s, h, past);
}

/* ---- what comes without what ---- */

void needed(const struct order *o, struct horizon *need, const struct order_event *step, uint32_t e)
{
  horizon_clear(need);
  order_own_past(o, need, step);
  uint32_t own = (uint32_t)(step - o->event);
  for (unsigned i = 0; i < step->links; i++) {
    if (o->link[step->link + i].uniform)
      continue;
    for (uint32_t l = o->link[step->link + i].prev; l; l = o->link[l - 1].prev) {
      uint32_t f = o->link[l - 1].event;
      if (f + 1 != e && !(e && order_before(o, e - 1, &o->event[f])) && !events_meet(&o->event[f], step) &&
          order_dependent(o, &o->event[f], step))
        horizon_join(need, o, &o->event[f]);
    }
  }
  uint32_t end = own < o->events ? own : o->events;
  for (uint32_t f = order_last_wide(o, step, end); f; f = order_last_wide(o, step, f - 1))
    if (f != e && !(e && order_before(o, e - 1, &o->event[f - 1])) && order_dependent(o, &o->event[f - 1], step))
      horizon_join(need, o, &o->event[f - 1]);
}

uint64_t value_of(const struct order *o, const struct order_event *e, uint32_t source)
{
  if (source)
    return o->link[o->event[source - 1].link].after;
  uint64_t value = o->link[e->link].before;
  for (uint32_t l = o->link[e->link].prev; l; l = o->link[l - 1].prev)
    value = o->link[l - 1].before;
  return value;
}

bool writes_after(struct sources *s, const struct order_event *e, uint64_t value)
{
  if (op_announced_kind(&e->op) != OP_ATOMIC_RMW)
    return op_writes_memory(e->op.kind);
  unsigned offset = (unsigned)(e->op.addr & 7);
  if (!(e->op.traits & OP_COMPARES)) {
    s->lost |= e->op.traits & OP_FAILED ? LOST_EQUIVALENCE : 0; /* what it looks for is not known */
    return true;
  }
  if (offset + e->op.length > 8 || !event_is_uniform(&s->order, e)) {
    s->lost |= LOST_EQUIVALENCE;
    return true;
  }
  uint64_t mask = e->op.length < 8 ? (UINT64_C(1) << 8 * e->op.length) - 1 : UINT64_MAX;
  return ((value >> 8 * offset ^ e->op.arg) & mask) == 0;
}

enum look_verdict judge(const struct sources *s, const struct order_event *e, uint64_t value)
{
  struct vain_look look;
  const struct link *own = &s->order.link[e->link];
  if (!vain_knows_place(&s->vain, e->op.pc) || !look_from(&look, e->thread, &e->op, e->local) || look.key != own->key ||
      !event_is_uniform(&s->order, e))
    return OF_USE;
  look.sees = value & order_part(look.bytes);
  return vain_judge(&s->vain, &s->order, e->previous, &look);
}

/* ---- parts ---- */

void sources_add_waiting(struct sources *s)
{
  struct parting *h = &s->parting[s->top - 1];
  if (add_part(s, h, mix64(BY_WAITING)))
    course_to_wait_instead(s, h, s->course);
}

void add_waiting(struct sources *s, struct parting *h, const struct order_event *e)
{
  if (add_part(s, h, mix64(BY_WAITING)))
    course_to_wait(s, h, e->thread, e->nth);
}

/* The event, which stands for the parting, reads from that source (event, + 1). */
static void try_source(struct sources *s, struct parting *h, uint32_t event, uint32_t source)
{
  const struct order *o = &s->order;
  const struct order_event *e = &o->event[event];
  struct horizon past;
  horizon_clear(&past);
  if (source && order_before(o, event, &o->event[source - 1]))
    return;
  if (source)
    horizon_join(&past, o, &o->event[source - 1]);
  if (!add_part(s, h, part_by_source(s, h, source, &past)))
    return;
  uint64_t value = value_of(o, e, source);
  if (judge(s, e, value) == IN_VAIN) {
    add_waiting(s, h, e);
    return;
  }
  begin_course(s, h, &past);
  needed(o, arrange_change(s, event, source, writes_after(s, e, value)), e, 0);
  arrange_course(s, h, event);
}

/* The later update reads what the earlier one read, which then reads from it. */
static void try_swap(struct sources *s, struct parting *h, uint32_t event, uint32_t later)
{
  const struct order *o = &s->order;
  const struct order_event *e = &o->event[event], *f = &o->event[later];
  struct horizon need, past;
  uint64_t value = o->link[e->link].before;
  needed(o, &need, f, event + 1);
  if (in_prefix(s, h, later) || horizon_has(&need, e) || !writes_after(s, f, value) || judge(s, f, value) == IN_VAIN)
    return;
  past = need;
  if (e->source)
    horizon_join(&past, o, &o->event[e->source - 1]);
  uint64_t part = mix64(mix64(BY_SOURCE) ^ number_of_event(o, later));
  if (!add_part(s, h, part + sum_past(s, h, &past) + mix64(sign_with(o, later, e->source, NULL))))
    return;
  begin_course(s, h, &past);
  *arrange_change(s, later, e->source, true) = need;
  needed(o, arrange_change(s, event, later + 1, true), e, 0);
  arrange_course(s, h, event);
}

static uint64_t part_by_order(struct sources *s, const struct parting *h, uint32_t event, const struct horizon *past)
{
  const struct order_event *e = &s->order.event[event];
  uint64_t part = mix64(mix64(BY_ORDER) ^ number_of_event(&s->order, event));
  if (event_reads(e) && e->source)
    part = mix64(part ^ number_of_event(&s->order, e->source - 1));
  return part + sum_past(s, h, past);
}

/* The later step comes without the one that stands for the parting. */
static void try_first(struct sources *s, struct parting *h, uint32_t event, uint32_t later)
{
  const struct order *o = &s->order;
  const struct order_event *e = &o->event[event], *f = &o->event[later];
  uint32_t source = event_reads(f) ? f->source : 0;
  struct horizon need, past;
  needed(o, &need, f, event + 1);
  if (horizon_has(&need, e) || (source && !stays(o, source, event)) || !possible_without(o, f, event))
    return;
  past = need;
  if (source)
    horizon_join(&past, o, &o->event[source - 1]);
  if (o->observed && event_reads(f))
    observed_join(o, &past, later, event);
  if (!add_part(s, h, part_by_order(s, h, later, &past)))
    return;
  begin_course(s, h, &past);
  *arrange_change(s, later, source, op_writes_memory(f->op.kind)) = need;
  if (o->observed && event_reads(f))
    observed_choose(s, later, event);
  arrange_course(s, h, later);
}

static struct parting *parting_of(struct sources *s, uint32_t event)
{
  uint32_t h = s->at[event] != UINT32_MAX ? s->explored[s->at[event]].parting : 0;
  return h ? &s->parting[h - 1] : NULL;
}

/* An event and a later one, or one that has not come. */
static void consider(struct sources *s, uint32_t a, uint32_t b)
{
  const struct order *o = &s->order;
  const struct order_event *first = &o->event[a], *later = &o->event[b];
  bool came = b < o->events;
  struct parting *h = parting_of(s, a), *g = came ? parting_of(s, b) : NULL;
  if (!events_meet(first, later)) {
    if (h && first->thread != later->thread && order_dependent(o, first, later))
      try_first(s, h, a, b);
    return;
  }
  if (o->observed) {
    if (h && event_reads(first))
      observed_later(s, h, a, b);
    return;
  }
  if (h && came && event_reads(first) && op_writes_memory(later->op.kind))
    try_source(s, h, a, b + 1);
  if (h && event_reads(first) && op_writes_memory(first->op.kind) && op_announced_kind(&later->op) == OP_ATOMIC_RMW)
    try_swap(s, h, a, b);
  if (g && event_reads(later) && op_writes_memory(first->op.kind))
    try_source(s, g, b, a + 1);
}

/* ---- all of them ---- */

/* Once for each pair of new ones: by the later. */
static void consider_with(struct sources *s, uint32_t event, uint32_t other)
{
  if (other < event)
    consider(s, other, event);
  else if (other > event && !s->fresh[other])
    consider(s, event, other);
}

static void consider_all_of(struct sources *s, uint32_t event)
{
  const struct order *o = &s->order;
  const struct order_event *e = &o->event[event];
  struct parting *h = event < o->events ? parting_of(s, event) : NULL;
  for (unsigned i = 0; i < e->links; i++)
    for (uint32_t l = order_head(o, o->link[e->link + i].key); l; l = o->link[l - 1].prev)
      consider_with(s, event, o->link[l - 1].event);
  for (uint32_t f = order_last_wide(o, e, o->events); f; f = order_last_wide(o, e, f - 1))
    consider_with(s, event, f - 1);
  if (h && event_reads(e) && e->links && !o->observed)
    try_source(s, h, event, 0);
}

/* A thread that looks in vain at the end may have seen something else before. */
static void consider_waiting(struct sources *s, struct parting *h, uint32_t event)
{
  const struct order *o = &s->order;
  const struct order_event *e = &o->event[event];
  if (o->observed) {
    observed_pending(s, h, event);
    return;
  }
  for (uint32_t l = o->link[e->link].prev; l; l = o->link[l - 1].prev) {
    const struct order_event *f = &o->event[o->link[l - 1].event];
    if (events_meet(f, e) && op_writes_memory(f->op.kind))
      try_source(s, h, event, o->link[l - 1].event + 1);
  }
  try_source(s, h, event, 0);
}

static bool is_look(const struct order_event *e)
{
  return event_reads(e) && e->links && !event_is_wide(e);
}

/* What a blocked thread waits for may have been there earlier. */
static void consider_phantom(struct sources *s, const struct outcome *outcome, unsigned t)
{
  struct order *o = &s->order;
  uint32_t event = o->phantom[t] - 1;
  struct order_event *late = &o->event[event];
  bool enabled = threadset_has(outcome->enabled, t);
  late->able = enabled && !s->freewheeling;
  bool waits_for_others = late->op.kind == OP_BARRIER_LEAVE || late->op.kind == OP_FUTEX_BLOCK ||
                          (late->op.kind == OP_COND_WAKE && !late->enabler) || late->op.kind == OP_JOIN;
  s->at[event] = UINT32_MAX;
  if (threadset_has(&s->held, t))
    return;
  if (enabled || !waits_for_others)
    consider_all_of(s, event);
  if (!s->freewheeling || !enabled || !is_look(late) || s->partings == SOURCES_PARTINGS)
    return;
  struct parting *h = &s->parting[s->partings++];
  *h = (struct parting){.at = s->explored_count};
  add_part(s, h, mix64(BY_WAITING)); /* it does, here */
  consider_waiting(s, h, event);
}

/* ---- threads that are held back ---- */

/* Supposes that the threads from there on look in vain in the end, as far as is known: what they see is tried in turn.
 * False: they cannot. */
static bool suppose_waiting(struct sources *s, struct parting *h, unsigned from, uint32_t *source)
{
  const struct order *o = &s->order;
  unsigned t = from;
  while (t < MAX_THREADS && !(o->phantom[t] && is_look(&o->event[o->phantom[t] - 1]) &&
                              (threadset_has(&s->held, t) || threadset_has(&s->waiting, t))))
    t++;
  if (t < MAX_THREADS) {
    const struct order_event *e = &o->event[o->phantom[t] - 1];
    for (uint32_t l = o->link[e->link].prev;; l = o->link[l - 1].prev) {
      const struct order_event *f = l ? &o->event[o->link[l - 1].event] : NULL;
      source[t] = l ? o->link[l - 1].event + 1 : 0;
      if ((!f || (events_meet(f, e) && op_writes_memory(f->op.kind))) &&
          judge(s, e, value_of(o, e, source[t])) != OF_USE && suppose_waiting(s, h, t + 1, source))
        return true;
      if (!l)
        return false;
    }
  }
  arrange_begin(s);
  for (uint32_t i = 0; i < o->events; i++)
    arrange_add(s, i);
  for (t = 0; t < MAX_THREADS; t++)
    if (source[t] != UINT32_MAX && s->arrangement.changes < ALTERATIONS_MOST) {
      struct horizon *need = arrange_change(s, o->phantom[t] - 1, source[t], false);
      s->arrangement.change[s->arrangement.changes - 1].supposed = true;
      for (unsigned u = 0; u < MAX_THREADS; u++)
        if (o->last[u])
          horizon_join(need, o, &o->event[o->last[u] - 1]);
    }
  return arrange_course(s, h, o->events - 1);
}

/* Somebody is held back before an attempt to lock, which would succeed: so it does however the same comes. */
static bool would_succeed(const struct sources *s)
{
  const struct order *o = &s->order;
  THREADSET_EACH(t, &s->held)
  {
    if (!threadset_has(&s->waiting, t) && o->phantom[t] && !is_look(&o->event[o->phantom[t] - 1]))
      return true;
  }
  return false;
}

/* Those who are held back do not look in vain now. If the same could have come such that they do, it comes so. */
static void arrange_waiting(struct sources *s)
{
  uint32_t source[MAX_THREADS];
  if (s->partings == SOURCES_PARTINGS || !s->order.events || would_succeed(s))
    return;
  for (unsigned t = 0; t < MAX_THREADS; t++)
    source[t] = UINT32_MAX;
  s->parting[s->partings] = (struct parting){.at = s->explored_count};
  if (suppose_waiting(s, &s->parting[s->partings], 0, source))
    s->partings++;
}

/* What else those could have seen who are held back. */
static void consider_held(struct sources *s)
{
  for (uint32_t i = 0; i < s->partings; i++) {
    struct parting *h = &s->parting[i];
    uint32_t phantom = h->held ? s->order.phantom[h->held - 1] : 0;
    if (phantom && is_look(&s->order.event[phantom - 1]))
      consider_waiting(s, h, phantom - 1);
  }
}

/* The other outcomes of its data choices; told: so many were asked for. */
static void add_outcomes(struct sources *s, struct parting *h, uint32_t n, uint32_t stands, uint32_t event,
                         unsigned told)
{
  const struct order *o = &s->order;
  const struct order_event *e = &o->event[event];
  uint64_t part = mix64(BY_OUTCOME);
  for (uint32_t i = 0; i < n; i++)
    part += i == event ? 0 : mix64(s->sign[i]);
  for (unsigned c = 0; c < e->choices; c++) {
    uint64_t chosen = mix64(part ^ mix64(number_of_event(o, event) + c));
    uint32_t value = o->choice[e->choice + c][1];
    if (c >= told)
      add_part(s, h, mix64(chosen + value));
    for (uint32_t v = 0; c >= told && v < o->choice[e->choice + c][0]; v++)
      if (v != value && add_part(s, h, mix64(chosen + v)))
        course_outcome(s, h, n, stands, event, c, v);
    part = mix64(part ^ (value + 1));
  }
}

void sources_find_parts(struct sources *s, const struct outcome *outcome)
{
  struct order *o = &s->order;
  o->world = outcome->world;
  uint32_t planned = s->course ? course_at(s, s->course)->steps : 0;
  for (uint32_t i = planned; i < o->events; i++) { /* the parts that this execution is of */
    struct parting *h = parting_of(s, i);
    if (!h)
      continue;
    struct horizon past;
    horizon_clear(&past);
    add_part(s, h, part_by_order(s, h, i, &past));
    if (event_reads(&o->event[i]) && o->observed)
      observed_come(s, h, i);
    else if (event_reads(&o->event[i]))
      add_part(s, h, part_by_source(s, h, o->event[i].source, &past));
  }
  for (uint32_t i = 0; i < o->events && !o->full; i++)
    if (s->fresh[i])
      consider_all_of(s, i);
  for (unsigned t = 0; t < outcome->threads && !o->full; t++)
    if (o->phantom[t])
      consider_phantom(s, outcome, t);
  if (threadset_empty(&s->held) || o->full)
    return;
  consider_held(s);
  if (s->impatient)
    arrange_waiting(s);
}

void sources_add_outcomes(struct sources *s, uint32_t stands)
{
  uint32_t planned = s->course ? course_at(s, s->course)->steps : 0;
  for (uint32_t i = 0; i < s->order.events; i++) {
    bool free = i >= planned;
    struct parting *h = free ? parting_of(s, i) : s->top ? &s->parting[s->top - 1] : NULL;
    if (s->fresh[i] && s->order.event[i].choices && h)
      add_outcomes(s, h, free ? i + 1 : planned, free ? i : stands, i, free ? 0 : s->told_of_fresh);
  }
}
