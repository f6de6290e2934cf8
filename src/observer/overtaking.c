/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads that overtake stores. A processor keeps stores in a buffer and lets later loads of other memory go first,
 * unless a store is sequentially consistent, or a locked instruction or a fence stands between. Executions here know no
 * buffers: where one could make a difference, there is more than was tried, which is a loss.
 *
 * It can only make a difference if an execution without buffers has, in this order,
 *
 *   1. a thread's weak store of x: an atomic one that is not sequentially consistent, or a plain one,
 *   2. its load of y, with nothing in between that empties the buffer,
 *   3. another thread's write of y,
 *   4. an access of x by another thread than the first,
 *
 * where neither 3 nor 4 follows from the store by synchronisation: then the load may have come before the write, and
 * the store after the access. (The first delayed store and the last load that overtakes it of a shortest execution that
 * has no equal without buffers: Bouajjani, Derevenetc and Meyer, 2013, on robustness against total store order.) What
 * lies between 3 and 4 is not asked for, and order by other means than synchronisation is not known here: so the loss
 * may be told of programs that have no such executions, never kept from one that has.
 *
 * All of 1 to 4 depend on each other in turn, so a search of all orders sees them in each class that has them. One that
 * takes more executions for the same may not: there 2 is enough, of atomic accesses. (Of plain ones all four are asked
 * for there, too, or whatever is done under a lock would count.)
 *
 * Plain accesses count only where nobody is told of their races, since the program or the user excuses them: else,
 * where they are in the place of 1 or 3, there is a data race, which is told as such. Those that synchronisation orders
 * are in no such place. */
#include "core/engine.h"
#include "core/observer.h"
#include "core/vclock.h"

#define DELAYED 8 /* stores in the buffer of a thread, */
#define OVERTAKEN                                                                                                      \
  64 /* pairs of a store and a load that overtook it, and stores that may have come too late: more are a loss */

struct accessed {
  uintptr_t addr;
  size_t length;
};

struct late_store {
  struct accessed what;
  uint32_t clock; /* of its thread */
  uint16_t thread;
  bool plain, several; /* no atomic; side by side, which stand together */
};

struct overtaking {
  struct late_store delayed[MAX_THREADS][DELAYED];
  uint32_t delays[MAX_THREADS];
  uint32_t fences[MAX_THREADS]; /* of the thread when its first store was delayed */
  struct {
    struct late_store store;
    struct accessed load;
  } overtaken[OVERTAKEN];
  uint32_t overtaken_count;
  struct late_store late[OVERTAKEN]; /* for which there was a write of what was loaded */
  uint32_t late_count;
};

static bool meet(const struct accessed *a, const struct operation *op)
{
  return a->addr < op->addr + op->length && op->addr < a->addr + a->length;
}

static bool is_same(const struct accessed *a, const struct accessed *b)
{
  return a->addr == b->addr && a->length == b->length;
}

/* Takes in what lies beside it, or partly in it. */
static bool takes_in(struct accessed *a, const struct accessed *b)
{
  const uintptr_t a_end = a->addr + a->length, b_end = b->addr + b->length;
  if (a->addr > b_end || b->addr > a_end)
    return false;
  const uintptr_t end = a_end > b_end ? a_end : b_end;
  a->addr = a->addr < b->addr ? a->addr : b->addr;
  a->length = end - a->addr;
  return true;
}

static void lose_overtaking(struct engine *e)
{
  e->control->losses |= LOST_OVERTAKING;
}

/* The store is not known to the thread by synchronisation. */
static bool unknown_to(const struct engine *e, unsigned task, const struct late_store *store)
{
  const struct vclock *clock = e->world->clock(e->world->self, task);
  return store->thread != task && store->clock > vclock_get(clock, store->thread);
}

/* 4, then 3: they are two steps. */
static void follow_others(struct overtaking *o, struct engine *e, unsigned task, const struct operation *op)
{
  for (uint32_t i = 0; i < o->late_count; i++)
    if (meet(&o->late[i].what, op) && unknown_to(e, task, &o->late[i]))
      lose_overtaking(e);
  for (uint32_t i = 0; op_writes_memory(op->kind) && i < o->overtaken_count; i++) {
    if (!meet(&o->overtaken[i].load, op) || !unknown_to(e, task, &o->overtaken[i].store))
      continue;
    if (o->late_count == OVERTAKEN)
      lose_overtaking(e);
    else
      o->late[o->late_count++] = o->overtaken[i].store;
  }
}

/* Plain loads side by side stand together, too. */
static bool is_known_pair(struct overtaking *o, const struct late_store *store, const struct accessed *load, bool plain)
{
  for (uint32_t i = 0; i < o->overtaken_count; i++) {
    struct late_store *known = &o->overtaken[i].store;
    if (known->thread != store->thread || known->clock != store->clock)
      continue;
    if (is_same(&known->what, &store->what) && is_same(&o->overtaken[i].load, load))
      return true;
    struct accessed both = known->what;
    if (plain && store->several && takes_in(&both, &store->what) && takes_in(&o->overtaken[i].load, load)) {
      known->what = both;
      return true;
    }
  }
  return false;
}

