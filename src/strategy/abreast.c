/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads abreast: the one that is furthest behind goes next. Threads that do the same are then all at the same place
 * at the same time: every philosopher has one fork, every permit is taken, every reader has looked and nobody has
 * written. A strategy that draws at each step needs luck for every one of those threads; this one needs none, however
 * many there are, and is the other end of what rr does.
 *
 * A thread is as far as the steps it took since it came, or since it last created another: so all are there before
 * anybody works. In a third of the executions this is all, and chance only decides between those that are equally far.
 * In another third a step counts for many now and then, and the others overtake its thread; in the last third threads
 * differ in pace, so that one is through before another begins.
 */
#include "core/rng.h"
#include "core/strategy.h"

/* Threads that are waited for before anybody works: all that an execution can have, but for a few. Who creates threads
 * until one of them tells it to stop must come to that one before there is no room for more. */
#define GATHERED (MAX_THREADS - 6)
#define STEP 64 /* the usual length of a step */
#define PAUSE_ONE_IN 16
#define PAUSE 64 /* steps */
#define PACES 7  /* the slowest takes 2^6 times as long as the fastest: longer than most small tests are */

enum manner { EVEN, PAUSES, OWN_PACES, MANNERS };

struct abreast {
  uint64_t stream;
  enum manner manner;
  unsigned created;          /* threads, in this execution */
  uint64_t paces;            /* what paces are drawn from */
  uint64_t far[MAX_THREADS]; /* how far each thread is */
};

static void abreast_begin(void *state, const struct job *job, uint64_t seed, uint64_t execution)
{
  (void)job, (void)execution;
  struct abreast *a = state;
  a->stream = seed;
  a->manner = rng_below(&a->stream, MANNERS);
  a->paces = rng_next(&a->stream);
  a->created = 0;
  for (unsigned i = 0; i < MAX_THREADS; i++)
    a->far[i] = 0;
}

static uint64_t length_of_step(struct abreast *a, unsigned thread)
{
  switch (a->manner) {
  case PAUSES:
    return rng_below(&a->stream, PAUSE_ONE_IN) ? STEP : STEP * PAUSE;
  case OWN_PACES:
    return (1 + rng_below(&a->stream, 2 * STEP)) << mix64(a->paces + thread) % PACES;
  default:
    return STEP;
  }
}

/* It asked that others go first: it goes when they have. */
static void fall_in_last(struct abreast *a, const struct choice *c)
{
  THREADSET_EACH(t, c->enabled)
  {
    if (a->far[t] >= a->far[c->current])
      a->far[c->current] = a->far[t] + 1;
  }
}

static unsigned abreast_pick(void *state, const struct choice *c)
{
  struct abreast *a = state;
  if (c->yielded)
    fall_in_last(a, c);
  unsigned best = MAX_THREADS, equals = 0;
  uint64_t least = UINT64_MAX;
  THREADSET_EACH(t, c->enabled)
  {
    if (a->far[t] < least)
      least = a->far[t], equals = 0;
    if (a->far[t] == least && rng_below(&a->stream, ++equals) == 0)
      best = t;
  }
  bool gathers = c->thread[best].pending.kind == OP_CREATE && a->created++ < GATHERED;
  a->far[best] = gathers ? 0 : a->far[best] + length_of_step(a, best);
  return best;
}

static unsigned abreast_choose(void *state, unsigned n)
{
  return rng_below(&((struct abreast *)state)->stream, n);
}

static bool abreast_end(void *state, const struct outcome *outcome)
{
  (void)state, (void)outcome;
  return true;
}

const struct strategy strategy_abreast = {
    .name = "abreast",
    .by_number = true,
    .leans = true,
    .state_size = sizeof(struct abreast),
    .every_step = true,
    .begin = abreast_begin,
    .pick = abreast_pick,
    .choose = abreast_choose,
    .end = abreast_end,
};
