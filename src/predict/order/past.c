/* SPDX-License-Identifier: Apache-2.0
 *
 * Clocks that are copied when they change; see past.h.
 */
#include "predict/order/past.h"
#include <stdlib.h>
#include <string.h>

struct past *past_share(struct past *c)
{
  if (c)
    c->users++;
  return c;
}

void past_drop(struct past *c)
{
  if (c && --c->users == 0)
    free(c);
}

/* Makes *c one of a single user with room for so many entries. */
static bool own(struct past **c, uint32_t count, bool *failed)
{
  struct past *old = *c;
  uint32_t had = old ? old->count : 0;
  if (old && old->users == 1 && had >= count)
    return true;
  count = count > had ? count : had;
  struct past *copy = calloc(1, sizeof *copy + count * sizeof copy->at[0]);
  if (!copy) {
    *failed = true;
    return false;
  }
  copy->users = 1;
  copy->count = count;
  if (had)
    memcpy(copy->at, old->at, had * sizeof old->at[0]);
  past_drop(old);
  *c = copy;
  return true;
}

bool past_raise(struct past **c, uint32_t thread, uint32_t time, bool *failed)
{
  if (past_get(*c, thread) >= time || !own(c, thread + 1, failed))
    return false;
  (*c)->at[thread] = time;
  return true;
}

bool past_join(struct past **c, const struct past *other, bool *failed)
{
  bool changed = false;
  for (uint32_t i = 0; other && i < other->count; i++)
    if (other->at[i] > past_get(*c, i)) {
      if (!changed && !own(c, other->count, failed))
        return false;
      (*c)->at[i] = other->at[i];
      changed = true;
    }
  return changed;
}

bool past_learn(struct past **c, const struct stamp *stamp, bool *failed)
{
  if (stamp->thread && past_get(*c, stamp->thread) >= stamp->time)
    return false;
  bool changed = past_join(c, stamp->past, failed);
  return (stamp->thread && past_raise(c, stamp->thread, stamp->time, failed)) || changed;
}

void stamp_set(struct stamp *stamp, const struct stamp *from)
{
  struct past *old = stamp->past;
  *stamp = from ? *from : (struct stamp){0};
  past_share(stamp->past);
  past_drop(old);
}

void stamp_mix(struct stamp *stamp, const struct stamp *other, bool *failed)
{
  if (stamp->thread && stamp->time)
    past_raise(&stamp->past, stamp->thread, stamp->time, failed);
  stamp->thread = stamp->time = 0;
  past_learn(&stamp->past, other, failed);
}
