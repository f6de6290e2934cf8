/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector clocks: how much each thread knows of each other's past. A clock's entries beyond `count` are zero, so joins
 * cost as much as there are threads. Entry t counts the releases of thread t, not its operations.
 */
#ifndef HEDDLE_CORE_VCLOCK_H
#define HEDDLE_CORE_VCLOCK_H

#include "core/threadset.h"
#include <stdbool.h>
#include <stdint.h>

struct vclock {
  uint32_t count;
  uint32_t at[MAX_THREADS];
};

static inline uint32_t vclock_get(const struct vclock *c, unsigned thread)
{
  return thread < c->count ? c->at[thread] : 0;
}

static inline void vclock_grow(struct vclock *c, uint32_t count)
{
  while (c->count < count)
    c->at[c->count++] = 0;
}

static inline void vclock_set(struct vclock *c, unsigned thread, uint32_t value)
{
  vclock_grow(c, thread + 1);
  c->at[thread] = value;
}

static inline void vclock_clear(struct vclock *c)
{
  c->count = 0;
}

static inline void vclock_join(struct vclock *into, const struct vclock *from)
{
  vclock_grow(into, from->count);
  for (uint32_t i = 0; i < from->count; i++)
    if (from->at[i] > into->at[i])
      into->at[i] = from->at[i];
}

static inline void vclock_copy(struct vclock *into, const struct vclock *from)
{
  into->count = from->count;
  for (uint32_t i = 0; i < from->count; i++)
    into->at[i] = from->at[i];
}

#endif
