/* SPDX-License-Identifier: Apache-2.0
 *
 * The partial order of an execution; see order.h. Every event is linked into the chain of each object and each word of
 * memory it touches, so that only what can depend on it is looked at.
 */
#include "explore/order.h"
#include "core/footprint.h"
#include "core/rng.h"
#include "explore/symmetry.h"

#define OPERATION_KEYS (ORDER_WIDE + 3)

void order_reset(struct order *o)
{
  order_truncate(o, 0);
  o->full = false;
}

void order_tidy(struct order *o)
{
  zones_tidy(&o->zones);
  if (o->keys <= (1u << ORDER_KEY_BITS) / 2)
    return;
  for (uint32_t i = 0; i < 1u << ORDER_KEY_BITS; i++)
    o->slot[i] = (struct key_slot){0};
  o->keys = 0;
}

/* ---- chains ---- */

static struct key_slot *slot_of(struct order *o, uint64_t key)
{
  uint32_t at = (uint32_t)(mix64(key) >> (64 - ORDER_KEY_BITS));
  while (o->slot[at].key && o->slot[at].key != key)
    at = (at + 1) & ((1u << ORDER_KEY_BITS) - 1);
  return &o->slot[at];
}

uint32_t order_head(const struct order *o, uint64_t key)
{
  return slot_of((struct order *)o, key)->head;
}

static unsigned channels_touched(const struct operation *op)
{
  struct footprint footprint[FOOTPRINTS_MOST];
  return op_footprints(op, footprint);
}

static bool is_large(const struct operation *op)
{
  if (op->kind == OP_SYSTEM)
    return __builtin_popcountll(op->addr | op->arg) > OPERATION_KEYS;
  if (op_is_on_channels(op->kind))
    return channels_touched(op) > OPERATION_KEYS;
  return op_is_memory(op->kind) && ((op->addr & 7) + op->length + 7) / 8 > ORDER_WIDE;
}

static bool is_wide(const struct operation *op)
{
  return op_is_global(op) || is_large(op);
}

bool event_is_wide(const struct order_event *e)
{
  return e->final || is_wide(&e->op);
}

bool event_has_no_place(const struct order_event *e)
{
  return event_is_wide(e) && (e->final || op_is_global(&e->op) || !e->zones);
}

bool event_ends_list(const struct order_event *e)
{
  return op_is_global(&e->op) && e->op.kind != OP_CANCEL;
}

static bool only_looks(const struct order_event *e)
{
  return op_only_looks(e->op.kind) && !e->awaits;
}

/* A chain an operation has a place in, and on which of the eight bytes there it acts; on all of an object. */
struct chain {
  uint64_t key;
  uint8_t bytes;
};

static uint8_t bytes_of(const struct footprint *f, uint64_t word)
{
  uint64_t from = f->addr > word ? f->addr - word : 0, to = f->addr + f->length - word;
  return (uint8_t)((1u << (to < 8 ? to : 8)) - (1u << from));
}

static unsigned chains_of(const struct operation *op, struct chain chain[OPERATION_KEYS])
{
  struct footprint footprint[FOOTPRINTS_MOST];
  bool nowhere =
      is_large(op) || (op_is_global(op) && !(op->traits & OP_FAR)); /* the far have objects of their own, too */
  unsigned n = 0, footprints = nowhere ? 0 : op_footprints(op, footprint);
  for (const struct footprint *f = footprint; f < footprint + footprints; f++) {
    if (f->touch == TOUCH_STANDS_ON && !(op->traits & OP_ON_HEAP))
      continue; /* nobody can free it */
    if (!f->length && n < OPERATION_KEYS)
      chain[n++] = (struct chain){f->key, UINT8_MAX};
    for (uint64_t word = f->addr & ~UINT64_C(7); word < f->addr + f->length && n < OPERATION_KEYS; word += 8)
      chain[n++] = (struct chain){key_in_space(f->space, word), bytes_of(f, word)};
  }
  return n;
}

