/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions that a thread is in whose return is awaited: their return addresses were replaced by watch_return.
 * Whether a function was left in another way, by longjmp(), is seen at the next call above it. Inlined, as it stands
 * between the program and its scheduling points.
 */
#ifndef HEDDLE_WATCH_AWAITED_H
#define HEDDLE_WATCH_AWAITED_H

#include "watch/patches.h"

#define AWAITED_MOST 32

struct awaited_return {
  uintptr_t *slot; /* where on the stack the return address was */
  uintptr_t to;    /* what it was */
  uint32_t function;
  uintptr_t argument[6];
};

struct awaited_returns {
  uint32_t count;
  struct awaited_return list[AWAITED_MOST];
};

/* False: there are too many, and this one is not awaited. */
static inline bool await_return(struct awaited_returns *a, uint32_t function, const struct saved_registers *saved,
                                uintptr_t *slot)
{
  /* Entries of the same place are of functions that ended in this call, unless they were left by longjmp. */
  while (a->count && (a->list[a->count - 1].slot < slot ||
                      (a->list[a->count - 1].slot == slot && *slot != (uintptr_t)watch_return)))
    a->count--;
  if (a->count == AWAITED_MOST)
    return false;
  struct awaited_return *r = &a->list[a->count++];
  r->slot = slot;
  r->to = *slot;
  r->function = function;
  for (unsigned i = 0; i < sizeof r->argument / sizeof *r->argument; i++)
    r->argument[i] = saved->argument[i];
  *slot = (uintptr_t)watch_return;
  return true;
}

/* The function of that slot returns: its entry, which lasts until the next call. */
static inline const struct awaited_return *take_return(struct awaited_returns *a, const uintptr_t *slot)
{
  while (a->count > 1 && a->list[a->count - 1].slot < slot)
    a->count--;
  return &a->list[--a->count];
}

/* Where the innermost one will return to, through functions that ended in calls of others. */
static inline uintptr_t awaited_caller(const struct awaited_returns *a)
{
  uint32_t i = a->count;
  while (i && a->list[i - 1].to == (uintptr_t)watch_return)
    i--;
  return i ? a->list[i - 1].to : (uintptr_t)watch_return;
}

/* The innermost one is awaited no more, and its return address is what it was; NULL: there is none. */
static inline const struct awaited_return *put_back_return(struct awaited_returns *a)
{
  while (a->count) {
    const struct awaited_return *r = &a->list[--a->count];
    if (*r->slot != (uintptr_t)watch_return)
      continue;
    *r->slot = r->to;
    return r;
  }
  return NULL;
}

#endif
