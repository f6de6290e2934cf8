/* SPDX-License-Identifier: Apache-2.0
 *
 * Clocks that are copied when they change; see shared_clock.h.
 */
#include "predict/order/shared_clock.h"
#include <stdlib.h>
#include <string.h>

struct shared_clock *shared_clock_share(struct shared_clock *c)
{
  if (c)
    c->users++;
  return c;
}

void shared_clock_drop(struct shared_clock *c)
{
  if (c && --c->users == 0)
    free(c);
}

/* Makes *c one of a single user with room for so many entries. */
static bool own(struct shared_clock **c, uint32_t count, bool *failed)
{
  struct shared_clock *old = *c;
  uint32_t had = old ? old->count : 0;
  if (old && old->users == 1 && had >= count)
    return true;
  count = count > had ? count : had;
  struct shared_clock *copy = calloc(1, sizeof *copy + count * sizeof copy->at[0]);
  if (!copy) {
    *failed = true;
    return false;
  }
  copy->users = 1;
  copy->count = count;
  if (had)
    memcpy(copy->at, old->at, had * sizeof old->at[0]);
  shared_clock_drop(old);
  *c = copy;
  return true;
}

bool shared_clock_raise(struct shared_clock **c, uint32_t thread, uint32_t time, bool *failed)
{
  if (shared_clock_get(*c, thread) >= time || !own(c, thread + 1, failed))
    return false;
  (*c)->at[thread] = time;
  return true;
}

bool shared_clock_join(struct shared_clock **c, const struct shared_clock *other, bool *failed)
{
  bool changed = false;
  for (uint32_t i = 0; other && i < other->count; i++)
    if (other->at[i] > shared_clock_get(*c, i)) {
      if (!changed && !own(c, other->count, failed))
        return false;
      (*c)->at[i] = other->at[i];
      changed = true;
    }
  return changed;
}

bool shared_clock_learn(struct shared_clock **c, const struct stamp *stamp, bool *failed)
{
  if (stamp->thread && shared_clock_get(*c, stamp->thread) >= stamp->time)
    return false;
  bool changed = shared_clock_join(c, stamp->clock, failed);
  return (stamp->thread && shared_clock_raise(c, stamp->thread, stamp->time, failed)) || changed;
}

void stamp_set(struct stamp *stamp, const struct stamp *from)
{
  struct shared_clock *old = stamp->clock;
  *stamp = from ? *from : (struct stamp){0};
  shared_clock_share(stamp->clock);
  shared_clock_drop(old);
}

void stamp_mix(struct stamp *stamp, const struct stamp *other, bool *failed)
{
  if (stamp->thread && stamp->time)
    shared_clock_raise(&stamp->clock, stamp->thread, stamp->time, failed);
  stamp->thread = stamp->time = 0;
  shared_clock_learn(&stamp->clock, other, failed);
}