uint8_t order_acts_on(const struct operation *op, uint64_t key)
{
  struct chain own[OPERATION_KEYS];
  unsigned chains = chains_of(op, own);
  for (unsigned i = 0; i < chains; i++)
    if (own[i].key == key)
      return own[i].bytes;
  return 0;
}

/* ---- dependence between events ---- */

bool order_meets_state(enum op_kind kind)
{
  return kind == OP_ONCE_ENTER || kind == OP_COND_SIGNAL || kind == OP_COND_BROADCAST;
}

void order_meet(struct operation *op, uint64_t state)
{
  op->arg = op->kind == OP_ONCE_ENTER ? state == ONCE_IS_DONE : !(state & WORLD_WAITERS);
}

/* Where somebody waits until a word has some value, he goes on only if some of the updates have come and others have
 * not, and each of them alone makes no difference: then they do not commute. */
static void take_as_it_counts(const struct order *o, struct operation *op)
{
  if (o->updates_show && is_update(op))
    op->second = UPDATE_NONE;
}

/* An access of so much memory that it is in no chain, and that word of it. */
static bool covers_word(const struct operation *op, uint64_t key)
{
  if (!op_is_memory(op->kind) || !is_large(op) || !key_is_memory(key) || key_space(key) != op->space)
    return false;
  uint64_t word = key_address(key);
  return word < op->addr + op->length && op->addr < word + 8;
}

/* The one comes because of the state of something that the other changes. */
static bool watches(const struct order *o, const struct order_event *a, const struct order_event *b)
{
  if (!a->awaits || op_only_looks(b->op.kind))
    return false;
  for (unsigned i = 0; i < a->links; i++) {
    const struct link *x = &o->link[a->link + i];
    if (x->watches && covers_word(&b->op, x->key))
      return true;
    for (unsigned j = 0; j < b->links; j++)
      if (x->key == o->link[b->link + j].key && (x->watches & o->link[b->link + j].acts))
        return true;
  }
  return false;
}

/* The program ended in the one: all that could be told from its absence had to come before. */
static bool cuts_off(const struct order_event *a, const struct order_event *b)
{
  return a->final == FINAL_OVER_ALL || (a->final && !b->hidden);
}

bool order_dependent(const struct order *o, const struct order_event *a, const struct order_event *b)
{
  if (a->op.kind == OP_END || b->op.kind == OP_END)
    return !a->hidden && !b->hidden;
  return cuts_off(a, b) || cuts_off(b, a) || op_steps_dependent(a->thread, &a->op, b->thread, &b->op) ||
         watches(o, a, b) || watches(o, b, a);
}

bool order_watches(const struct order *o, const struct order_event *e, const struct operation *op)
{
  if (!e->awaits || op_only_looks(op->kind))
    return false;
  struct chain own[OPERATION_KEYS];
  unsigned chains = chains_of(op, own);
  for (unsigned j = 0; j < e->links; j++) {
    const struct link *link = &o->link[e->link + j];
    if (link->watches && covers_word(op, link->key))
      return true;
    for (unsigned i = 0; i < chains; i++)
      if (link->key == own[i].key && (link->watches & own[i].bytes))
        return true;
  }
  return false;
}

static bool pending_watches(const struct order *o, const struct watched_keys *watched, const struct order_event *e)
{
  if (op_only_looks(e->op.kind))
    return false;
  for (unsigned k = 0; k < watched->count; k++) {
    if (covers_word(&e->op, watched->key[k]))
      return true;
    for (unsigned i = 0; i < e->links; i++)
      if (o->link[e->link + i].key == watched->key[k] && (o->link[e->link + i].acts & watched->bytes[k]))
        return true;
  }
  return false;
}

