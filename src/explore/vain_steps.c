/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks in vain, as an execution meets them (vain.h): one that turns out to be in vain is taken back.
 */
#include "explore/explorer.h"

/* ---- after ---- */

void explorer_abandon(struct explorer *x)
{
  x->blocked = true;
  x->aside = x->aside ? x->aside : ASIDE_REPORTED;
}

/* The step, + 1, by which the thread of the last one came where it stands, if that was a look. 0: it was none. */
static uint32_t last_look(const struct explorer *x, const struct choice *c, struct vain_look *look)
{
  const struct order *o = &x->order;
  uint32_t e = x->position;
  unsigned t = e ? o->event[e - 1].thread : 0;
  if (!e || !c->thread[t].alive || explorer_at_once(x, t, &c->thread[t].pending))
    return 0;
  while (e && o->event[e - 1].thread == t && o->event[e - 1].hidden && !o->event[e - 1].links)
    e--;
  bool looked = e && o->event[e - 1].thread == t && look_of_event(look, o, &o->event[e - 1]);
  return looked && !order_interrupted(o, t, &o->event[e - 1].op) ? e : 0;
}

/* Without reduction: the guide told that step, and ends with it, since what follows was not tried before. */
static bool told_by_guide(struct explorer *x, const struct order_event *e)
{
  uint32_t w = x->reducing ? 0 : x->guide;
  while (w && witness_at(x, w)->then.first)
    w = witness_at(x, w)->then.first;
  return w && witness_at(x, w)->thread == e->thread && witness_at(x, w)->nth == e->nth;
}

/* It was in vain: the execution comes again without it. told: by the guide; what else waits there is tried then. */
static void take_back(struct explorer *x, uint32_t e, bool told)
{
  for (uint32_t i = e; i < x->position; i++) {
    witness_free_all(x, &x->node[i].others);
    if (i > e || !told || i > x->fixed) {
      witness_free_all(x, &x->node[i].beyond);
      witness_free_all(x, &x->node[i].waiting);
    }
  }
  order_truncate(&x->order, e);
  x->redo = true;
  x->given = x->given < e ? x->given : e;
  explorer_dissolve_guide(x);
  x->fixed = e;
  if (!told)
    return;
  x->node[e].explored++;
  x->guide = witness_take(x, &x->node[e].waiting);
}

/* Where the last look led is remembered. True: back to where the thread stood, so it is no step of any execution. */
bool explorer_looked_in_vain(struct explorer *x, const struct choice *c)
{
  struct vain_look look;
  uint32_t e = x->position > x->fixed && !x->order.full ? last_look(x, c, &look) : 0;
  if (!e || e <= x->fixed || (c->world->is_known && !c->world->is_known(c->world->self, look.key)))
    return false;
  const struct order_event *event = &x->order.event[e - 1];
  unsigned t = event->thread;
  uint64_t here = stands_at(t, &c->thread[t].pending, c->world->local(c->world->self, t));
  bool returns = here && look_returns(&x->order, event->previous, &look, here);
  x->restart |= returns && vain_add_place(&x->vain, look.pc) && x->begun && (x->reducing || x->widening);
  if (!vain_knows_place(&x->vain, look.pc))
    return false;
  vain_remember(&x->vain, &look, here);
  if (!returns)
    return false;
  explorer_abandon(x);
  x->in_vain = e <= x->root || x->descending;
  if (!x->restart && !x->in_vain)
    take_back(x, e - 1, told_by_guide(x, event));
  return true;
}

/* The guide tells a look that was found to be in vain since: without reduction, nobody knew. */
bool explorer_leave_guide(struct explorer *x, const struct choice *c)
{
  uint32_t w = x->guide_at;
  if (x->reducing || !w || !x->await[witness_at(x, w)->thread].in_vain ||
      !threadset_has(c->enabled, witness_at(x, w)->thread))
    return false;
  explorer_abandon(x);
  x->in_vain = x->position < x->root;
  if (!x->in_vain)
    take_back(x, x->position, true);
  return true;
}
