/* SPDX-License-Identifier: Apache-2.0
 *
 * The state that memory would have had without an event and what happens after it, from the states that were noted
 * along the chain of the word (order.h).
 */
#include "explore/order.h"

uint64_t order_part(uint8_t bytes)
{
  uint64_t mask = 0;
  for (unsigned i = 0; i < 8; i++)
    if (bytes >> i & 1)
      mask |= UINT64_C(0xff) << 8 * i;
  return mask;
}

/* The bits that an update adds, sets, clears or turns round, where they are in the word. */
static uint64_t bits_of_update(const struct operation *op, uint64_t part)
{
  uint64_t by = op->arg << 8 * (op->addr & 7);
  return (op->second == UPDATE_AND ? ~by : by) & part;
}

/* The state without an update that came to the word as it was before. Bits that others set or clear as well, who come
 * later and stay, stay so. */
static uint64_t undone(const struct operation *op, uint64_t part, uint64_t before, uint64_t again, uint64_t state)
{
  uint64_t bits = bits_of_update(op, part);
  switch ((enum update)op->second) {
  case UPDATE_NONE:
    return (state & ~part) | (before & part);
  case UPDATE_ADD:
    return (state & ~part) | ((state - bits) & part);
  case UPDATE_AND:
    return state | (bits & before & ~again);
  case UPDATE_OR:
    return state & ~(bits & ~before & ~again);
  case UPDATE_XOR:
    return state ^ bits;
  }
  return state;
}

uint64_t order_state_without(const struct order *o, const struct link *own, uint32_t e)
{
  uint64_t state = own->before, again = 0;
  for (uint32_t l = own->prev; l && o->link[l - 1].event >= e; l = o->link[l - 1].prev) {
    const struct link *link = &o->link[l - 1];
    const struct order_event *f = &o->event[link->event];
    static const struct operation plain;
    const struct operation *op = is_update(&f->op) ? &f->op : &plain;
    if (order_before(o, e, f))
      state = undone(op, order_part(link->acts), link->before, again, state);
    else
      again |= bits_of_update(op, order_part(link->acts));
  }
  return state;
}
