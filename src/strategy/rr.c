/* SPDX-License-Identifier: Apache-2.0
 *
 * Run each thread until it blocks, yields or ends, then the next one by number. The least concurrent schedule: a
 * program that fails under it fails without any bad luck. Fair: a thread that runs on while others wait is switched
 * out after a bounded number of steps, so that spin loops end.
 */
#include "core/strategy.h"

#define RR_PATIENCE 2000 /* steps in a row; far above what a small test does between two blocking calls */

struct rr {
  uint64_t run; /* steps the current thread has had in a row */
  unsigned last;
};

static void rr_begin(void *state, const struct job *job, uint64_t seed, uint64_t execution)
{
  (void)job, (void)seed, (void)execution;
  struct rr *rr = state;
  rr->run = 0;
  rr->last = 0;
}

static unsigned rr_pick(void *state, const struct choice *c)
{
  struct rr *rr = state;
  rr->run = c->current == rr->last ? rr->run + 1 : 0;
  rr->last = c->current;
  if (!op_lets_others(&c->thread[c->current].pending) && threadset_has(c->enabled, c->current) && rr->run < RR_PATIENCE)
    return c->current;
  rr->run = 0;
  unsigned next = c->current + 1 < MAX_THREADS ? threadset_next(c->enabled, c->current + 1) : MAX_THREADS;
  return next < MAX_THREADS ? next : threadset_next(c->enabled, 0);
}

static unsigned rr_choose(void *state, unsigned n)
{
  (void)state, (void)n;
  return 0;
}

static bool rr_end(void *state, const struct outcome *outcome)
{
  (void)state, (void)outcome;
  return false;
}

const struct strategy strategy_rr = {
    .name = "rr",
    .by_number = true,
    .punctual = true,
    .state_size = sizeof(struct rr),
    .begin = rr_begin,
    .pick = rr_pick,
    .choose = rr_choose,
    .end = rr_end,
};
