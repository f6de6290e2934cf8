/* SPDX-License-Identifier: Apache-2.0
 *
 * What an execution left aside: steps that other threads could have taken. Those within the bound wait at their nodes.
 * Those beyond it are left out; if a search with a larger bound is to go on from there, they are kept. When the search
 * leaves a node, what was left out there joins the node before, below the step that led from one to the other, so that
 * in the end the first node has a tree of all that was left out, which is handed in as what waits is (unit.h).
 *
 * The search breadth first keeps all that waits in the same kind of tree, and takes of it what was found first. */
#include "explore/explorer.h"

#define KEPT_MOST (1u << 20) /* steps beyond the bound; if there are more, the larger bound begins anew */

uint32_t explorer_add_step(struct explorer *x, struct witnesses *list, unsigned thread, const struct operation *op,
                           uint32_t cost)
{
  uint32_t w = witness_new(x, 0, 0), last = x->order.last[thread];
  if (!w)
    return 0;
  struct witness *at = witness_at(x, w);
  at->op = *op;
  at->thread = (uint16_t)thread;
  at->nth = last ? x->order.event[last - 1].nth + 1 : 1;
  at->cost = cost;
  at->turn = ++x->turns;
  at->wide = true;
  witness_append(x, list, w);
  return w;
}

bool explorer_is_within(struct explorer *x, uint32_t w)
{
  return explorer_affords(x, witness_at(x, w)->cost);
}

static void forget_tree(struct explorer *x, uint32_t w)
{
  struct witnesses list = {w, w};
  witness_at(x, w)->next = 0;
  witness_free_all(x, &list);
}

void explorer_leave_out(struct explorer *x, uint32_t node, uint32_t w)
{
  bool beyond = x->bound && (witness_at(x, w)->cost & COST_BOUND) > x->bound_limit;
  bool keeps = beyond ? x->keeps_beyond : true;
  x->bounded |= beyond;
  x->dropped |= keeps && x->kept_beyond >= KEPT_MOST;
  if (!keeps || x->dropped) {
    forget_tree(x, w);
    return;
  }
  x->kept_beyond++;
  witness_append(x, node < x->root ? &x->node[node].waiting : &x->node[node].beyond, w);
}

void explorer_sort_in(struct explorer *x, uint32_t node, uint32_t w)
{
  if (explorer_is_within(x, w))
    witness_append(x, &x->node[node].waiting, w);
  else
    explorer_leave_out(x, node, w);
}

static uint32_t less(uint32_t a, uint32_t b)
{
  return a < b ? a : b;
}

/* A list becomes what follows the event before its node, and joins that one's list. */
static void fold(struct explorer *x, uint32_t node, struct witnesses *list, struct witnesses *above)
{
  const struct order_event *e = &x->order.event[node - 1];
  uint32_t w = list->first ? explorer_add_witness(x, above, e, e->choices) : 0;
  if (!w)
    return;
  struct witness *at = witness_at(x, w);
  at->then = *list;
  at->cost = at->turn = UINT32_MAX;
  for (uint32_t i = list->first; i; i = witness_at(x, i)->next) {
    at->cost = less(at->cost, witness_at(x, i)->cost);
    at->turn = less(at->turn, witness_at(x, i)->turn);
  }
  *list = (struct witnesses){0};
}

void explorer_mark_wide(struct explorer *x, uint32_t node)
{
  struct explorer_node *n = &x->node[node];
  for (uint32_t w = n->widened ? n->waiting.first : 0; w; w = witness_at(x, w)->next)
    witness_at(x, w)->wide = true;
  for (uint32_t w = n->widened ? n->beyond.first : 0; w; w = witness_at(x, w)->next)
    witness_at(x, w)->wide = true;
}

void explorer_leave_node(struct explorer *x, uint32_t node)
{
  struct explorer_node *n = &x->node[node];
  if ((!x->bound && !x->changed.map && !x->comes_round) || node > x->order.events)
    return;
  explorer_mark_wide(x, node);
  witness_free_all(x, &n->others);
  if (n->beyond.first && node > x->root)
    fold(x, node, &n->beyond, &n[-1].beyond);
}

static bool comes_before(struct explorer *x, uint32_t a, uint32_t b)
{
  bool within = explorer_is_within(x, a);
  return within != explorer_is_within(x, b) ? within : witness_at(x, a)->turn < witness_at(x, b)->turn;
}

uint32_t explorer_bring_forward(struct explorer *x, struct witnesses *list)
{
  uint32_t best = list->first, before = 0;
  for (uint32_t w = list->first, next; w && (next = witness_at(x, w)->next); w = next)
    if (comes_before(x, next, best)) {
      best = next;
      before = w;
    }
  if (!before)
    return best;
  witness_at(x, before)->next = witness_at(x, best)->next;
  if (list->last == best)
    list->last = before;
  witness_at(x, best)->next = list->first;
  return list->first = best;
}

bool explorer_next_in_breadth(struct explorer *x)
{
  struct order *o = &x->order;
  for (uint32_t i = o->events; i > x->root; i--) {
    explorer_leave_node(x, i);
    fold(x, i, &x->node[i].waiting, &x->node[i - 1].waiting);
  }
  order_truncate(o, x->root);
  explorer_bring_forward(x, &x->node[x->root].waiting);
  x->guide = witness_take(x, &x->node[x->root].waiting);
  x->fixed = x->root;
  x->given = x->given < x->root ? x->given : x->root;
  x->node[x->root].explored = 1;
  x->finished = !x->guide;
  return x->guide;
}
