/* SPDX-License-Identifier: Apache-2.0
 *
 * Cycles. Threads that try a lock, give back what they have and begin anew (std::lock) can keep each other from
 * succeeding for as long as the scheduler pleases, and come back to where all of them were. What can follow then could
 * follow there already, so an execution is not followed beyond.
 *
 * That two nodes of a branch have the same state is known exactly: each thread that moved in between stands where it
 * stood (world.h: local), and all that was touched is as it was, and in the hands of the same threads.
 *
 * Why nothing is missed. A reduction relies on races that are found further down, and here something is not followed
 * down. So at every node of the cycle all threads are tried, and what a step's subtree is relied on to have is only
 * what begins with that step (reversal.c: has_what_is_apart). That such a search comes to every end of the program is
 * seen by induction over the length of the execution v that leads there. Where v goes on from a node of a cycle, its
 * first step was tried there, or sleeps, since an equivalent execution begins with a step that was tried before. Where
 * it goes on from the end of a cycle, a shorter one goes on in the same way from the node where the cycle begins. All
 * other nodes have below them only cycles that begin there: nothing below is cut off for something above, and for these
 * the argument of explorer.h holds as it is.
 *
 * To have the steps of all threads at hand costs something, so it begins when the first cycle was seen: that is a
 * lesson (unit.h), and the search begins anew.
 */
#include "core/key.h"
#include "explore/explorer.h"

#define CYCLE_EVENTS 512 /* longer ones are followed */

static bool is_lock_operation(enum op_kind kind)
{
  return kind == OP_MUTEX_LOCK || kind == OP_MUTEX_TRYLOCK || kind == OP_MUTEX_UNLOCK || kind == OP_SPIN_LOCK ||
         kind == OP_SPIN_TRYLOCK || kind == OP_SPIN_UNLOCK;
}

/* The lock changes hands, or is not to be had: nothing is counted that its state does not tell. */
static bool tells_all_of_lock(const struct order *o, uint32_t event)
{
  const struct order_event *e = &o->event[event];
  const struct link *link = e->links ? &o->link[e->link] : NULL; /* what it only waits for to change comes after that */
  if (!link || !key_is_object(link->key) || (e->links > 1 && link[1].acts))
    return false;
  bool tries = e->op.kind == OP_MUTEX_TRYLOCK || e->op.kind == OP_SPIN_TRYLOCK;
  return link->before != link->after || (tries && !order_holds(o, e->thread, link->key, event));
}

/* Whether the states of what the event touched, and where its thread stands, tell all that it changed. Accesses to
 * memory are left out: a race is not between states, so that one in a cycle would have to be looked for after it, too.
 */
static bool tells_all(const struct order *o, uint32_t event)
{
  const struct order_event *e = &o->event[event];
  if (e->choices || e->final || e->creates || event_is_wide(e) || e->op.traits & (OP_SIGNALLED | OP_CANCELLED | OP_FAR))
    return false;
  if (is_lock_operation(e->op.kind))
    return tells_all_of_lock(o, event);
  return e->op.kind == OP_FENCE || e->op.kind == OP_YIELD || e->op.kind == OP_TESTCANCEL;
}

/* The thread stands as it did before the event, its own. */
static bool stands_before(const struct choice *c, const struct order_event *e)
{
  const struct thread_state *thread = &c->thread[e->thread];
  const struct operation *op = &thread->pending;
  return thread->alive && e->local && e->local == c->world->local(c->world->self, e->thread) &&
         op_announced_kind(&e->op) == op_announced_kind(op) && e->op.pc == op->pc && e->op.addr == op->addr;
}

/* What the event touched is as it was before the event `since`, if that one was the first to touch it from there on. */
static bool is_put_back(const struct order *o, const struct world *world, uint32_t event, uint32_t since)
{
  const struct order_event *e = &o->event[event];
  for (unsigned i = 0; i < e->links; i++) {
    const struct link *link = &o->link[e->link + i];
    bool first = !link->prev || o->link[link->prev - 1].event < since;
    if (first && link->before != world->state(world->self, &e->op, link->key))
      return false;
    if (key_is_object(link->key) &&
        order_holds(o, e->thread, link->key, since) != order_holds(o, e->thread, link->key, o->events))
      return false;
  }
  return true;
}

/* The node, + 1, whose state is that of now. 0: there is none, or it is too far up, or only one thread has moved since:
 * whether that one waits is found out elsewhere (await.h). */
static uint32_t same_before(const struct order *o, const struct choice *c)
{
  struct threadset away = {0};
  unsigned last = o->event[o->events - 1].thread;
  bool others = false;
  for (uint32_t i = o->events, n = 0; i-- > 0 && n < CYCLE_EVENTS; n++) {
    const struct order_event *e = &o->event[i];
    if (!tells_all(o, i))
      return 0;
    if (stands_before(c, e))
      threadset_remove(&away, e->thread);
    else
      threadset_add(&away, e->thread);
    others |= e->thread != last;
    uint32_t k = o->events;
    while (others && threadset_empty(&away) && k > i && is_put_back(o, c->world, k - 1, i))
      k--;
    if (k == i)
      return i + 1;
  }
  return 0;
}

static bool waits_there(struct explorer *x, const struct explorer_node *n, unsigned thread)
{
  for (uint32_t w = n->waiting.first; w; w = witness_at(x, w)->next)
    if (witness_at(x, w)->thread == thread)
      return true;
  return false;
}

static void try_all(struct explorer *x, uint32_t node)
{
  struct explorer_node *n = &x->node[node];
  for (uint32_t w; (w = witness_take(x, &n->others));)
    if (explorer_asleep(x, n, witness_at(x, w)->thread) || waits_there(x, n, witness_at(x, w)->thread))
      witness_free(x, w);
    else
      witness_append(x, &n->waiting, w);
}

/* Where all can be tried: nobody is held back, nor left out for another one that is the same (symmetry.h). */
static bool may_try_all(const struct explorer *x, const struct choice *c)
{
  return x->reducing && !x->descending && !c->holding && (!x->order.symmetric || x->order.told_apart);
}

bool explorer_comes_round(struct explorer *x, const struct choice *c, const struct threadset *able)
{
  const struct order *o = &x->order;
  if (!may_try_all(x, c) || o->full || x->position <= x->fixed || x->position < x->given)
    return false;
  unsigned last = o->event[o->events - 1].thread;
  if (!x->await[last].visits || !threadset_has(able, last)) /* that it waits is all there is to say (await.h) */
    return false;
  uint32_t node = same_before(o, c);
  if (!node)
    return false;
  x->restart |= !x->comes_round;
  x->comes_round = true;
  for (uint32_t i = node - 1; i < o->events && !x->restart; i++)
    try_all(x, i);
  x->blocked = true;
  return true;
}
