/* SPDX-License-Identifier: Apache-2.0
 *
 * Reduction within a bound on preemptions or delays.
 *
 * The reductions of explorer.h rely on an equivalent execution that is run instead. That one may need more preemptions,
 * and lie beyond the bound. Here the walk is that of depth first search, and every execution it runs is one of those
 * that depth first search within the bound would run; but a node begins narrow: only the step that costs nothing is
 * tried, which is that of the running thread, or where it cannot run on, that of the next one. The node is widened, so
 * that all other threads are tried there as far as the bound permits, once an execution shows that the order of that
 * step and a later one of another thread may matter: the two depend on each other, and nothing else stands between them
 * in the partial order. So does the node where the thread of that step began to run without a break (its stretch).
 * Unlike a race (reversal.c) the later step need not be possible before the other one: that a thread can go on earlier
 * makes it dearer to switch away from it.
 *
 * Why nothing is missed. Let n be a node that stayed narrow, p its thread, and W an execution within the bound that
 * goes on from n with another thread. By induction, of each execution within the bound that goes on from a later node
 * of the walk an equivalent one was run.
 *
 * 1. The thread that ran before n could run on, so p is that one, and W begins with a preemption or a delay. If no step
 * of W before p's next step e depends on e, then W with e moved to the front is equivalent. It costs no more: the
 * switch away from p comes after e instead of before, and where W went from z to p and on to z', it goes from z to z'
 * at once. Only where a thread becomes able earlier because of e can a switch cost more; but that thread's step depends
 * on e, and the execution that comes there at the same cost and goes on with it shows that to n, which would have been
 * widened. If there is a step of W that depends on e, take the first one, s: e, the part of W before s, and then s if
 * it is possible, cost no more than that part of W does; so an equivalent execution was run, and there nothing stands
 * between e and s: n would have been widened. If e does not come in W, then W ended before: a step of W disabled e, or
 * ended the program, and depends on it.
 *
 * 2. It could not, so going on with any thread is no preemption there, and p is the one that costs nothing. Let e1 …
 * em be all steps of p from n until it cannot run on. As n stayed narrow, so did the nodes before these steps, since
 * widening them widens n, too; so all that was run from n begins with them. With "e1 … em" instead of "e", the argument
 * of 1 holds: what p leaves behind is no preemption, and without p's steps the rest of W costs no more.
 *
 * Steps that are taken at once belong to the step before them, which let them come. Where a thread has run for so long
 * that others get their turn for nothing, and where an observer holds threads back, nothing is left out.
 */
#include "core/control.h"
#include "explore/explorer.h"

static void widen(struct explorer *x, uint32_t node)
{
  x->node[node].widened = true;
  for (uint32_t w; (w = witness_take(x, &x->node[node].others));)
    explorer_sort_in(x, node, w);
}

void explorer_widen(struct explorer *x, uint32_t event)
{
  while (event && x->node[event].forced)
    event--;
  widen(x, event);
  widen(x, x->node[event].stretch);
}

/* That a thread was created earlier makes a difference to delays only. */
static void widen_at_enabler(struct explorer *x, const struct order_event *late, uint32_t e, const struct horizon *past)
{
  const struct order_event *f = e ? &x->order.event[e - 1] : NULL;
  bool created = f && (f->creates || late->op.kind == OP_START) && x->bound == BOUND_PREEMPTIONS;
  if (f && f->thread != late->thread && !created && !horizon_has(past, f))
    explorer_widen(x, e - 1);
}

/* A step that cannot come before the last one it depends on may still come before one of those before that. */
static bool may_be_late_for(const struct explorer *x, const struct order_event *late)
{
  return op_table[late->op.kind].blocks || late->awaits || vain_knows_place(&x->vain, late->op.pc);
}

static bool lets_leave(const struct order_event *f, const struct order_event *late)
{
  return late->op.kind == OP_BARRIER_LEAVE && f->op.kind == OP_BARRIER_ARRIVE && f->op.addr == late->op.addr;
}

static void widen_at_candidate(struct explorer *x, uint32_t e, const struct order_event *late, struct horizon *past)
{
  const struct order_event *f = &x->order.event[e];
  if (f->thread == late->thread || horizon_has(past, f) ||
      !(order_dependent(&x->order, f, late) || lets_leave(f, late)))
    return;
  explorer_widen(x, e);
  if (!may_be_late_for(x, late))
    horizon_join(past, &x->order, f);
}

static void widen_along(struct explorer *x, const struct order_event *late, const struct link *own,
                        struct horizon *past)
{
  const struct order *o = &x->order;
  for (uint32_t l = order_earlier(o, late, own); l; l = order_earlier(o, late, &o->link[l - 1])) {
    uint32_t e = o->link[l - 1].event;
    widen_at_candidate(x, e, late, past);
    if (horizon_has(past, &o->event[e]) && order_covers(o, &o->event[e], late, own))
      return;
  }
}

static void widen_for(struct explorer *x, const struct order_event *late)
{
  const struct order *o = &x->order;
  struct horizon *past = &x->horizon[0];
  uint32_t at = (uint32_t)(late - o->event), end = at < o->events ? at : o->events;
  horizon_clear(past);
  if (late->previous)
    horizon_join(past, o, &o->event[late->previous - 1]);
  widen_at_enabler(x, late, late->enabler, past);
  widen_at_enabler(x, late, late->canceller, past);
  widen_at_enabler(x, late, late->signaller, past);
  widen_at_enabler(x, late, late->cutter, past);
  widen_at_enabler(x, late, late->closed, past);
  if (event_is_wide(late)) {
    for (uint32_t e = end; e-- > 0;)
      widen_at_candidate(x, e, late, past);
    return;
  }
  for (unsigned i = 0; i < late->links; i++)
    widen_along(x, late, &o->link[late->link + i], past);
  struct zone_walk zones = order_zones(o, late);
  for (uint32_t e; late->zones && (e = zones_next(&zones));)
    widen_at_candidate(x, e - 1, late, past);
  for (uint32_t e = late->wide; e; e = o->event[e - 1].wide)
    widen_at_candidate(x, e - 1, late, past);
}

void explorer_widen_at_races(struct explorer *x, const struct outcome *outcome)
{
  struct order *o = &x->order;
  o->world = outcome->world;
  for (uint32_t i = x->fresh; i < o->events; i++)
    widen_for(x, &o->event[i]);
  for (unsigned t = 0; t < outcome->threads; t++)
    if (o->phantom[t])
      widen_for(x, &o->event[o->phantom[t] - 1]);
  if (o->events && o->event[o->events - 1].final)
    explorer_widen(x, o->events - 1);
}
