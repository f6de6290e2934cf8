/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of reads if executions are the same in which each read comes after the same writes of its bytes and finds the
 * same of them (--equivalence observed; sources.h). A part is a source and the set of writes that come before the read;
 * of these, the others need not be ordered.
 *
 * All sets that can be made of the prefix are tried when the read comes for the first time. Sets with a write that is
 * not in the prefix grow one by one. Why that finds all: of an execution in which the read e comes after the set B,
 * take the last write of B that is not in the prefix, w. Nothing of what must come before B comes after w but writes of
 * the prefix that nothing orders with it; so, if w does not read, it can come after e instead, and nothing else is
 * changed by that. There e has the set without w, and the source it had unless that was w. If w is an update it can
 * come after e, too, but then finds something else: so each set it may come after is tried together with e's. Where e
 * would look in vain on the way there is no execution to grow from; then there is the part in which its thread waits
 * for good, and all sets are tried of what comes there.
 */
#include "core/loss.h"
#include "core/rng.h"
#include "explore/parts.h"

#define WRITES_MOST 64
#define SETS_MOST (1u << 20)

/* What a read may come after. */
struct sight {
  uint32_t event;
  struct horizon need; /* what must come before it */
  unsigned count;      /* writes of its bytes beyond that, in the order in which they came */
  uint32_t write[WRITES_MOST];
  uint64_t needs[WRITES_MOST]; /* who comes after this one comes after these */
  unsigned lasts;              /* of those it must come after, the last ones */
  uint32_t last[WRITES_MOST];
};

static bool writes_there(const struct order *o, uint32_t write, const struct order_event *e)
{
  return op_writes_memory(o->event[write].op.kind) && events_meet(&o->event[write], e);
}

/* ---- what there is to see ---- */

static bool comes_before_any(const struct order *o, uint32_t write, const uint32_t *of, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    if (of[i] != write && order_before(o, write, &o->event[of[i]]))
      return true;
  return false;
}

/* False: too much. */
static bool add_write(const struct order *o, struct sight *v, uint32_t write)
{
  bool must = horizon_has(&v->need, &o->event[write]);
  if (must && comes_before_any(o, write, v->last, v->lasts))
    return true;
  if ((must ? v->lasts : v->count) == WRITES_MOST)
    return false;
  if (must)
    v->last[v->lasts++] = write;
  else
    v->write[v->count++] = write;
  return true;
}

/* The last read of these bytes in the prefix before that event, + 1: what it came after comes before the event. */
static uint32_t read_before(const struct sources *s, const struct parting *h, const struct order_event *e, uint32_t at)
{
  const struct order *o = &s->order;
  for (uint32_t l = o->link[e->link].prev; l; l = o->link[l - 1].prev) {
    uint32_t r = o->link[l - 1].event;
    if (r < at && in_prefix(s, h, r) && event_reads(&o->event[r]) && events_meet(&o->event[r], e))
      return r + 1;
  }
  return 0;
}

static void find_needs(const struct sources *s, const struct parting *h, struct sight *v)
{
  const struct order *o = &s->order;
  for (unsigned i = 0; i < v->count; i++) {
    uint32_t read = read_before(s, h, &o->event[v->event], v->write[i]);
    v->needs[i] = 0;
    for (unsigned j = 0; j < i; j++)
      if (v->write[j] + 1 < read || order_before(o, v->write[j], &o->event[v->write[i]]))
        v->needs[i] |= UINT64_C(1) << j;
  }
}

/* Of the writes before `end`; the need of the read is known. False: there are too many. */
static bool look_back(struct sources *s, const struct parting *h, struct sight *v, uint32_t event, uint32_t end)
{
  const struct order *o = &s->order;
  const struct order_event *e = &o->event[event];
  bool good = true;
  v->event = event;
  v->count = v->lasts = 0;
  for (uint32_t l = o->link[e->link].prev; l && good; l = o->link[l - 1].prev)
    if (o->link[l - 1].event < end && writes_there(o, o->link[l - 1].event, e))
      good = add_write(o, v, o->link[l - 1].event);
  for (unsigned i = 0; i < v->count / 2; i++) {
    uint32_t write = v->write[i];
    v->write[i] = v->write[v->count - 1 - i];
    v->write[v->count - 1 - i] = write;
  }
  if (good)
    find_needs(s, h, v);
  else
    s->lost |= LOST_TOO_LONG;
  return good;
}

static uint64_t all_of(const struct sight *v)
{
  return v->count == 64 ? UINT64_MAX : (UINT64_C(1) << v->count) - 1;
}

