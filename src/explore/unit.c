/* SPDX-License-Identifier: Apache-2.0
 *
 * Units of work, on the side of those who explore them; see unit.h.
 */
#include "explore/unit.h"
#include "core/key.h"
#include "explore/explorer.h"

/* ---- names: no address leaves the process ---- */

/* Elsewhere it is what the call changes, or numbers of channels. */
static bool has_address(const struct operation *op)
{
  return op->kind != OP_SYSTEM && !op_is_on_channels(op->kind);
}

static struct operation by_name(const struct world *world, struct operation op)
{
  if (has_address(&op))
    op.addr = world->name(world->self, op.addr);
  op.pc = world->name(world->self, op.pc);
  if (op.second && !op_is_memory(op.kind)) /* the mutex of a condition variable */
    op.arg = world->name(world->self, op.arg);
  return op;
}

static struct operation by_address(const struct world *world, struct operation op)
{
  if (has_address(&op))
    op.addr = world->address(world->self, op.addr);
  op.pc = world->address(world->self, op.pc);
  if (op.second && !op_is_memory(op.kind))
    op.arg = world->address(world->self, op.arg);
  return op;
}

static struct watched_key key_by_name(const struct world *world, struct watched_key k)
{
  if (key_space(k.key))
    return k; /* where another process has it, this one has it too */
  return (struct watched_key){key_with_address(k.key, world->name(world->self, key_address(k.key))), k.bytes};
}

static struct watched_key key_by_address(const struct world *world, struct watched_key k)
{
  if (key_space(k.key))
    return k;
  return (struct watched_key){key_with_address(k.key, world->address(world->self, key_address(k.key))), k.bytes};
}

/* ---- in ---- */

static uint32_t load_step(struct explorer *x, const struct world *world, const struct unit_step *s,
                          struct witnesses *list)
{
  uint32_t w = witness_new(x, s->choices, s->watched);
  if (!w)
    return 0;
  struct witness *at = witness_at(x, w);
  at->op = by_address(world, s->op);
  at->nth = s->nth;
  at->outcome = s->outcome;
  at->cost = s->cost;
  at->turn = s->turn;
  x->turns = s->turn > x->turns ? s->turn : x->turns;
  at->thread = s->thread;
  at->outcomes = s->outcomes || !s->outcome ? s->outcomes : OUTCOMES_MOST;
  at->final = s->final;
  at->awaits = s->awaits;
  at->hidden = s->hidden;
  at->wide = s->wide;
  at->supposed = s->supposed;
  for (unsigned c = 0; c < s->choices; c++)
    at->choice[c] = ((const uint32_t *)(s + 1))[c];
  for (unsigned k = 0; k < s->watched; k++)
    witness_watched(at)[k] = key_by_address(world, unit_step_watched(s)[k]);
  witness_append(x, list, w);
  return w;
}

/* All that follows the step on the way at that depth came: the one before it learns of the least of it. */
static void follow_up(struct explorer *x, uint32_t depth)
{
  const struct witness *done = witness_at(x, x->way[depth]);
  struct witness *before = depth ? witness_at(x, x->way[depth - 1]) : NULL;
  if (before && done->cost < before->cost)
    before->cost = done->cost;
  if (before && done->turn < before->turn)
    before->turn = done->turn;
}

/* Returns what follows; NULL: no memory. Trees may be as deep as executions are long. way, due: of each step on the way
 * down to the current one, its number and how many of those after it have not come yet. */