bool order_dependent_pending(const struct order *o, unsigned thread, const struct operation *op,
                             const struct watched_keys *watched, const struct order_event *e)
{
  struct operation step = *op;
  take_as_it_counts(o, &step);
  if (op->kind == OP_END)
    return !e->hidden;
  if (op->kind == OP_BARRIER_ARRIVE)
    step.arg = e->op.arg + e->opens;
  if (order_meets_state(op->kind) && order_meets_state(e->op.kind) &&
      op_table[op->kind].object == op_table[e->op.kind].object)
    step.arg = e->op.arg; /* both could come there */
  return e->final || op_steps_dependent(thread, &step, e->thread, &e->op) || order_watches(o, e, op) ||
         (watched && pending_watches(o, watched, e));
}

static bool changes_all(const struct operation *op)
{
  struct footprint footprint[FOOTPRINTS_MOST];
  unsigned n = op_footprints(op, footprint);
  while (n && footprint[n - 1].touch == TOUCH_CHANGES)
    n--;
  return n == 0;
}

/* Operations that commute with some others of their object say nothing about what came before. */
static bool is_total(const struct operation *op)
{
  switch (op->kind) {
  case OP_RWLOCK_RDLOCK:
  case OP_SEM_POST:
  case OP_SEM_GETVALUE:
  case OP_BARRIER_ARRIVE:
  case OP_BARRIER_LEAVE:
  case OP_COND_WAKE:
  case OP_EXIT:
  case OP_DETACH:
  case OP_QUEUE_LOOK:
  case OP_SEMSET_LOOK:
  case OP_AIO_LOOK:
  case OP_PROPERTY:
    return false;
  case OP_RWLOCK_UNLOCK:
    return op->arg;
  case OP_ONCE_ENTER:
  case OP_COND_SIGNAL:
  case OP_COND_BROADCAST:
    return !op->arg;
  case OP_SYSTEM:
    return !(op->arg & ~op->addr); /* it changes all that it looks at */
  default:
    return !op_is_on_channels(op->kind) || changes_all(op);
  }
}

bool order_covers(const struct order *o, const struct order_event *f, const struct order_event *e,
                  const struct link *link)
{
  uint64_t key = link->key;
  if (f->final)
    return true;
  if (f->awaits || e->awaits)
    return false;
  if (key_is_memory(key)) {
    uintptr_t word = key_address(key), low = e->op.addr > word ? e->op.addr : word, high = e->op.addr + e->op.length;
    if (!op_is_memory(e->op.kind))
      return false;
    if (high > word + 8)
      high = word + 8;
    bool stands = e->op.kind == OP_FREE && f->op.kind != OP_FREE; /* what stood there matters to who frees it alone */
    return op_writes_memory(f->op.kind) && !stands && !f->loose && f->op.addr <= low &&
           f->op.addr + f->op.length >= high;
  }
  if (f->op.kind == OP_BARRIER_ARRIVE && e->op.kind == OP_BARRIER_ARRIVE)
    return f->op.arg + 1 < e->op.arg;
  return is_total(&f->op) && order_dependent(o, f, e);
}

uint64_t order_state_at(const struct order *o, uint64_t key, uint32_t e, uint64_t now)
{
  for (uint32_t l = order_head(o, key); l && o->link[l - 1].event >= e; l = o->link[l - 1].prev)
    now = o->link[l - 1].before;
  return now;
}

bool order_holds(const struct order *o, unsigned thread, uint64_t key, uint32_t before)
{
  for (uint32_t l = order_head(o, key); l; l = o->link[l - 1].prev) {
    const struct link *link = &o->link[l - 1];
    if (link->event < before && o->event[link->event].thread == thread && (link->before || link->after))
      return !link->after;
  }
  return false;
}

/* ---- adding ---- */

/* Who leaves a barrier comes after all arrivals of the round, and so did who left it before: that one knows them all,
 * and nothing else if it races with nobody. */
