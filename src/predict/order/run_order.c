/* SPDX-License-Identifier: Apache-2.0
 *
 * The three relations, event by event; see run_order.h for what they mean. Locks' sections and ideals are in
 * lock_sections.c, memory in run_order_memory.c.
 */
#include "predict/order/run_order.h"
#include "predict/order/run_order_memory.h"
#include <stdlib.h>
#include <string.h>

void run_order_open(struct run_order *o, void (*drop_notes)(void *notes))
{
  *o = (struct run_order){.granules.drop_notes = drop_notes};
}

static void drop_stamps(struct stamp *stamp, unsigned count)
{
  for (unsigned i = 0; i < count; i++)
    shared_clock_drop(stamp[i].clock);
}

static void close_object(struct run_order_object *b)
{
  drop_stamps(&b->opened, 1);
  drop_stamps(&b->all, 1);
  drop_stamps(&b->unlocked, 1);
  drop_stamps(&b->unlocked_reading, 1);
  drop_stamps(&b->taken, 1);
  drop_stamps(b->given, RELATIONS);
  drop_stamps(b->earlier, RELATIONS);
  drop_stamps(b->latest, RELATIONS);
  lock_free(b);
}

static void close_thread(struct run_order_thread *t)
{
  for (unsigned r = 0; r < RELATIONS; r++)
    shared_clock_drop(t->knows[r]);
  shared_clock_drop(t->before);
  drop_stamps(&t->acquirable, 1);
  drop_stamps(&t->released, 1);
  free(t->held);
}

void run_order_close(struct run_order *o)
{
  for (uint32_t i = 0; i < o->thread_room; i++)
    close_thread(&o->thread[i]);
  for (uint32_t i = 0; i < o->object_room; i++)
    close_object(&o->object[i]);
  drop_stamps(o->far, RELATIONS);
  granule_map_free(&o->granules);
  intern_free(&o->locksets);
  intern_free(&o->spots);
  intern_free(&o->places);
  free(o->thread);
  free(o->object);
  free(o->occurrences);
  free(o->contended);
  free(o->ideal);
}

struct run_order_thread *run_order_enter(struct run_order *o, const struct event *e)
{
  uint32_t threads = e->thread > e->other ? e->thread : e->other;
  uint32_t objects = e->object > e->second ? e->object : e->second;
  if (o->failed || e->flags & EVENT_PENDING || !e->thread)
    return NULL;
  if (!grow_array((void **)&o->thread, &o->thread_room, threads, sizeof *o->thread) ||
      !grow_array((void **)&o->object, &o->object_room, objects, sizeof *o->object)) {
    o->failed = true;
    return NULL;
  }
  struct run_order_thread *t = &o->thread[e->thread];
  if (++t->time == UINT32_MAX) /* no clock can count further */
    o->failed = true;
  return o->failed ? NULL : t;
}

/* ---- learning and giving ---- */

bool run_order_learn(struct run_order *o, uint32_t me, enum relation relation, const struct stamp *stamp)
{
  struct run_order_thread *t = &o->thread[me];
  if (stamp->thread == me || !shared_clock_learn(&t->knows[relation], stamp, &o->failed))
    return false;
  t->epoch += relation == ORDER_DATA;
  return true;
}

static void learn_all(struct run_order *o, uint32_t me, const struct stamp *stamp)
{
  for (unsigned r = 0; r < RELATIONS; r++)
    run_order_learn(o, me, (enum relation)r, &stamp[r]);
}

static void give_all(struct run_order *o, uint32_t me, struct stamp *stamp)
{
  for (unsigned r = 0; r < RELATIONS; r++) {
    struct stamp now = stamp_of(o, me, (enum relation)r);
    stamp_mix(&stamp[r], &now, &o->failed);
  }
}

static void set_all(struct stamp *stamp, const struct stamp *from)
{
  for (unsigned r = 0; r < RELATIONS; r++)
    stamp_set(&stamp[r], &from[r]);
}

/* ---- threads ---- */

/* What another thread does from now on comes after this. */
static void reach(struct run_order *o, uint32_t me, uint32_t other)
{
  struct stamp now[RELATIONS];
  for (unsigned r = 0; r < RELATIONS; r++)
    now[r] = stamp_of(o, me, (enum relation)r);
  learn_all(o, other, now);
}

static void create(struct run_order *o, const struct event *e)
{
  if (!(e->flags & EVENT_FAILED) && e->other)
    reach(o, e->thread, e->other);
}

static void join(struct run_order *o, const struct event *e)
{
  if (e->flags & EVENT_FAILED || !e->other)
    return;
  for (unsigned r = 0; r < RELATIONS; r++) {
    struct stamp end = stamp_of(o, e->other, (enum relation)r);
    run_order_learn(o, e->thread, (enum relation)r, &end);
  }
}

/* ---- locks ---- */

