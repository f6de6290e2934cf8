/* SPDX-License-Identifier: Apache-2.0
 *
 * A uniformly random thread at each scheduling point. The baseline every other strategy has to
 * beat. */
#include "core/rng.h"
#include "core/strategy.h"

struct random_state {
  uint64_t stream;
};

static void random_begin(void *state, const struct job *job, uint64_t seed, uint64_t execution)
{
  (void)job, (void)execution;
  ((struct random_state *)state)->stream = seed;
}

static unsigned random_pick(void *state, const struct choice *c)
{
  return threadset_nth(c->enabled, rng_below(&((struct random_state *)state)->stream, c->count));
}

static unsigned random_choose(void *state, unsigned n)
{
  return rng_below(&((struct random_state *)state)->stream, n);
}

static bool random_end(void *state, const struct outcome *outcome)
{
  (void)state, (void)outcome;
  return true;
}

const struct strategy strategy_random = {
    .name = "random",
    .by_number = true,
    .leans = true,
    .state_size = sizeof(struct random_state),
    .begin = random_begin,
    .pick = random_pick,
    .choose = random_choose,
    .end = random_end,
};
