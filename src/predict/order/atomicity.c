/* SPDX-License-Identifier: Apache-2.0
 *
 * Atomicity violations; see atomicity.h. Of every granule are kept: the last access of each thread, with the places it
 * came by; pairs of local accesses; accesses of each context, which can be the remote side. A new access is the remote
 * side of the pairs of others, and may complete a pair, which is held against the accesses of
 * others. */
#include "predict/order/atomicity.h"
#include "predict/order/atomic_intent.h"
#include "predict/order/run_order.h"
#include <stdlib.h>
#include <string.h>

#define PLACES_KEPT 16  /* of a thread on a granule */
#define PAIRS_KEPT 32   /* of a granule */
#define REMOTES_KEPT 64 /* of a granule */
#define DEFERRED 16     /* of a thread: to be proven once it holds no lock */
#define TRIES 64        /* at a proof, of a triple of sites; after these, every TRIES-th is tried */

struct kept {
  struct kept_access access;
  uint32_t bytes;
};

struct pair {
  struct kept_access first, second;
  uint32_t bytes, across; /* across: the locks it held all the time */
  uint32_t approach;      /* time of the first of the acquisitions right before the second; 0 for none */
  struct shared_clock *approach_before;
};

/* Where a thread is on a granule. */
struct local {
  uint32_t thread, unit, bytes;
  struct kept_access last;
  uint32_t place[PLACES_KEPT], places;
};

struct notes {
  struct local *local;
  struct pair *pair;
  struct kept *remote;
  uint32_t locals, local_room, pairs, pair_room, pair_victim, remotes, remote_room, remote_victim;
};

struct atomicity_triple {
  bool found, sound;
  uint32_t tries;
  struct prediction_party party[3];
};

/* A remote access that came after both local ones, to be proven when its thread has left its sections. */
struct deferred {
  struct pair pair; /* with shares of its own in clocks */
  struct kept remote;
  uint64_t granule;
  uint32_t triple;
};

struct waiting {
  struct deferred list[DEFERRED];
  uint32_t count;
};

struct atomicity {
  struct atomicity_options options;
  struct run_order order;
  struct intern sites;
  struct atomicity_triple *triple;
  uint32_t triple_room;
  struct waiting **waiting; /* by thread */
  uint32_t waiting_room;
};

/* The access under way. */
struct visit {
  const struct event *event;
  const struct trace *tables;
  const struct run_order_thread *thread;
  struct kept now;
  uint64_t granule;
};

static void share_pair(const struct pair *p)
{
  shared_clock_share(p->first.before);
  shared_clock_share(p->second.before);
  shared_clock_share(p->approach_before);
}

static void drop_pair(const struct pair *p)
{
  shared_clock_drop(p->first.before);
  shared_clock_drop(p->second.before);
  shared_clock_drop(p->approach_before);
}

static void drop_notes(void *notes)
{
  struct notes *n = notes;
  for (uint32_t i = 0; i < n->locals; i++)
    shared_clock_drop(n->local[i].last.before);
  for (uint32_t i = 0; i < n->pairs; i++)
    drop_pair(&n->pair[i]);
  for (uint32_t i = 0; i < n->remotes; i++)
    shared_clock_drop(n->remote[i].access.before);
  free(n->local);
  free(n->pair);
  free(n->remote);
  free(n);
}

struct atomicity *atomicity_open(struct atomicity_options options)
{
  struct atomicity *a = calloc(1, sizeof *a);
  if (!a)
    return NULL;
  run_order_open(&a->order, drop_notes);
  a->options = options;
  return a;
}

static const uint32_t *place_of(const struct atomicity *a, const struct kept_access *access)
{
  return interned(&a->order.places, access->place);
}

static bool writes(const struct atomicity *a, const struct kept_access *access)
{
  return op_writes_memory((enum op_kind)place_of(a, access)[PLACE_OP]);
}

/* ---- triples ---- */

static uint32_t triple_of(struct atomicity *a, const struct pair *p, const struct kept_access *remote)
{
  uint32_t tuple[3] = {place_of(a, &p->first)[PLACE_SITE], place_of(a, remote)[PLACE_SITE],
                       place_of(a, &p->second)[PLACE_SITE]};
  uint32_t i = intern_number(&a->sites, tuple, 3);
  if (i && grow_array((void **)&a->triple, &a->triple_room, i, sizeof *a->triple))
    return i;
  a->order.failed = true;
  return 0;
}

