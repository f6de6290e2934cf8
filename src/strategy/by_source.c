/* SPDX-License-Identifier: Apache-2.0
 *
 * Every way in which reads find their values, none twice (explore/sources.h). The search is not divided.
 */
#include "core/strategy.h"
#include "explore/sources.h"
#include "strategy/undivided.h"

static void open(void *state, const struct job *job)
{
  sources_open(state, job->config);
}

static void begin(void *state, const struct job *job, uint64_t seed, uint64_t execution)
{
  (void)job, (void)seed, (void)execution;
  sources_begin(state);
}

static unsigned pick(void *state, const struct choice *c)
{
  return sources_pick(state, c);
}

static unsigned choose(void *state, unsigned n)
{
  return sources_choose(state, n);
}

static bool end(void *state, const struct outcome *outcome)
{
  return sources_end(state, outcome);
}

static void hand_in(void *state, const struct world *world, const struct job *job, bool only_lessons)
{
  const struct sources *s = state;
  (void)world;
  undivided_hand_in(job, s->finished && !only_lessons);
}

static struct standing standing(const void *state)
{
  const struct sources *s = state;
  return (struct standing){.finished = s->finished,
                           .restarts = s->restart,
                           .busy = s->redo,
                           .aside = s->aside,
                           .lost = s->lost,
                           .class_hash = s->class_hash};
}

static void restart(void *state)
{
  sources_forget(state);
}

const struct strategy strategy_sources = {.name = "sources",
                                          .state_size = sizeof(struct sources),
                                          .every_step = true,
                                          .remembers = true,
                                          .exhaustive = true,
                                          .open = open,
                                          .take = undivided_take,
                                          .begin = begin,
                                          .pick = pick,
                                          .choose = choose,
                                          .end = end,
                                          .hand_in = hand_in,
                                          .standing = standing,
                                          .restart = restart};