static struct run_held_lock *held_by(struct run_order_thread *t, uint32_t object)
{
  for (uint32_t i = 0; i < t->held_count; i++)
    if (t->held[i].object == object)
      return &t->held[i];
  return NULL;
}

static void name_lockset(struct run_order *o, struct run_order_thread *t)
{
  t->lockset = 0;
  for (uint32_t i = 0; i < t->held_count; i++) {
    const struct run_held_lock *h = &t->held[i];
    uint32_t tuple[LOCKSET_WIDTH] = {t->lockset, h->object, h->site, h->reads};
    t->lockset = intern_number(&o->locksets, tuple, LOCKSET_WIDTH);
    o->failed |= !t->lockset;
  }
}

static void note_holder(struct run_order *o, const struct event *e, uint32_t object, bool reads)
{
  struct run_order_object *l = &o->object[object];
  struct stamp now = stamp_of(o, e->thread, ORDER_DATA);
  l->owner = e->thread;
  if (reads)
    stamp_mix(&l->taken, &now, &o->failed);
  else
    stamp_set(&l->taken, &now);
}

static void take(struct run_order *o, const struct event *e, uint32_t object, bool reads)
{
  struct run_order_thread *t = &o->thread[e->thread];
  struct run_held_lock *again = held_by(t, object);
  if (again) {
    again->depth += !(e->flags & EVENT_HIDDEN); /* the wake-up itself took it */
    return;
  }
  if (!grow_array((void **)&t->held, &t->held_room, t->held_count, sizeof *t->held)) {
    o->failed = true;
    return;
  }
  if (!t->approach) {
    t->approach = t->time;
    shared_clock_drop(t->before);
    t->before = shared_clock_share(t->knows[ORDER_DATA]);
  }
  t->held[t->held_count++] =
      (struct run_held_lock){.object = object, .site = e->site, .depth = 1, .taken = t->time, .reads = reads};
  t->epoch++;
  name_lockset(o, t);
  run_order_learn(o, e->thread, ORDER_HAPPENS_BEFORE, &o->object[object].unlocked);
  if (!reads)
    run_order_learn(o, e->thread, ORDER_HAPPENS_BEFORE, &o->object[object].unlocked_reading);
  lock_taken(o, e->thread, object, reads, e);
  note_holder(o, e, object, reads);
}

static void give_back(struct run_order *o, uint32_t me, uint32_t object)
{
  struct run_order_thread *t = &o->thread[me];
  struct run_order_object *l = &o->object[object];
  struct run_held_lock *h = held_by(t, object);
  if (!h || --h->depth)
    return;
  struct stamp now = stamp_of(o, me, ORDER_HAPPENS_BEFORE);
  if (h->reads)
    stamp_mix(&l->unlocked_reading, &now, &o->failed);
  else
    stamp_set(&l->unlocked, &now);
  lock_left(o, me, object);
  l->owner = l->owner == me ? 0 : l->owner;
  t->held_count--;
  memmove(h, h + 1, (size_t)(&t->held[t->held_count] - h) * sizeof *h);
  name_lockset(o, t);
}

static void lock_event(struct run_order *o, const struct event *e, bool reads)
{
  if (e->flags & EVENT_NESTED)
    return;
  if (e->flags & EVENT_FAILED)
    run_order_learn(o, e->thread, ORDER_DATA, &o->object[e->object].taken);
  else
    take(o, e, e->object, reads);
}

/* ---- other objects ---- */

static void wake(struct run_order *o, const struct event *e)
{
  struct run_order_object *c = &o->object[e->object];
  if (e->cause && e->cause == c->latest_number)
    learn_all(o, e->thread, c->latest);
  else if (!(e->flags & EVENT_FAILED))
    learn_all(o, e->thread, c->given);
  if (e->second && !o->object[e->second].owner)
    take(o, e, e->second, false);
}

static void signal_cond(struct run_order *o, const struct event *e)
{
  struct run_order_object *c = &o->object[e->object];
  struct stamp now[RELATIONS];
  for (unsigned r = 0; r < RELATIONS; r++)
    now[r] = stamp_of(o, e->thread, (enum relation)r);
  set_all(c->latest, now);
  c->latest_number = e->number;
  give_all(o, e->thread, c->given);
}

static void arrive(struct run_order *o, const struct event *e)
{
  struct run_order_object *b = &o->object[e->object];
  if (b->leaving) { /* all that is given now is of an earlier round */
    set_all(b->earlier, b->given);
    b->leaving = false;
    b->round++;
  }
  o->thread[e->thread].round = b->round;
  learn_all(o, e->thread, b->earlier);
  give_all(o, e->thread, b->given);
}

static void leave_barrier(struct run_order *o, const struct event *e)
{
  struct run_order_object *b = &o->object[e->object];
  bool current = o->thread[e->thread].round == b->round;
  b->leaving |= current;
  learn_all(o, e->thread, current ? b->given : b->earlier);
}

