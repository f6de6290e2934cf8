/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets of threads, as bits. Small, copied by value, no failure.
 */
#ifndef HEDDLE_CORE_THREADSET_H
#define HEDDLE_CORE_THREADSET_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_THREADS 256 /* in one execution, ended ones included */
#define THREADSET_WORDS (MAX_THREADS / 64)

struct threadset {
  uint64_t word[THREADSET_WORDS];
};

#define THREADSET_ALL ((struct threadset){{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}})

static inline void threadset_add(struct threadset *s, unsigned t)
{
  s->word[t >> 6] |= UINT64_C(1) << (t & 63);
}

static inline void threadset_remove(struct threadset *s, unsigned t)
{
  s->word[t >> 6] &= ~(UINT64_C(1) << (t & 63));
}

static inline bool threadset_has(const struct threadset *s, unsigned t)
{
  return s->word[t >> 6] >> (t & 63) & 1;
}

static inline unsigned threadset_count(const struct threadset *s)
{
  unsigned n = 0;
#pragma GCC unroll 4
  for (unsigned i = 0; i < THREADSET_WORDS; i++)
    n += (unsigned)__builtin_popcountll(s->word[i]);
  return n;
}

static inline bool threadset_empty(const struct threadset *s)
{
  uint64_t any = 0;
#pragma GCC unroll 4
  for (unsigned i = 0; i < THREADSET_WORDS; i++)
    any |= s->word[i];
  return any == 0;
}

static inline struct threadset threadset_common(const struct threadset *a, const struct threadset *b)
{
  struct threadset both;
#pragma GCC unroll 4
  for (unsigned i = 0; i < THREADSET_WORDS; i++)
    both.word[i] = a->word[i] & b->word[i];
  return both;
}

/* The smallest member >= from, or MAX_THREADS. */
static inline unsigned threadset_next(const struct threadset *s, unsigned from)
{
  for (unsigned i = from >> 6; i < THREADSET_WORDS; i++) {
    uint64_t w = s->word[i];
    if (i == from >> 6)
      w &= ~UINT64_C(0) << (from & 63);
    if (w)
      return i * 64 + (unsigned)__builtin_ctzll(w);
  }
  return MAX_THREADS;
}

/* The n-th member (from 0) in ascending order; n must be smaller than the count. */
static inline unsigned threadset_nth(const struct threadset *s, unsigned n)
{
  for (unsigned i = 0;; i++) {
    uint64_t w = s->word[i];
    unsigned here = (unsigned)__builtin_popcountll(w), at = i * 64;
    if (n >= here) {
      n -= here;
      continue;
    }
    for (unsigned half = 32; n > 3; half /= 2) { /* which half of what is left it is in */
      unsigned low = (unsigned)__builtin_popcountll(w & ((UINT64_C(1) << half) - 1));
      if (n >= low) {
        n -= low;
        at += half;
        w >>= half;
      }
    }
    while (n--)
      w &= w - 1;
    return at + (unsigned)__builtin_ctzll(w);
  }
}

#define THREADSET_EACH(t, set)                                                                                         \
  for (unsigned t = threadset_next((set), 0); t < MAX_THREADS;                                                         \
       t = t + 1 < MAX_THREADS ? threadset_next((set), t + 1) : MAX_THREADS)

#endif
