/* SPDX-License-Identifier: Apache-2.0
 *
 * The one place that says which operations commute. Every partial-order argument rests on it: two operations that are
 * called independent must lead to the same state in both orders, and neither may enable or disable the other.
 * Calling independent operations dependent is safe; the reverse is not.
 */
#include "core/operation.h"

static bool overlap(const struct operation *a, const struct operation *b)
{
  return a->addr < b->addr + b->length && b->addr < a->addr + a->length;
}

/* Operations that leave the object as it is commute with each other. */
static bool only_looks(enum op_kind kind)
{
  return kind == OP_SEM_GETVALUE;
}

static bool commute_on_one_object(enum op_kind a, enum op_kind b)
{
  if (only_looks(a) && only_looks(b))
    return true;
  if (a == OP_RWLOCK_RDLOCK && b == OP_RWLOCK_RDLOCK)
    return true;
  return a == OP_SEM_POST && b == OP_SEM_POST;
}

/* Objects are memory too: a free ends them, and a futex wait compares its word. */
static bool memory_meets_object(const struct operation *memory, const struct operation *other)
{
  bool compares = other->kind == OP_FUTEX_WAIT;
  if (!other->object || !(memory->kind == OP_FREE || (compares && op_writes_memory(memory->kind))))
    return false;
  return memory->addr < other->addr + (compares ? 4 : 1) && other->addr < memory->addr + memory->length;
}

bool op_dependent(const struct operation *a, const struct operation *b)
{
  if (op_is_memory(a->kind) && op_is_memory(b->kind))
    return (op_writes_memory(a->kind) || op_writes_memory(b->kind)) && overlap(a, b);
  if (op_is_memory(a->kind))
    return memory_meets_object(a, b);
  if (op_is_memory(b->kind))
    return memory_meets_object(b, a);
  if (a->object && a->object == b->object)
    return !commute_on_one_object(a->kind, b->kind);
  if (a->object && a->object == b->second)
    return true;
  if (a->second && (a->second == b->object || a->second == b->second))
    return true;
  return false;
}
