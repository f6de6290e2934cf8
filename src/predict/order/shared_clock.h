/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector clocks for analyses of recorded runs: as many threads as the trace has, shared by everything that knows the
 * same, copied when one of them learns more. Entries beyond `count` are zero. Where there is no memory a clock stays as
 * it was and *failed is set; what is concluded afterwards does not count.
 *
 * A stamp is a point of a thread with all that lies before it. Who knows that point knows all of its past: that makes
 * most joins one comparison.
 */
#ifndef HEDDLE_PREDICT_SHARED_CLOCK_H
#define HEDDLE_PREDICT_SHARED_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct shared_clock {
  uint32_t users;
  uint32_t count;
  uint32_t at[];
};

struct stamp {
  struct shared_clock *clock; /* NULL: knows nothing of others */
  uint32_t thread, time;      /* 0, 0: a mixture, known only if all of its clock is */
};

static inline uint32_t shared_clock_get(const struct shared_clock *c, uint32_t thread)
{
  return c && thread < c->count ? c->at[thread] : 0;
}

/* One more user of the clock, or one less. */
struct shared_clock *shared_clock_share(struct shared_clock *c);
void shared_clock_drop(struct shared_clock *c);

/* Raises an entry to at least that time; all entries to at least those of another. True when something changed. */
bool shared_clock_raise(struct shared_clock **c, uint32_t thread, uint32_t time, bool *failed);
bool shared_clock_join(struct shared_clock **c, const struct shared_clock *other, bool *failed);

/* The same for all that a stamp stands for. */
bool shared_clock_learn(struct shared_clock **c, const struct stamp *stamp, bool *failed);

/* A copy of the stamp takes the place of another; NULL for none. */
void stamp_set(struct stamp *stamp, const struct stamp *from);
/* The stamp stands for what it stood for and for the other. */
void stamp_mix(struct stamp *stamp, const struct stamp *other, bool *failed);

#endif
