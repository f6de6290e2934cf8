/* SPDX-License-Identifier: Apache-2.0
 *
 * One execution for each maximal causal class (causal/causal.h). The search is not divided: its unit is all of it, and
 * what is handed in before the end says only that it has not come to its end.
 */
#include "causal/causal.h"
#include "explore/unit.h"

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

/* It goes on where it stands. */
static void take(void *state, const struct world *world, const struct job *job)
{
  (void)state, (void)world;
  job->answered[ANSWER_PROBES] = 0;
}

static void hand_in(void *state, const struct world *world, const struct job *job, bool only_lessons)
{
  const struct causal *c = state;
  struct hand_in *out = job->answer[ANSWER_HAND_IN];
  (void)world;
  *out = (struct hand_in){.bytes = sizeof *out, .finished = c->finished && !only_lessons};
  job->answered[ANSWER_HAND_IN] = out->bytes;
}

static struct standing standing(const void *state)
{
  const struct causal *c = state;
  return (struct standing){.finished = c->finished, .aside = c->aside, .lost = c->lost, .class_hash = c->class_hash};
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
                                         .open = open,
                                         .take = take,
                                         .begin = begin,
                                         .pick = pick,
                                         .choose = choose,
                                         .end = end,
                                         .hand_in = hand_in,
                                         .standing = standing,
                                         .restart = restart};