static const struct unit_step *load_trees(struct explorer *x, const struct world *world, const struct unit_step *s,
                                          uint32_t count, struct witnesses *list)
{
  uint32_t depth = 0;
  while (count || depth) {
    if (!count) {
      count = x->due[--depth];
      follow_up(x, depth);
      continue;
    }
    struct witnesses *under = depth ? &witness_at(x, x->way[depth - 1])->then : list;
    uint32_t w = load_step(x, world, s, under);
    const struct unit_branch *b = (const struct unit_branch *)unit_step_next(s);
    if (!w || depth == ORDER_EVENTS)
      return NULL;
    s = (const struct unit_step *)(b + 1);
    witness_at(x, w)->id = b->id;
    if (b->then)
      witness_at(x, w)->cost = witness_at(x, w)->turn = UINT32_MAX;
    x->way[depth] = w;
    x->due[depth++] = count - 1;
    count = b->then;
  }
  return s;
}

static const struct unit_step *load_level(struct explorer *x, const struct world *world, const struct unit_level *level,
                                          uint32_t node)
{
  const struct unit_step *s = (const struct unit_step *)(level + 1);
  struct explorer_node *n = &x->node[node];
  *n = (struct explorer_node){.cost = n->cost};
  for (uint32_t k = 0; k < level->before; k++, s = unit_step_next(s)) {
    n->widened |= s->wide;
    if (!load_step(x, world, s, &n->before))
      return NULL;
  }
  struct witnesses waiting = {0};
  s = load_trees(x, world, s, level->waiting, &waiting);
  for (uint32_t w; (w = witness_take(x, &waiting));) {
    n->widened |= witness_at(x, w)->wide;
    if (node < x->root)
      witness_append(x, &n->waiting, w);
    else
      explorer_sort_in(x, node, w);
  }
  return s;
}

static void learn(struct explorer *x, const struct world *world, const struct lessons *l)
{
  for (uint32_t i = 0; i < l->places; i++)
    vain_add_place(&x->vain, world->address(world->self, l->place[i]));
  for (unsigned i = 0; i < THREADSET_WORDS; i++)
    x->order.interrupted.word[i] |= l->interrupted.word[i];
  x->creator = x->creator ? x->creator : l->creator;
  x->many_creators |= l->many_creators;
  x->polls_exit |= l->polls_exit;
  x->order.exits_count = x->polls_exit;
  x->order.updates_show |= l->updates_show;
  x->order.told_apart |= l->told_apart;
  x->comes_round |= l->comes_round;
  x->thrifty |= l->thrifty;
  x->livelocked |= l->livelocked;
  x->chooses |= l->chooses;
}

static struct lessons lessons_of(const struct explorer *x, const struct world *world)
{
  struct lessons l = {.interrupted = x->order.interrupted,
                      .creator = x->creator,
                      .many_creators = x->many_creators,
                      .polls_exit = x->polls_exit,
                      .updates_show = x->order.updates_show,
                      .told_apart = x->order.told_apart,
                      .comes_round = x->comes_round,
                      .thrifty = x->thrifty,
                      .livelocked = x->livelocked,
                      .chooses = x->chooses};
  for (uint32_t i = 0; i < x->vain.places; i++)
    lessons_add_place(&l, world->name(world->self, x->vain.place[i]));
  return l;
}

void explorer_load(struct explorer *x, const struct world *world, const struct unit *unit)
{
  explorer_forget(x);
  order_tidy(&x->order);
  learn(x, world, &unit->lessons);
  struct witnesses chain = {0, 0}, *list = &chain;
  const struct unit_level *level = (const struct unit_level *)(unit + 1);
  x->node[0].cost = 0;
  x->root = unit->root;
  x->put_off = unit->put_off;
  for (uint32_t i = 0; i < unit->steps; i++) {
    const struct unit_step *s = load_level(x, world, level, i);
    uint32_t w = s ? load_step(x, world, s, list) : 0;
    if (!w)
      break; /* the way ends too early, which is found on it */
    list = &witness_at(x, w)->then;
    level = (const struct unit_level *)unit_step_next(s);
  }
  x->guide = chain.first;
  x->given = unit->steps;
  x->begun = x->given;
  bool puts_off = x->changed.map && !x->reducing;
  bool unfit = unit->steps || x->bound || puts_off || x->leaves_traces;
  descent_open(&x->descent, unfit ? 0 : unit->probes, x->reducing);
}

