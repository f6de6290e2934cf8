/* SPDX-License-Identifier: Apache-2.0
 *
 * Probes: executions that find out where a look leads which some race would put elsewhere, before the race is reversed
 * (vain.h). They follow the branch to a node, then what is needed there, then take the look and see where its thread
 * comes to; that is all. The branch stays as it is meanwhile.
 *
 * Each teaches where one more look leads, so that there are no more of them than there are looks.
 */
#include "explore/explorer.h"

bool explorer_probe_next(struct explorer *x)
{
  struct order *o = &x->order;
  x->probing = false;
  while (x->laters) {
    uint32_t late = x->later[x->laters - 1];
    if (explorer_doubts(x, &o->event[late])) {
      explorer_grow_probe(x, x->doubt_at - 1, &o->event[late]);
      x->probing = x->probe.first;
      if (x->probing)
        return true;
      vain_remember(&x->vain, &x->doubt, 0); /* no memory: not known to be in vain */
      continue;
    }
    x->laters--;
    explorer_reverse(x, late);
  }
  return false;
}

void explorer_probe_begin(struct explorer *x)
{
  x->position = x->choice_at = 0;
  x->blocked = x->freewheeling = x->looked = false;
  x->probe_at = x->probe.first;
}

/* It changed what it looked at: a compare-and-swap that succeeds is no look, wherever it leads. */
static bool has_changed(const struct explorer *x, const struct choice *c, const struct operation *op)
{
  const struct vain_look *look = &x->doubt;
  return (c->world->state(c->world->self, op, look->key) & order_part(look->bytes)) != look->sees;
}

/* Where its thread stands after the look. */
static unsigned see(struct explorer *x, const struct choice *c)
{
  unsigned t = witness_at(x, x->probe_at)->thread;
  const struct operation *op = &c->thread[t].pending;
  if (c->thread[t].alive && threadset_has(c->enabled, t) && explorer_at_once(x, t, op))
    return t;
  bool looked = c->thread[t].alive && !has_changed(x, c, &witness_at(x, x->probe_at)->op);
  vain_remember(&x->vain, &x->doubt, looked ? stands_at(t, op, c->world->local(c->world->self, t)) : 0);
  x->doubt_at = 0;
  x->blocked = true;
  return PICK_BLOCKED;
}

/* What the thread is about to see is what was expected, or else something is known of that instead. */
static void expect(struct explorer *x, const struct choice *c, unsigned t)
{
  struct vain_look look;
  if (!look_ahead(c->world, t, &c->thread[t].pending, &look))
    look.stands = 0;
  if (look.stands == x->doubt.stands && look.sees == x->doubt.sees)
    return;
  vain_remember(&x->vain, &x->doubt, 0);
  x->doubt = look;
}

unsigned explorer_probe_pick(struct explorer *x, const struct choice *c)
{
  x->choice_at = 0;
  if (x->looked)
    return see(x, c);
  unsigned t;
  if (x->position < x->doubt_at - 1) {
    t = explorer_follow(x, c);
  } else {
    if (x->position++ >= x->doubt_at)
      x->probe_at = witness_at(x, x->probe_at)->then.first;
    const struct witness *w = witness_at(x, x->probe_at);
    bool can = threadset_has(c->enabled, w->thread) && explorer_same_step(&c->thread[w->thread].pending, &w->op);
    t = can ? w->thread : PICK_BLOCKED;
    x->looked = !w->then.first;
    x->blocked = !can;
    if (can && x->looked)
      expect(x, c, t);
    return t;
  }
  x->position += t < MAX_THREADS;
  return t;
}

unsigned explorer_probe_choose(struct explorer *x)
{
  uint32_t at = x->choice_at++;
  if (x->position < x->doubt_at) {
    const struct order_event *e = &x->order.event[x->position - 1];
    return at < e->choices ? x->order.choice[e->choice + at][1] : 0;
  }
  const struct witness *w = witness_at(x, x->probe_at);
  return !x->looked && at < w->choices ? w->choice[at] : 0;
}

void explorer_probe_end(struct explorer *x)
{
  if (x->doubt_at)
    vain_remember(&x->vain, &x->doubt, 0); /* it came to nothing: not known to be in vain */
  x->doubt_at = 0;
  witness_free_all(x, &x->probe);
}
