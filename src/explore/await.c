/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops that wait; see await.h. All is found in the events of the thread: each has the number of the place where the
 * thread stood.
 */
#include "explore/await.h"

#define LOOK_BACK 64 /* events of the thread */

static bool can_wait_by(enum op_kind kind)
{
  switch (kind) {
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
  case OP_SLEEP:
  case OP_EVENT:
    return true;
  default:
    return false;
  }
}

/* False: too many. */
static bool watch(const struct order *o, struct extra_keys *watched, const struct event *e)
{
  for (unsigned i = 0; i < e->links; i++) {
    uint64_t key = o->link[e->link + i].key;
    unsigned k = 0;
    while (k < watched->count && watched->key[k] != key)
      k++;
    if (k < watched->count)
      continue;
    if (k == ORDER_EXTRA)
      return false;
    watched->key[watched->count++] = key;
  }
  return true;
}

void await_find(const struct order *o, struct await *a, uint32_t last, const struct operation *op, uint64_t local)
{
  a->visits = a->watched.count = 0;
  if (!local || !can_wait_by(op->kind))
    return;
  uint32_t at = last;
  for (unsigned n = 0; at && n < LOOK_BACK && a->visits < AWAIT_VISITS; n++) {
    const struct event *e = &o->event[at - 1];
    if (!can_wait_by(e->op.kind) || event_is_wide(e))
      return;
    struct extra_keys before = a->watched;
    if (!watch(o, &a->watched, e)) {
      a->watched = before;
      return;
    }
    if (e->local == local && e->op.kind == op->kind && e->op.pc == op->pc && e->op.addr == op->addr)
      a->visit[a->visits++] = at - 1;
    at = e->previous;
  }
}

bool await_blocks(const struct order *o, const struct await *a, const struct world *world, const struct operation *op)
{
  for (uint32_t v = 0; v < a->visits; v++) {
    unsigned same = 0;
    for (; same < a->watched.count; same++) {
      uint64_t now = world->state(op, a->watched.key[same]);
      if (order_state_at(o, a->watched.key[same], a->visit[v], now) != now)
        break;
    }
    if (same == a->watched.count)
      return true;
  }
  return false;
}

/* The state the link's object would have had, but for e and what happens after it. */
static uint64_t state_before(const struct order *o, const struct link *own, uint32_t e)
{
  uint64_t state = own->before;
  for (uint32_t l = own->prev; l && o->link[l - 1].event >= e; l = o->link[l - 1].prev)
    if (order_before(o, e, &o->event[o->link[l - 1].event]))
      state = o->link[l - 1].before;
  return state;
}

bool await_possible_without(const struct order *o, const struct event *late, uint32_t e)
{
  struct await a;
  await_find(o, &a, late->previous, &late->op, late->local);
  for (uint32_t v = 0; v < a.visits; v++) {
    bool changed = false;
    for (unsigned i = 0; i < late->links && !changed; i++) {
      const struct link *own = &o->link[late->link + i];
      changed = state_before(o, own, e) != order_state_at(o, own->key, a.visit[v], own->before);
    }
    if (!changed)
      return false;
  }
  return true;
}