static void join_round(const struct order *o, struct horizon *h, const struct order_event *e)
{
  for (uint32_t l = o->link[e->link].prev; l; l = o->link[l - 1].prev) {
    const struct order_event *f = &o->event[o->link[l - 1].event];
    if (f->op.kind == OP_BARRIER_LEAVE && f->op.arg == e->op.arg && !f->races) {
      uint32_t before = f->thread < h->width ? h->at[f->thread] : 0;
      horizon_join(h, o, f);
      h->at[f->thread] = before > f->nth - 1 ? before : f->nth - 1;
      return;
    }
    if (f->op.kind == OP_BARRIER_ARRIVE && f->op.arg < e->op.arg)
      return;
    if (f->op.kind == OP_BARRIER_ARRIVE && f->op.arg == e->op.arg)
      horizon_join(h, o, f);
  }
}

void order_own_past(const struct order *o, struct horizon *h, const struct order_event *e)
{
  if (e->previous)
    horizon_join(h, o, &o->event[e->previous - 1]);
  if (e->enabler && !op_needs_nobody(&e->op) && !(e->op.traits & OP_SIGNALLED) && !op_waits_for_any(&e->op))
    horizon_join(h, o, &o->event[e->enabler - 1]);
  if (e->elder)
    horizon_join(h, o, &o->event[e->elder - 1]);
  if (e->op.kind == OP_BARRIER_LEAVE)
    join_round(o, h, e);
}

static uint32_t enabler_of(const struct order *o, unsigned thread, const struct operation *op)
{
  switch (op->kind) {
  case OP_START:
    return o->created[thread];
  case OP_JOIN:
    return o->last[op->arg];
  case OP_COND_WAKE: /* those with a timeout need nobody, unless they wait for their time */
  case OP_FUTEX_BLOCK:
    return o->woken[thread];
  default:
    return op_waits_for_system(op) ? o->woken[thread] : 0;
  }
}

/* Operations on one object that commute with each other and with the same others: runs of them are passed at once. */
static bool of_one_class(const struct order_event *a, const struct order_event *b)
{
  if (a->awaits || b->awaits || a->final || b->final)
    return false;
  if (a->op.kind == OP_BARRIER_ARRIVE && b->op.kind == OP_BARRIER_ARRIVE)
    return a->op.arg == b->op.arg;
  return op_of_one_class(&a->op, &b->op);
}

/* The event commutes with the other one, and with all of its class. */
static bool passes(const struct order_event *e, const struct order_event *f)
{
  bool at_barrier = (e->op.kind == OP_BARRIER_ARRIVE && f->op.kind == OP_BARRIER_LEAVE) ||
                    (e->op.kind == OP_BARRIER_LEAVE && f->op.kind == OP_BARRIER_ARRIVE);
  return of_one_class(f, e) || (at_barrier && !e->awaits && !f->awaits && !e->final && !f->final);
}

uint32_t order_earlier(const struct order *o, const struct order_event *e, const struct link *link)
{
  bool memory = op_is_memory(e->op.kind), looks = memory && only_looks(e);
  uint32_t l = link->prev, floor = order_floor(e);
  if (looks && !is_update(&o->event[link->event].op))
    l = link->writer;
  else if (looks)
    l = l && only_looks(&o->event[o->link[l - 1].event]) ? o->link[l - 1].writer : l;
  else if (memory || key_is_object(link->key))
    while (l && o->link[l - 1].event >= floor && passes(e, &o->event[o->link[l - 1].event]))
      l = o->link[l - 1].writer;
  return l && o->link[l - 1].event >= floor ? l : 0;
}

/* Whether two events of a thread know the same of the others. */
static bool same_past(const struct order *o, const struct order_event *f, const struct order_event *e)
{
  bool same = f->width == e->width;
  for (unsigned t = 0; same && t < e->width; t++)
    same = t == e->thread || o->clock[f->clock + t] == o->clock[e->clock + t];
  return same;
}

