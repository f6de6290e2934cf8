/* SPDX-License-Identifier: Apache-2.0
 *
 * Make a failing stress test smaller. The schedule of the job is followed once, with all threads and calls; then
 * each candidate (candidates.h) is run, guided by the last execution that failed (guide.h), and again as often as the
 * configuration says with a random end. What fails with the same bug becomes the test to make
 * smaller. */
#include "core/rng.h"
#include "core/strategy.h"
#include "strategy/candidates.h"
#include "strategy/follow.h"
#include "strategy/guide.h"

#define MINIMISE_SEGMENTS (1u << 20)
#define MINIMISE_CHOICES 65536u
#define TURN 20000u /* events of a thread without guidance before another may go on: it may be spinning */

/* A part of the test that takes more events than this, and than so many times those of the whole, waits for
 * something. */
#define ENDLESS 4u
#define ENDLESS_LEAST 100000u

enum phase { CHECK, GUIDED, FINISHED };

struct minimise {
  enum phase phase;
  bool improved;
  uint32_t retry, retries; /* of this candidate */
  uint64_t random;
  uint32_t turn;        /* events of the current thread without guidance */
  uint32_t random_from; /* from this event of the execution on, all is left to chance */
  struct candidates candidates;

  uint32_t known; /* threads of this execution that have a name */
  uint16_t name[MAX_THREADS];
  uint16_t of[MAX_THREADS], call[MAX_THREADS]; /* for what each thread acts */
  uint16_t starts[MAX_THREADS];                /* which thread of the test it started last, CALL_NONE: another one */

  struct guide guide;
  struct guide_trace ran, failed; /* this execution, and the last one that failed */
  uint32_t choice_at, choice_count;
  struct data_choice choices[MINIMISE_CHOICES];

  struct follower follower; /* of the first execution */
  uint64_t counters[MAX_THREADS];
  struct follow_segment segments[MINIMISE_SEGMENTS];
};

static bool minimise_has_call(const void *state, uint32_t thread, uint32_t call)
{
  const struct minimise *m = state;
  const struct candidates *c = &m->candidates;
  return subset_has(m->phase == GUIDED ? &c->tried : &c->kept, thread, call);
}

static void minimise_at_call(void *state, unsigned thread, uint32_t of, uint32_t call)
{
  struct minimise *m = state;
  m->of[thread] = (uint16_t)of;
  m->call[thread] = (uint16_t)call;
}

/* An execution that follows another as well as it can: memory of one thread is of no interest then. */
static bool minimise_guided(const void *state)
{
  return ((const struct minimise *)state)->phase == GUIDED;
}

static void minimise_open(void *state, const struct job *job)
{
  struct minimise *m = state;
  struct schedule_record *record = (struct schedule_record *)job->part[JOB_SCHEDULE];
  const struct control_config *config = job->config;
  m->retries = config->retries;
  m->guide.lookahead = config->lookahead;
  m->guide.whole = config->lookahead_whole;
  candidates_open(&m->candidates, config->stress_threads, config->stress_calls);
  if (record->segments > MINIMISE_SEGMENTS || record->threads > MAX_THREADS)
    m->phase = FINISHED;
  else
    follow_from_record(m->segments, record, m->counters);
}

static void begin_check(struct minimise *m, const struct job *job)
{
  struct schedule_record *record = (struct schedule_record *)job->part[JOB_SCHEDULE];
  m->follower = (struct follower){
      .threads = schedule_threads(record),
      .segments = m->segments,
      .choices = schedule_choices(record),
      .thread_count = record->threads,
      .segment_count = record->segments,
      .choice_count = record->choices,
  };
}

/* Can be asked twice for one execution: it is run again when it learnt that more memory is shared. */
static void minimise_begin(void *state, const struct job *job, uint64_t seed, uint64_t execution)
{
  (void)execution;
  struct minimise *m = state;
  m->ran.count = m->choice_at = m->turn = 0;
  m->ran.overflow = false;
  m->known = 1;
  m->name[0] = 0;
  m->of[0] = m->call[0] = CALL_NONE;
  if (m->phase != GUIDED) {
    begin_check(m, job);
    return;
  }
  guide_begin(&m->guide, &m->failed, &m->candidates.tried);
  m->random = seed;
  m->random_from = m->retry ? rng_below(&m->random, m->guide.retained.count + 1) : UINT32_MAX;
}

/* Threads of the test are known by their number there, which main gave before it started them. By the time a new thread
 * is seen here main may already have said what it does next. */
static void name_threads(struct minimise *m, const struct choice *c)
{
  for (; m->known < c->threads; m->known++) {
    uint16_t of = m->starts[c->info[m->known].parent];
    m->name[m->known] = (uint16_t)(of < SUBSET_THREADS ? of + 1u : GUIDE_OTHERS + m->known);
    m->of[m->known] = of;
    m->call[m->known] = CALL_NONE;
  }
}

static bool is_private(const struct thread_state *t)
{
  return t->pending.traits & OP_PRIVATE;
}

static struct guide_event event_of(const struct minimise *m, const struct choice *c, unsigned thread)
{
  const struct operation *pending = &c->thread[thread].pending;
  return (struct guide_event){.thread = m->name[thread],
                              .kind = pending->kind,
                              .of = m->of[thread],
                              .call = m->call[thread],
                              .pc = pending->pc};
}

