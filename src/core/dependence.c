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
#include "core/operation.h"
#include "core/system.h"

static bool overlap(const struct operation *a, const struct operation *b)
{
  return a->addr < b->addr + b->length && b->addr < a->addr + a->length;
}

/* Classes of operations on one object whose members commute with each other. */
enum commuting { ALONE, LOOKING, READING, POSTING, LEAVING, ENDING };

static enum commuting class_of(const struct operation *op)
{
  switch (op->kind) {
  case OP_SEM_GETVALUE:
    return LOOKING;
  case OP_RWLOCK_RDLOCK:
    return READING;
  case OP_RWLOCK_UNLOCK:
    return op->arg ? ALONE : READING; /* arg: it was held for writing */
  case OP_SEM_POST:
    return POSTING;
  case OP_BARRIER_LEAVE:
    return LEAVING;
  case OP_EXIT:
  case OP_DETACH:
    return ENDING;
  default:
    return ALONE;
  }
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
  if (class_of(a) != ALONE && class_of(a) == class_of(b))
    return true;
  if ((wakes_quietly(a) && touches_waiters(b->kind)) || (wakes_quietly(b) && touches_waiters(a->kind)))
    return true;
  return pass_at_barrier(a, b);
}

/* Objects are memory too: a free ends them, and a futex wait compares its word. */
static bool memory_meets_object(const struct operation *memory, const struct operation *other)
{
  bool compares = other->kind == OP_FUTEX_WAIT;
  if (!other->object || !(memory->kind == OP_FREE || (compares && op_writes_memory(memory->kind))))
    return false;
  return memory->addr < other->addr + (compares ? 4 : 1) && other->addr < memory->addr + memory->length;
}

/* The one waits on a condition variable with the mutex (arg) that the other acts on. */
static bool takes_mutex_of(const struct operation *wait, const struct operation *other)
{
  return wait->second && other->object && op_table[other->kind].object == OBJECT_MUTEX && other->addr == wait->arg;
}

/* One changes what the other reads or changes (system.h). */
static bool footprints_meet(const struct operation *a, const struct operation *b)
{
  return (a->addr & (b->addr | b->arg)) || (b->addr & a->arg);
}

/* What the program prints: nobody reads it back, but the end may cut it off, or it may go elsewhere. */
static bool only_prints(const struct operation *op)
{
  return op->kind == OP_SYSTEM && !op->addr && !(op->arg & ~(uint64_t)SYSTEM_STANDARD) && !(op->traits & OP_FAR);
}

bool op_dependent(const struct operation *a, const struct operation *b)
{
  if (only_prints(a) || only_prints(b))
    return a->kind == OP_END || b->kind == OP_END || (a->kind == b->kind && footprints_meet(a, b));
  if (op_is_global(a) || op_is_global(b))
    return true;
  if (op_is_annotation(a->kind) || op_is_annotation(b->kind))
    return false;
  if (a->kind == OP_CREATE && b->kind == OP_CREATE)
    return true; /* threads are numbered in the order of their creation */
  if (a->kind == OP_SYSTEM || b->kind == OP_SYSTEM)
    return a->kind == b->kind && footprints_meet(a, b);
  if (a->kind == OP_CALL || b->kind == OP_CALL)
    return a->kind == b->kind && a->addr == b->addr; /* the object; what they do with it are operations too */
  if (op_is_memory(a->kind) && op_is_memory(b->kind))
    return (op_writes_memory(a->kind) || op_writes_memory(b->kind)) && overlap(a, b);
  if (op_is_memory(a->kind))
    return memory_meets_object(a, b);
  if (op_is_memory(b->kind))
    return memory_meets_object(b, a);
  if (a->second && b->second && a->arg == b->arg)
    return true;
  if (a->object && b->object && a->addr == b->addr && op_table[a->kind].object == op_table[b->kind].object)
    return !commute_on_one_object(a, b);
  return takes_mutex_of(a, b) || takes_mutex_of(b, a);
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
