/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops that wait; see await.h. All is found in the events of the thread: each has the number of the place where the
 * thread stood.
 */
#include "explore/await.h"
#include "core/key.h"

#define LOOK_BACK 64 /* events of the thread */

static bool can_wait_by(const struct operation *op)
{
  if (op->traits & OP_SIGNALLED) /* it took a signal, and comes again without one */
    return false;
  switch (op->kind) {
  case OP_COND_WAKE: /* a loop that waits again after a wake-up without a signal */
    return op->traits & OP_SPURIOUS;
  case OP_READ:
  case OP_WRITE:
  case OP_ATOMIC_LOAD:
  case OP_ATOMIC_STORE:
  case OP_ATOMIC_RMW:
  case OP_FENCE:
  case OP_MUTEX_LOCK:
  case OP_MUTEX_TRYLOCK:
  case OP_MUTEX_TIMEDLOCK:
  case OP_MUTEX_UNLOCK:
  case OP_SPIN_LOCK:
  case OP_SPIN_TRYLOCK:
  case OP_SPIN_UNLOCK:
  case OP_COND_WAIT:
  case OP_COND_TIMEDWAKE:
  case OP_RWLOCK_RDLOCK:
  case OP_RWLOCK_TRYRDLOCK:
  case OP_RWLOCK_TIMEDRDLOCK:
  case OP_RWLOCK_WRLOCK:
  case OP_RWLOCK_TRYWRLOCK:
  case OP_RWLOCK_TIMEDWRLOCK:
  case OP_RWLOCK_UNLOCK:
  case OP_SEM_TRYWAIT:
  case OP_SEM_TIMEDWAIT:
  case OP_SEM_GETVALUE:
  case OP_TIMEDJOIN:
  case OP_YIELD:
  case OP_TESTCANCEL:
  case OP_SLEEP:
  case OP_EVENT:
  case OP_CALL:
    return true;
  default:
    return false;
  }
}

/* False: too many. */
static bool watch(const struct order *o, struct watched_keys *watched, const struct order_event *e)
{
  for (unsigned i = 0; i < e->links; i++) {
    const struct link *link = &o->link[e->link + i];
    if (!link->acts)
      continue;
    unsigned k = 0;
    while (k < watched->count && watched->key[k] != link->key)
      k++;
    if (k == ORDER_WATCHED)
      return false;
    if (k == watched->count) {
      watched->key[watched->count++] = link->key;
      watched->bytes[k] = 0;
    }
    watched->bytes[k] |= link->acts;
  }
  return true;
}

void await_find(const struct order *o, struct await *a, uint32_t last, const struct operation *op, uint64_t local)
{
  a->visits = a->watched.count = 0;
  a->last = last;
  bool yields = last && op_idles_on(o->event[last - 1].op.kind, op->kind);
  if (!local || !can_wait_by(op) || (op_is_invisible(op->kind) && !yields)) /* it waits at the next step that matters */
    return;
  if (!last || !order_may_have_stood(o, o->event[last - 1].thread, local, op->pc))
    return;
  uint32_t at = last;
  struct watched_keys seen;
  seen.count = 0;
  for (unsigned n = 0; at && n < LOOK_BACK && a->visits < AWAIT_VISITS; n++) {
    const struct order_event *e = &o->event[at - 1];
    if (!can_wait_by(&e->op) || event_is_wide(e) || !watch(o, &seen, e))
      return;
    if (e->local == local && op_announced_kind(&e->op) == op_announced_kind(op) && e->op.pc == op->pc &&
        e->op.addr == op->addr) {
      a->visit[a->visits++] = at - 1;
      a->watched = seen;
    }
    at = e->previous;
  }
}

/* Whether the events of a thread from `visit` to `last` would meet the same states and leave them as they are, starting
 * from those in `state`, one for each of the keys. */
static bool in_vain(const struct order *o, uint32_t visit, uint32_t last, const struct watched_keys *keys,
                    const uint64_t start[ORDER_WATCHED])
{
  const struct order_event *done[LOOK_BACK];
  uint64_t state[ORDER_WATCHED];
  unsigned n = 0;
  for (uint32_t at = last; at > visit && n < LOOK_BACK; at = o->event[at - 1].previous)
    done[n++] = &o->event[at - 1];
  for (unsigned k = 0; k < keys->count; k++)
    state[k] = start[k];
  while (n-- > 0)
    for (unsigned i = 0; i < done[n]->links; i++) {
      const struct link *link = &o->link[done[n]->link + i];
      for (unsigned k = 0; k < keys->count; k++)
        if (keys->key[k] == link->key) {
          uint64_t seen = order_part(link->acts);
          if ((state[k] ^ link->before) & seen)
            return false;
          state[k] = (state[k] & ~seen) | (link->after & seen);
        }
    }
  for (unsigned k = 0; k < keys->count; k++)
    if (state[k] != start[k])
      return false;
  return true;
}