/* The enabled thread whose next event comes first in the retained trace; those that have none left run until they
 * block. */
static unsigned first_in_trace(struct minimise *m, const struct choice *c)
{
  unsigned next = MAX_THREADS;
  uint32_t first = GUIDE_NONE;
  THREADSET_EACH(t, c->enabled)
  {
    uint32_t place = guide_place(&m->guide, m->name[t]);
    if (place < first) {
      first = place;
      next = t;
    }
  }
  if (next < MAX_THREADS)
    return next;
  if (!op_gives_way(c->thread[c->current].pending.kind) && threadset_has(c->enabled, c->current) && ++m->turn % TURN)
    return c->current;
  next = c->current + 1 < MAX_THREADS ? threadset_next(c->enabled, c->current + 1) : MAX_THREADS;
  return next < MAX_THREADS ? next : threadset_next(c->enabled, 0);
}

static unsigned any_thread(struct minimise *m, const struct choice *c)
{
  unsigned n = rng_below(&m->random, c->count), t = threadset_next(c->enabled, 0);
  while (n--)
    t = threadset_next(c->enabled, t + 1);
  return t;
}

static unsigned minimise_pick(void *state, const struct choice *c)
{
  struct minimise *m = state;
  unsigned next;
  name_threads(m, c);
  if (m->phase != GUIDED)
    next = follow_roughly(&m->follower, c);
  else if (threadset_has(c->enabled, c->current) && is_private(&c->thread[c->current]))
    next = c->current;
  else if (m->ran.count >= m->random_from)
    next = any_thread(m, c);
  else
    next = first_in_trace(m, c);
  if (c->thread[next].pending.kind == OP_CREATE)
    m->starts[next] = m->call[next] == CALL_STARTS ? m->of[next] : CALL_NONE;
  if (is_private(&c->thread[next]))
    return next;
  struct guide_event event = event_of(m, c, next);
  guide_note(&m->ran, &event);
  if (m->phase == GUIDED && m->ran.count <= m->random_from)
    guide_perform(&m->guide, &event);
  bool endless = m->phase == GUIDED && m->ran.count > ENDLESS * (uint64_t)m->failed.count + ENDLESS_LEAST;
  return endless ? PICK_BLOCKED : next;
}

static unsigned minimise_choose(void *state, unsigned n)
{
  struct minimise *m = state;
  if (m->phase != GUIDED)
    return follow_choose(&m->follower, n);
  if (m->ran.count >= m->random_from)
    return rng_below(&m->random, n);
  unsigned value = m->choice_at < m->choice_count ? m->choices[m->choice_at++].value : 0;
  return value < n ? value : 0;
}

/* Deadlocks have the places of all threads that wait in their key, and those change with the number of threads. */
static bool is_same_failure(const struct outcome *outcome, const struct control_config *config)
{
  if (!outcome->bug)
    return false;
  return outcome->bug_key == config->target_key ||
         (config->target_kind == BUG_DEADLOCK && outcome->bug_kind == BUG_DEADLOCK);
}

static void adopt(struct minimise *m, const struct outcome *outcome)
{
  m->failed.count = m->ran.count;
  for (uint32_t i = 0; i < m->ran.count; i++)
    m->failed.event[i] = m->ran.event[i];
  struct schedule_record *record = (struct schedule_record *)outcome->schedule;
  m->choice_count = record->choices < MINIMISE_CHOICES ? record->choices : MINIMISE_CHOICES;
  for (uint32_t i = 0; i < m->choice_count; i++)
    m->choices[i] = schedule_choices(record)[i];
}

/* Whether there is more to try. */
static bool go_on(struct minimise *m, bool fails)
{
  if (m->phase == FINISHED || (m->phase == CHECK && !fails)) {
    m->phase = FINISHED;
    return false;
  }
  if (m->phase == GUIDED) {
    if (!fails && m->retry < m->retries) {
      m->retry++;
      return true;
    }
    candidates_tell(&m->candidates, fails);
  }
  m->retry = 0;
  m->phase = candidates_next(&m->candidates) ? GUIDED : FINISHED;
  return m->phase == GUIDED;
}

static bool minimise_end(void *state, const struct outcome *outcome)
{
  struct minimise *m = state;
  const struct job *job = outcome->job;
  m->improved = is_same_failure(outcome, job->config) && outcome->schedule && !m->ran.overflow;
  if (m->improved)
    adopt(m, outcome);
  bool more = go_on(m, m->improved);
  if (m->improved && m->failed.count) {
    *(struct subset *)job->answer[ANSWER_SUBSET] = m->candidates.kept;
    job->answered[ANSWER_SUBSET] = sizeof(struct subset);
  }
  return more;
}

/* Whether the last execution was a smaller test that fails. */
static bool minimise_improved(const void *state)
{
  return ((const struct minimise *)state)->improved;
}

const struct strategy strategy_minimise = {
    .name = "minimise",
    .state_size = sizeof(struct minimise),
    .every_step = true,
    .private_steps = true,
    .passes_private = minimise_guided,
    .remembers = true,
    .keeps = minimise_improved,
    .open = minimise_open,
    .begin = minimise_begin,
    .pick = minimise_pick,
    .choose = minimise_choose,
    .end = minimise_end,
    .has_call = minimise_has_call,
    .at_call = minimise_at_call,
};
