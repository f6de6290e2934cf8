/* SPDX-License-Identifier: Apache-2.0
 *
 * See exhaustive.h.
 */
#include "explore/exhaustive.h"
#include "explore/unit.h"

void exhaustive_begin(void *state, const struct job *job, uint64_t seed, uint64_t execution)
{
  (void)seed, (void)execution;
  explorer_attend(state, job);
  explorer_begin(state);
}

unsigned exhaustive_pick(void *state, const struct choice *c)
{
  return explorer_pick(state, c);
}

unsigned exhaustive_choose(void *state, unsigned n)
{
  return explorer_choose(state, n);
}

bool exhaustive_end(void *state, const struct outcome *outcome)
{
  return explorer_end(state, outcome);
}

void exhaustive_take(void *state, const struct world *world, const struct job *job)
{
  const struct unit *unit = job->part[JOB_UNIT];
  explorer_attend(state, job);
  explorer_load(state, world, unit);
  if (unit->probes)
    job->answered[ANSWER_PROBES] = 0;
}

void exhaustive_hand_in(void *state, const struct world *world, const struct job *job, bool only_lessons)
{
  struct hand_in *out = job->answer[ANSWER_HAND_IN];
  if (only_lessons)
    explorer_hand_in_lessons(state, world, out);
  else
    explorer_hand_in(state, world, out, ANSWER_HAND_IN_MOST);
  job->answered[ANSWER_HAND_IN] = out->bytes;
}

struct standing exhaustive_standing(const void *state)
{
  return explorer_standing(state);
}

/* More memory turned out to be shared: what was explored did not see it. */
void exhaustive_restart(void *state)
{
  explorer_forget(state);
}