/* 2 */
static void load_goes_first(struct overtaking *o, struct engine *e, unsigned task, const struct operation *op)
{
  const bool all_orders =
      e->control->config.strategy != STRATEGY_causal && e->control->config.strategy != STRATEGY_sources;
  for (uint32_t i = 0; i < o->delays[task]; i++) {
    const struct late_store *store = &o->delayed[task][i];
    const struct accessed load = {op->addr, op->length};
    if ((meet(&store->what, op) && !store->several) || is_known_pair(o, store, &load, op->kind == OP_READ))
      continue;
    const bool atomic = op_is_atomic(op->kind) && !store->plain;
    if ((!all_orders && atomic) || o->overtaken_count == OVERTAKEN) {
      lose_overtaking(e);
      return;
    }
    o->overtaken[o->overtaken_count].store = *store;
    o->overtaken[o->overtaken_count++].load = load;
  }
}

/* 1; of several stores of the same bytes the last stands for all: who does not know an earlier one does not know it.
 * Plain ones side by side are one, which only makes it more that a load may overtake. */
static void delay(struct overtaking *o, struct engine *e, unsigned task, const struct operation *op)
{
  const uint32_t clock = vclock_get(e->world->clock(e->world->self, task), task);
  const struct accessed store = {op->addr, op->length};
  for (uint32_t i = 0; i < o->delays[task]; i++) {
    struct late_store *earlier = &o->delayed[task][i];
    if (is_same(&earlier->what, &store)) {
      earlier->clock = clock;
      return;
    }
    if (op->kind == OP_WRITE && earlier->clock == clock && takes_in(&earlier->what, &store)) {
      earlier->several = true;
      return;
    }
  }
  if (o->delays[task] == DELAYED) {
    lose_overtaking(e);
    return;
  }
  o->delayed[task][o->delays[task]++] = (struct late_store){store, clock, (uint16_t)task, op->kind == OP_WRITE, false};
}

/* Whether the access may be one of the four. */
static bool counts(const struct engine *e, const struct operation *op)
{
  const bool plain_too = e->control->config.races == RACES_IGNORE || e->control->weak_stores & WEAK_EXCUSED;
  return op_is_atomic(op->kind) || (plain_too && op_is_access(op->kind));
}

/* A lock that the thread has and takes again, or gives back and keeps, is just counted. */
static bool only_counts(const struct engine *e, unsigned task, const struct operation *op)
{
  struct object_view view = {.owner = -1};
  if (!e->world->object || !op->object || !e->world->object(e->world->self, op->object, &view))
    return false;
  return view.owner == (int)task && (!op_leaves_lock(op->kind) || view.count > 1);
}

/* Locked instructions are in most that synchronises threads, but not in what gives a spin lock back; nor where there
 * may be nothing to do: nobody who is to be woken, an attempt that fails, something that is only made or looked at. */
static bool empties_buffer(const struct engine *e, unsigned task, const struct operation *op)
{
  if (op_initialises((enum op_kind)op->kind) || op_destroys((enum op_kind)op->kind))
    return false;
  switch (op->kind) {
  case OP_TIMEDJOIN:
  case OP_COND_SIGNAL:
  case OP_COND_BROADCAST:
  case OP_COND_GUARD_WAIT:
  case OP_COND_GUARD_SIGNAL:
  case OP_COND_GUARD_BROADCAST:
  case OP_RWLOCK_TRYRDLOCK:
  case OP_RWLOCK_TRYWRLOCK:
  case OP_SEM_TRYWAIT:
  case OP_SEM_GETVALUE:
    return false;
  default:
    break;
  }
  switch ((enum object_kind)op_table[op->kind].object) {
  case OBJECT_MUTEX:
  case OBJECT_RWLOCK:
    return !only_counts(e, task, op);
  case OBJECT_THREAD:
  case OBJECT_COND:
  case OBJECT_SEM:
  case OBJECT_BARRIER:
  case OBJECT_FUTEX:
    return true;
  default:
    return op->kind == OP_ATOMIC_RMW || (op->kind == OP_ATOMIC_STORE && op->order == __ATOMIC_SEQ_CST);
  }
}

static void overtaking_about(void *state, struct engine *e, unsigned task, const struct operation *op)
{
  struct overtaking *o = state;
  const uint32_t fences = e->thread[task].fences;
  if (empties_buffer(e, task, op) || o->fences[task] != fences)
    o->delays[task] = 0;
  o->fences[task] = fences;
  if (!counts(e, op))
    return;
  follow_others(o, e, task, op);
  if (op_only_looks(op->kind))
    load_goes_first(o, e, task, op);
  else if (op->kind == OP_WRITE || (op->kind == OP_ATOMIC_STORE && op->order != __ATOMIC_SEQ_CST))
    delay(o, e, task, op);
}

static bool has_weak_stores(const struct engine *e)
{
  return e->control->weak_stores || (e->control->config.races == RACES_IGNORE && e->strategy->exhaustive);
}

static void overtaking_begin(void *state, struct engine *e)
{
  struct overtaking *o = state;
  if (has_weak_stores(e))
    for (unsigned t = 0; t < MAX_THREADS; t++)
      o->delays[t] = o->fences[t] = 0;
  o->overtaken_count = o->late_count = 0;
}

/* Where there is no such store there is nothing to see; the first one makes it look. */
static bool overtaking_looks(const void *state, const struct engine *e)
{
  (void)state;
  return has_weak_stores(e) && !(e->control->losses & LOST_OVERTAKING);
}

const struct observer observer_overtaking = {.name = "overtaking",
                                             .state_size = sizeof(struct overtaking),
                                             .begin = overtaking_begin,
                                             .looks = overtaking_looks,
                                             .about = overtaking_about};
