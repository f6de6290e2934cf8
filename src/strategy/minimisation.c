/* SPDX-License-Identifier: Apache-2.0
 *
 * Make a failing stress test smaller. The schedule of the job is followed once, with all threads and calls; then
 * each candidate (candidates.h) is run, guided by the last execution that failed (guide.h), and again as often as the
 * configuration says with a random end. What fails with the same bug becomes the test to make
 * smaller.
 *
 * Parts of an ordinary program (core/parts.h) are not made to be left out: what the rest of it counts or checks may no
 * longer hold, whatever the schedule. So such a candidate must first pass when each thread runs until it waits, in
 * every order of threads in which the whole passes; if there is none, there is nothing to go by, and nothing is left
 * out. */
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

enum phase {
  CHECK,       /* the whole test follows its schedule */
  WHOLE_TURNS, /* it runs thread after thread: passes? */
  TURNS,       /* so does a candidate */
  GUIDED,
  FINISHED
};

/* Orders in which threads take turns: as they were started, the other way round, and by chance. */
enum { ORDER_UP, ORDER_DOWN, ORDERS = 12 };

struct minimise {
  enum phase phase;
  bool improved;
  bool parts;              /* of an ordinary program */
  uint32_t order;          /* of turns in this execution */
  uint32_t good;           /* orders in which the whole test passes: a set */
  uint32_t retry, retries; /* of this candidate */
  uint64_t random;
  bool endless;         /* this execution is given up */
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

/* What the whole test did not come to before it failed is no part of a candidate. */
static bool minimise_has_call(const void *state, uint32_t thread, uint32_t call)
{
  const struct minimise *m = state;
  const struct candidates *c = &m->candidates;
  if (m->phase == GUIDED || m->phase == TURNS)
    return subset_has(&c->tried, thread, call);
  return m->parts || subset_has(&c->kept, thread, call);
}

static void minimise_at_call(void *state, unsigned thread, uint32_t of, uint32_t call)
{
  struct minimise *m = state;
  m->of[thread] = (uint16_t)of;
  m->call[thread] = (uint16_t)call;
}

/* An execution that does not follow a schedule to the letter: memory of one thread is of no interest then. */
static bool minimise_is_free(const void *state)
{
  return ((const struct minimise *)state)->phase != CHECK;
}

static void minimise_open(void *state, const struct job *job)
{
  struct minimise *m = state;
  struct schedule_record *record = (struct schedule_record *)job->part[JOB_SCHEDULE];
  const struct control_config *config = job->config;
  m->retries = config->retries;
  m->guide.lookahead = config->lookahead;
  m->guide.whole = config->lookahead_whole;
  m->parts = config->leaves_out;
  candidates_open(&m->candidates, config->stress_threads, config->stress_calls, m->parts ? &config->kept : NULL);
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
  m->ran.overflow = m->endless = false;
  m->known = 1;
  m->name[0] = 0;
  m->of[0] = m->call[0] = CALL_NONE;
  if (m->phase == CHECK)
    begin_check(m, job);
  if (m->phase != GUIDED)
    return;
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

/* Threads take turns by these numbers, the smallest first. */
static uint64_t rank(const struct minimise *m, unsigned thread, uint32_t order)
{
  uint64_t name = m->name[thread];
  return order == ORDER_UP ? name : order == ORDER_DOWN ? GUIDE_NAMES - name : mix64(order << 16 | name);
}

/* Threads run until they wait, or seem to. Then it is the turn of the one after, or of the first one. */
static unsigned in_turns(struct minimise *m, const struct choice *c, uint32_t order)
{
  if (!op_gives_way(c->thread[c->current].pending.kind) && threadset_has(c->enabled, c->current) && ++m->turn % TURN)
    return c->current;
  uint64_t from = rank(m, c->current, order), nearest = UINT64_MAX;
  unsigned next = c->current;
  THREADSET_EACH(t, c->enabled)
  {
    uint64_t distance = rank(m, t, order) - from - 1; /* round and round: behind everybody else for itself */
    if (distance <= nearest) {
      nearest = distance;
      next = t;
    }
  }
  return next;
}

/* It was left out, and only has to end. */
static bool is_idle(const struct minimise *m, unsigned thread)
{
  return m->of[thread] < SUBSET_THREADS && thread > 0 && !subset_has_thread(&m->candidates.tried, m->of[thread]);
}

/* The enabled thread whose next event comes first in the retained trace; those that have none left take turns. */
static unsigned first_in_trace(struct minimise *m, const struct choice *c)
{
  unsigned next = MAX_THREADS;
  uint32_t first = GUIDE_NONE;
  THREADSET_EACH(t, c->enabled)
  {
    uint32_t place = guide_place(&m->guide, m->name[t]);
    if (m->parts && is_idle(m, t))
      return t;
    if (place < first) {
      first = place;
      next = t;
    }
  }
  return next < MAX_THREADS ? next : in_turns(m, c, ORDER_UP);
}

static unsigned any_thread(struct minimise *m, const struct choice *c)
{
  unsigned n = rng_below(&m->random, c->count), t = threadset_next(c->enabled, 0);
  while (n--)
    t = threadset_next(c->enabled, t + 1);
  return t;
}

static unsigned next_thread(struct minimise *m, const struct choice *c)
{
  if (m->phase == CHECK)
    return follow_roughly(&m->follower, c);
  if (threadset_has(c->enabled, c->current) && is_private(&c->thread[c->current]))
    return c->current;
  if (m->phase != GUIDED)
    return in_turns(m, c, m->order);
  return m->ran.count >= m->random_from ? any_thread(m, c) : first_in_trace(m, c);
}

static unsigned minimise_pick(void *state, const struct choice *c)
{
  struct minimise *m = state;
  name_threads(m, c);
  unsigned next = next_thread(m, c);
  if (c->thread[next].pending.kind == OP_CREATE)
    m->starts[next] = m->call[next] == CALL_STARTS ? m->of[next] : CALL_NONE;
  if (is_private(&c->thread[next]))
    return next;
  struct guide_event event = event_of(m, c, next);
  guide_note(&m->ran, &event);
  if (m->phase == GUIDED && m->ran.count <= m->random_from)
    guide_perform(&m->guide, &event);
  bool endless = m->phase != CHECK && m->ran.count > ENDLESS * (uint64_t)m->failed.count + ENDLESS_LEAST;
  m->endless |= endless;
  return endless ? PICK_BLOCKED : next;
}

static unsigned minimise_choose(void *state, unsigned n)
{
  struct minimise *m = state;
  if (m->phase == CHECK)
    return follow_choose(&m->follower, n);
  if (m->phase != GUIDED)
    return 0;
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

/* The first order from this one on in which the whole test passes, or ORDERS. */
static uint32_t good_order(const struct minimise *m, uint32_t from)
{
  while (from < ORDERS && !(m->good >> from & 1))
    from++;
  return from;
}

static enum phase next_candidate(struct minimise *m)
{
  m->retry = 0;
  m->order = good_order(m, 0);
  if (!candidates_next(&m->candidates))
    return FINISHED;
  return m->parts ? TURNS : GUIDED;
}

static enum phase after_candidate(struct minimise *m, bool fails)
{
  if (!fails && m->retry < m->retries) {
    m->retry++;
    return GUIDED;
  }
  candidates_tell(&m->candidates, fails);
  return next_candidate(m);
}

/* fails: as it should; passes: not at all, and it came to its end. */
static enum phase next_phase(struct minimise *m, bool fails, bool passes)
{
  switch (m->phase) {
  case CHECK:
    if (!fails)
      return FINISHED;
    return m->parts ? WHOLE_TURNS : next_candidate(m);
  case WHOLE_TURNS:
    m->good |= (uint32_t)passes << m->order;
    if (++m->order < ORDERS)
      return WHOLE_TURNS;
    return m->good ? next_candidate(m) : FINISHED;
  case TURNS:
    m->order = good_order(m, m->order + 1);
    if (passes)
      return m->order < ORDERS ? TURNS : GUIDED;
    candidates_tell(&m->candidates, false);
    return next_candidate(m);
  case GUIDED:
    return after_candidate(m, fails);
  default:
    return FINISHED;
  }
}

static bool minimise_end(void *state, const struct outcome *outcome)
{
  struct minimise *m = state;
  const struct job *job = outcome->job;
  bool follows = m->phase == CHECK || m->phase == GUIDED, passes = !outcome->bug && !outcome->cut && !m->endless;
  m->improved = follows && is_same_failure(outcome, job->config) && outcome->schedule && !m->ran.overflow;
  if (m->improved)
    adopt(m, outcome);
  m->phase = next_phase(m, m->improved, passes);
  if (m->failed.count) {
    *(struct reduced *)job->answer[ANSWER_SUBSET] =
        (struct reduced){.kept = m->candidates.kept, .fails_in_turns = m->parts && m->phase == FINISHED && !m->good};
    job->answered[ANSWER_SUBSET] = sizeof(struct reduced);
  }
  return m->phase != FINISHED;
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
    .passes_private = minimise_is_free,
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
