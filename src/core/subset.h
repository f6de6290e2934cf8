/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of a stress test (include/heddle_stress.h, or any program: parts.h): a set of calls, each named by the number of
 * its thread and its own. A thread without calls is not part of it. Plain memory, no pointers.
 */
#ifndef HEDDLE_CORE_SUBSET_H
#define HEDDLE_CORE_SUBSET_H

#include <stdbool.h>
#include <stdint.h>

#define SUBSET_THREADS 250u /* of a test; with main and a few of its own they must fit an execution */
#define SUBSET_CALLS 1024u  /* of one thread */

/* Instead of a call, where it is said for which one a thread acts; as in heddle_stress.h. */
#define CALL_STARTS 0xfffeu
#define CALL_NONE 0xffffu

struct subset {
  uint32_t threads, calls; /* of the whole test */
  uint64_t bits[SUBSET_THREADS][SUBSET_CALLS / 64];
};

/* What a test was made smaller to. */
struct reduced {
  struct subset kept;
  bool fails_in_turns; /* the whole fails also when each thread runs until it waits; of ordinary programs only */
};

static inline bool subset_has(const struct subset *s, uint32_t thread, uint32_t call)
{
  return thread < s->threads && call < s->calls && (s->bits[thread][call / 64] >> call % 64 & 1);
}

static inline void subset_add(struct subset *s, uint32_t thread, uint32_t call)
{
  s->bits[thread][call / 64] |= UINT64_C(1) << call % 64;
}

static inline void subset_remove(struct subset *s, uint32_t thread, uint32_t call)
{
  s->bits[thread][call / 64] &= ~(UINT64_C(1) << call % 64);
}

static inline uint32_t subset_calls_of(const struct subset *s, uint32_t thread)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < SUBSET_CALLS / 64; i++)
    count += (uint32_t)__builtin_popcountll(s->bits[thread][i]);
  return count;
}

static inline bool subset_has_thread(const struct subset *s, uint32_t thread)
{
  return thread < s->threads && subset_calls_of(s, thread) > 0;
}

static inline void subset_remove_thread(struct subset *s, uint32_t thread)
{
  for (uint32_t i = 0; i < SUBSET_CALLS / 64; i++)
    s->bits[thread][i] = 0;
}

static inline uint32_t subset_thread_count(const struct subset *s)
{
  uint32_t count = 0;
  for (uint32_t t = 0; t < s->threads; t++)
    count += subset_has_thread(s, t);
  return count;
}

static inline uint32_t subset_call_count(const struct subset *s)
{
  uint32_t count = 0;
  for (uint32_t t = 0; t < s->threads; t++)
    count += subset_calls_of(s, t);
  return count;
}

/* All of a test of that size, which must be within the limits. */
static inline void subset_fill(struct subset *s, uint32_t threads, uint32_t calls)
{
  *s = (struct subset){.threads = threads, .calls = calls};
  for (uint32_t t = 0; t < threads; t++)
    for (uint32_t c = 0; c < calls; c++)
      subset_add(s, t, c);
}

#endif
