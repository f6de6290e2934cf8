/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads come after the writes they read from. Atomic ones hand on more, by their memory orders: a store that releases
 * hands on what its thread knows, a relaxed one what the last fence released, a read-modify-write also what was handed
 * on to it.
 */
#include "predict/order/run_order_memory.h"
#include <stdlib.h>

static bool acquires(int order)
{
  return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}

static bool releases(int order)
{
  return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

static void read_granule(struct run_order *o, uint32_t me, const struct granule *granule, uint32_t bytes, int order,
                         bool atomic)
{
  for (uint32_t i = 0; i < granule->writers; i++) {
    const struct granule_writer *w = &granule->writer[i];
    if (!(w->bytes & bytes))
      continue;
    run_order_learn(o, me, ORDER_DATA, &w->data);
    if (!atomic || !w->handover)
      continue;
    run_order_learn(o, me, ORDER_MUST, &w->handover->must);
    if (acquires(order))
      run_order_learn(o, me, ORDER_HAPPENS_BEFORE, &w->handover->happens_before);
    else
      stamp_mix(&o->thread[me].acquirable, &w->handover->happens_before, &o->failed);
  }
}

void run_order_read(struct run_order *o, uint32_t me, uint64_t addr, uint32_t length, int order, bool atomic)
{
  const struct granule_range touched = granule_range_of(addr, length);
  for (uint64_t g = touched.first; g < touched.end; g++) {
    const struct granule *granule = granule_map_at(&o->granules, g, false);
    if (granule)
      read_granule(o, me, granule, granule_bytes(g, addr, length), order, atomic);
  }
}

/* What a read-modify-write passes on of what it read. */
static void pass_on(struct run_order *o, const struct granule *granule, uint32_t bytes, struct handover *h)
{
  for (uint32_t i = 0; i < granule->writers; i++) {
    const struct granule_writer *w = &granule->writer[i];
    if (w->bytes & bytes && w->handover)
      stamp_mix(&h->happens_before, &w->handover->happens_before, &o->failed);
  }
}

static struct handover *make_handover(struct run_order *o, const struct event *e, const struct granule *granule,
                                      uint32_t bytes)
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
    pass_on(o, granule, bytes, h);
    stamp_mix(&h->happens_before, given, &o->failed);
  } else {
    stamp_set(&h->happens_before, given);
  }
  return h;
}

static void write_granule(struct run_order *o, const struct event *e, struct granule *granule, uint32_t bytes)
{
  struct handover *handover = op_is_atomic(e->op) ? make_handover(o, e, granule, bytes) : NULL;
  struct stamp now = stamp_of(o, e->thread, ORDER_DATA);
  struct granule_writer *w = granule_written(granule, bytes);
  if (!w) {
    o->failed = true;
    free(handover);
    return;
  }
  w->handover = handover;
  stamp_set(&w->data, &now);
}

static void write(struct run_order *o, const struct event *e)
{
  const struct granule_range touched = granule_range_of(e->addr, event_followed(e));
  for (uint64_t g = touched.first; g < touched.end; g++) {
    struct granule *granule = granule_map_at(&o->granules, g, true);
    if (!granule) {
      o->failed = true;
      return;
    }
    write_granule(o, e, granule, granule_bytes(g, e->addr, e->length));
  }
}

void run_order_memory(struct run_order *o, const struct event *e)
{
  enum op_kind op = access_kind(e);
  if (op == OP_FREE) {
    /* The allocator rounds blocks up to whole granules: nothing else lives in the last one. */
    const struct granule_range freed = granule_range_of(e->addr, event_followed(e));
    granule_map_remove(&o->granules, freed.first, freed.end - freed.first);
    return;
  }
  if (op == OP_READ || op == OP_ATOMIC_LOAD || op == OP_ATOMIC_RMW)
    run_order_read(o, e->thread, e->addr, event_followed(e), e->order, op_is_atomic(op));
  if (op_writes_memory(op))
    write(o, e);
}
