/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that nobody can tell apart; see the header.
 */
#include "explore/symmetry.h"

/* Steps of which it is the same whether one twin can take them or the other, and that concern no thread as such. */
static bool is_common(const struct operation *op)
{
  switch (op->kind) {
  case OP_READ:
  case OP_WRITE:
  case OP_ATOMIC_LOAD:
  case OP_ATOMIC_STORE:
  case OP_ATOMIC_RMW:
  case OP_MUTEX_LOCK:
  case OP_MUTEX_UNLOCK:
  case OP_SPIN_LOCK:
  case OP_SPIN_UNLOCK:
  case OP_SEM_WAIT:
  case OP_SEM_POST:
    return !(op->traits & (OP_FAR | OP_CANCELLED | OP_SIGNALLED | OP_SENDS));
  default:
    return false;
  }
}

static bool same_place(const struct operation *a, const struct operation *b)
{
  return op_announced_kind(a) == op_announced_kind(b) && a->pc == b->pc;
}

static bool same_step(const struct operation *a, const struct operation *b)
{
  return same_place(a, b) && a->addr == b->addr && a->length == b->length && a->space == b->space;
}

/* ---- who is whose elder ---- */

/* The thread's nth visible event, + 1; 0: it has not come. */
static uint32_t visible_nth(const struct order *o, unsigned thread, uint32_t nth)
{
  uint32_t e = o->last[thread];
  while (e && (o->event[e - 1].visible > nth || (o->event[e - 1].visible == nth && o->event[e - 1].hidden))) {
    uint32_t jump = o->event[e - 1].jump;
    e = jump && o->event[jump - 1].visible > nth ? jump : o->event[e - 1].previous;
  }
  return e && o->event[e - 1].visible == nth ? e : 0;
}

/* The twin of the thread that goes first after its event e, + 1; 0: none does. */
static unsigned elder_after(const struct order *o, unsigned thread, uint32_t e)
{
  while (e && o->event[e - 1].hidden)
    e = o->event[e - 1].previous;
  if (!e)
    return o->twin[thread];
  const struct order_event *last = &o->event[e - 1];
  return last->twins ? o->event[last->elder - 1].thread + 1u : 0;
}

static unsigned elder_of(const struct order *o, unsigned thread)
{
  return elder_after(o, thread, o->last[thread]);
}

/* The step of its elder that its own next one comes after, if that has come; + 1. */
static uint32_t due(const struct order *o, unsigned thread, unsigned elder)
{
  uint32_t e = o->last[thread];
  return visible_nth(o, elder, e ? o->event[e - 1].visible + 1 : 1);
}

static bool applies(const struct order *o)
{
  return o->symmetric && !o->told_apart;
}

uint32_t symmetry_elder(const struct order *o, unsigned thread, const struct operation *op)
{
  unsigned elder = applies(o) && is_common(op) ? elder_of(o, thread) : 0;
  uint32_t e = elder ? due(o, thread, elder - 1) : 0;
  return e && same_step(&o->event[e - 1].op, op) ? e : 0;
}

bool symmetry_waits(const struct order *o, const struct order_event *phantom)
{
  unsigned elder = applies(o) && is_common(&phantom->op) ? elder_of(o, phantom->thread) : 0;
  uint32_t stands = elder ? o->phantom[elder - 1] : 0;
  return stands && !due(o, phantom->thread, elder - 1) && same_step(&o->event[stands - 1].op, &phantom->op);
}

void symmetry_hold(struct order *o, const struct thread_state *thread, struct threadset *set)
{
  struct threadset free = *set;
  THREADSET_EACH(t, set)
  {
    unsigned elder = is_common(&thread[t].pending) ? elder_of(o, t) : 0;
    if (!elder || !thread[elder - 1].alive || due(o, t, elder - 1))
      continue;
    const struct operation *op = &thread[elder - 1].pending;
    if (same_step(op, &thread[t].pending) && threadset_has(set, elder - 1))
      threadset_remove(&free, t);
    o->tells_apart |= !op_is_invisible(op->kind) && !same_place(op, &thread[t].pending);
  }
  *set = free;
}

/* ---- twins ---- */

static bool has_twin(const struct order *o, unsigned thread)
{
  return o->twin[thread] || (thread + 1 < MAX_THREADS && o->twin[thread + 1] == thread + 1);
}

void symmetry_note_creation(struct order *o, const struct world *world, uint32_t e)
{
  const struct order_event *creation = &o->event[e];
  unsigned thread = creation->creates;
  const struct order_event *before = creation->previous ? &o->event[creation->previous - 1] : NULL;
  bool twins = applies(o) && thread > 1 && before && before->op.kind == OP_CREATE && before->creates == thread - 1 &&
               world->twins && world->twins(world->self, thread - 1, thread);
  o->twin[thread] = twins ? (uint16_t)thread : 0;
}

/* What the event knows of a thread; of the one that created it, at least that. */
static uint32_t knows(const struct order *o, const struct order_event *e, unsigned thread,
                      const struct order_event *made)
{
  uint32_t nth = thread < e->width ? o->clock[e->clock + thread] : 0;
  return made && made->thread == thread && made->nth > nth ? made->nth : nth;
}

