/* SPDX-License-Identifier: Apache-2.0
 *
 * Why an execution was chosen, see the header.
 */
#include "core/attempt.h"
#include "core/operation.h"
#include "core/strategy.h"

_Static_assert(sizeof(struct tried_area) <= ANSWER_TRIED_MOST, "there is room for all attempts");

static uint64_t bug_of(const struct outcome *outcome)
{
  return outcome->bug ? outcome->bug_key : outcome->noted;
}

bool attempt_is_wanted(const struct outcome *outcome)
{
  const struct tried_area *out = outcome->job->answer[ANSWER_TRIED];
  return bug_of(outcome) && out && out->count < ATTEMPTS_MOST;
}

void attempt_tell(const struct outcome *outcome, const struct abstract_schedule *schedule)
{
  struct tried_area *out = outcome->job->answer[ANSWER_TRIED];
  if (!schedule->constraints || !attempt_is_wanted(outcome))
    return;
  out->attempt[out->count] = (struct schedule_attempt){.bug_key = bug_of(outcome), .schedule = *schedule};
  __atomic_store_n(&out->count, out->count + 1, __ATOMIC_RELEASE);
  outcome->job->answered[ANSWER_TRIED] = sizeof *out;
}

bool abstract_schedule_is_sound(const struct abstract_schedule *s)
{
  bool sound = s->constraints <= CONSTRAINTS_MOST && s->pairs <= PAIRS_MOST;
  for (uint32_t i = 0; sound && i < s->constraints; i++)
    sound = s->constraint[i].read.kind < OP_COUNT && s->constraint[i].write.kind < OP_COUNT;
  return sound;
}