/* Of an update whose clock is known: whether one that it depends on, or commutes with, does not happen before it. */
static bool is_loose(const struct order *o, const struct order_event *e)
{
  for (uint32_t l = o->link[e->link].prev; l; l = o->link[l - 1].prev) {
    const struct order_event *f = &o->event[o->link[l - 1].event];
    if (!op_writes_memory(f->op.kind) || !(o->link[l - 1].acts & o->link[e->link].acts))
      continue;
    if (!order_before(o, o->link[l - 1].event, e))
      return true;
    if (f->thread == e->thread && same_past(o, f, e))
      return f->loose;
    if (order_covers(o, f, e, &o->link[e->link]))
      return false;
  }
  return false;
}

/* The horizon of an event in the making. */
struct past {
  struct horizon *h;
  struct horizon own; /* what comes before it by its own thread */
};

/* False: it does not depend on f. */
static bool join_dependent(const struct order *o, struct past *p, struct order_event *e, const struct order_event *f)
{
  if (!order_dependent(o, f, e))
    return false;
  if (!horizon_has(&p->own, f))
    e->races = true;
  if (!horizon_has(p->h, f))
    horizon_join(p->h, o, f);
  return true;
}

static void join_chains(const struct order *o, struct past *p, struct order_event *e)
{
  for (unsigned i = 0; i < e->links; i++) {
    const struct link *mine = &o->link[e->link + i];
    for (uint32_t l = order_earlier(o, e, mine); l;) {
      const struct link *link = &o->link[l - 1];
      const struct order_event *f = &o->event[link->event];
      if (join_dependent(o, p, e, f) && order_covers(o, f, e, mine))
        break;
      l = order_earlier(o, e, link);
    }
  }
}

static void join_zones(const struct order *o, struct past *p, struct order_event *e)
{
  struct zone_walk w = order_zones(o, e);
  for (uint32_t f; (f = zones_next(&w));)
    if (join_dependent(o, p, e, &o->event[f - 1]) && !o->event[f - 1].loose)
      zones_cover(&w, &o->event[f - 1].op);
}

/* Of each thread the last one is enough. */
static void join_threads(const struct order *o, struct past *p, struct order_event *e)
{
  for (unsigned t = 0; t < o->threads; t++)
    for (uint32_t f = o->last[t]; f && !horizon_has(p->h, &o->event[f - 1]); f = o->event[f - 1].previous)
      if (join_dependent(o, p, e, &o->event[f - 1]))
        break;
}

/* Everything the event depends on, and whether something of that is not in its own past. */
static void join_dependents(const struct order *o, struct horizon *h, struct order_event *e)
{
  struct past p;
  p.h = h;
  p.own.width = h->width;
  for (unsigned i = 0; i < h->width; i++)
    p.own.at[i] = h->at[i];
  if (event_has_no_place(e)) {
    join_threads(o, &p, e);
    return;
  }
  join_chains(o, &p, e);
  if (e->zones)
    join_zones(o, &p, e);
  for (uint32_t f = o->wide; f > e->alike; f = o->event[f - 1].wide)
    if (join_dependent(o, &p, e, &o->event[f - 1]) && event_ends_list(&o->event[f - 1]))
      break;
}

void order_await(struct order *o, uint64_t key)
{
  struct key_slot *slot = slot_of(o, key);
  slot->awaited = slot->key;
  o->updates_awaited |= slot->awaited && slot->updated;
}

/* The last link, + 1, of another class than the event, from that one (+ 1) on backwards. Who arrives at a barrier also
 * passes those that leave it, which come in between. */
static uint32_t writer_before(const struct order *o, const struct order_event *e, uint64_t key, uint32_t head)
{
  const struct order_event *last = head ? &o->event[o->link[head - 1].event] : NULL;
  if (!last)
    return 0;
  bool by_class = key_is_object(key) || is_update(&e->op);
  if (e->op.kind == OP_BARRIER_ARRIVE && last->op.kind == OP_BARRIER_LEAVE && passes(e, last)) {
    head = o->link[head - 1].writer;
    last = head ? &o->event[o->link[head - 1].event] : NULL;
  }
  bool alike = last && (by_class ? of_one_class(last, e) : only_looks(last));
  return alike ? o->link[head - 1].writer : head;
}