/* ---- out ---- */

struct writer {
  const struct world *world;
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

/* Room for the step and what follows it, which is still to be filled in; NULL: none. */
static struct unit_step *put_step(struct writer *w, const struct unit_step *step)
{
  struct unit_step *out = put(w, unit_step_bytes(step));
  if (!out)
    return NULL;
  *out = *step;
  out->op = by_name(w->world, step->op);
  if (step->choices % 2)
    ((uint32_t *)(out + 1))[step->choices] = 0;
  return out;
}

static void put_witness(struct writer *w, struct witness *at)
{
  struct unit_step step = {.op = at->op,
                           .nth = at->nth,
                           .outcome = at->outcome,
                           .cost = at->cost,
                           .turn = at->turn,
                           .thread = at->thread,
                           .choices = at->choices,
                           .final = at->final,
                           .watched = at->watched,
                           .awaits = at->awaits,
                           .hidden = at->hidden,
                           .wide = at->wide,
                           .supposed = at->supposed};
  struct unit_step *out = put_step(w, &step);
  for (unsigned i = 0; out && i < at->choices; i++)
    ((uint32_t *)(out + 1))[i] = at->choice[i];
  for (unsigned i = 0; out && i < at->watched; i++)
    unit_step_watched(out)[i] = key_by_name(w->world, witness_watched(at)[i]);
}

static void put_event(struct writer *w, const struct order *o, const struct order_event *e, bool wide)
{
  struct watched_key watched[ORDER_WATCHED];
  struct unit_step step = {.op = e->op,
                           .nth = e->nth,
                           .outcome = event_outcome(o, e, e->choices),
                           .thread = e->thread,
                           .choices = e->choices,
                           .final = e->final,
                           .watched = (uint8_t)order_watched(o, e, watched),
                           .awaits = e->awaits,
                           .hidden = e->hidden,
                           .wide = wide};
  struct unit_step *out = put_step(w, &step);
  for (unsigned i = 0; out && i < e->choices; i++)
    ((uint32_t *)(out + 1))[i] = o->choice[e->choice + i][1];
  for (unsigned i = 0; out && i < step.watched; i++)
    unit_step_watched(out)[i] = key_by_name(w->world, watched[i]);
}

/* The witness and all that may follow it. way_up: scratch, the witnesses on the way down to the current one. */
static void put_tree(struct writer *w, struct explorer *x, uint32_t top, uint32_t *way_up)
{
  uint32_t at = top, depth = 0;
  while (at) {
    struct witness *witness = witness_at(x, at);
    put_witness(w, witness);
    struct unit_branch *branch = put(w, sizeof *branch);
    if (!branch)
      return;
    *branch = (struct unit_branch){.then = witness_count(x, &witness->then)};
    if (branch->then) {
      way_up[depth++] = at;
      at = witness->then.first;
      continue;
    }
    while (at != top && !witness_at(x, at)->next)
      at = way_up[--depth];
    at = at == top ? 0 : witness_at(x, at)->next;
  }
}

static void put_trees(struct writer *w, struct explorer *x, const struct witnesses *list)
{
  for (uint32_t i = list->first; i; i = witness_at(x, i)->next)
    put_tree(w, x, i, x->due);
}

static void put_found(struct writer *w, struct explorer *x, uint32_t node, uint32_t depth, uint32_t witness)
{
  struct unit_found *found = put(w, sizeof *found);
  uint32_t *id = put(w, (depth + 1) / 2 * 8);
  if (!found || !id)
    return;
  *found = (struct unit_found){.node = node, .known = depth};
  for (uint32_t k = 0; k < depth; k++)
    id[k] = witness_at(x, x->way[k])->id;
  put_tree(w, x, witness, x->due);
}

/* What is new among the witnesses of a node on the way, which are below known ones (way). Returns how many. */
static uint32_t put_new(struct writer *w, struct explorer *x, uint32_t node)
{
  uint32_t at = x->node[node].waiting.first, depth = 0, count = 0;
  while (at) {
    struct witness *witness = witness_at(x, at);
    if (!witness->id) {
      put_found(w, x, node, depth, at);
      count++;
    } else if (witness->then.first) {
      x->way[depth++] = at;
      at = witness->then.first;
      continue;
    }
    while (at && !witness_at(x, at)->next)
      at = depth ? x->way[--depth] : 0;
    at = at ? witness_at(x, at)->next : 0;
  }
  return count;
}

static uint32_t put_chosen(struct writer *w, const struct explorer *x)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < x->root && i < x->order.events; i++) {
    if (!x->order.event[i].choices)
      continue;
    uint64_t *node = put(w, sizeof *node);
    if (node)
      *node = i;
    put_event(w, &x->order, &x->order.event[i], x->node[i].widened);
    count++;
  }
  return count;
}