static struct prediction_party party(const struct atomicity *a, const struct kept_access *access, uint64_t granule,
                                     uint32_t bytes)
{
  return run_order_party(&a->order, access, granule * 8 + (uint64_t)__builtin_ctz(bytes),
                         (uint32_t)__builtin_popcount(bytes));
}

static void found(struct atomicity *a, struct atomicity_triple *t, const struct pair *p, const struct kept *remote,
                  uint64_t granule, bool sound)
{
  uint32_t bytes = p->bytes & remote->bytes;
  if (t->sound || (t->found && !sound))
    return;
  t->found = true;
  t->sound = sound;
  t->party[0] = party(a, &p->first, granule, bytes);
  t->party[1] = party(a, &remote->access, granule, bytes);
  t->party[2] = party(a, &p->second, granule, bytes);
}

/* Whether the effect of the three in this order is that of no serial one, and no lock is in the way. */
static bool is_candidate(const struct atomicity *a, const struct pair *p, const struct kept *remote)
{
  const uint32_t *place = place_of(a, &remote->access);
  if (place[PLACE_THREAD] == place_of(a, &p->first)[PLACE_THREAD] || !(p->bytes & remote->bytes))
    return false;
  if (!writes(a, &remote->access) && !(writes(a, &p->first) && writes(a, &p->second)))
    return false;
  return !run_order_common_lock(&a->order, p->across, place[PLACE_LOCKSET]);
}

static bool may_try(struct atomicity_triple *t)
{
  return t->tries++ < TRIES || t->tries % TRIES == 0;
}

/* ---- the remote access came after both ---- */

static void defer(struct atomicity *a, const struct pair *p, const struct visit *v, uint32_t triple)
{
  uint32_t me = v->event->thread;
  if (!p->approach)
    return;
  if (!grow_array((void **)&a->waiting, &a->waiting_room, me, sizeof(struct waiting *)) ||
      (!a->waiting[me] && !(a->waiting[me] = calloc(1, sizeof(struct waiting))))) {
    a->order.failed = true;
    return;
  }
  struct waiting *w = a->waiting[me];
  for (uint32_t i = 0; i < w->count; i++)
    if (w->list[i].triple == triple)
      return;
  if (w->count == DEFERRED)
    return;
  w->list[w->count] = (struct deferred){.pair = *p, .remote = v->now, .granule = v->granule, .triple = triple};
  w->list[w->count].remote.access.before = NULL;
  share_pair(&w->list[w->count++].pair);
}

/* The thread of the remote access, `me`, holds no lock any more: whether up to here it can go before the other takes
 * the locks for its second access. */
static bool goes_before(struct atomicity *a, const struct pair *p, uint32_t me)
{
  const struct run_order_thread *t = &a->order.thread[me];
  uint32_t local = place_of(a, &p->second)[PLACE_THREAD];
  ideal_begin(&a->order);
  ideal_add(&a->order, p->approach_before, local, p->approach - 1);
  ideal_add(&a->order, t->knows[ORDER_DATA], me, t->time);
  if (!ideal_close(&a->order, local, p->approach))
    return false;
  for (uint32_t l = place_of(a, &p->second)[PLACE_LOCKSET]; l; l = interned(&a->order.locksets, l)[LOCKSET_OUTER]) {
    uint32_t lock = interned(&a->order.locksets, l)[LOCKSET_OBJECT];
    if (!run_order_has_lock(&a->order, p->across, lock) && !ideal_leaves_free(&a->order, lock))
      return false;
  }
  return true;
}

static void try_deferred(struct atomicity *a, uint32_t me)
{
  struct waiting *w = me < a->waiting_room ? a->waiting[me] : NULL;
  if (!w || a->order.thread[me].held_count)
    return;
  for (uint32_t i = 0; i < w->count; i++) {
    const struct deferred *d = &w->list[i];
    struct atomicity_triple *t = &a->triple[d->triple];
    if (!t->sound && goes_before(a, &d->pair, me))
      found(a, t, &d->pair, &d->remote, d->granule, true);
    drop_pair(&d->pair);
  }
  w->count = 0;
}

static void remote_comes_last(struct atomicity *a, const struct pair *p, const struct visit *v)
{
  uint32_t local = place_of(a, &p->first)[PLACE_THREAD];
  if (!is_candidate(a, p, &v->now) || run_order_knows(v->thread, ORDER_MUST, local, p->second.time))
    return;
  uint32_t i = triple_of(a, p, &v->now.access);
  struct atomicity_triple *t = &a->triple[i];
  if (!i || t->sound)
    return;
  found(a, t, p, &v->now, v->granule, false);
  if (run_order_knows(v->thread, ORDER_DATA, local, p->second.time) || !may_try(t))
    return;
  if (run_order_may_meet(&a->order, &p->second, v->thread, v->event->thread))
    found(a, t, p, &v->now, v->granule, true);
  else
    defer(a, p, v, i);
}

