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

/* Four entries at a time, wherever they lie; entries are below 2^31. */
typedef int32_t clock_entries __attribute__((vector_size(16), aligned(4), may_alias));

/* Each of the first entries of `into` becomes at least as large as that of `from`. */
static inline void clock_raise(uint32_t *into, const uint32_t *from, uint32_t count)
{
  uint32_t i = 0;
  for (; i + 4 <= count; i += 4) {
    clock_entries a = *(const clock_entries *)(into + i), b = *(const clock_entries *)(from + i), more = b > a;
    *(clock_entries *)(into + i) = (a & ~more) | (b & more);
  }
  for (; i < count; i++)
    if (from[i] > into[i])
      into[i] = from[i];
}

static inline void clock_copy(uint32_t *into, const uint32_t *from, uint32_t count)
{
  uint32_t i = 0;
  for (; i + 4 <= count; i += 4)
    *(clock_entries *)(into + i) = *(const clock_entries *)(from + i);
  for (; i < count; i++)
    into[i] = from[i];
}

static inline void vclock_join(struct vclock *into, const struct vclock *from)
{
  uint32_t both = into->count < from->count ? into->count : from->count;
  clock_raise(into->at, from->at, both);
  if (from->count > both) {
    clock_copy(into->at + both, from->at + both, from->count - both);
    into->count = from->count;
  }
}

static inline void vclock_copy(struct vclock *into, const struct vclock *from)
{
  into->count = from->count;
  clock_copy(into->at, from->at, from->count);
}

#endif
