/* SPDX-License-Identifier: Apache-2.0
 *
 * Follow a beginning of a failing schedule, then go on with as few switches as possible: a thread runs until it blocks,
 * ends or waits in a loop, and only then another is chosen by chance. One execution for each trial of the job
 * (core/trials.h), in their order, until one passes; the schedule of that one is kept. What a verdict means for
 * the switches of the schedule is for the command line to say.
 */
#include "core/control.h"
#include "core/rng.h"
#include "core/strategy.h"
#include "core/trials.h"
#include "core/without_libc.h"
#include "strategy/follow.h"
#include "strategy/schedule_replay.h"

#define SPINS 50       /* times that a thread looks at the same thing from the same place before it counts as waiting */
#define PATIENCE 50000 /* steps of one thread in a row: loops that wait and count how often */

enum stage { FOLLOWING, FIRST_DUE, RUNNING_ON };

struct localise {
  uint64_t target, stream;
  struct trials *trials; /* of the answer; valid during an execution */
  enum stage stage;
  bool diverged, keeps;
  uintptr_t spin_pc, spin_addr; /* what the running thread looked at first since it last did something */
  uint32_t spins;
  uint32_t alone; /* steps of the running thread in a row */
  struct follower follower;
  uint64_t counters[MAX_THREADS];
  struct follow_segment segments[REPLAY_SEGMENTS];
};

static struct trial *trial_of(const struct localise *s)
{
  return &s->trials->trial[s->trials->done];
}

static void localise_open(void *state, const struct job *job)
{
  struct localise *s = state;
  s->target = job->config->target_key;
  copy_bytes(job->answer[ANSWER_TRIALS], job->part[JOB_TRIALS], job->bytes[JOB_TRIALS]);
  job->answered[ANSWER_TRIALS] = job->bytes[JOB_TRIALS];
}

/* The segments as recorded, but for the ends that the trial names. */
static void take_ends(struct localise *s, const struct trial *trial)
{
  for (uint32_t i = 0; i < 2; i++) {
    if (!trial->end[i] || trial->segments + i < 2)
      continue;
    struct follow_segment *segment = &s->segments[trial->segments - 2 + i];
    segment->position = trial->end[i];
    segment->pc = 0;
  }
}

static void localise_begin(void *state, const struct job *job, uint64_t seed, uint64_t execution)
{
  (void)execution;
  struct localise *s = state;
  struct schedule_record *record = (struct schedule_record *)job->part[JOB_SCHEDULE];
  s->trials = job->answer[ANSWER_TRIALS];
  s->stream = seed;
  s->diverged = s->keeps = false;
  s->spins = s->alone = 0;
  follow_from_record(s->segments, record, s->counters);
  const struct trial *trial = trial_of(s);
  take_ends(s, trial);
  s->stage = trial->segments ? FOLLOWING : FIRST_DUE;
  s->follower = (struct follower){
      .threads = schedule_threads(record),
      .segments = s->segments,
      .choices = schedule_choices(record),
      .thread_count = record->threads,
      .segment_count = record->segments,
      .choice_count = record->choices,
  };
}

/* Whether the thread about to go on waits in a loop: it only looks, again and again, at the same thing from the same
 * place, or it has been at it for very long. */
static bool waits_in_loop(struct localise *s, const struct operation *op)
{
  bool again = s->spins && op->pc == s->spin_pc && op->addr == s->spin_addr;
  if (!op_only_looks(op->kind)) {
    s->spins = 0;
  } else if (again) {
    s->spins++;
  } else if (!s->spins) {
    s->spin_pc = op->pc;
    s->spin_addr = op->addr;
    s->spins = 1;
  }
  return s->spins > SPINS || ++s->alone > PATIENCE;
}

static unsigned another(struct localise *s, const struct choice *c)
{
  struct threadset others = *c->enabled;
  s->spins = s->alone = 0;
  if (c->count > 1)
    threadset_remove(&others, c->current);
  return threadset_nth(&others, rng_below(&s->stream, threadset_count(&others)));
}

static unsigned run_on(struct localise *s, const struct choice *c)
{
  if (s->stage == FIRST_DUE) {
    const struct trial *trial = trial_of(s);
    unsigned first = trial->first == TRIAL_ANY ? threadset_nth(c->enabled, rng_below(&s->stream, c->count))
                                               : follow_thread(&s->follower, c, trial->first);
    bool able = first < MAX_THREADS && threadset_has(c->enabled, first);
    if (able || trial->segments) /* with no beginning to follow it may be created later */
      s->stage = RUNNING_ON;
    if (able)
      return first;
  }
  const struct operation *op = &c->thread[c->current].pending;
  if (!threadset_has(c->enabled, c->current) || op_gives_way(op->kind) || waits_in_loop(s, op))
    return another(s, c);
  return c->current;
}

static unsigned localise_pick(void *state, const struct choice *c)
{
  struct localise *s = state;
  struct follower *f = &s->follower;
  if (s->stage == FOLLOWING) {
    const struct follow_segment *segment = &f->segments[f->at];
    unsigned thread = follow_thread(f, c, segment->thread);
    bool over = thread < MAX_THREADS && thread_performed(&c->thread[thread]) >= segment->position;
    if (!over || f->at + 1 < trial_of(s)->segments) {
      unsigned next = follow_exactly(f, c);
      if (next < MAX_THREADS)
        return next;
      s->diverged = true;
    }
    s->stage = FIRST_DUE;
  }
  return run_on(s, c);
}

static unsigned localise_choose(void *state, unsigned n)
{
  return follow_choose(&((struct localise *)state)->follower, n);
}

static bool localise_end(void *state, const struct outcome *outcome)
{
  struct localise *s = state;
  struct trials *trials = s->trials;
  struct trial *trial = trial_of(s);
  if (s->diverged)
    trial->verdict = TRIAL_DIVERGED;
  else if (outcome->bug)
    trial->verdict = outcome->bug_key == s->target ? TRIAL_FAILS : TRIAL_FAILS_OTHERWISE;
  else
    trial->verdict = outcome->cut ? TRIAL_CUT : TRIAL_PASSES;
  bool passes = trial->verdict == TRIAL_PASSES;
  for (uint32_t i = 0; passes && i < trials->done; i++) /* only the first one is kept */
    s->keeps |= trials->trial[i].verdict == TRIAL_PASSES;
  s->keeps = passes && !s->keeps;
  trials->done++;
  return trials->done < trials->count && (trials->all || !passes);
}

static bool localise_keeps(const void *state)
{
  return ((const struct localise *)state)->keeps;
}

const struct strategy strategy_localise = {
    .name = "localise",
    .state_size = sizeof(struct localise),
    .every_step = true,
    .private_steps = true,
    .open = localise_open,
    .begin = localise_begin,
    .pick = localise_pick,
    .choose = localise_choose,
    .end = localise_end,
    .keeps = localise_keeps,
};