/* ---- it came before the second ---- */

static void remote_came_before(struct atomicity *a, const struct pair *p, const struct kept *remote,
                               const struct visit *v)
{
  uint32_t other = place_of(a, &remote->access)[PLACE_THREAD];
  if (!is_candidate(a, p, remote) || run_order_knows(v->thread, ORDER_MUST, other, remote->access.time))
    return; /* before both, or between them by arrangement */
  uint32_t i = triple_of(a, p, &remote->access);
  struct atomicity_triple *t = &a->triple[i];
  if (!i || t->sound)
    return;
  bool happened = remote->access.number > p->first.number;
  found(a, t, p, remote, v->granule, happened);
  if (happened || run_order_knows(v->thread, ORDER_DATA, other, remote->access.time) || !may_try(t))
    return;
  if (run_order_may_meet(&a->order, &remote->access, v->thread, v->event->thread))
    found(a, t, p, remote, v->granule, true);
}

/* ---- local pairs ---- */

/* The locks that the thread held since then. */
static uint32_t held_since(struct atomicity *a, const struct run_order_thread *t, uint32_t time)
{
  uint32_t lockset = 0;
  for (uint32_t i = 0; i < t->held_count; i++)
    if (t->held[i].taken < time) {
      uint32_t tuple[LOCKSET_WIDTH] = {lockset, t->held[i].object, t->held[i].site, t->held[i].reads};
      lockset = intern_number(&a->order.locksets, tuple, LOCKSET_WIDTH);
      a->order.failed |= !lockset;
    }
  return lockset;
}

static bool came_by(const struct local *l, uint32_t place)
{
  for (uint32_t i = 0; i < PLACES_KEPT && i < l->places; i++)
    if (l->place[i] == place)
      return true;
  return false;
}

static bool is_known(const struct notes *n, uint32_t first, uint32_t second)
{
  for (uint32_t i = 0; i < n->pairs; i++)
    if (n->pair[i].first.place == first && n->pair[i].second.place == second)
      return true;
  return false;
}

static bool belong_together(const struct atomicity *a, const struct notes *n, const struct local *l,
                            const struct visit *v, uint32_t across)
{
  if (l->unit != v->thread->unit || !(l->bytes & v->now.bytes) || expects_change(&a->order, &l->last, &v->now.access))
    return false;
  if (a->options.sections && across)
    return true;
  return a->options.calls && (!came_by(l, v->now.access.place) || is_known(n, l->last.place, v->now.access.place)) &&
         in_one_call(&a->order, v->tables, &l->last, &v->now.access, across, a->options.levels);
}

static struct pair make_pair(const struct local *l, const struct visit *v, uint32_t across)
{
  return (struct pair){.first = l->last,
                       .second = v->now.access,
                       .bytes = l->bytes & v->now.bytes,
                       .across = across,
                       .approach = v->thread->approach,
                       .approach_before = v->thread->approach ? v->thread->before : NULL};
}

static void keep_pair(struct atomicity *a, struct notes *n, const struct pair *p)
{
  uint32_t i = 0;
  while (i < n->pairs && (n->pair[i].first.place != p->first.place || n->pair[i].second.place != p->second.place ||
                          n->pair[i].across != p->across || n->pair[i].bytes != p->bytes))
    i++;
  if (i == PAIRS_KEPT)
    i = n->pair_victim++ % PAIRS_KEPT;
  if (!grow_array((void **)&n->pair, &n->pair_room, i, sizeof *n->pair)) {
    a->order.failed = true;
    return;
  }
  share_pair(p);
  drop_pair(&n->pair[i]);
  n->pairs += i == n->pairs;
  n->pair[i] = *p;
}

static struct local *local_of(struct atomicity *a, struct notes *n, uint32_t thread)
{
  for (uint32_t i = 0; i < n->locals; i++)
    if (n->local[i].thread == thread)
      return &n->local[i];
  if (!grow_array((void **)&n->local, &n->local_room, n->locals, sizeof *n->local)) {
    a->order.failed = true;
    return NULL;
  }
  n->local[n->locals].thread = thread;
  return &n->local[n->locals++];
}

