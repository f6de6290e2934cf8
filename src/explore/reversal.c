/* SPDX-License-Identifier: Apache-2.0
 *
 * Races of an execution that has ended, and the witnesses that reverse them; see explorer.h.
 *
 * A race is an event e and a later step e' of another thread that depends on it, with nothing in between that happens
 * after e and before e', or only things that e' does not need in order to be possible: an unlock is no partner of the
 * lock that follows it, the lock before that unlock is. Whether e' is possible without e, and without all that happens
 * after e, is found from the states of its object that were noted along the chain. The later step may be a phantom: an
 * operation that was still pending when the execution ended.
 */
#include "explore/await.h"
#include "explore/explorer.h"

uint32_t event_outcome(const struct order *o, const struct event *e, unsigned choices)
{
  uint32_t outcome = 0;
  for (unsigned i = 0; i < choices; i++)
    outcome = outcome_add(outcome, o->choice[e->choice + i][1]);
  return outcome;
}

/* ---- what is possible without an event ---- */

/* The state the object would have before the late step if e and all that happens after it had not been. */
static uint64_t state_without(const struct order *o, const struct link *own, uint32_t e)
{
  uint64_t after = own->before, state = after;
  for (uint32_t l = own->prev; l && o->link[l - 1].event >= e; l = o->link[l - 1].prev) {
    const struct link *link = &o->link[l - 1];
    if (order_before(o, e, &o->event[link->event]))
      state -= after - link->before;
    after = link->before;
  }
  return state;
}

static bool possible_without(const struct order *o, const struct event *late, uint32_t e)
{
  const struct link *own = &o->link[late->link];
  if (late->awaits && !await_possible_without(o, late, e))
    return false;
  switch (late->op.kind) {
  case OP_MUTEX_LOCK:
  case OP_SPIN_LOCK:
  case OP_ONCE_ENTER:
  case OP_SEM_WAIT:
  case OP_RWLOCK_RDLOCK:
    return state_without(o, own, e) >= 1;
  case OP_RWLOCK_WRLOCK:
    return state_without(o, own, e) == WORLD_ALL;
  case OP_COND_WAKE:
  case OP_COND_TIMEDWAKE:
    return state_without(o, own + 1, e) >= 1;
  case OP_BARRIER_DESTROY:
  case OP_COND_DESTROY:
    return false;
  default:
    return true;
  }
}

/* ---- the witness ---- */

/* The step that a thread is about to take at the node before event e. */
static const struct event *pending_at(const struct order *o, uint32_t e, unsigned thread)
{
  const struct event *step = o->phantom[thread] ? &o->event[o->phantom[thread] - 1] : NULL;
  for (uint32_t f = o->last[thread]; f > e; f = o->event[f - 1].previous)
    step = &o->event[f - 1];
  return step;
}

/* Whether a step that a thread could take at the node before e depends on an event that comes instead. The round of an
 * arrival at a barrier is that of the node, and whoever fills the round puts it into the next. */
static bool depends_at(const struct order *o, uint32_t e, const struct event *step, const struct event *g)
{
  if (step->op.kind != OP_BARRIER_ARRIVE || g->op.kind != OP_BARRIER_ARRIVE || g->final)
    return order_dependent(o, step, g);
  struct event then = *step;
  const struct link *own = &o->link[step->link];
  then.op.arg = order_state_at(o, own->key, e, step->op.arg);
  return (g->opens && g->op.addr == step->op.addr) || order_dependent(o, &then, g);
}

/* Follows the witness, all of what does not happen after e and then the late step, until something in it wakes the
 * sleeper. What is needed for that is added to the horizon. False: nothing does, the sleeper might as well go first. */
static bool wakes(const struct order *o, uint32_t e, const struct event *late, const struct sleeper *s,
                  struct horizon *need)
{
  const struct event *step = pending_at(o, e, s->thread);
  for (uint32_t i = e + 1; i < o->events; i++) {
    const struct event *g = &o->event[i];
    if (order_before(o, e, g) || g == late)
      continue;
    bool same = g->thread == s->thread;
    if (same && event_outcome(o, g, g->choices) == s->outcome)
      return false;
    if (same || s->final || depends_at(o, e, step, g)) {
      horizon_join(need, o, g);
      return true;
    }
  }
  if (late->thread == s->thread)
    return false;
  return s->final || depends_at(o, e, step, late);
}