static void put_explored(struct writer *w, const struct sleeper *s, const struct explored *done, bool wide)
{
  struct unit_step *out = put_step(w, &(struct unit_step){.op = done->op,
                                                          .nth = done->nth,
                                                          .outcome = s->outcome,
                                                          .thread = s->thread,
                                                          .outcomes = s->outcomes,
                                                          .final = s->final,
                                                          .watched = done->watched,
                                                          .awaits = done->awaits,
                                                          .hidden = done->hidden,
                                                          .wide = wide});
  for (unsigned i = 0; out && i < done->watched; i++)
    unit_step_watched(out)[i] = key_by_name(w->world, done->key[i]);
}

static void put_node(struct writer *w, struct explorer *x, uint32_t i, bool last)
{
  const struct explorer_node *n = &x->node[i];
  struct unit_node *out = put(w, sizeof *out);
  uint32_t explored = n->sleepers - n->inherited;
  if (!out)
    return;
  explorer_mark_wide(x, i);
  *out = (struct unit_node){
      .explored = explored,
      .waiting = witness_count(x, &n->waiting) + witness_count(x, &n->beyond) + (last && x->guide),
      .able = n->able,
  };
  for (uint32_t s = n->inherited; s < n->sleepers; s++)
    put_explored(w, &x->sleeper[n->sleeper + s], &x->done[n->sleeper + s], n->widened);
  if (last && x->guide) /* it was taken from the front */
    put_tree(w, x, x->guide, x->due);
  put_trees(w, x, &n->waiting);
  put_trees(w, x, &n->beyond);
  if (!last)
    put_event(w, &x->order, &x->order.event[i], n->widened);
}

void explorer_hand_in(struct explorer *x, const struct world *world, struct hand_in *out, uint64_t size)
{
  struct writer w = {world, (char *)(out + 1), (char *)out + size, false};
  uint32_t founds = 0, nodes = 0, chosen = put_chosen(&w, x);
  for (uint32_t i = 0; i < x->root; i++)
    founds += put_new(&w, x, i);
  bool begun = x->given <= x->fixed; /* else what came with it is still what is left */
  for (uint32_t i = x->root; begun && !x->finished && i <= x->fixed; i++, nodes++)
    put_node(&w, x, i, i == x->fixed);
  if (x->finished && x->node[x->root].beyond.first) {
    put_node(&w, x, x->root, true);
    nodes = 1;
  }
  *out = (struct hand_in){.bytes = (uint64_t)(w.at - (char *)out),
                          .founds = founds,
                          .chosen = chosen,
                          .nodes = nodes,
                          .finished = x->finished,
                          .full = w.full,
                          .plain = x->widening,
                          .dropped = x->dropped,
                          .lessons = lessons_of(x, world)};
}

void explorer_hand_in_lessons(const struct explorer *x, const struct world *world, struct hand_in *out)
{
  *out = (struct hand_in){.bytes = sizeof *out, .lessons = lessons_of(x, world)};
}