static void add_link(struct order *o, const struct world *world, struct order_event *e, uint32_t index, uint64_t key,
                     uint8_t acts, uint8_t watches)
{
  struct key_slot *slot = slot_of(o, key);
  if (!slot->key) {
    slot->key = key;
    o->full |= ++o->keys > (1u << ORDER_KEY_BITS) * 3 / 4;
  }
  if (is_update(&e->op)) {
    slot->updated = true;
    o->updates_awaited |= slot->awaited;
  }
  o->link[e->link + e->links++] = (struct link){
      .key = key,
      .before = world->state(world->self, &e->op, key),
      .event = index,
      .prev = slot->head,
      .writer = writer_before(o, e, key, slot->head),
      .acts = acts,
      .watches = watches,
      .uniform = o->by_source && key_is_memory(key) && order_continues_uniformly(o, e, slot->head, acts),
  };
}

static void add_links(struct order *o, const struct world *world, struct order_event *e, uint32_t index,
                      const struct watched_keys *watched)
{
  struct chain chain[OPERATION_KEYS];
  unsigned chains = chains_of(&e->op, chain);
  e->links = 0;
  for (unsigned i = 0; i < chains; i++)
    add_link(o, world, e, index, chain[i].key, chain[i].bytes, 0);
  for (unsigned i = 0; watched && i < watched->count; i++) {
    unsigned own = 0;
    while (own < chains && chain[own].key != watched->key[i])
      own++;
    if (own < chains)
      o->link[e->link + own].watches = watched->bytes[i];
    else
      add_link(o, world, e, index, watched->key[i], 0, watched->bytes[i]);
    order_await(o, watched->key[i]);
  }
}

unsigned order_watched(const struct order *o, const struct order_event *e, struct watched_key out[ORDER_WATCHED])
{
  unsigned n = 0;
  for (unsigned i = 0; e->awaits && i < e->links && n < ORDER_WATCHED; i++)
    if (o->link[e->link + i].watches)
      out[n++] = (struct watched_key){o->link[e->link + i].key, o->link[e->link + i].watches};
  return n;
}

void order_link_apart(struct order *o, struct order_event *e, const struct watched_key *watched, unsigned count)
{
  struct chain chain[OPERATION_KEYS];
  unsigned chains = chains_of(&e->op, chain);
  e->link = ORDER_LINKS - OPERATION_LINKS; /* order_add() leaves them free */
  e->links = 0;
  for (unsigned i = 0; i < chains; i++)
    o->link[e->link + e->links++] = (struct link){.key = chain[i].key, .acts = chain[i].bytes};
  for (unsigned i = 0; i < count && i < ORDER_WATCHED; i++)
    o->link[e->link + e->links++] = (struct link){.key = watched[i].key, .watches = (uint8_t)watched[i].bytes};
}

bool order_interrupted(const struct order *o, unsigned thread, const struct operation *op)
{
  bool on_thread = op->object && op_table[op->kind].object == OBJECT_THREAD;
  return threadset_has(&o->interrupted, thread) || (on_thread && threadset_has(&o->interrupted, (unsigned)op->arg));
}

uint32_t order_cancelled(const struct order *o, unsigned thread, uint32_t from)
{
  if (!threadset_has(&o->interrupted, thread))
    return 0;
  while (from && !(o->event[from - 1].op.kind == OP_CANCEL && o->event[from - 1].op.arg == thread))
    from = o->event[from - 1].wide;
  return from;
}

/* The event is part of the execution: the next ones find it. */
static void publish_links(struct order *o, const struct order_event *e)
{
  for (unsigned i = 0; i < e->links; i++)
    slot_of(o, o->link[e->link + i].key)->head = e->link + i + 1;
  o->links = e->link + e->links;
}

static void place(struct order *o, struct order_event *e, uint32_t index)
{
  e->zones = 0;
  if (o->zones.in_use && !op_is_global(&e->op))
    e->zone = zones_add(&o->zones, &e->op, is_large(&e->op), index, &e->zones, &o->full);
}

