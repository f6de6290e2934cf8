/* SPDX-License-Identifier: Apache-2.0
 *
 * What a thread did before, of all that the order of an execution keeps (order.h): the same step, and whether it stood
 * at a place at all. Both are found without going back through its events.
 */
#include "core/rng.h"
#include "explore/order.h"

/* ---- where threads stood ---- */

static uint32_t place_of(unsigned thread, uint64_t local, uintptr_t pc)
{
  return (uint32_t)(mix64(local + thread + (pc << 8)) >> (64 - ORDER_STOOD_BITS));
}

#define LOOKED_AT 6 /* that share a slot; then it may have been one further back */

bool order_may_have_stood(const struct order *o, unsigned thread, uint64_t local, uintptr_t pc)
{
  uint32_t f = o->stood[place_of(thread, local, pc)];
  for (unsigned n = 0; f && n < LOOKED_AT; n++) {
    const struct order_event *e = &o->event[f - 1];
    if (e->thread == thread && e->local == local && e->op.pc == pc)
      return true;
    f = e->stood;
  }
  return f;
}

void order_note_place(struct order *o, struct order_event *e, uint32_t number)
{
  uint32_t *last = &o->stood[place_of(e->thread, e->local, e->op.pc)];
  e->stood = *last;
  *last = number;
}

void order_forget_place(struct order *o, const struct order_event *e)
{
  o->stood[place_of(e->thread, e->local, e->op.pc)] = e->stood;
}

/* ---- the same step before ---- */

static uint32_t *recent_of(struct order *o, unsigned thread, const struct operation *op)
{
  enum op_kind kind = op->kind == OP_BARRIER_LEAVE ? OP_BARRIER_ARRIVE : (enum op_kind)op->kind;
  uint64_t h = mix64(op->addr ^ (uint64_t)op->length << 48 ^ (uint64_t)kind << 40 ^ (uint64_t)thread << 32);
  return &o->recent[h >> (64 - ORDER_RECENT_BITS)];
}

/* Who leaves a barrier knows all that arrived in that round and before. */
static bool depends_on_as_much(const struct operation *a, const struct operation *b)
{
  bool same = a->space == b->space && a->addr == b->addr && a->object == b->object && a->second == b->second &&
              a->traits == b->traits && a->length == b->length;
  if (same && b->kind == OP_BARRIER_LEAVE)
    return a->kind == OP_BARRIER_LEAVE || a->kind == OP_BARRIER_ARRIVE;
  if (same && b->kind == OP_BARRIER_ARRIVE)
    return a->kind == OP_BARRIER_LEAVE && a->arg + 1 == b->arg;
  return same && a->kind == b->kind && a->arg == b->arg;
}

uint32_t order_alike_before(struct order *o, const struct order_event *e)
{
  uint32_t f = *recent_of(o, e->thread, &e->op);
  const struct order_event *g = &o->event[f ? f - 1 : 0];
  bool alike = f && f <= o->events && g->thread == e->thread && !g->awaits && !e->awaits && !g->final &&
               depends_on_as_much(&g->op, &e->op);
  return alike ? f : 0;
}

void order_note_recent(struct order *o, const struct order_event *e, uint32_t number)
{
  *recent_of(o, e->thread, &e->op) = number;
}
