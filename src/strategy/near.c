/* SPDX-License-Identifier: Apache-2.0
 *
 * A random thread of the process that runs, and only now and then one of another process. The turn goes from thread to
 * thread within a process in nanoseconds, to another process in microseconds, so that most of the time of a random
 * execution of several processes is spent on handing it over. This strategy runs several times as many, in which
 * processes meet less often. Within one process it is the random one.
 */
#include "core/rng.h"
#include "core/schedule.h"
#include "core/strategy.h"

#define LEAVES_ONE_IN 16 /* a process takes so many steps on the average before another one comes, if it can */

struct near_state {
  uint64_t stream;
};

static void near_begin(void *state, const struct job *job, uint64_t seed, uint64_t execution)
{
  (void)job, (void)execution;
  ((struct near_state *)state)->stream = seed;
}

static unsigned near_pick(void *state, const struct choice *c)
{
  uint64_t *stream = &((struct near_state *)state)->stream;
  struct threadset here = {0};
  unsigned count = 0;
  THREADSET_EACH(t, c->enabled)
  {
    if (c->info[t].process != c->info[c->current].process)
      continue;
    threadset_add(&here, t);
    count++;
  }
  if (!count || c->yielded || rng_below(stream, LEAVES_ONE_IN) == 0)
    return threadset_nth(c->enabled, rng_below(stream, c->count));
  return threadset_nth(&here, rng_below(stream, count));
}

static unsigned near_choose(void *state, unsigned n)
{
  return rng_below(&((struct near_state *)state)->stream, n);
}

static bool near_end(void *state, const struct outcome *outcome)
{
  (void)state, (void)outcome;
  return true;
}

const struct strategy strategy_near = {
    .name = "near",
    .by_number = true,
    .leans = true,
    .state_size = sizeof(struct near_state),
    .begin = near_begin,
    .pick = near_pick,
    .choose = near_choose,
    .end = near_end,
};
