/* SPDX-License-Identifier: Apache-2.0
 *
 * Data races of a recorded run and of others with the same operations; see races.h. Every access is held against those
 * that are kept of its bytes. From cheap to dear: whether the pair is known already, whether one rests on the other,
 * whether they hold a lock in common, whether there is an ideal without them (run_order.h).
 */
#include "predict/order/races.h"
#include "predict/order/run_order.h"
#include <stdlib.h>
#include <string.h>

#define KEPT_EACH 2 /* accesses of one context: the latest of each epoch */
#define KEPT_ALL 64 /* accesses of one granule */
#define TRIES 64    /* of a pair of sites; after these, every TRIES-th candidate is tried */

/* An access of some bytes of a granule. */
struct kept {
  struct kept_access access;
  uint32_t bytes;
  uint64_t met; /* threads whose later accesses cannot meet it any more: bit of the thread, if it has one */
};

struct notes {
  struct kept *kept;
  uint32_t count, room, victim;
};

/* A pair of sites. */
struct pair {
  bool found, sound;
  uint32_t tries;
  struct prediction_party party[2];
};

struct races {
  struct run_order order;
  struct intern sites;
  struct pair *pair; /* by number in sites */
  uint32_t pair_room;
};

/* The access under way. */
struct visit {
  const struct event *event;
  const struct run_order_thread *thread;
  struct kept_access access;
  enum op_kind op;
};

static void drop_notes(void *p)
{
  struct notes *n = p;
  for (uint32_t i = 0; i < n->count; i++)
    shared_clock_drop(n->kept[i].access.before);
  free(n->kept);
  free(n);
}

struct races *races_open(void)
{
  struct races *r = calloc(1, sizeof *r);
  if (!r)
    return NULL;
  run_order_open(&r->order, drop_notes);
  return r;
}

static struct pair *pair_of(struct races *r, uint32_t a, uint32_t b)
{
  uint32_t tuple[2] = {a < b ? a : b, a < b ? b : a};
  uint32_t i = intern_number(&r->sites, tuple, 2);
  if (i && grow_array((void **)&r->pair, &r->pair_room, i, sizeof *r->pair))
    return &r->pair[i];
  r->order.failed = true;
  return NULL;
}

static bool conflict(enum op_kind a, enum op_kind b)
{
  return (op_writes_memory(a) || op_writes_memory(b)) && !(op_is_atomic(a) && op_is_atomic(b));
}

static void found(struct races *r, struct pair *pair, const struct kept *old, const struct visit *v, uint64_t granule,
                  bool sound)
{
  uint32_t bytes = old->bytes;
  uint64_t addr = granule * 8 + (uint64_t)__builtin_ctz(bytes);
  pair->found = true;
  pair->sound = sound;
  pair->party[0] = run_order_party(&r->order, &old->access, addr, (uint32_t)__builtin_popcount(bytes));
  pair->party[1] = run_order_party(&r->order, &v->access, v->event->addr, v->event->length);
}

static uint64_t thread_bit(uint32_t thread)
{
  return thread < 64 ? UINT64_C(1) << thread : 0;
}

/* Whether it is clear at once that they cannot meet, or was seen before: once the older one is part of all that a
 * thread's next operations rest on, that remains so. */
static bool apart(const struct races *r, const struct kept *old, const uint32_t *place, const struct visit *v)
{
  return old->met & thread_bit(v->event->thread) ||
         run_order_knows(v->thread, ORDER_DATA, place[PLACE_THREAD], old->access.time) ||
         run_order_common_lock(&r->order, place[PLACE_LOCKSET], v->thread->lockset);
}

/* Whether an ideal shows that they can meet. */
static bool can_meet(struct races *r, struct pair *pair, struct kept *old, const struct visit *v)
{
  if (pair->tries++ >= TRIES && pair->tries % TRIES)
    return false;
  if (run_order_may_meet(&r->order, &old->access, v->thread, v->event->thread))
    return true;
  old->met |= thread_bit(v->event->thread);
  return false;
}

static void hold_against(struct races *r, struct kept *old, const struct visit *v, uint64_t granule)
{
  const uint32_t *place = interned(&r->order.places, old->access.place);
  uint32_t other = place[PLACE_THREAD];
  if (other == v->event->thread || !conflict((enum op_kind)place[PLACE_OP], v->op))
    return;
  bool ordered = run_order_knows(v->thread, ORDER_HAPPENS_BEFORE, other, old->access.time);
  bool separate = apart(r, old, place, v);
  if (ordered && separate)
    return;
  struct pair *pair = pair_of(r, place[PLACE_SITE], v->event->site);
  if (!pair || pair->sound)
    return;
  if (!separate && can_meet(r, pair, old, v))
    found(r, pair, old, v, granule, true);
  else if (!pair->found && !ordered)
    found(r, pair, old, v, granule, false);
}

