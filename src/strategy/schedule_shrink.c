/* SPDX-License-Identifier: Apache-2.0
 *
 * Make a failing schedule simpler: fewer preemptions, then fewer context switches. Every candidate is really run and
 * kept only if the same bug shows. Starts from the schedule of the job.
 *
 * Candidates, in turns until none of them helps: leave out a run of segments (halving its length, as delta debugging
 * does), let the thread of one segment run on until it blocks, and let it do at once what it does in its next segment.
 * What ran becomes the next schedule to simplify, so the result is always one that was seen to fail.
 *
 * When none helps, but there are still many preemptions, the schedule is changed by chance, a segment or two at a time,
 * and whatever fails with no more preemptions is gone on from: what stands in the way of a simplification is often
 * where another switch happens to be. In the end schedules with one preemption less are drawn by chance: sometimes the
 * same bug has a simpler way that no step leads to.
 *
 * Without a bug to keep it is the passing that is kept; without a schedule to start from one is looked for by
 * chance. */
#include "strategy/schedule_shrink.h"
#include "core/rng.h"
#include "core/strategy.h"
#include "strategy/follow.h"

#define SHRINK_SEGMENTS 65536u
#define SAMPLES 1000      /* executions with one preemption less, at places chosen by chance, before it is enough */
#define SAMPLED_MOST 8u   /* preemptions in them; with more of them chance has little hope */
#define LONGER 4          /* times than the best one: then it waits for somebody who does not come */
#define WANDERS 1500      /* executions of changed schedules, before it is enough */
#define WANDERED_LEAST 3u /* preemptions in them; fewer are found in the end */
#define WANDERED_MORE 2u  /* segments that one may have more than the best */
#define BEYOND 8          /* operations that the last segment of a thread may be longer */

enum phase { SEEK, CHECK, DROP, EXTEND, MERGE, WANDER, SAMPLE, FINISHED };

struct cost {
  uint32_t preemptions, segments;
};

