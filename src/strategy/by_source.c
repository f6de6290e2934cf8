/* SPDX-License-Identifier: Apache-2.0
 *
 * Every way in which reads find their values, none twice (explore/sources.h). The search is not divided: its unit is
 * all of it, and what is handed in before the end says only that it has not come to its end.
 */
#include "core/strategy.h"
#include "explore/sources.h"
#include "explore/unit.h"

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

/* It goes on where it stands. */
static void take(void *state, const struct world *world, const struct job *job)
{
  (void)state, (void)world;
  job->answered[ANSWER_PROBES] = 0;
}

static void hand_in(void *state, const struct world *world, const struct job *job, bool only_lessons)
{
  const struct sources *s = state;
  struct hand_in *out = job->answer[ANSWER_HAND_IN];
  (void)world;
  *out = (struct hand_in){.bytes = sizeof *out, .finished = s->finished && !only_lessons};
  job->answered[ANSWER_HAND_IN] = out->bytes;
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
                                          .take = take,
                                          .begin = begin,
                                          .pick = pick,
                                          .choose = choose,
                                          .end = end,
                                          .hand_in = hand_in,
                                          .standing = standing,
                                          .restart = restart};
