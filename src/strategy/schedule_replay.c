/* SPDX-License-Identifier: Apache-2.0
 *
 * Follow the schedule of the job exactly, once. Any deviation is a divergence and ends the execution; the
 * engine tells where.
 */
#include "strategy/schedule_replay.h"
#include "core/strategy.h"
#include "core/without_libc.h"
#include "strategy/follow.h"

struct replay {
  struct follower follower;
  uint64_t counters[MAX_THREADS];
  struct follow_segment segments[REPLAY_SEGMENTS];
};

static void replay_open(void *state, const struct job *job)
{
  struct replay *r = state;
  struct schedule_record *record = (struct schedule_record *)job->part[JOB_SCHEDULE];
  follow_from_record(r->segments, record, r->counters);
}

static void replay_begin(void *state, const struct job *job, uint64_t seed, uint64_t execution)
{
  (void)seed, (void)execution;
  struct replay *r = state;
  struct schedule_record *record = (struct schedule_record *)job->part[JOB_SCHEDULE];
  r->follower = (struct follower){
      .threads = schedule_threads(record),
      .segments = r->segments,
      .choices = schedule_choices(record),
      .thread_count = record->threads,
      .segment_count = record->segments,
      .choice_count = record->choices,
  };
}

static unsigned replay_pick(void *state, const struct choice *c)
{
  return follow_exactly(&((struct replay *)state)->follower, c);
}

static unsigned replay_choose(void *state, unsigned n)
{
  return follow_choose(&((struct replay *)state)->follower, n);
}

static bool replay_end(void *state, const struct outcome *outcome)
{
  (void)state, (void)outcome;
  return true;
}

static size_t replay_expected(const void *state, char *out, size_t n)
{
  const struct replay *r = state;
  const struct follow_segment *s = &r->segments[r->follower.at];
  if (r->follower.at >= r->follower.segment_count)
    return 0;
  return print_text(out, n, "segment %u expects %s after operation %lu of its thread", r->follower.at + 1,
                    op_table[s->op].name, s->position);
}

const struct strategy strategy_replay = {
    .name = "replay",
    .state_size = sizeof(struct replay),
    .every_step = true,
    .private_steps = true,
    .open = replay_open,
    .begin = replay_begin,
    .pick = replay_pick,
    .choose = replay_choose,
    .end = replay_end,
    .expected = replay_expected,
};