struct shrink {
  uint64_t target, stream;
  enum phase phase;
  uint32_t chunk, at; /* the candidate: segments [at, at + chunk) */
  bool improved, progress;
  bool vain; /* the execution was given up */
  struct cost best;
  uint64_t steps; /* of the best one */
  uint32_t sampled;
  uint64_t preempt[SAMPLED_MOST]; /* steps of a sample where another thread goes on */
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
  if (record->segments > SHRINK_SEGMENTS || record->choices > SHRINK_SEGMENTS || record->threads > MAX_THREADS)
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

/* Whether to wander on from there. */
static bool is_as_good(const struct shrink *s, struct cost cost)
{
  return cost.preemptions <= s->best.preemptions && cost.segments <= s->best.segments + WANDERED_MORE;
}

static void shrink_open(void *state, const struct job *job)
{
  struct shrink *s = state;
  s->target = job->config->target_key;
  s->best = (struct cost){UINT32_MAX, UINT32_MAX};
  struct schedule_record *record = (struct schedule_record *)job->part[JOB_SCHEDULE];
  s->phase = record->segments ? CHECK : SEEK;
  if (!shrink_adopt(s, record))
    s->phase = FINISHED;
}

/* The segment in which the thread of another goes on; the number of segments when it does not. */
static uint32_t next_of(const struct shrink *s, uint32_t at)
{
  uint32_t next = at + 1;
  while (next < s->count && s->segments[next].thread != s->segments[at].thread)
    next++;
  return next;
}

/* Where the candidate's segment ends. The last segment of all counts the operation that it ended in. */
static uint64_t end_of(const struct shrink *s, uint32_t i, uint32_t merged)
{
  if (i != s->at || (s->phase != EXTEND && s->phase != MERGE))
    return s->segments[i].position;
  if (s->phase == EXTEND || merged == s->count)
    return FOLLOW_UNTIL_BLOCKED;
  return s->segments[merged].position - (merged + 1 == s->count);
}

/* Ends the segment elsewhere, between the segments of its thread before and after it. */
static void move_end(struct shrink *s, uint32_t at)
{
  const uint32_t thread = s->candidate[at].thread;
  uint64_t from = 0, to = s->candidate[at].position + BEYOND;
  for (uint32_t i = 0; i < at; i++)
    from = s->candidate[i].thread == thread ? s->candidate[i].position : from;
  for (uint32_t i = s->candidate_count; --i > at;)
    to = s->candidate[i].thread == thread ? s->candidate[i].position : to;
  if (to > from)
    s->candidate[at].position = from + 1 + rng_next(&s->stream) % (to - from);
}

/* One change by chance: a segment is left out, comes after the next one, or ends elsewhere. */
static void change(struct shrink *s)
{
  if (s->candidate_count < 2)
    return;
  const uint32_t at = rng_below(&s->stream, s->candidate_count - 1);
  const struct follow_segment segment = s->candidate[at];
  switch (rng_below(&s->stream, 4)) {
  case 0:
    s->candidate_count--;
    for (uint32_t i = at; i < s->candidate_count; i++)
      s->candidate[i] = s->candidate[i + 1];
    return;
  case 1:
    s->candidate[at] = s->candidate[at + 1];
    s->candidate[at + 1] = segment;
    return;
  default:
    move_end(s, at);
  }
}

static void shrink_build(struct shrink *s)
{
  uint32_t n = 0, merged = s->phase == MERGE ? next_of(s, s->at) : s->count;
  for (uint32_t i = 0; i < s->count; i++) {
    if ((s->phase == DROP && i >= s->at && i < s->at + s->chunk) || i == merged)
      continue;
    s->candidate[n] = s->segments[i];
    s->candidate[n++].position = end_of(s, i, merged);
  }
  s->candidate_count = n;
  for (uint32_t i = s->phase == WANDER ? 1 + rng_below(&s->stream, 2) : 0; i > 0; i--)
    change(s);
}

static void shrink_begin(void *state, const struct job *job, uint64_t seed, uint64_t execution)
{
  (void)job, (void)execution;
  struct shrink *s = state;
  s->stream = seed;
  s->vain = false;
  for (uint32_t i = 0; s->phase == SAMPLE && i + 1 < s->best.preemptions; i++)
    s->preempt[i] = 1 + rng_next(&s->stream) % (s->steps + 1);
  shrink_build(s);
  s->follower = (struct follower){
      .threads = s->threads,
      .segments = s->candidate,
      .choices = s->choices,
      .thread_count = s->thread_count,
      .segment_count = s->candidate_count,
      .choice_count = s->choice_count,
  };
}

/* As few switches as possible, but for those that were drawn. */
static unsigned sample(struct shrink *s, const struct choice *c)
{
  bool stays = threadset_has(c->enabled, c->current) && !op_gives_way(c->thread[c->current].pending.kind);
  for (uint32_t i = 0; i + 1 < s->best.preemptions; i++)
    stays &= s->preempt[i] != c->step;
  struct threadset others = *c->enabled;
  if (c->count > 1)
    threadset_remove(&others, c->current);
  return stays ? c->current : threadset_nth(&others, rng_below(&s->stream, threadset_count(&others)));
}

/* An execution that becomes so much longer than the best one waits in a loop for somebody who does not come. */
static bool is_in_vain(const struct shrink *s, const struct choice *c)
{
  return s->phase > CHECK && c->step > LONGER * s->steps + 100;
}

static unsigned shrink_pick(void *state, const struct choice *c)
{
  struct shrink *s = state;
  if (s->phase == SEEK)
    return threadset_nth(c->enabled, rng_below(&s->stream, c->count));
  s->vain = is_in_vain(s, c);
  if (s->vain)
    return PICK_BLOCKED;
  if (s->phase == SAMPLE)
    return sample(s, c);
  return follow_roughly(&s->follower, c);
}

static unsigned shrink_choose(void *state, unsigned n)
{
  struct shrink *s = state;
  return s->phase == SEEK || s->phase == SAMPLE ? rng_below(&s->stream, n) : follow_choose(&s->follower, n);
}

static void begin_round(struct shrink *s)
{
  s->progress = false;
  s->chunk = s->count / 2 ? s->count / 2 : 1;
  s->at = 0;
}

/* What comes when nothing else helps. */
static enum phase sampling(const struct shrink *s)
{
  return s->best.preemptions > 0 && s->best.preemptions <= SAMPLED_MOST ? SAMPLE : FINISHED;
}

/* The next candidate; after a whole round without progress, the end. */
static void shrink_advance(struct shrink *s)
{
  switch (s->phase) {
  case SEEK:
    if (!s->improved)
      return;
    __attribute__((fallthrough));
  case CHECK:
    s->phase = DROP;
    begin_round(s);
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
    s->phase = MERGE;
    s->at = 0;
    if (next_of(s, 0) < s->count)
      return;
    __attribute__((fallthrough));
  case MERGE:
    do
      s->at++;
    while (s->at < s->count && next_of(s, s->at) == s->count);
    if (s->at < s->count)
      return;
    s->phase = s->progress ? DROP : s->best.preemptions >= WANDERED_LEAST ? WANDER : sampling(s);
    s->sampled = 0;
    begin_round(s);
    return;
  case WANDER:
    if (!s->progress && ++s->sampled < WANDERS)
      return;
    s->phase = s->progress ? DROP : sampling(s);
    s->sampled = 0;
    begin_round(s);
    return;
  case SAMPLE:
    s->phase = s->progress ? DROP : ++s->sampled < SAMPLES ? SAMPLE : FINISHED;
    begin_round(s);
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
  bool wanted = s->target ? outcome->bug && outcome->bug_key == s->target : !outcome->bug && !outcome->cut;
  if (wanted && !s->vain) {
    struct cost cost = record_cost(outcome->schedule);
    if (s->phase == WANDER && is_as_good(s, cost))
      shrink_adopt(s, (struct schedule_record *)outcome->schedule);
    if (cheaper(cost, s->best) && shrink_adopt(s, (struct schedule_record *)outcome->schedule)) {
      s->best = cost;
      s->steps = outcome->steps;
      s->improved = true;
      s->progress |= s->phase > CHECK;
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
    .keeps = shrink_improved,
};
