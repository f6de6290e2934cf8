/* SPDX-License-Identifier: Apache-2.0
 *
 * Units of work, on the side of those who explore them; see unit.h.
 */
#include "explore/unit.h"
#include "explore/explorer.h"

/* ---- in ---- */

void explorer_load(struct explorer *x, const struct unit *unit)
{
  explorer_forget(x);
  struct witnesses chain = {0, 0}, *list = &chain;
  const struct unit_step *s = (const struct unit_step *)(unit + 1);
  for (uint32_t i = 0; i < unit->steps; i++, s = unit_step_next(s)) {
    uint32_t w = witness_new(x, s->choices);
    if (!w)
      return;
    struct witness *at = witness_at(x, w);
    at->op = s->op;
    at->nth = s->nth;
    at->outcome = s->outcome;
    at->thread = s->thread;
    for (unsigned c = 0; c < s->choices; c++)
      at->choice[c] = ((const uint32_t *)(s + 1))[c];
    witness_append(x, list, w);
    list = &at->then;
  }
  x->guide = chain.first;
  x->root = unit->steps;
}

/* ---- out ---- */

struct writer {
  char *at, *end;
  bool full;
};

static void *put(struct writer *w, uint64_t bytes)
{
  if (w->full || (uint64_t)(w->end - w->at) < bytes) {
    w->full = true;
    return NULL;
  }
  void *here = w->at;
  w->at += bytes;
  return here;
}

static void put_step(struct writer *w, const struct unit_step *step, const uint32_t *choice)
{
  struct unit_step *out = put(w, unit_step_bytes(step));
  if (!out)
    return;
  *out = *step;
  uint32_t *to = (uint32_t *)(out + 1);
  for (unsigned i = 0; i < step->choices; i++)
    to[i] = choice[i];
  if (step->choices % 2)
    to[step->choices] = 0;
}

static void put_witness(struct writer *w, const struct witness *at)
{
  struct unit_step step = {.op = at->op,
                           .nth = at->nth,
                           .outcome = at->outcome,
                           .thread = at->thread,
                           .choices = at->choices};
  put_step(w, &step, at->choice);
}

static void put_event(struct writer *w, const struct order *o, const struct event *e)
{
  struct unit_step step = {.op = e->op,
                           .nth = e->nth,
                           .outcome = event_outcome(o, e, e->choices),
                           .thread = e->thread,
                           .choices = e->choices,
                           .final = e->final};
  struct unit_step *out = put(w, unit_step_bytes(&step));
  if (!out)
    return;
  *out = step;
  uint32_t *to = (uint32_t *)(out + 1);
  for (unsigned i = 0; i < e->choices; i++)
    to[i] = o->choice[e->choice + i][1];
  if (e->choices % 2)
    to[e->choices] = 0;
}

/* Depth first through a list of witnesses and all that may follow them; the list may be long, not deep. */
static void put_trees(struct writer *w, struct explorer *x, const struct witnesses *list)
{
  for (uint32_t i = list->first; i; i = witness_at(x, i)->next) {
    const struct witness *at = witness_at(x, i);
    put_witness(w, at);
    struct unit_branch *branch = put(w, sizeof *branch);
    if (branch)
      *branch = (struct unit_branch){.then = witness_count(x, &at->then)};
    put_trees(w, x, &at->then);
  }
}

/* Every way through the tree is a witness of its own. steps: the way so far, from the node on. */
static void put_ways(struct writer *w, struct explorer *x, uint32_t node, const struct witnesses *list, uint32_t *way,
                     uint32_t depth, uint32_t *count)
{
  for (uint32_t i = list->first; i && depth < ORDER_EVENTS; i = witness_at(x, i)->next) {
    way[depth] = i;
    if (witness_at(x, i)->then.first) {
      put_ways(w, x, node, &witness_at(x, i)->then, way, depth + 1, count);
      continue;
    }
    struct unit_found *found = put(w, sizeof *found);
    if (found)
      *found = (struct unit_found){node, depth + 1};
    for (uint32_t s = 0; s <= depth; s++)
      put_witness(w, witness_at(x, way[s]));
    ++*count;
  }
}

static void put_node(struct writer *w, struct explorer *x, uint32_t i, bool last)
{
  const struct node *n = &x->node[i];
  struct unit_node *out = put(w, sizeof *out);
  uint32_t explored = n->sleepers - n->inherited;
  if (!out)
    return;
  *out = (struct unit_node){explored, witness_count(x, &n->waiting) + (last && x->guide), n->able, n->cost};
  for (uint32_t s = n->inherited; s < n->sleepers; s++) {
    const struct sleeper *sleeper = &x->sleeper[n->sleeper + s];
    struct unit_step step = {.op = x->done[n->sleeper + s],
                             .outcome = sleeper->outcome,
                             .thread = sleeper->thread,
                             .final = sleeper->final};
    put_step(w, &step, NULL);
  }
  if (last && x->guide) { /* it was taken from the front */
    struct witnesses one = {x->guide, x->guide};
    uint32_t next = witness_at(x, x->guide)->next;
    witness_at(x, x->guide)->next = 0;
    put_trees(w, x, &one);
    witness_at(x, x->guide)->next = next;
  }
  put_trees(w, x, &n->waiting);
  if (!last)
    put_event(w, &x->order, &x->order.event[i]);
}

void explorer_hand_in(struct explorer *x, struct hand_in *out, uint64_t size)
{
  struct writer w = {(char *)(out + 1), (char *)out + size, false};
  uint32_t *way = x->way, founds = 0, nodes = 0;
  for (uint32_t i = 0; i < x->root; i++)
    put_ways(&w, x, i, &x->node[i].waiting, way, 0, &founds);
  for (uint32_t i = x->root; !x->finished && i <= x->fixed; i++, nodes++)
    put_node(&w, x, i, i == x->fixed);
  *out = (struct hand_in){.bytes = (uint64_t)(w.at - (char *)out), .founds = founds, .nodes = nodes, .full = w.full};
}
