/* SPDX-License-Identifier: Apache-2.0
 *
 * What could have happened without an event; see the header.
 */
#include "explore/without.h"
#include "core/channel.h"
#include "explore/await.h"

/* Whether something that may concern any object came from e on, between two events. */
static bool changed_from_afar(const struct order *o, uint32_t e, uint32_t from, uint32_t to)
{
  for (uint32_t f = from > e ? from : e; f < to && f < o->events; f++)
    if (op_is_global(&o->event[f].op))
      return true;
  return false;
}

uint64_t state_without(const struct order *o, const struct link *own, uint32_t e)
{
  uint64_t after = own->before, state = after;
  uint32_t next = own->event;
  for (uint32_t l = own->prev; l; l = o->link[l - 1].prev) {
    const struct link *link = &o->link[l - 1];
    if (link->after != after && changed_from_afar(o, e, link->event + 1, next)) {
      state -= after - link->after;
      after = link->after;
    }
    if (link->event < e)
      break;
    if (order_before(o, e, &o->event[link->event]))
      state -= after - link->before;
    after = link->before;
    next = link->event;
  }
  return state;
}

/* It was possible although nothing was left: the thread holds it itself, or a signal let it go on. */
static bool held_already(const struct order *o, const struct order_event *late, const struct link *own)
{
  bool possible = own->before == 0 && ((uint32_t)(late - o->event) < o->events || late->able);
  return possible && (!(late->op.traits & OP_SIGNALLED) || order_holds(o, late->thread, own->key, own->event));
}

bool stays(const struct order *o, uint32_t by, uint32_t e)
{
  return by && by != e + 1 && !order_before(o, e, &o->event[by - 1]);
}

/* What the rules of its object say of the state that there would be without e. */
static bool rules_permit_without(const struct order *o, const struct order_event *late, uint32_t e)
{
  const struct world *w = o->world;
  const struct object_model *model = w->model ? w->model(w->self, op_table[late->op.kind].object) : NULL;
  if (!op_table[late->op.kind].blocks || !model || !model->possible)
    return true;
  return model->possible(w->self, late->thread, &late->op, state_without(o, &o->link[late->link], e));
}

/* If a thread was cancelled while it waited, what it waits for may have come too. */
static bool released_without(const struct order *o, const struct order_event *late, uint32_t e)
{
  const struct link *own = &o->link[late->link];
  if (stays(o, late->canceller, e) || late->op.traits & OP_SPURIOUS)
    return true;
  if (late->op.kind == OP_SEM_WAIT)
    return state_without(o, own, e) >= 1;
  if (late->op.kind != OP_JOIN && late->op.kind != OP_COND_WAKE)
    return rules_permit_without(o, late, e);
  return (late->op.kind != OP_JOIN || own->before) && stays(o, late->enabler, e);
}

/* Nobody is woken who has not left: that is what destroying waits for. */
static bool all_left_without(const struct order *o, const struct link *own, uint32_t e)
{
  for (uint32_t l = own->prev; l && o->link[l - 1].event >= e; l = o->link[l - 1].prev) {
    uint32_t leaves = o->link[l - 1].event;
    if (stays(o, o->event[leaves].enabler, e) && !stays(o, leaves + 1, e))
      return false;
  }
  return true;
}

/* A wait that several can end, and the one that did is e or comes after it: whether another one could have. It does if
 * it changes something of what is waited for; that it would be enough is not known, but then the step is not taken. */
static bool ended_by_other(const struct order *o, const struct order_event *late, uint32_t e)
{
  if (!late->enabler || late->closed == e + 1 || stays(o, late->enabler, e))
    return true;
  uint32_t at = (uint32_t)(late - o->event), end = at < o->events ? at : o->events;
  for (uint32_t f = 0; f < end; f++) {
    const struct order_event *g = &o->event[f];
    if (f != e && g->thread != late->thread && !order_before(o, e, g) && !g->hidden && order_dependent(o, g, late))
      return true;
  }
  return false;
}

bool possible_without(const struct order *o, const struct order_event *late, uint32_t e)
{
  const struct link *own = &o->link[late->link];
  bool signalled = late->op.traits & OP_SIGNALLED;
  if (stays(o, late->cutter, e))
    return false;
  if (signalled && stays(o, late->signaller, e))
    return true;
  if (op_waits_for_any(&late->op))
    return ended_by_other(o, late, e);
  if (signalled && op_waits_for_system(&late->op) && late->enabler)
    return stays(o, late->enabler, e);
  if (signalled && late->op.kind == OP_JOIN)
    return stays(o, late->enabler, e) && o->event[late->enabler - 1].op.kind == OP_EXIT;
  if (late->awaits && !await_possible_without(o, late, e))
    return false;
  if (op_needs_nobody(&late->op) && (late->op.kind != OP_COND_WAKE || !released_without(o, late, e)))
    return released_without(o, late, e);
  switch (late->op.kind) {
  case OP_SEM_WAIT: /* nobody holds it: with nothing left, only a signal let the thread go on */
    return state_without(o, own, e) >= 1;
  case OP_MUTEX_LOCK:
  case OP_SPIN_LOCK:
  case OP_ONCE_ENTER:
  case OP_RWLOCK_RDLOCK:
    return held_already(o, late, own) || state_without(o, own, e) >= 1;
  case OP_RWLOCK_WRLOCK:
    return held_already(o, late, own) || state_without(o, own, e) == WORLD_ALL;
  case OP_COND_WAKE:
  case OP_COND_TIMEDWAKE:
    return held_already(o, late, own + 1) || state_without(o, own + 1, e) >= 1;
  case OP_BARRIER_DESTROY:
  case OP_COND_DESTROY:
    return all_left_without(o, own, e);
  default:
    return rules_permit_without(o, late, e);
  }
}

bool fails_without(const struct order *o, const struct order_event *late, uint32_t e)
{
  const struct link *own = &o->link[late->link];
  if (!(late->op.traits & OP_COMPARES) || !late->links || order_part(own->acts) == 0)
    return false;
  unsigned shift = 8 * (unsigned)(late->op.addr & 7);
  uint64_t mask = late->op.length < 8 ? (UINT64_C(1) << 8 * late->op.length) - 1 : UINT64_MAX;
  return (late->op.addr & 7) + late->op.length <= 8 &&
         ((order_state_without(o, own, e) >> shift ^ late->op.arg) & mask) != 0;
}
