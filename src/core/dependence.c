/* SPDX-License-Identifier: Apache-2.0
 *
 * The one place that says which operations commute. Every partial-order argument rests on it: two operations that are
 * called independent must lead to the same state in both orders, and neither may enable or disable the other.
 * Calling independent operations dependent is safe; the reverse is not. Objects are known by their addresses, which are
 * the same in every execution.
 *
 * Not covered: the writer-preferring kind of read-write lock. There a writer that waits keeps new readers out, so that
 * its step before that, whatever it is, disables their locking for reading (worlds/threads/model/rwlock.c:
 * writer_waits). Searches of programs with such a lock may miss executions in which a reader comes before or after the
 * writer begins to wait.
 */
#include "core/footprint.h"

enum commuting op_commuting(const struct operation *op)
{
  switch (op->kind) {
  case OP_SEM_GETVALUE:
    return COMMUTING_LOOKS;
  case OP_ONCE_ENTER:
    return op->arg ? COMMUTING_LOOKS : COMMUTING_NONE; /* arg: it was done already (explore/order.c) */
  case OP_RWLOCK_RDLOCK:
    return COMMUTING_READS;
  case OP_RWLOCK_UNLOCK:
    return op->arg ? COMMUTING_NONE : COMMUTING_READS; /* arg: it was held for writing */
  case OP_SEM_POST:
    return COMMUTING_POSTS;
  case OP_COND_SIGNAL:
  case OP_COND_BROADCAST:
    return op->arg ? COMMUTING_SIGNALS : COMMUTING_NONE; /* arg: nobody waited (explore/order.c) */
  case OP_BARRIER_LEAVE:
    return COMMUTING_LEAVES;
  case OP_EXIT:
  case OP_DETACH:
    return COMMUTING_ENDS;
  case OP_ATOMIC_RMW:
    return op->second ? COMMUTING_UPDATES : COMMUTING_NONE;
  default:
    return COMMUTING_NONE;
  }
}

/* Sums do not depend on the order of what is added, nor do unions and the like; but a carry out of some bytes into
 * others does, and so do updates of different kinds. */
bool op_of_one_class(const struct operation *a, const struct operation *b)
{
  enum commuting class = op_commuting(a);
  if (class == COMMUTING_NONE || class != op_commuting(b))
    return false;
  return class != COMMUTING_UPDATES || (a->second == b->second && a->addr == b->addr && a->length == b->length);
}

/* A woken thread leaves the condition variable as the signal left it; only who destroys it must wait for that. One that
 * may have woken for another reason looks whether there was a signal. */
static bool wakes_quietly(const struct operation *op)
{
  return op->kind == OP_COND_WAKE && !op_needs_nobody(op);
}

static bool touches_waiters(enum op_kind kind)
{
  return kind == OP_COND_WAIT || kind == OP_COND_SIGNAL || kind == OP_COND_BROADCAST || kind == OP_COND_WAKE ||
         kind == OP_COND_TIMEDWAKE;
}

/* Arrivals of one round (arg) may come in any order, and nobody's leaving matters to those that arrive. */
static bool pass_at_barrier(const struct operation *a, const struct operation *b)
{
  if (a->kind == OP_BARRIER_ARRIVE && b->kind == OP_BARRIER_ARRIVE)
    return a->arg == b->arg;
  return (a->kind == OP_BARRIER_ARRIVE && b->kind == OP_BARRIER_LEAVE) ||
         (a->kind == OP_BARRIER_LEAVE && b->kind == OP_BARRIER_ARRIVE);
}

static bool commute_on_one_object(const struct operation *a, const struct operation *b)
{
  if (op_of_one_class(a, b))
    return true;
  if ((wakes_quietly(a) && touches_waiters(b->kind)) || (wakes_quietly(b) && touches_waiters(a->kind)))
    return true;
  return pass_at_barrier(a, b);
}

/* What the program prints: nobody reads it back, but the end may cut it off, or it may go elsewhere. */
static bool only_prints(const struct operation *op)
{
  return op->kind == OP_SYSTEM && !op->addr && !(op->arg & ~(uint64_t)SYSTEM_STANDARD) && !(op->traits & OP_FAR);
}

/* The object that an operation is on, not another one that it touches besides. */
static bool is_its_object(const struct operation *op, const struct footprint *f)
{
  return f->key == key_of_object(op_table[op->kind].object, op->space, op->addr);
}

static bool footprints_meet(const struct operation *a, const struct operation *b)
{
  if (op_is_memory(a->kind) && op_is_memory(b->kind)) { /* most pairs are such: the same, without lists */
    const struct footprint of_a = footprint_of_access(a), of_b = footprint_of_access(b);
    return footprints_overlap(&of_a, &of_b) && touches_conflict(of_a.touch, of_b.touch) && !op_of_one_class(a, b);
  }
  struct footprint of_a[FOOTPRINTS_MOST], of_b[FOOTPRINTS_MOST];
  unsigned m = op_footprints(a, of_a), n = op_footprints(b, of_b);
  for (unsigned i = 0; i < m; i++)
    for (unsigned j = 0; j < n; j++)
      if (footprints_overlap(&of_a[i], &of_b[j]) && touches_conflict(of_a[i].touch, of_b[j].touch) &&
          !(is_its_object(a, &of_a[i]) && is_its_object(b, &of_b[j]) && commute_on_one_object(a, b)))
        return true;
  return false;
}

static bool of_one_monitor(const struct operation *a, const struct operation *b)
{
  return property_events_meet(a->length, (uint64_t[]){a->addr, a->arg}, b->length, (uint64_t[]){b->addr, b->arg});
}

bool op_dependent(const struct operation *a, const struct operation *b)
{
  if (only_prints(a) || only_prints(b))
    return a->kind == OP_END || b->kind == OP_END || (a->kind == b->kind && footprints_meet(a, b));
  if (op_is_global(a) || op_is_global(b))
    return true;
  if (op_is_annotation(a->kind) || op_is_annotation(b->kind))
    return false;
  if (a->kind == OP_CALL || b->kind == OP_CALL)
    return a->kind == b->kind && a->addr == b->addr; /* the object; what they do with it are operations too */
  if (a->kind == OP_PROPERTY || b->kind == OP_PROPERTY)
    return a->kind == b->kind && of_one_monitor(a, b);
  return footprints_meet(a, b);
}

/* What a cancelled thread does next may be its end, whatever it was going to do; others see it only in joining it. */
static bool cancels(const struct operation *cancel, unsigned t, const struct operation *b)
{
  bool same_thread = b->object && b->addr == cancel->addr && op_table[b->kind].object == OBJECT_THREAD;
  return t == cancel->arg || same_thread || (op_is_global(b) && b->kind != OP_CANCEL);
}

bool op_cancel_dependent(unsigned s, const struct operation *a, unsigned t, const struct operation *b)
{
  return (a->kind == OP_CANCEL && cancels(a, t, b)) || (b->kind == OP_CANCEL && cancels(b, s, a));
}
