/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads come after the writes they read from. Atomic ones hand on more, by their memory orders: a store that releases
 * hands on what its thread knows, a relaxed one what the last fence released, a read-modify-write also what was handed
 * on to it.
 */
#include "predict/order/order_memory.h"
#include <stdlib.h>

static bool acquires(int order)
{
  return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}

static bool releases(int order)
{
  return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

static void read_cell(struct order *o, uint32_t me, const struct cell *cell, uint32_t bytes, int order, bool atomic)
{
  for (uint32_t i = 0; i < cell->writers; i++) {
    const struct writer *w = &cell->writer[i];
    if (!(w->bytes & bytes))
      continue;
    order_learn(o, me, ORDER_DATA, &w->data);
    if (!atomic || !w->handover)
      continue;
    order_learn(o, me, ORDER_MUST, &w->handover->must);
    if (acquires(order))
      order_learn(o, me, ORDER_HAPPENS_BEFORE, &w->handover->happens_before);
    else
      stamp_mix(&o->thread[me].acquirable, &w->handover->happens_before, &o->failed);
  }
}

void order_read(struct order *o, uint32_t me, uint64_t addr, uint32_t length, int order, bool atomic)
{
  const struct granules touched = granules_of(addr, length);
  for (uint64_t g = touched.first; g < touched.end; g++) {
    const struct cell *cell = cells_at(&o->cells, g, false);
    if (cell)
      read_cell(o, me, cell, cell_bytes(g, addr, length), order, atomic);
  }
}

/* What a read-modify-write passes on of what it read. */
static void pass_on(struct order *o, const struct cell *cell, uint32_t bytes, struct handover *h)
{
  for (uint32_t i = 0; i < cell->writers; i++) {
    const struct writer *w = &cell->writer[i];
    if (w->bytes & bytes && w->handover)
      stamp_mix(&h->happens_before, &w->handover->happens_before, &o->failed);
  }
}

static struct handover *make_handover(struct order *o, const struct event *e, const struct cell *cell, uint32_t bytes)
{
  struct handover *h = calloc(1, sizeof *h);
  if (!h) {
    o->failed = true;
    return NULL;
  }
  struct stamp now = stamp_of(o, e->thread, ORDER_HAPPENS_BEFORE);
  struct stamp must = stamp_of(o, e->thread, ORDER_MUST);
  const struct stamp *given = releases(e->order) ? &now : &o->thread[e->thread].released;
  stamp_set(&h->must, &must);
  if (e->op == OP_ATOMIC_RMW && !(acquires(e->order) && releases(e->order))) {
    pass_on(o, cell, bytes, h);
    stamp_mix(&h->happens_before, given, &o->failed);
  } else {
    stamp_set(&h->happens_before, given);
  }
  return h;
}

static void write_cell(struct order *o, const struct event *e, struct cell *cell, uint32_t bytes)
{
  struct handover *handover = op_is_atomic(e->op) ? make_handover(o, e, cell, bytes) : NULL;
  struct stamp now = stamp_of(o, e->thread, ORDER_DATA);
  struct writer *w = cell_written(cell, bytes);
  if (!w) {
    o->failed = true;
    free(handover);
    return;
  }
  w->handover = handover;
  stamp_set(&w->data, &now);
}

static void write(struct order *o, const struct event *e)
{
  const struct granules touched = granules_of(e->addr, event_followed(e));
  for (uint64_t g = touched.first; g < touched.end; g++) {
    struct cell *cell = cells_at(&o->cells, g, true);
    if (!cell) {
      o->failed = true;
      return;
    }
    write_cell(o, e, cell, cell_bytes(g, e->addr, e->length));
  }
}

void order_memory(struct order *o, const struct event *e)
{
  enum op_kind op = access_kind(e);
  if (op == OP_FREE) {
    /* The allocator rounds blocks up to whole granules: nothing else lives in the last one. */
    const struct granules freed = granules_of(e->addr, event_followed(e));
    cells_remove(&o->cells, freed.first, freed.end - freed.first);
    return;
  }
  if (op == OP_READ || op == OP_ATOMIC_LOAD || op == OP_ATOMIC_RMW)
    order_read(o, e->thread, e->addr, event_followed(e), e->order, op_is_atomic(op));
  if (op_writes_memory(op))
    write(o, e);
}