/* The entry that the access takes the place of: of its context, the same epoch or else the older one; a new one; when
 * there are too many, any. */
static struct kept *entry_for(struct races *r, struct notes *n, const struct visit *v, uint32_t bytes)
{
  struct kept *older = NULL;
  uint32_t same = 0;
  for (uint32_t i = 0; i < n->count; i++) {
    struct kept *k = &n->kept[i];
    if (k->access.place != v->access.place || k->bytes != bytes)
      continue;
    if (k->access.epoch == v->access.epoch)
      return k;
    same++;
    older = older && older->access.number < k->access.number ? older : k;
  }
  if (same >= KEPT_EACH)
    return older;
  if (n->count == KEPT_ALL)
    return &n->kept[n->victim++ % KEPT_ALL];
  if (!grow_array((void **)&n->kept, &n->room, n->count, sizeof *n->kept)) {
    r->order.failed = true;
    return NULL;
  }
  return &n->kept[n->count++];
}

static void keep(struct races *r, struct granule *granule, const struct visit *v, uint32_t bytes)
{
  if (!granule->notes && !(granule->notes = calloc(1, sizeof(struct notes)))) {
    r->order.failed = true;
    return;
  }
  struct kept *k = entry_for(r, granule->notes, v, bytes);
  if (!k)
    return;
  struct shared_clock *old = k->access.before;
  *k = (struct kept){.access = v->access, .bytes = bytes};
  shared_clock_share(k->access.before);
  shared_clock_drop(old);
}

static void visit_granule(struct races *r, const struct visit *v, struct granule *granule)
{
  uint32_t bytes = granule_bytes(granule->number, v->event->addr, v->event->length);
  struct notes *n = granule->notes;
  for (uint32_t i = 0; n && i < n->count; i++)
    if (n->kept[i].bytes & bytes)
      hold_against(r, &n->kept[i], v, granule->number);
  if (v->op != OP_FREE)
    keep(r, granule, v, bytes);
}

struct freeing {
  struct races *races;
  const struct visit *visit;
};

static void visit_freed(void *context, struct granule *granule)
{
  const struct freeing *f = context;
  visit_granule(f->races, f->visit, granule);
}

static void visit_all(struct races *r, const struct visit *v)
{
  const struct event *e = v->event;
  const struct granule_range touched = granule_range_of(e->addr, event_followed(e));
  if (v->op == OP_FREE) {
    granule_map_each(&r->order.granules, touched.first, touched.end - touched.first, visit_freed,
                     &(struct freeing){r, v});
    return;
  }
  for (uint64_t g = touched.first; g < touched.end && !r->order.failed; g++) {
    struct granule *granule = granule_map_at(&r->order.granules, g, true);
    r->order.failed |= !granule;
    if (granule)
      visit_granule(r, v, granule);
  }
}

void races_event(struct races *r, const struct trace *tables, const struct event *e)
{
  struct visit v = {.event = e, .thread = run_order_enter(&r->order, e), .op = access_kind(e)};
  if (!v.thread)
    return;
  bool ends = e->op == OP_FREE && e->flags & EVENT_HIDDEN; /* nobody freed it: a stack that goes away */
  if (op_is_memory((enum op_kind)e->op) && !ends) {
    v.access = run_order_access(&r->order, v.thread, e);
    visit_all(r, &v);
  }
  run_order_leave(&r->order, tables, e);
}

static void tell(const struct pair *pair, struct predictions *predictions)
{
  struct prediction p = {.kind = PREDICT_RACE, .sound = pair->sound, .party_count = 2};
  p.party[0] = pair->party[0];
  p.party[1] = pair->party[1];
  const char *text = pair->sound ? "both accesses can come next at the same time"
                                 : "nothing orders them, but one may rest on what the other wrote";
  memcpy(p.text, text, strlen(text) + 1);
  predictions_add(predictions, &p);
}

void races_finish(struct races *r, struct predictions *predictions)
{
  predictions->failed |= r->order.failed;
  for (uint32_t i = 1; i <= r->sites.count && i < r->pair_room; i++)
    if (r->pair[i].found)
      tell(&r->pair[i], predictions);
}

void races_close(struct races *r)
{
  if (!r)
    return;
  run_order_close(&r->order);
  intern_free(&r->sites);
  free(r->pair);
  free(r);
}