/* The two steps commute, and know the same of all others. */
static bool mirrors(const struct order *o, const struct order_event *elder, const struct order_event *e)
{
  if (op_announced_kind(&elder->op) != op_announced_kind(&e->op) || elder->op.kind != e->op.kind || e->choices ||
      elder->choices || order_dependent(o, elder, e))
    return false;
  uint32_t created = o->created[e->thread];
  const struct order_event *made = created ? &o->event[created - 1] : NULL;
  unsigned width = elder->width > e->width ? elder->width : e->width;
  for (unsigned t = 0; t < width; t++)
    if (t != e->thread && knows(o, elder, t, made) != knows(o, e, t, made))
      return false;
  return true;
}

/* The thread does something else than its elder did there: it is known from that, which it is. */
static bool strays(const struct order *o, const struct order_event *e)
{
  unsigned elder = e->hidden || e->elder ? 0 : elder_after(o, e->thread, e->previous);
  uint32_t step = elder ? visible_nth(o, elder - 1, e->visible) : 0;
  return step && !same_place(&o->event[step - 1].op, &e->op);
}

static bool wrote_own_address(const struct order *o, const struct world *world, const struct order_event *e)
{
  for (unsigned i = 0; op_writes_memory(e->op.kind) && i < e->links; i++)
    if (o->link[e->link + i].after != o->link[e->link + i].before &&
        world->told_apart(world->self, e->thread, o->link[e->link + i].after))
      return true;
  return world->told_apart(world->self, e->thread, 0);
}

/* It wrote something else than its elder, be it as a difference, though both had met the same: it is made from
 * something that tells the two apart. */
static bool writes_otherwise(const struct order *o, const struct order_event *e)
{
  const struct order_event *elder = e->elder ? &o->event[e->elder - 1] : NULL;
  if (!elder || !op_writes_memory(e->op.kind) || elder->op.kind != e->op.kind || elder->links != e->links)
    return false;
  for (unsigned i = 0; i < e->links; i++) {
    const struct link *a = &o->link[elder->link + i], *b = &o->link[e->link + i];
    uint64_t part = order_part(b->acts);
    if ((a->after ^ b->after) & part && ((a->after - a->before) ^ (b->after - b->before)) & part)
      return true;
  }
  return false;
}

void symmetry_settle(struct order *o, const struct world *world, uint32_t e)
{
  struct order_event *last = &o->event[e];
  last->twins = last->elder && mirrors(o, &o->event[last->elder - 1], last);
  if (applies(o) && has_twin(o, last->thread) &&
      (strays(o, last) || writes_otherwise(o, last) || wrote_own_address(o, world, last)))
    o->tells_apart = true;
}

/* ---- what tells them apart ---- */

/* The eldest of the twins it is one of. */
static unsigned eldest(const struct order *o, unsigned thread)
{
  while (o->twin[thread])
    thread = o->twin[thread] - 1u;
  return thread;
}

static unsigned twins_of(const struct order *o, unsigned first)
{
  unsigned n = 1;
  while (first + n < MAX_THREADS && o->twin[first + n] == first + n)
    n++;
  return n;
}

/* How many of them the thread has joined last, one right after the other. */
static unsigned joined_at_last(const struct order *o, unsigned thread, unsigned first)
{
  unsigned joined = 0;
  for (uint32_t e = o->last[thread];
       e && o->event[e - 1].op.kind == OP_JOIN && eldest(o, (unsigned)o->event[e - 1].op.arg) == first;
       e = o->event[e - 1].previous)
    joined++;
  return joined;
}

/* The thread has joined some of them, and goes on with something else. */
static bool leaves_some(const struct order *o, unsigned thread, const struct operation *op)
{
  uint32_t e = o->last[thread];
  if (!e || o->event[e - 1].op.kind != OP_JOIN || !has_twin(o, (unsigned)o->event[e - 1].op.arg))
    return false;
  unsigned first = eldest(o, (unsigned)o->event[e - 1].op.arg);
  bool goes_on = op->kind == OP_JOIN && eldest(o, (unsigned)op->arg) == first;
  return !goes_on && joined_at_last(o, thread, first) < twins_of(o, first);
}

void symmetry_look_at(struct order *o, unsigned thread, const struct operation *op)
{
  if (!applies(o))
    return;
  bool by_name = op_table[op->kind].object == OBJECT_THREAD && op->kind != OP_START && op->kind != OP_EXIT &&
                 op->kind != OP_CREATE && op->kind != OP_JOIN;
  o->tells_apart |= by_name || op->traits & OP_FAR || leaves_some(o, thread, op);
}

/* One of them that has ended is not joined by who waits for another one: had they exchanged their parts, that one would
 * have gone on, and what it does then is not known. */
void symmetry_look_at_end(struct order *o, const struct order_event *phantom)
{
  if (!applies(o) || phantom->op.kind != OP_JOIN || !has_twin(o, (unsigned)phantom->op.arg))
    return;
  unsigned first = eldest(o, (unsigned)phantom->op.arg), ended = 0;
  for (unsigned t = first; t < first + twins_of(o, first); t++)
    ended += o->last[t] && o->event[o->last[t] - 1].op.kind == OP_EXIT;
  o->tells_apart |= ended > joined_at_last(o, phantom->thread, first) &&
                    !(o->last[phantom->op.arg] && o->event[o->last[phantom->op.arg] - 1].op.kind == OP_EXIT);
}