static bool gives_lock(const struct order_event *e, uint64_t key)
{
  return op_leaves_lock(e->op.kind) ||
         (e->op.kind == OP_COND_WAIT && key_is_object(key) && key_kind(key) == OBJECT_MUTEX);
}

/* The thread's own event before that of the link, on the same object, is not part of the iteration. */
static bool is_first(const struct order *o, const struct link *link, uint32_t visit)
{
  unsigned thread = o->event[link->event].thread;
  uint32_t l = link->prev;
  while (l && o->link[l - 1].event >= visit && o->event[o->link[l - 1].event].thread != thread)
    l = o->link[l - 1].prev;
  return !l || o->link[l - 1].event < visit;
}

/* Whether the thread holds a lock where it stands that others get in the course of the iteration. */
static bool keeps_others_out(const struct order *o, uint32_t visit, uint32_t last)
{
  for (uint32_t at = last; at > visit; at = o->event[at - 1].previous) {
    const struct order_event *e = &o->event[at - 1];
    for (unsigned i = 0; i < e->links; i++) {
      const struct link *link = &o->link[e->link + i];
      if (gives_lock(e, link->key) && is_first(o, link, visit))
        return true;
    }
  }
  return false;
}

#define ROUNDS 3 /* then it waits wherever it is */

/* It waits here, unless it has something that others get further on in the loop: then there. Iterations before event
 * `since` do not count. */
static bool waits_here(const struct order *o, const struct await *a, const uint64_t start[ORDER_WATCHED],
                       uint32_t since)
{
  for (uint32_t v = 0; v < a->visits && a->visit[v] >= since; v++)
    if (in_vain(o, a->visit[v], a->last, &a->watched, start) &&
        (a->visits >= ROUNDS || !keeps_others_out(o, a->visit[v], a->last)))
      return true;
  return false;
}

bool await_blocks(const struct order *o, const struct await *a, const struct world *world, const struct operation *op)
{
  uint64_t now[ORDER_WATCHED];
  for (unsigned k = 0; k < a->watched.count; k++)
    now[k] = world->state(world->self, op, a->watched.key[k]);
  uint32_t since = a->last ? order_cancelled(o, o->event[a->last - 1].thread, o->wide) : 0;
  return waits_here(o, a, now, since);
}

bool await_possible_without(const struct order *o, const struct order_event *late, uint32_t e)
{
  struct await a;
  uint64_t then[ORDER_WATCHED] = {0};
  await_find(o, &a, late->previous, &late->op, late->local);
  for (unsigned k = 0; k < a.watched.count; k++)
    for (unsigned i = 0; i < late->links; i++)
      if (o->link[late->link + i].key == a.watched.key[k])
        then[k] = order_state_without(o, &o->link[late->link + i], e);
  uint32_t since = order_cancelled(o, late->thread, late->wide);
  while (since && (since == e + 1 || order_before(o, e, &o->event[since - 1])))
    since = order_cancelled(o, late->thread, o->event[since - 1].wide);
  return !waits_here(o, &a, then, since);
}

/* ---- livelocks ---- */

static bool stood_there(const struct order *o, const struct await *a, uint32_t since)
{
  for (uint32_t v = 0; v < a->visits; v++) {
    uint32_t visit = a->visit[v], previous = o->event[visit].previous;
    if (visit >= since && previous <= since)
      return true;
  }
  return false;
}

/* Whether memory is as it was before the event `since`, looking at what was accessed from there on. */
static bool as_it_was(const struct order *o, const struct world *world, const struct threadset *moving, uint32_t since)
{
  for (uint32_t i = since; i < o->events; i++) {
    const struct order_event *e = &o->event[i];
    bool memory = op_is_memory(e->op.kind) && e->op.kind != OP_FREE && !event_is_wide(e);
    if (!threadset_has(moving, e->thread) || (!memory && !op_is_invisible(e->op.kind) && e->op.kind != OP_SLEEP))
      return false;
    for (unsigned l = 0; l < e->links; l++) {
      const struct link *link = &o->link[e->link + l];
      bool first = !link->prev || o->link[link->prev - 1].event < since;
      if (first && link->before != world->state(world->self, &e->op, link->key))
        return false;
    }
  }
  return true;
}

bool await_cycles(const struct order *o, const struct await *a, const struct threadset *enabled,
                  const struct world *world, uint32_t *since)
{
  uint32_t from = o->events;
  THREADSET_EACH(t, enabled)
  {
    if (!a[t].visits && !a[t].in_vain)
      return false;
    if (!a[t].in_vain && a[t].visit[0] < from)
      from = a[t].visit[0];
  }
  THREADSET_EACH(t, enabled)
  {
    if (!a[t].in_vain && !stood_there(o, &a[t], from))
      return false;
  }
  *since = from;
  return from < o->events && as_it_was(o, world, enabled, from);
}