/* From the first large access on, all events have places. */
static void use_zones(struct order *o, const struct operation *op)
{
  if (o->zones.in_use || !op_is_memory(op->kind) || !is_large(op))
    return;
  o->zones.in_use = true;
  for (uint32_t i = 0; i < o->events; i++)
    place(o, &o->event[i], i);
}

static void store_clock(struct order *o, struct order_event *e, const struct horizon *h)
{
  e->clock = o->clocks;
  e->width = (uint16_t)h->width;
  for (unsigned i = 0; i < h->width; i++)
    o->clock[o->clocks++] = h->at[i];
}

/* Leaps of growing length, such that the way to any event back is about twice the logarithm of the distance. */
static uint32_t jump_from(const struct order *o, uint32_t previous)
{
  const struct order_event *p = previous ? &o->event[previous - 1] : NULL;
  const struct order_event *q = p && p->jump ? &o->event[p->jump - 1] : NULL;
  if (!q)
    return previous;
  uint32_t further = q->jump ? o->event[q->jump - 1].nth : 0;
  return p->nth - q->nth == q->nth - further && q->jump ? q->jump : previous;
}

static void fill(struct order *o, const struct world *world, struct order_event *e, uint32_t index, uint32_t link,
                 unsigned thread, const struct operation *op, const struct watched_keys *watched, uint64_t local)
{
  *e = (struct order_event){.op = *op,
                            .local = local,
                            .thread = (uint16_t)thread,
                            .previous = o->last[thread],
                            .jump = jump_from(o, o->last[thread]),
                            .link = link,
                            .choice = o->choices,
                            .wide = o->wide,
                            .awaits = watched};
  take_as_it_counts(o, &e->op);
  if (op->kind == OP_BARRIER_ARRIVE)
    e->op.arg = world->state(world->self, op, key_of_object(OBJECT_BARRIER, op->space, op->addr)); /* the round */
  if (op->kind == OP_BARRIER_LEAVE) /* that of its own arrival */
    e->op.arg = o->event[o->last[thread] - 1].op.arg;
  if (order_meets_state(op->kind))
    order_meet(&e->op, world->state(world->self, op, key_of_object(op_table[op->kind].object, op->space, op->addr)));
  const struct order_event *previous = e->previous ? &o->event[e->previous - 1] : NULL;
  e->nth = previous ? previous->nth + 1 : 1;
  bool again = previous && op_idles_on(previous->op.kind, op->kind);
  e->hidden = op_is_invisible(op->kind) && !again && !(op->kind == OP_EXIT && o->exits_count) &&
              !order_interrupted(o, thread, op);
  e->visible = (previous ? previous->visible : 0) + !e->hidden;
  e->enabler = enabler_of(o, thread, op);
  e->elder = o->symmetric && !e->hidden ? symmetry_elder(o, thread, op) : 0;
  e->closed = op_waits_for_system(op) ? o->closed[thread] : 0;
  e->canceller = op->traits & OP_CANCELLED ? o->cancelled[thread] : 0;
  e->signaller = op->traits & OP_SIGNALLED ? o->signalled[thread] : 0;
  e->cutter = o->cut[thread];
  e->alike = order_alike_before(o, e);
  add_links(o, world, e, index, watched);
}

static void set_clock(struct order *o, struct order_event *e)
{
  struct horizon h;
  horizon_clear(&h);
  order_own_past(o, &h, e);
  e->races = false;
  if (o->by_source)
    order_join_sources(o, &h, e);
  else
    join_dependents(o, &h, e);
  for (; h.width <= e->thread; h.width++)
    h.at[h.width] = 0;
  h.at[e->thread] = e->nth;
  store_clock(o, e, &h);
  e->loose = is_update(&e->op) && is_loose(o, e);
}