static void move_on(struct local *l, const struct visit *v)
{
  if (!came_by(l, v->now.access.place))
    l->place[l->places++ % PLACES_KEPT] = v->now.access.place;
  l->unit = v->thread->unit;
  l->bytes = v->now.bytes;
  shared_clock_drop(l->last.before);
  l->last = v->now.access;
  shared_clock_share(l->last.before);
}

static void complete_pair(struct atomicity *a, struct notes *n, const struct visit *v)
{
  struct local *l = local_of(a, n, v->event->thread);
  if (!l)
    return;
  uint32_t across = l->last.place ? held_since(a, v->thread, l->last.time) : 0;
  if (l->last.place && belong_together(a, n, l, v, across)) {
    struct pair p = make_pair(l, v, across);
    for (uint32_t i = 0; i < n->remotes; i++)
      remote_came_before(a, &p, &n->remote[i], v);
    keep_pair(a, n, &p);
  }
  move_on(l, v);
}

static void keep_remote(struct atomicity *a, struct notes *n, const struct kept *now)
{
  uint32_t i = 0;
  while (i < n->remotes && (n->remote[i].access.place != now->access.place || n->remote[i].bytes != now->bytes))
    i++;
  if (i == REMOTES_KEPT)
    i = n->remote_victim++ % REMOTES_KEPT;
  if (!grow_array((void **)&n->remote, &n->remote_room, i, sizeof *n->remote)) {
    a->order.failed = true;
    return;
  }
  shared_clock_share(now->access.before);
  shared_clock_drop(n->remote[i].access.before);
  n->remotes += i == n->remotes;
  n->remote[i] = *now;
}

/* ---- the stream ---- */

static void visit_granule(struct atomicity *a, struct visit *v)
{
  struct granule *granule = granule_map_at(&a->order.granules, v->granule, true);
  if (!granule || (!granule->notes && !(granule->notes = calloc(1, sizeof(struct notes))))) {
    a->order.failed = true;
    return;
  }
  struct notes *n = granule->notes;
  v->now.bytes = granule_bytes(v->granule, v->event->addr, v->event->length);
  for (uint32_t i = 0; i < n->pairs; i++)
    remote_comes_last(a, &n->pair[i], v);
  complete_pair(a, n, v);
  keep_remote(a, n, &v->now);
}

void atomicity_event(struct atomicity *a, const struct trace *tables, const struct event *e)
{
  struct visit v = {.event = e, .tables = tables, .thread = run_order_enter(&a->order, e)};
  if (!v.thread)
    return;
  if (op_is_memory((enum op_kind)e->op) && e->op != OP_FREE) {
    v.now.access = run_order_access(&a->order, v.thread, e);
    const struct granule_range touched = granule_range_of(e->addr, event_followed(e));
    for (v.granule = touched.first; v.granule < touched.end && !a->order.failed; v.granule++)
      visit_granule(a, &v);
  }
  run_order_leave(&a->order, tables, e);
  try_deferred(a, e->thread);
}

static void tell(const struct atomicity_triple *t, struct predictions *predictions)
{
  struct prediction p = {.kind = PREDICT_ATOMICITY, .sound = t->sound, .party_count = 3};
  bool w[3];
  for (unsigned i = 0; i < 3; i++) {
    p.party[i] = t->party[i];
    w[i] = op_writes_memory((enum op_kind)t->party[i].op);
  }
  const char *text = !w[1]           ? "the remote read sees an intermediate value"
                     : w[0] && w[2]  ? "the remote write is lost between two writes"
                     : !w[0] && w[2] ? "the remote write is lost under an update from what was read before"
                     : w[0]          ? "the thread does not read back what it wrote"
                                     : "the two reads differ";
  memcpy(p.text, text, strlen(text) + 1);
  predictions_add(predictions, &p);
}

void atomicity_finish(struct atomicity *a, struct predictions *predictions)
{
  predictions->failed |= a->order.failed;
  for (uint32_t i = 1; i <= a->sites.count && i < a->triple_room; i++)
    if (a->triple[i].found)
      tell(&a->triple[i], predictions);
}

void atomicity_close(struct atomicity *a)
{
  if (!a)
    return;
  for (uint32_t t = 0; t < a->waiting_room; t++) {
    for (uint32_t i = 0; a->waiting[t] && i < a->waiting[t]->count; i++)
      drop_pair(&a->waiting[t]->list[i].pair);
    free(a->waiting[t]);
  }
  free(a->waiting);
  run_order_close(&a->order);
  intern_free(&a->sites);
  free(a->triple);
  free(a);
}
