/* SPDX-License-Identifier: Apache-2.0
 *
 * Units of work, on the side of those who explore them; see unit.h.
 */
#include "explore/unit.h"
#include "explore/explorer.h"

/* ---- in ---- */

static uint32_t load_step(struct explorer *x, const struct unit_step *s, struct witnesses *list)
{
  uint32_t w = witness_new(x, s->choices);
  if (!w)
    return 0;
  struct witness *at = witness_at(x, w);
  at->op = s->op;
  at->nth = s->nth;
  at->outcome = s->outcome;
  at->thread = s->thread;
  at->final = s->final;
  at->awaits = s->awaits;
  at->hidden = s->hidden;
  for (unsigned c = 0; c < s->choices; c++)
    at->choice[c] = ((const uint32_t *)(s + 1))[c];
  witness_append(x, list, w);
  return w;
}

/* Returns what follows. */
static const struct unit_step *load_trees(struct explorer *x, const struct unit_step *s, uint32_t count,
                                          struct witnesses *list)
{
  for (uint32_t i = 0; i < count; i++) {
    uint32_t w = load_step(x, s, list);
    const struct unit_branch *b = (const struct unit_branch *)unit_step_next(s);
    s = (const struct unit_step *)(b + 1);
    if (!w)
      return s;
    witness_at(x, w)->id = b->id;
    s = load_trees(x, s, b->then, &witness_at(x, w)->then);
  }
  return s;
}

static const struct unit_step *load_level(struct explorer *x, const struct unit_level *level, uint32_t i,
                                          uint32_t *sleeper)
{
  struct node *n = &x->node[i];
  const struct unit_step *s = (const struct unit_step *)(level + 1);
  *n = (struct node){
      .sleeper = *sleeper, .sleepers = level->sleepers, .inherited = level->sleepers, .cost = n->cost};
  for (uint32_t k = 0; k < level->sleepers; k++, s = unit_step_next(s))
    x->sleeper[(*sleeper)++] = (struct sleeper){.thread = s->thread,
                                                .final = s->final & 3,
                                                .outcomes = s->outcome ? 0x3fff : 0,
                                                .outcome = s->outcome};
  return load_trees(x, s, level->waiting, &n->waiting);
}

void explorer_load(struct explorer *x, const struct unit *unit)
{
  explorer_forget(x);
  struct witnesses chain = {0, 0}, *list = &chain;
  const struct unit_level *level = (const struct unit_level *)(unit + 1);
  uint32_t sleeper = 0;
  x->node[0].cost = 0;
  for (uint32_t i = 0; i < unit->steps; i++) {
    const struct unit_step *s = load_level(x, level, i, &sleeper);
    uint32_t w = load_step(x, s, list);
    if (!w)
      return;
    list = &witness_at(x, w)->then;
    level = (const struct unit_level *)unit_step_next(s);
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
                           .choices = at->choices,
                           .final = at->final,
                           .awaits = at->awaits,
                           .hidden = at->hidden};
  put_step(w, &step, at->choice);
}

static void put_event(struct writer *w, const struct order *o, const struct event *e)
{
  struct unit_step step = {.op = e->op,
                           .nth = e->nth,
                           .outcome = event_outcome(o, e, e->choices),
                           .thread = e->thread,
                           .choices = e->choices,
                           .final = e->final,
                           .awaits = e->awaits,
                           .hidden = e->hidden};
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

static void put_trees(struct writer *w, struct explorer *x, const struct witnesses *list);

static void put_tree(struct writer *w, struct explorer *x, const struct witness *at)
{
  put_witness(w, at);
  struct unit_branch *branch = put(w, sizeof *branch);
  if (branch)
    *branch = (struct unit_branch){.then = witness_count(x, &at->then)};
  put_trees(w, x, &at->then);
}

static void put_trees(struct writer *w, struct explorer *x, const struct witnesses *list)
{
  for (uint32_t i = list->first; i; i = witness_at(x, i)->next)
    put_tree(w, x, witness_at(x, i));
}

/* What is new among the witnesses of a node on the way. way: the known ones that lead there. */
static void put_new(struct writer *w, struct explorer *x, uint32_t node, const struct witnesses *list,
                    uint32_t *way, uint32_t depth, uint32_t *count)
{
  for (uint32_t i = list->first; i && depth < ORDER_EVENTS; i = witness_at(x, i)->next) {
    const struct witness *at = witness_at(x, i);
    if (at->id) {
      way[depth] = at->id;
      put_new(w, x, node, &at->then, way, depth + 1, count);
      continue;
    }
    struct unit_found *found = put(w, sizeof *found);
    uint32_t *id = put(w, (depth + 1) / 2 * 8);
    if (!found || !id)
      return;
    *found = (struct unit_found){.node = node, .known = depth};
    for (uint32_t k = 0; k < depth; k++)
      id[k] = way[k];
    put_tree(w, x, at);
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
  if (last && x->guide) /* it was taken from the front */
    put_tree(w, x, witness_at(x, x->guide));
  put_trees(w, x, &n->waiting);
  if (!last)
    put_event(w, &x->order, &x->order.event[i]);
}

void explorer_hand_in(struct explorer *x, struct hand_in *out, uint64_t size)
{
  struct writer w = {(char *)(out + 1), (char *)out + size, false};
  uint32_t *way = x->way, founds = 0, nodes = 0;
  for (uint32_t i = 0; i < x->root; i++)
    put_new(&w, x, i, &x->node[i].waiting, way, 0, &founds);
  for (uint32_t i = x->root; !x->finished && i <= x->fixed; i++, nodes++)
    put_node(&w, x, i, i == x->fixed);
  *out = (struct hand_in){
      .bytes = (uint64_t)(w.at - (char *)out), .founds = founds, .nodes = nodes, .full = w.full};
}