static void wait_semaphore(struct run_order *o, const struct event *e)
{
  struct run_order_object *s = &o->object[e->object];
  if (e->flags & EVENT_FAILED || e->op == OP_SEM_GETVALUE)
    run_order_learn(o, e->thread, ORDER_DATA, &s->all);
  else
    learn_all(o, e->thread, s->given);
}

/* In the order of the run. */
static void in_order(struct run_order *o, const struct event *e, struct stamp *stamps)
{
  learn_all(o, e->thread, stamps);
  give_all(o, e->thread, stamps);
}

/* A signal or cancellation changes what its receiver does next; who receives it is not always said. */
static void interrupt(struct run_order *o, const struct event *e)
{
  in_order(o, e, o->far);
  for (uint32_t t = 1; t < o->thread_room; t++)
    if (t != e->thread && (!e->other || e->other == t))
      reach(o, e->thread, t);
}

static void once(struct run_order *o, const struct event *e)
{
  struct run_order_object *b = &o->object[e->object];
  struct stamp now;
  learn_all(o, e->thread, b->given);
  if (e->op == OP_ONCE_DONE) {
    give_all(o, e->thread, b->given);
    return;
  }
  now = stamp_of(o, e->thread, ORDER_DATA); /* who enters decides who runs it */
  stamp_mix(&b->given[ORDER_DATA], &now, &o->failed);
}

static void fence(struct run_order *o, const struct event *e)
{
  struct run_order_thread *t = &o->thread[e->thread];
  if (e->order != __ATOMIC_RELEASE && e->order != __ATOMIC_RELAXED)
    run_order_learn(o, e->thread, ORDER_HAPPENS_BEFORE, &t->acquirable);
  if (e->order == __ATOMIC_RELEASE || e->order == __ATOMIC_ACQ_REL || e->order == __ATOMIC_SEQ_CST) {
    struct stamp now = stamp_of(o, e->thread, ORDER_HAPPENS_BEFORE);
    stamp_set(&t->released, &now);
  }
}

/* What waits for the system, or for objects of which only the system knows: taken in the order in which it came. */
static bool is_of_system(enum op_kind op)
{
  switch (op_table[op].object) {
  case OBJECT_FUTEX:
  case OBJECT_FD:
  case OBJECT_CHANNEL:
  case OBJECT_QUEUE:
  case OBJECT_SEMSET:
  case OBJECT_AIO:
  case OBJECT_PROCESS:
    return true;
  default:
    return op == OP_SIGNAL_WAIT || op == OP_SIGNAL_TIMEDWAIT || op == OP_PROCESS_END;
  }
}

static void synchronise(struct run_order *o, const struct event *e)
{
  if (is_of_system((enum op_kind)e->op))
    return in_order(o, e, o->far);
  switch (e->op) {
  case OP_CREATE:
    return create(o, e);
  case OP_JOIN:
  case OP_TIMEDJOIN:
    return join(o, e);
  case OP_COND_WAIT:
    return give_back(o, e->thread, e->second);
  case OP_COND_WAKE:
  case OP_COND_TIMEDWAKE:
    return wake(o, e);
  case OP_COND_SIGNAL:
  case OP_COND_BROADCAST:
    return signal_cond(o, e);
  case OP_SEM_INIT:
  case OP_SEM_POST:
    return give_all(o, e->thread, o->object[e->object].given);
  case OP_SEM_WAIT:
  case OP_SEM_TRYWAIT:
  case OP_SEM_TIMEDWAIT:
  case OP_SEM_GETVALUE:
    return wait_semaphore(o, e);
  case OP_BARRIER_ARRIVE:
    return arrive(o, e);
  case OP_BARRIER_LEAVE:
    return leave_barrier(o, e);
  case OP_ONCE_ENTER:
  case OP_ONCE_DONE:
    return once(o, e);
  case OP_SIGNAL_SEND:
  case OP_CANCEL:
    return interrupt(o, e);
  default:
    return;
  }
}

/* Initialisation before everything, everything before destruction. True if the thread had to learn of it. */
static bool after_opening(struct run_order *o, const struct event *e, uint32_t object)
{
  struct run_order_object *b = &o->object[object];
  struct stamp now = stamp_of(o, e->thread, ORDER_DATA);
  if (op_initialises((enum op_kind)e->op)) {
    stamp_set(&b->opened, &now);
    return false;
  }
  bool learnt = run_order_learn(o, e->thread, ORDER_DATA, &b->opened);
  if (op_destroys((enum op_kind)e->op))
    learnt |= run_order_learn(o, e->thread, ORDER_DATA, &b->all);
  return learnt;
}

