/* SPDX-License-Identifier: Apache-2.0
 *
 * What a step chooses while it is performed: as it did, as the guide says, or what was not tried there yet; see
 * explorer.h.
 */
#include "explore/explorer.h"

static bool outcome_sleeps(const struct explorer *x, const struct order_event *e, uint32_t outcome)
{
  const struct explorer_node *n = &x->node[x->position - 1];
  for (uint32_t i = 0; i < n->sleepers; i++) {
    const struct sleeper *s = &x->sleeper[n->sleeper + i];
    if (s->thread == e->thread && s->outcome == outcome)
      return true;
  }
  return false;
}

unsigned explorer_choose(struct explorer *x, unsigned n)
{
  if (x->probing)
    return explorer_probe_choose(x);
  if (x->freewheeling || !x->position)
    return 0;
  const struct order_event *e = &x->order.event[x->position - 1];
  uint32_t at = x->choice_at++;
  if (x->position <= x->fixed)
    return at < e->choices ? x->order.choice[e->choice + at][1] : 0;
  unsigned value = 0;
  const struct witness *guide = x->guided ? witness_at(x, x->guide_at) : NULL;
  if (x->descending) {
    value = descent_choose(&x->descent, n);
  } else if (guide && at < guide->choices) {
    value = guide->choice[at];
  } else {
    uint32_t before = event_outcome(&x->order, e, e->choices);
    while (value < n && outcome_sleeps(x, e, outcome_add(before, value)))
      value++;
  }
  value = value < n ? value : 0;
  x->chooses |= x->reducing && n > 1;
  order_choose(&x->order, n, value);
  return value;
}
