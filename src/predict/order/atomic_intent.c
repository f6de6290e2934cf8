/* SPDX-License-Identifier: Apache-2.0
 *
 * Guesses at what belongs together; see atomic_intent.h.
 */
#include "predict/order/atomic_intent.h"

static const uint32_t *place_of(const struct run_order *o, const struct kept_access *access)
{
  return interned(&o->places, access->place);
}

static bool writes(const struct run_order *o, const struct kept_access *access)
{
  return op_writes_memory((enum op_kind)place_of(o, access)[PLACE_OP]);
}

/* Code that looks at atomics again and again knows that they change. To load and then to store forgets it. */
bool expects_change(const struct run_order *o, const struct kept_access *first, const struct kept_access *second)
{
  uint32_t a = place_of(o, first)[PLACE_OP], b = place_of(o, second)[PLACE_OP];
  return b == OP_ATOMIC_RMW || (op_is_atomic(a) && op_is_atomic(b) && !(a == OP_ATOMIC_LOAD && b == OP_ATOMIC_STORE));
}

/* One section wrote, the next reads anew: two updates, each of which is whole. */
static bool reads_anew(const struct run_order *o, const struct kept_access *first, const struct kept_access *second)
{
  return writes(o, first) && !writes(o, second) &&
         run_order_common_lock(o, place_of(o, first)[PLACE_LOCKSET], place_of(o, second)[PLACE_LOCKSET]);
}

/* A lock was left in between and taken again at the very same place: the next turn of a loop. */
static bool next_turn(const struct run_order *o, const struct kept_access *first, const struct kept_access *second,
                      uint32_t across)
{
  const struct intern *sets = &o->locksets;
  for (uint32_t l = place_of(o, first)[PLACE_LOCKSET]; l; l = interned(sets, l)[LOCKSET_OUTER])
    for (uint32_t k = place_of(o, second)[PLACE_LOCKSET]; k; k = interned(sets, k)[LOCKSET_OUTER])
      if (interned(sets, l)[LOCKSET_OBJECT] == interned(sets, k)[LOCKSET_OBJECT] && interned(sets, l)[LOCKSET_SITE] &&
          interned(sets, l)[LOCKSET_SITE] == interned(sets, k)[LOCKSET_SITE] &&
          !run_order_has_lock(o, across, interned(sets, l)[LOCKSET_OBJECT]))
        return true;
  return false;
}

static bool same_calls(const struct trace_stack *a, uint32_t skip_a, const struct trace_stack *b, uint32_t skip_b)
{
  return skip_a <= a->depth && skip_b <= b->depth && a->depth - skip_a == b->depth - skip_b &&
         !memcmp(a->sites + skip_a, b->sites + skip_b, (a->depth - skip_a) * sizeof *a->sites);
}

static bool same_call(const struct trace *tables, uint32_t stack, uint32_t other, uint32_t levels)
{
  if (stack == other)
    return true;
  if (!stack || !other)
    return false;
  for (uint32_t i = 0; i <= levels; i++)
    for (uint32_t j = 0; j <= levels; j++)
      if (same_calls(&tables->stacks[stack], i, &tables->stacks[other], j))
        return true;
  return false;
}

bool in_one_call(const struct run_order *o, const struct trace *tables, const struct kept_access *first,
                 const struct kept_access *second, uint32_t across, uint32_t levels)
{
  return !reads_anew(o, first, second) && !next_turn(o, first, second, across) &&
         same_call(tables, place_of(o, first)[PLACE_STACK], place_of(o, second)[PLACE_STACK], levels);
}