void order_add(struct order *o, const struct world *world, unsigned thread, const struct operation *op,
               const struct watched_keys *watched, uint64_t local)
{
  if (o->events + MAX_THREADS + 1 >= ORDER_EVENTS ||
      o->links + (MAX_THREADS + 2) * OPERATION_LINKS >= ORDER_LINKS || /* its own, phantoms', one apart */
      o->clocks + 2 * MAX_THREADS >= ORDER_CLOCKS || o->choices + 256 >= ORDER_CHOICES)
    o->full = true;
  if (o->full)
    return;
  struct order_event *e = &o->event[o->events];
  use_zones(o, op);
  fill(o, world, e, o->events, o->links, thread, op, watched, local);
  place(o, e, o->events);
  set_clock(o, e);
  publish_links(o, e);
  order_note_place(o, e, o->events + 1);
  o->threads = thread < o->threads ? o->threads : thread + 1;
  o->last[thread] = ++o->events;
  order_note_recent(o, e, o->events);
  if (event_has_no_place(e))
    o->wide = o->events;
  o->woken[thread] = o->cancelled[thread] = o->signalled[thread] = o->closed[thread] = 0;
}

/* It was ordered after all who looked there before; as a load it need not be. */
void order_settle_swap(struct order *o, uint32_t e, bool failed)
{
  struct order_event *last = &o->event[e];
  if (failed == !!(last->op.traits & OP_FAILED) || e + 1 != o->events || o->full)
    return;
  zones_remove(&o->zones, &last->op, last->zone, last->zones);
  op_settle_swap(&last->op, failed);
  place(o, last, e);
  o->clocks = last->clock;
  for (unsigned i = 0; i < last->links; i++) /* it does not find itself */
    slot_of(o, o->link[last->link + i].key)->head = o->link[last->link + i].prev;
  set_clock(o, last);
  publish_links(o, last);
}

void order_add_phantom(struct order *o, const struct world *world, unsigned thread, const struct operation *op,
                       const struct watched_keys *watched, uint64_t local, uint32_t *links)
{
  uint32_t index = o->events + thread;
  struct order_event *e = &o->event[index];
  use_zones(o, op);
  fill(o, world, e, index, *links, thread, op, watched, local);
  if (o->zones.in_use && !op_is_global(op))
    e->zone = zones_look(&o->zones, op, index, &e->zones, &o->full);
  *links += e->links;
  o->phantom[thread] = index + 1;
}

void order_choose(struct order *o, unsigned n, unsigned value)
{
  struct order_event *e = &o->event[o->events - 1];
  if (o->full || e->choices == UINT16_MAX)
    return;
  o->choice[o->choices][0] = n;
  o->choice[o->choices++][1] = value;
  e->choices++;
}

void order_make_final(struct order *o, enum ending how)
{
  struct order_event *e = &o->event[o->events - 1];
  struct horizon h;
  if (e->final || o->full)
    return;
  horizon_clear(&h);
  for (unsigned t = 0; t < o->threads; t++)
    if (o->last[t])
      horizon_join(&h, o, &o->event[o->last[t] - 1]);
  o->clocks = e->clock;
  store_clock(o, e, &h);
  e->final = (uint8_t)how;
  e->races = true;
  o->wide = o->events;
}

void order_truncate(struct order *o, uint32_t n)
{
  while (o->events > n) {
    struct order_event *e = &o->event[--o->events];
    order_forget_place(o, e);
    for (unsigned i = e->links; i-- > 0;) {
      struct link *link = &o->link[e->link + i];
      slot_of(o, link->key)->head = link->prev;
    }
    zones_remove(&o->zones, &e->op, e->zone, e->zones);
    o->links = e->link;
    o->clocks = e->clock;
    o->choices = e->choice;
    o->wide = e->wide;
    o->last[e->thread] = e->previous;
    for (unsigned t = e->creates; t && t < MAX_THREADS && o->created[t] == o->events + 1; t++)
      o->created[t] = 0;
  }
  o->zones.ahead = o->zones.places;
  o->full = false;
}
