/* SPDX-License-Identifier: Apache-2.0
 *
 * One execution for each maximal causal class (causal/causal.h). A unit is some courses and what is to be known for
 * them (causal/part.h).
 */
#include "causal/part.h"
#include "core/invariant.h"
#include "explore/unit.h"

static void open(void *state, const struct job *job)
{
  causal_open(state, job->config);
}

static void take(void *state, const struct world *world, const struct job *job)
{
  const struct unit *unit = job->part[JOB_UNIT];
  (void)world;
  job->answered[ANSWER_PROBES] = 0;
  invariant(causal_take_job(state, (const struct causal_job *)(unit + 1), unit->bytes), "a job makes no sense");
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
  struct causal *c = state;
  struct hand_in *out = job->answer[ANSWER_HAND_IN];
  (void)world;
  *out = (struct hand_in){.bytes = sizeof *out, .finished = c->finished && !only_lessons};
  if (!only_lessons)
    out->bytes += causal_write_answer(c, (struct causal_answer *)(out + 1), ANSWER_HAND_IN_MOST - sizeof *out);
  job->answered[ANSWER_HAND_IN] = out->bytes;
}

static struct standing standing(const void *state)
{
  const struct causal *c = state;
  return (struct standing){.finished = c->finished,
                           .aside = c->aside,
                           .lost = c->lost,
                           .class_hash = c->class_hash,
                           .uncovered = c->uncovered};
}

static void restart(void *state)
{
  causal_forget(state);
}

const struct strategy strategy_causal = {.name = "causal",
                                         .state_size = sizeof(struct causal),
                                         .every_step = true,
                                         .exhaustive = true,
                                         .asks = true,
                                         .open = open,
                                         .take = take,
                                         .begin = begin,
                                         .pick = pick,
                                         .choose = choose,
                                         .end = end,
                                         .hand_in = hand_in,
                                         .standing = standing,
                                         .restart = restart};