/* All that the late step needs before it, e and what happens after e apart. */
static void needed_by(const struct order *o, uint32_t e, const struct event *late, struct horizon *need)
{
  horizon_clear(need);
  order_own_past(o, need, late);
  for (unsigned i = 0; i < late->links; i++)
    for (uint32_t l = o->link[late->link + i].prev; l && o->link[l - 1].event > e; l = o->link[l - 1].prev) {
      const struct event *f = &o->event[o->link[l - 1].event];
      if (!order_before(o, e, f) && order_dependent(o, f, late))
        horizon_join(need, o, f);
    }
  uint32_t at = (uint32_t)(late - o->event);
  if (at > o->events)
    at = o->events;
  bool wide = event_is_wide(late);
  for (uint32_t f = wide ? at : late->wide; f > e + 1; f = wide ? f - 1 : o->event[f - 1].wide) {
    const struct event *g = &o->event[f - 1];
    if (!order_before(o, e, g) && order_dependent(o, g, late))
      horizon_join(need, o, g);
  }
}

static void fill_token(struct step_token *t, const struct order *o, const struct event *g)
{
  *t = (struct step_token){.op = g->op,
                           .thread = g->thread,
                           .choices = g->choices,
                           .outcome = event_outcome(o, g, g->choices)};
  for (unsigned i = 0; i < g->choices; i++)
    token_choices(t)[i] = o->choice[g->choice + i][1];
}

static bool in_witness(const struct order *o, uint32_t e, const struct event *late, const struct horizon *need,
                       const struct event *g)
{
  return g != late && !order_before(o, e, g) && (!need || horizon_has(need, g));
}

/* need: NULL for all of it. */
static uint32_t build(struct explorer *x, uint32_t e, const struct event *late, const struct horizon *need)
{
  const struct order *o = &x->order;
  uint32_t steps = 1, bytes = token_bytes(0), last = e;
  for (uint32_t i = e + 1; i < o->events; i++)
    if (in_witness(o, e, late, need, &o->event[i])) {
      steps++;
      bytes += token_bytes(o->event[i].choices);
      last = i;
    }
  uint32_t w = witness_new(x, steps, bytes);
  if (!w)
    return 0;
  struct step_token *t = witness_tokens(witness_at(x, w));
  for (uint32_t i = e + 1; i <= last; i++)
    if (in_witness(o, e, late, need, &o->event[i])) {
      fill_token(t, o, &o->event[i]);
      t = token_next(t);
    }
  *t = (struct step_token){.op = late->op, .thread = late->thread};
  return w;
}

/* Whether the subtree of something tried or to be tried at the node contains the reversal. If not, need grows to what
 * tells it from all of them. */
static bool contained(struct explorer *x, uint32_t e, const struct event *late, struct horizon *need)
{
  const struct node *n = &x->node[e];
  for (uint32_t i = 0; i < n->sleepers; i++)
    if (!wakes(&x->order, e, late, &x->sleeper[n->sleeper + i], need))
      return true;
  for (uint32_t w = n->first; w; w = witness_at(x, w)->next) {
    const struct step_token *t = witness_tokens(witness_at(x, w));
    struct sleeper first = {.thread = t->thread, .outcome = t->outcome};
    if (!wakes(&x->order, e, late, &first, need))
      return true;
  }
  return false;
}

static void reverse(struct explorer *x, uint32_t e, const struct event *late)
{
  struct horizon *need = &x->horizon[1];
  needed_by(&x->order, e, late, need);
  if (contained(x, e, late, need))
    return;
  bool ours = x->whole || e > x->root; /* others add to the nodes above, so they must see all of it */
  uint32_t w = build(x, e, late, ours ? need : NULL);
  if (w)
    node_add_witness(x, e, w);
  else
    x->order.full = true;
}

/* ---- races ---- */

static bool may_reverse(const struct order *o, const struct event *f, const struct event *late)
{
  if (f->thread == late->thread || !order_dependent(o, f, late) || (late->final && op_is_invisible(f->op.kind)))
    return false;
  return possible_without(o, late, (uint32_t)(f - o->event));
}

/* One candidate. past: all that is ordered before the late step whatever the order of the races found so far. */
static void try_candidate(struct explorer *x, uint32_t e, const struct event *late, struct horizon *past)
{
  const struct event *f = &x->order.event[e];
  if (horizon_has(past, f) || !may_reverse(&x->order, f, late))
    return;
  reverse(x, e, late);
  horizon_join(past, &x->order, f);
}

/* The candidates of several chains in the order of their events, latest first. */
static void search_chains(struct explorer *x, const struct event *late, struct horizon *past)
{
  const struct order *o = &x->order;
  uint32_t at[OPERATION_LINKS], wide = late->wide;
  for (unsigned i = 0; i < late->links; i++)
    at[i] = o->link[late->link + i].prev;
  for (;;) {
    uint32_t best = wide;
    for (unsigned i = 0; i < late->links; i++)
      if (at[i] && o->link[at[i] - 1].event + 1 > best)
        best = o->link[at[i] - 1].event + 1;
    if (!best)
      return;
    const struct event *f = &o->event[best - 1];
    try_candidate(x, best - 1, late, past);
    if (wide == best)
      wide = f->wide;
    for (unsigned i = 0; i < late->links; i++)
      if (at[i] && o->link[at[i] - 1].event + 1 == best) {
        bool over = horizon_has(past, f) && order_dependent(o, f, late) &&
                    order_covers(o, f, late, &o->link[late->link + i]);
        at[i] = over ? 0 : o->link[at[i] - 1].prev;
      }
  }
}

