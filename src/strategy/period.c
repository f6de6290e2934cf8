/* SPDX-License-Identifier: Apache-2.0
 *
 * Few segments first, after the manner of PERIOD: a segment is a thread and how many steps it takes before it is
 * interrupted. First come all schedules with one segment, then all with two, and so on; the last segment of a schedule
 * lasts until its thread waits, and after that whoever can go on does so for as long as it can, in the order of their
 * numbers. Before the first segment main runs until it waits, unless it is main's itself. None of this is random: the
 * schedules of a level have numbers, from which threads and lengths follow, and are taken with a stride, so that
 * neighbours, which are much alike, lie far apart in time.
 *
 * How long threads are is learnt: a level takes them as long as they were at most when it began. So "all schedules"
 * means all with segments up to that length; this is a policy for testing, no proof.
 */
#include "core/rng.h"
#include "core/strategy.h"

#define SEGMENTS 16
#define PATIENCE                                                                                                       \
  1000 /* steps of a thread in a row, in the last segment and after it, before it is taken to be spinning */
#define TOO_MANY (UINT64_MAX >> 1)

struct period {
  uint32_t level;                /* segments of the schedules; 0: the first execution, from which lengths are learnt */
  uint64_t done, of;             /* schedules of the level */
  uint64_t stride;               /* between two that follow each other: prime to their number */
  uint64_t at;                   /* number of the next one */
  uint32_t threads;              /* of this level */
  uint32_t met;                  /* seen so far */
  uint64_t longest[MAX_THREADS]; /* steps, at most, seen so far */
  uint64_t length[MAX_THREADS];  /* the same when the level began */
  uint64_t count[SEGMENTS][MAX_THREADS]; /* schedules of k + 1 segments that begin with the thread, */
  uint64_t sum[SEGMENTS];                /* and with any */

  /* This execution: */
  uint64_t stream; /* of what is no matter of threads: the seed and the number of the execution decide */
  uint64_t steps[MAX_THREADS];
  unsigned segments, segment; /* how many there are, and the one that runs */
  unsigned thread[SEGMENTS];
  uint64_t left[SEGMENTS]; /* steps */
  bool begun;              /* main waits */
  uint64_t run;            /* steps of the same thread, after the segments */
};

/* ---- the schedules of a level ---- */

static uint64_t times(uint64_t a, uint64_t b)
{
  return b && a > TOO_MANY / b ? TOO_MANY : a * b;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
  return a + b > TOO_MANY ? TOO_MANY : a + b;
}

/* Those of k segments that can follow one of the thread. */
static uint64_t after(const struct period *p, uint32_t k, unsigned t)
{
  return p->sum[k - 1] - p->count[k - 1][t];
}

static void count_schedules(struct period *p)
{
  for (uint32_t k = 0; k < p->level; k++) {
    p->sum[k] = 0;
    for (unsigned t = 0; t < p->threads; t++) {
      p->count[k][t] = k ? times(p->length[t], after(p, k, t)) : p->longest[t] > 0;
      p->sum[k] = plus(p->sum[k], p->count[k][t]);
    }
  }
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
  while (b) {
    uint64_t rest = a % b;
    a = b, b = rest;
  }
  return a;
}

/* About the golden section of them. */
static uint64_t stride_for(uint64_t of)
{
  uint64_t stride = of / 1000 * 618 + of % 1000 * 618 / 1000;
  stride += !stride;
  while (common_divisor(of, stride) != 1)
    stride++;
  return stride;
}

/* False: there is none. */
static bool next_level(struct period *p)
{
  if (p->level == SEGMENTS)
    return false;
  p->level++;
  p->threads = p->met;
  for (unsigned t = 0; t < p->threads; t++)
    p->length[t] = p->longest[t];
  count_schedules(p);
  p->of = p->sum[p->level - 1];
  p->done = p->at = 0;
  p->stride = p->of ? stride_for(p->of) : 0;
  return p->of;
}