/* The next set that has with each write all that comes before it. False: that was the last. */
static bool next_set(const struct sight *v, uint64_t *set)
{
  for (unsigned i = 0; i < v->count; i++) {
    if (*set >> i & 1)
      continue;
    *set = (*set >> i | 1) << i;
    for (unsigned j = i; j < v->count; j++)
      *set |= *set >> j & 1 ? v->needs[j] : 0;
    return true;
  }
  return false;
}

/* The write (+ 1) can be the last of the set. */
static bool can_be_last(const struct order *o, const struct sight *v, uint64_t set, uint32_t write)
{
  for (unsigned i = 0; i < v->count; i++)
    if (set >> i & 1 && v->write[i] != write && order_before(o, write, &o->event[v->write[i]]))
      return false;
  return !comes_before_any(o, write, v->last, v->lasts);
}

/* One after another, the writes that can, + 1; 0 where there is none but the start. False: that was all. */
static bool next_source(const struct order *o, const struct sight *v, uint64_t set, unsigned *at, uint32_t *source)
{
  *source = 0;
  if (!set && !v->lasts)
    return (*at)++ == 0;
  while (*at < v->count + v->lasts) {
    unsigned i = (*at)++;
    uint32_t write = i < v->count ? v->write[i] : v->last[i - v->count];
    if ((i >= v->count || set >> i & 1) && can_be_last(o, v, set, write)) {
      *source = write + 1;
      return true;
    }
  }
  return false;
}

/* ---- parts ---- */

/* A number for the source and the set; what comes before the set joins the past. */
static uint64_t number_of_part(struct sources *s, const struct parting *h, const struct sight *v, uint64_t set,
                               uint32_t source, struct horizon *past)
{
  const struct order *o = &s->order;
  uint64_t part = mix64(BY_SOURCE);
  if (source)
    part = mix64(part ^ number_of_event(o, source - 1));
  for (unsigned i = 0; i < v->count; i++) {
    if (!(set >> i & 1))
      continue;
    horizon_join(past, o, &o->event[v->write[i]]);
    if (in_prefix(s, h, v->write[i]))
      part += mix64(number_of_event(o, v->write[i]) + BY_SOURCE);
  }
  return part;
}

/* The change of the arrangement that was made last is of the reader: it comes after the set. */
static void see(struct sources *s, const struct sight *v, uint64_t set)
{
  for (unsigned i = 0; i < v->count; i++)
    if (set >> i & 1)
      arrange_see(s, v->write[i]);
}

static void try_part(struct sources *s, struct parting *h, const struct sight *v, uint64_t set, uint32_t source)
{
  const struct order_event *e = &s->order.event[v->event];
  struct horizon past;
  horizon_clear(&past);
  uint64_t part = number_of_part(s, h, v, set, source, &past), value = value_of(&s->order, e, source);
  if (!add_part(s, h, part + sum_past(s, h, &past)))
    return;
  if (judge(s, e, value) == IN_VAIN) {
    add_waiting(s, h, e);
    return;
  }
  begin_course(s, h, &past);
  *arrange_change(s, v->event, source, writes_after(s, e, value)) = v->need;
  see(s, v, set);
  arrange_course(s, h, v->event);
}

static void try_all(struct sources *s, struct parting *h, const struct sight *v)
{
  uint64_t set = 0;
  unsigned sets = 0;
  do {
    uint32_t source;
    for (unsigned at = 0; next_source(&s->order, v, set, &at, &source);)
      try_part(s, h, v, set, source);
    if (++sets == SETS_MOST) {
      s->lost |= LOST_TOO_LONG;
      return;
    }
  } while (next_set(v, &set));
}

void observed_come(struct sources *s, struct parting *h, uint32_t event)
{
  const struct order *o = &s->order;
  const struct order_event *e = &o->event[event];
  struct sight v;
  struct horizon past;
  if (!e->links || event_is_wide(e))
    return;
  needed(o, &v.need, e, 0);
  if (!look_back(s, h, &v, event, event))
    return;
  horizon_clear(&past);
  add_part(s, h, number_of_part(s, h, &v, all_of(&v), e->source, &past));
  try_all(s, h, &v);
}

void observed_pending(struct sources *s, struct parting *h, uint32_t event)
{
  struct sight v;
  needed(&s->order, &v.need, &s->order.event[event], 0);
  if (look_back(s, h, &v, event, s->order.events))
    try_all(s, h, &v);
}

/* ---- what came later ---- */

/* Of the writes that the later step must come after, all came before the read, and it need not come after that. */
static bool is_next(const struct order *o, uint32_t later, const struct horizon *need, uint32_t event)
{
  const struct order_event *f = &o->event[later];
  if (horizon_has(need, &o->event[event]))
    return false;
  for (uint32_t l = o->link[f->link].prev; l && o->link[l - 1].event > event; l = o->link[l - 1].prev)
    if (writes_there(o, o->link[l - 1].event, f) && horizon_has(need, &o->event[o->link[l - 1].event]))
      return false;
  return true;
}