static void search(struct explorer *x, const struct event *late)
{
  struct horizon *past = &x->horizon[0];
  uint32_t at = (uint32_t)(late - x->order.event);
  horizon_clear(past);
  order_own_past(&x->order, past, late);
  if (!event_is_wide(late)) {
    search_chains(x, late, past);
    return;
  }
  for (uint32_t e = at < x->order.events ? at : x->order.events; e-- > 0;)
    try_candidate(x, e, late, past);
}

/* What a blocked thread waits for may have been there earlier; and when the program ends, all that could still have
 * run might have run before its last step. */
static void search_phantoms(struct explorer *x, const struct outcome *outcome)
{
  const struct order *o = &x->order;
  const struct event *last = o->events ? &o->event[o->events - 1] : NULL;
  for (unsigned t = 0; t < outcome->threads; t++) {
    if (!o->phantom[t] || (last->final && t == last->thread))
      continue;
    const struct event *late = &o->event[o->phantom[t] - 1];
    bool enabled = threadset_has(outcome->enabled, t);
    bool waits_for_others = late->op.kind == OP_BARRIER_LEAVE || late->op.kind == OP_FUTEX_BLOCK ||
                            (late->op.kind == OP_COND_WAKE && !late->enabler) || late->op.kind == OP_JOIN;
    if (enabled == last->final && (enabled || !waits_for_others))
      search(x, late);
  }
}

void explorer_reverse_races(struct explorer *x, const struct outcome *outcome)
{
  struct order *o = &x->order;
  for (uint32_t i = x->fresh; i < o->events; i++)
    if (o->event[i].races)
      search(x, &o->event[i]);
  if (o->events)
    search_phantoms(x, outcome);
}

/* ---- data choices ---- */

static bool outcome_known(struct explorer *x, uint32_t node, unsigned thread, uint32_t outcome)
{
  const struct node *n = &x->node[node];
  for (uint32_t i = 0; i < n->sleepers; i++)
    if (x->sleeper[n->sleeper + i].thread == thread && x->sleeper[n->sleeper + i].outcome == outcome)
      return true;
  for (uint32_t w = n->first; w; w = witness_at(x, w)->next) {
    struct step_token *t = witness_tokens(witness_at(x, w));
    if (t->thread == thread && t->outcome == outcome)
      return true;
  }
  return false;
}

/* A sleeper that the step leaves asleep stands for a subtree in which the step has this outcome too. */
static bool outcome_contained(struct explorer *x, uint32_t node, const struct event *e)
{
  const struct node *n = &x->node[node];
  for (uint32_t i = 0; x->reducing && i < n->sleepers; i++) {
    const struct sleeper *s = &x->sleeper[n->sleeper + i];
    if (s->thread != e->thread && !s->final && !depends_at(&x->order, node, pending_at(&x->order, node, s->thread), e))
      return true;
  }
  return false;
}

static void add_outcome(struct explorer *x, uint32_t node, const struct event *e, unsigned nth, uint32_t value)
{
  const struct order *o = &x->order;
  uint32_t w = witness_new(x, 1, token_bytes(nth + 1));
  if (!w) {
    x->order.full = true;
    return;
  }
  struct step_token *t = witness_tokens(witness_at(x, w));
  *t = (struct step_token){.op = e->op, .thread = e->thread, .choices = (uint16_t)(nth + 1)};
  for (unsigned i = 0; i < nth; i++)
    token_choices(t)[i] = o->choice[e->choice + i][1];
  token_choices(t)[nth] = value;
  t->outcome = outcome_add(event_outcome(o, e, nth), value);
  node_add_witness(x, node, w);
}

void explorer_add_outcomes(struct explorer *x)
{
  const struct order *o = &x->order;
  for (uint32_t i = x->fresh; i < o->events; i++) {
    const struct event *e = &o->event[i];
    if (!e->choices || outcome_contained(x, i, e))
      continue;
    for (unsigned c = 0; c < e->choices; c++)
      for (uint32_t v = 0; v < o->choice[e->choice + c][0]; v++)
        if (v != o->choice[e->choice + c][1] &&
            !outcome_known(x, i, e->thread, outcome_add(event_outcome(o, e, c), v)))
          add_outcome(x, i, e, c, v);
  }
}
