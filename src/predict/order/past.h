/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector clocks for analyses of recorded runs: as many threads as the trace has, shared by everything that knows the
 * same, copied when one of them learns more. Entries beyond `count` are zero. Where there is no memory a past stays as
 * it was and *failed is set; what is concluded afterwards does not count.
 *
 * A stamp is a point of a thread with all that lies before it. Who knows that point knows all of its past: that makes
 * most joins one comparison.
 */
#ifndef HEDDLE_PREDICT_PAST_H
#define HEDDLE_PREDICT_PAST_H

#include <stdbool.h>
#include <stdint.h>

struct past {
  uint32_t users;
  uint32_t count;
  uint32_t at[];
};

struct stamp {
  struct past *past;     /* NULL: knows nothing of others */
  uint32_t thread, time; /* 0, 0: a mixture, known only if all of its past is */
};

static inline uint32_t past_get(const struct past *c, uint32_t thread)
{
  return c && thread < c->count ? c->at[thread] : 0;
}

/* One more user of the past, or one less. */
struct past *past_share(struct past *c);
void past_drop(struct past *c);

/* Raises an entry to at least that time; all entries to at least those of another. True when something changed. */
bool past_raise(struct past **c, uint32_t thread, uint32_t time, bool *failed);
bool past_join(struct past **c, const struct past *other, bool *failed);

/* The same for all that a stamp stands for. */
bool past_learn(struct past **c, const struct stamp *stamp, bool *failed);

/* A copy of the stamp takes the place of another; NULL for none. */
void stamp_set(struct stamp *stamp, const struct stamp *from);
/* The stamp stands for what it stood for and for the other. */
void stamp_mix(struct stamp *stamp, const struct stamp *other, bool *failed);

#endif