static void try_write(struct sources *s, struct parting *h, struct sight *v, uint32_t later)
{
  const struct order *o = &s->order;
  uint32_t source = o->event[v->event].source;
  struct horizon need;
  needed(o, &need, &o->event[later], 0);
  if (!is_next(o, later, &need, v->event))
    return;
  if (v->count == WRITES_MOST) {
    s->lost |= LOST_TOO_LONG;
    return;
  }
  v->write[v->count++] = later;
  try_part(s, h, v, all_of(v), later + 1);
  if (source && !order_before(o, source - 1, &o->event[later]))
    try_part(s, h, v, all_of(v), source);
}

/* The update comes after that set of its own and finds that source; then come the other writes before the read, and the
 * read, which finds the update if there are none. */
static void try_pair(struct sources *s, struct parting *h, const struct sight *v, const struct sight *update,
                     uint64_t set, uint32_t found)
{
  const struct order *o = &s->order;
  const struct order_event *e = &o->event[v->event], *f = &o->event[update->event];
  uint64_t value = value_of(o, f, found);
  uint32_t source = set == all_of(update) ? update->event + 1 : e->source;
  struct horizon past = update->need, own = update->need;
  if (!writes_after(s, f, value) || judge(s, f, value) == IN_VAIN)
    return;
  for (unsigned i = 0; i < update->count; i++)
    if (set >> i & 1)
      horizon_join(&own, o, &o->event[update->write[i]]);
  uint64_t part = number_of_part(s, h, v, all_of(v), source, &past);
  if (!add_part(s, h, part + sum_past(s, h, &past) + mix64(sign_with(o, update->event, found, &own))))
    return;
  begin_course(s, h, &past);
  *arrange_change(s, update->event, found, true) = update->need;
  see(s, update, set);
  *arrange_change(s, v->event, source, op_writes_memory(e->op.kind)) = v->need;
  see(s, v, all_of(v));
  arrange_see(s, update->event);
  arrange_course(s, h, v->event);
}

static void try_update(struct sources *s, struct parting *h, const struct sight *v, uint32_t later)
{
  const struct order *o = &s->order;
  struct sight update;
  uint32_t source = o->event[v->event].source;
  uint64_t set = 0;
  needed(o, &update.need, &o->event[later], v->event + 1);
  update.event = later;
  if (!is_next(o, later, &update.need, v->event) || !look_back(s, h, &update, later, v->event))
    return;
  for (; set != all_of(&update); next_set(&update, &set)) {
    uint32_t found;
    for (unsigned at = 0; next_source(o, &update, set, &at, &found);)
      try_pair(s, h, v, &update, set, found);
  }
  try_pair(s, h, v, &update, set, source);
}

void observed_later(struct sources *s, struct parting *h, uint32_t event, uint32_t later)
{
  const struct order *o = &s->order;
  const struct order_event *e = &o->event[event], *f = &o->event[later];
  bool came = later < o->events, updates = op_announced_kind(&f->op) == OP_ATOMIC_RMW;
  struct sight v;
  if (e->thread == f->thread || (came && !s->fresh[later]) || !(updates || (came && op_writes_memory(f->op.kind))))
    return;
  needed(o, &v.need, e, 0);
  if (!look_back(s, h, &v, event, event))
    return;
  if (updates)
    try_update(s, h, &v, later);
  else
    try_write(s, h, &v, later);
}

/* ---- reads of other kinds of parts ---- */

/* The next write, from that link (+ 1) on, that the reader saw and that does not come after e; + 1, 0: none. */
static uint32_t next_kept(const struct order *o, const struct order_event *reader, uint32_t e, uint32_t link)
{
  for (; link; link = o->link[link - 1].prev)
    if (writes_there(o, o->link[link - 1].event, reader) && !order_before(o, e, &o->event[o->link[link - 1].event]))
      return link;
  return 0;
}

void observed_join(const struct order *o, struct horizon *past, uint32_t reader, uint32_t e)
{
  const struct order_event *r = &o->event[reader];
  uint32_t l = r->links ? o->link[r->link].prev : 0;
  while ((l = next_kept(o, r, e, l))) {
    horizon_join(past, o, &o->event[o->link[l - 1].event]);
    l = o->link[l - 1].prev;
  }
}

void observed_choose(struct sources *s, uint32_t reader, uint32_t e)
{
  const struct order *o = &s->order;
  const struct order_event *r = &o->event[reader];
  uint32_t l = r->links ? o->link[r->link].prev : 0;
  while ((l = next_kept(o, r, e, l))) {
    arrange_see(s, o->link[l - 1].event);
    l = o->link[l - 1].prev;
  }
}