static void note_use(struct run_order *o, const struct event *e)
{
  struct stamp now = stamp_of(o, e->thread, ORDER_DATA);
  if (e->object)
    stamp_mix(&o->object[e->object].all, &now, &o->failed);
}

void run_order_leave(struct run_order *o, const struct trace *tables, const struct event *e)
{
  struct run_order_thread *t = &o->thread[e->thread];
  bool lock = op_takes_lock((enum op_kind)e->op), reads = op_shares_lock((enum op_kind)e->op);
  bool unlock = op_leaves_lock((enum op_kind)e->op);
  if (op_is_memory((enum op_kind)e->op)) {
    run_order_memory(o, e);
    t->approach = 0;
    return;
  }
  if (e->op == OP_FUTEX_WAIT) /* it looks at the word that it waits on */
    run_order_read(o, e->thread, tables->objects[e->object].addr, 4, __ATOMIC_ACQUIRE, true);
  if ((e->object && after_opening(o, e, e->object)) || !lock || e->flags & EVENT_FAILED)
    t->approach = 0;
  if (lock)
    lock_event(o, e, reads);
  else if (unlock && !(e->flags & EVENT_NESTED))
    give_back(o, e->thread, e->object);
  else if (e->op == OP_FENCE)
    fence(o, e);
  else
    synchronise(o, e);
  t->unit += !lock && !unlock && op_table[e->op].object != OBJECT_NOTHING;
  note_use(o, e);
}

/* ---- for those who look at accesses ---- */

struct kept_access run_order_access(struct run_order *o, const struct run_order_thread *t, const struct event *e)
{
  uint32_t op = (uint32_t)access_kind(e);
  uint32_t spot[3] = {e->thread, op, e->site}, place[PLACE_WIDTH] = {e->thread, e->site, e->stack, op, t->lockset};
  struct kept_access a = {.place = intern_number(&o->places, place, PLACE_WIDTH),
                          .time = t->time,
                          .epoch = t->epoch,
                          .number = e->number,
                          .before = t->knows[ORDER_DATA]};
  uint32_t s = intern_number(&o->spots, spot, 3);
  if (!a.place || !s || !grow_array((void **)&o->occurrences, &o->occurrences_room, s, sizeof *o->occurrences))
    o->failed = true;
  else
    a.occurrence = ++o->occurrences[s];
  return a;
}

bool run_order_common_lock(const struct run_order *o, uint32_t lockset, uint32_t other)
{
  for (uint32_t a = lockset; a; a = interned(&o->locksets, a)[LOCKSET_OUTER]) {
    const uint32_t *mine = interned(&o->locksets, a);
    for (uint32_t b = other; b; b = interned(&o->locksets, b)[LOCKSET_OUTER]) {
      const uint32_t *its = interned(&o->locksets, b);
      if (mine[LOCKSET_OBJECT] == its[LOCKSET_OBJECT] && !(mine[LOCKSET_READS] && its[LOCKSET_READS]))
        return true;
    }
  }
  return false;
}

bool run_order_has_lock(const struct run_order *o, uint32_t lockset, uint32_t object)
{
  for (uint32_t l = lockset; l; l = interned(&o->locksets, l)[LOCKSET_OUTER])
    if (interned(&o->locksets, l)[LOCKSET_OBJECT] == object)
      return true;
  return false;
}

/* The locks held, outermost first, as far as there is room, then the site of the access itself. */
static void fill_context(const struct run_order *o, struct prediction_party *p, uint32_t lockset)
{
  uint32_t depth = 0, place = 0;
  for (uint32_t l = lockset; l; l = interned(&o->locksets, l)[LOCKSET_OUTER])
    depth++;
  for (uint32_t l = lockset; l; l = interned(&o->locksets, l)[LOCKSET_OUTER]) {
    place = --depth;
    if (place < PREDICTION_CONTEXT)
      p->lock[place] = interned(&o->locksets, l)[LOCKSET_OBJECT];
    p->context_cut |= place >= PREDICTION_CONTEXT - 1;
    if (place < PREDICTION_CONTEXT - 1) {
      p->context[place] = interned(&o->locksets, l)[LOCKSET_SITE];
      p->context_length = (uint16_t)(place >= p->context_length ? place + 1 : p->context_length);
    }
  }
  p->context[p->context_length++] = p->site;
}

struct prediction_party run_order_party(const struct run_order *o, const struct kept_access *a, uint64_t addr,
                                        uint32_t length)
{
  const uint32_t *place = interned(&o->places, a->place);
  struct prediction_party p = {.thread = place[PLACE_THREAD],
                               .op = (uint16_t)place[PLACE_OP],
                               .site = place[PLACE_SITE],
                               .stack = place[PLACE_STACK],
                               .addr = addr,
                               .length = length,
                               .occurrence = a->occurrence,
                               .event = a->number};
  fill_context(o, &p, place[PLACE_LOCKSET]);
  return p;
}
