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
    if (o->link[e->link + i].extra)
      continue;
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
  a->last = last;
  if (!local || !can_wait_by(op->kind))
    return;
  uint32_t at = last;
  struct extra_keys seen = {0};
  for (unsigned n = 0; at && n < LOOK_BACK && a->visits < AWAIT_VISITS; n++) {
    const struct event *e = &o->event[at - 1];
    if (!can_wait_by(e->op.kind) || event_is_wide(e) || !watch(o, &seen, e))
      return;
    if (e->local == local && e->op.kind == op->kind && e->op.pc == op->pc && e->op.addr == op->addr) {
      a->visit[a->visits++] = at - 1;
      a->watched = seen;
    }
    at = e->previous;
  }
}

bool await_meets(const struct order *o, const struct await *a, const struct operation *op, const struct event *e)
{
  if (op_only_looks(op->kind) && op_only_looks(e->op.kind))
    return false;
  for (unsigned i = 0; a->visits && i < e->links; i++)
    for (unsigned k = 0; k < a->watched.count; k++)
      if (o->link[e->link + i].key == a->watched.key[k])
        return true;
  return false;
}

/* The part of a key's state that the operation can see: of memory, only its own bytes. */
static uint64_t part_seen(const struct operation *op, uint64_t key)
{
  if (!op_is_memory(op->kind))
    return UINT64_MAX;
  uint64_t mask = 0;
  for (unsigned byte = 0; byte < 8; byte++)
    if (key + byte >= op->addr && key + byte < op->addr + op->length)
      mask |= UINT64_C(0xff) << 8 * byte;
  return mask;
}

/* Whether the events of a thread from `visit` to `last` would meet the same states and leave them as they are, starting
 * from those in `state`, one for each of the keys. */
static bool in_vain(const struct order *o, uint32_t visit, uint32_t last, const struct extra_keys *keys,
                    const uint64_t start[ORDER_EXTRA])
{
  const struct event *done[LOOK_BACK];
  uint64_t state[ORDER_EXTRA];
  unsigned n = 0;
  for (uint32_t at = last; at > visit && n < LOOK_BACK; at = o->event[at - 1].previous)
    done[n++] = &o->event[at - 1];
  for (unsigned k = 0; k < keys->count; k++)
    state[k] = start[k];
  while (n-- > 0)
    for (unsigned i = 0; i < done[n]->links; i++) {
      const struct link *link = &o->link[done[n]->link + i];
      for (unsigned k = 0; k < keys->count; k++)
        if (keys->key[k] == link->key && !link->extra) {
          uint64_t seen = part_seen(&done[n]->op, link->key);
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

bool await_blocks(const struct order *o, const struct await *a, const struct world *world, const struct operation *op)
{
  uint64_t now[ORDER_EXTRA];
  for (unsigned k = 0; k < a->watched.count; k++)
    now[k] = world->state(op, a->watched.key[k]);
  for (uint32_t v = 0; v < a->visits; v++)
    if (in_vain(o, a->visit[v], a->last, &a->watched, now))
      return true;
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
  uint64_t then[ORDER_EXTRA] = {0};
  await_find(o, &a, late->previous, &late->op, late->local);
  for (unsigned k = 0; k < a.watched.count; k++)
    for (unsigned i = 0; i < late->links; i++)
      if (o->link[late->link + i].key == a.watched.key[k])
        then[k] = state_before(o, &o->link[late->link + i], e);
  for (uint32_t v = 0; v < a.visits; v++)
    if (in_vain(o, a.visit[v], a.last, &a.watched, then))
      return false;
  return true;
}
