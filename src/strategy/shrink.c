/* SPDX-License-Identifier: Apache-2.0
 *
 * Make a failing schedule simpler: fewer preemptions, then fewer context switches. Every candidate is really run and
 * kept only if the same bug shows. Starts from the schedule in the control block.
 *
 * Candidates, in turns until none of them helps: leave out a run of segments (halving its length, as delta debugging
 * does), and let the thread of one segment run on until it blocks. What ran becomes the next schedule to simplify, so
 * the result is always one that was seen to fail.
 */
#include "strategy/shrink.h"
#include "core/strategy.h"
#include "strategy/follow.h"

#define SHRINK_SEGMENTS 65536u

enum phase { CHECK, DROP, EXTEND, FINISHED };

struct cost {
  uint32_t preemptions, segments;
};

struct shrink {
  uint64_t target;
  enum phase phase;
  uint32_t chunk, at; /* the candidate: segments [at, at + chunk) */
  bool improved, progress;
  struct cost best;
  uint32_t count, candidate_count, thread_count, choice_count;
  struct follower follower;
  uint64_t counters[MAX_THREADS];
  struct schedule_thread threads[MAX_THREADS];
  struct data_choice choices[SHRINK_SEGMENTS];
  struct follow_segment segments[SHRINK_SEGMENTS], candidate[SHRINK_SEGMENTS];
};

bool shrink_improved(const void *state)
{
  return ((const struct shrink *)state)->improved;
}

static bool shrink_adopt(struct shrink *s, struct schedule_record *record)
{
  if (record->segments > SHRINK_SEGMENTS || record->choices > SHRINK_SEGMENTS ||
      record->threads > MAX_THREADS)
    return false;
  s->count = record->segments;
  s->thread_count = record->threads;
  s->choice_count = record->choices;
  for (uint32_t i = 0; i < record->threads; i++)
    s->threads[i] = schedule_threads(record)[i];
  for (uint32_t i = 0; i < record->choices; i++)
    s->choices[i] = schedule_choices(record)[i];
  follow_from_record(s->segments, record, s->counters);
  return true;
}

static struct cost record_cost(const struct schedule_record *record)
{
  struct cost cost = {0, record->segments};
  const struct segment *segment = schedule_segments((struct schedule_record *)record);
  for (uint32_t i = 0; i + 1 < record->segments; i++)
    cost.preemptions += segment[i].enabled;
  return cost;
}

static bool cheaper(struct cost a, struct cost b)
{
  return a.preemptions != b.preemptions ? a.preemptions < b.preemptions : a.segments < b.segments;
}

static void shrink_open(void *state, const struct control *control)
{
  struct shrink *s = state;
  s->target = control->config.target_key;
  s->best = (struct cost){UINT32_MAX, UINT32_MAX};
  s->phase = CHECK;
  if (!shrink_adopt(s, CONTROL_AT(control, CONTROL_SCHEDULE_IN_OFFSET)))
    s->phase = FINISHED;
}

static void shrink_build(struct shrink *s)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    if (s->phase == DROP && i >= s->at && i < s->at + s->chunk)
      continue;
    s->candidate[n] = s->segments[i];
    if (s->phase == EXTEND && i == s->at)
      s->candidate[n].position = FOLLOW_UNTIL_BLOCKED;
    n++;
  }
  s->candidate_count = n;
}

static void shrink_begin(void *state, const struct control *control, uint64_t seed, uint64_t execution)
{
  (void)seed, (void)execution;
  struct shrink *s = state;
  shrink_build(s);
  s->follower = (struct follower){
      .control = control,
      .threads = s->threads,
      .segments = s->candidate,
      .choices = s->choices,
      .thread_count = s->thread_count,
      .segment_count = s->candidate_count,
      .choice_count = s->choice_count,
  };
}

static unsigned shrink_pick(void *state, const struct choice *c)
{
  return follow_roughly(&((struct shrink *)state)->follower, c);
}

static unsigned shrink_choose(void *state, unsigned n)
{
  return follow_choose(&((struct shrink *)state)->follower, n);
}

/* The next candidate; after a whole round without progress, the end. */
static void shrink_advance(struct shrink *s)
{
  switch (s->phase) {
  case CHECK:
    s->phase = DROP;
    s->chunk = s->count / 2 ? s->count / 2 : 1;
    s->at = 0;
    return;
  case DROP:
    s->at += s->improved ? 0 : s->chunk;
    if (s->at < s->count)
      return;
    s->at = 0;
    if (s->chunk > 1) {
      s->chunk /= 2;
      return;
    }
    s->phase = EXTEND;
    return;
  case EXTEND:
    s->at++;
    if (s->at < s->count)
      return;
    s->phase = s->progress ? DROP : FINISHED;
    s->progress = false;
    s->chunk = s->count / 2 ? s->count / 2 : 1;
    s->at = 0;
    return;
  case FINISHED:
    return;
  }
}

static bool shrink_end(void *state, const struct outcome *outcome)
{
  struct shrink *s = state;
  s->improved = false;
  if (s->phase == FINISHED)
    return false;
  if (outcome->bug && outcome->bug_key == s->target) {
    struct cost cost = record_cost(outcome->schedule);
    if (cheaper(cost, s->best) && shrink_adopt(s, (struct schedule_record *)outcome->schedule)) {
      s->best = cost;
      s->improved = true;
      s->progress |= s->phase != CHECK;
    }
  } else if (s->phase == CHECK) {
    s->phase = FINISHED; /* the schedule does not show the bug: nothing to simplify */
  }
  shrink_advance(s);
  return s->phase != FINISHED;
}

const struct strategy strategy_shrink = {
    .name = "shrink",
    .state_size = sizeof(struct shrink),
    .every_step = true,
    .private_steps = true,
    .open = shrink_open,
    .begin = shrink_begin,
    .pick = shrink_pick,
    .choose = shrink_choose,
    .end = shrink_end,
};
