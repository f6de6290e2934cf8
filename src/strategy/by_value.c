/* SPDX-License-Identifier: Apache-2.0
 *
 * One execution for each maximal causal class (causal/causal.h). The search is not divided.
 */
#include "causal/causal.h"
#include "strategy/undivided.h"

static void open(void *state, const struct job *job)
{
  causal_open(state, job->config);
}

static void begin(void *state, const struct job *job, uint64_t seed, uint64_t execution)
{
  (void)job, (void)seed, (void)execution;
  causal_start(state);
}

static unsigned pick(void *state, const struct choice *choice)
{
  return causal_pick(state, choice);
}

static unsigned choose(void *state, unsigned n)
{
  return causal_choose(state, n);
}

static bool end(void *state, const struct outcome *outcome)
{
  return causal_end(state, outcome);
}

static void hand_in(void *state, const struct world *world, const struct job *job, bool only_lessons)
{
  const struct causal *c = state;
  (void)world;
  undivided_hand_in(job, c->finished && !only_lessons);
}

static struct standing standing(const void *state)
{
  const struct causal *c = state;
  return (struct standing){.finished = c->finished,
                           .aside = c->aside,
                           .lost = c->lost,
                           .class_hash = c->class_hash,
                           .uncovered = c->uncovered,
                           .planned = c->planned};
}

static void restart(void *state)
{
  causal_forget(state);
}

const struct strategy strategy_causal = {.name = "causal",
                                         .state_size = sizeof(struct causal),
                                         .every_step = true,
                                         .remembers = true,
                                         .exhaustive = true,
                                         .asks = true,
                                         .open = open,
                                         .take = undivided_take,
                                         .begin = begin,
                                         .pick = pick,
                                         .choose = choose,
                                         .end = end,
                                         .hand_in = hand_in,
                                         .standing = standing,
                                         .restart = restart};