/* The segments of the schedule of that number. */
static void lay_out(struct period *p, uint64_t number)
{
  unsigned before = MAX_THREADS;
  p->segments = p->level;
  for (uint32_t k = p->level; k-- > 0;) {
    unsigned i = p->level - 1 - k, t = 0;
    for (; t + 1 < p->threads && (t == before || number >= p->count[k][t]); t++)
      number -= t == before ? 0 : p->count[k][t];
    p->thread[i] = before = t;
    p->left[i] = PATIENCE;
    if (!k)
      break;
    uint64_t rest = after(p, k, t);
    p->left[i] = rest ? 1 + number / rest : 1;
    number = rest ? number % rest : 0;
  }
}

static void period_begin(void *state, const struct job *job, uint64_t seed, uint64_t execution)
{
  (void)job, (void)execution;
  struct period *p = state;
  p->stream = seed;
  for (unsigned t = 0; t < p->met; t++)
    p->steps[t] = 0;
  p->segments = p->segment = 0;
  p->begun = false;
  p->run = 0;
  if (p->level)
    lay_out(p, p->at);
}

/* ---- picking ---- */

/* Whose segment it is; MAX_THREADS: there are none any more. Those of who cannot go on are over. */
static unsigned of_segment(struct period *p, const struct choice *c)
{
  for (; p->segment < p->segments; p->segment++) {
    unsigned t = p->thread[p->segment];
    bool gives_way = c->yielded && t == c->current && p->segment + 1 == p->segments;
    if (!p->left[p->segment] || gives_way || !threadset_has(c->enabled, t))
      continue;
    p->left[p->segment]--;
    return t;
  }
  return MAX_THREADS;
}

static unsigned next_in_order(const struct choice *c)
{
  unsigned t = c->current + 1 < MAX_THREADS ? threadset_next(c->enabled, c->current + 1) : MAX_THREADS;
  return t < MAX_THREADS ? t : threadset_next(c->enabled, 0);
}

static unsigned as_long_as_it_can(struct period *p, const struct choice *c)
{
  bool gives_way = c->yielded || ++p->run > PATIENCE;
  if (!gives_way && threadset_has(c->enabled, c->current))
    return c->current;
  p->run = 0;
  return next_in_order(c);
}

static unsigned choose_thread(struct period *p, const struct choice *c)
{
  p->begun |= c->current || !threadset_has(c->enabled, 0) || (p->segments && !p->thread[0]);
  if (!p->begun)
    return 0;
  unsigned t = of_segment(p, c);
  return t < MAX_THREADS ? t : as_long_as_it_can(p, c);
}

static unsigned period_pick(void *state, const struct choice *c)
{
  struct period *p = state;
  unsigned t = choose_thread(p, c);
  for (; p->met < c->threads; p->met++)
    p->steps[p->met] = p->longest[p->met] = 0;
  p->steps[t]++;
  return t;
}

static unsigned period_choose(void *state, unsigned n)
{
  struct period *p = state;
  return p->level ? rng_below(&p->stream, n) : 0;
}

static bool period_end(void *state, const struct outcome *outcome)
{
  struct period *p = state;
  for (unsigned t = 0; t < p->met; t++)
    p->longest[t] = p->steps[t] > p->longest[t] ? p->steps[t] : p->longest[t];
  p->done += p->level > 0;
  p->at = p->of ? (p->at + p->stride) % p->of : 0;
  bool more = p->done < p->of || next_level(p);
  struct reach_line *reach = outcome->job->answer[ANSWER_REACH];
  *reach = (struct reach_line){.segments = p->level, .done = p->done, .of = p->of};
  outcome->job->answered[ANSWER_REACH] = sizeof *reach;
  return more;
}

const struct strategy strategy_period = {
    .name = "period",
    .state_size = sizeof(struct period),
    .every_step = true,
    .remembers = true,
    .begin = period_begin,
    .pick = period_pick,
    .choose = period_choose,
    .end = period_end,
};
