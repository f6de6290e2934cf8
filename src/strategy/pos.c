/* SPDX-License-Identifier: Apache-2.0
 *
 * Partial order sampling: every pending operation has a random priority and the highest one runs; when it has run, the
 * pending operations that race with it draw again. Spreads the samples over partial orders rather than interleavings.
 *
 * A yielding thread gets, every other time, the lowest priority for its next operation; and all draw again now and
 * then, because threads that spin draw for each look, and would keep one with a low number waiting for very long.
 */
#include "core/rng.h"
#include "core/strategy.h"

#define POS_PATIENCE 64

struct pos {
  uint64_t stream;
  uint64_t since_new_draw;        /* steps */
  uint64_t priority[MAX_THREADS]; /* of each thread's pending operation; 0: not drawn yet */
};

static void pos_open(void *state, const struct control *control)
{
  (void)state, (void)control;
}

static void pos_begin(void *state, const struct control *control, uint64_t seed, uint64_t execution)
{
  (void)control, (void)execution;
  struct pos *p = state;
  p->stream = seed;
  p->since_new_draw = 0;
  for (unsigned i = 0; i < MAX_THREADS; i++)
    p->priority[i] = 0;
}

/* Priorities are at least 2; 1 is for those who asked to wait. */
static uint64_t pos_draw(struct pos *p)
{
  return rng_next(&p->stream) | 2;
}

static unsigned pos_pick(void *state, const struct choice *c)
{
  struct pos *p = state;
  bool impatient = ++p->since_new_draw % POS_PATIENCE == 0;
  if (c->yielded && rng_next(&p->stream) & 1)
    p->priority[c->current] = 1;
  unsigned best = MAX_THREADS;
  uint64_t best_priority = 0;
  THREADSET_EACH(t, c->enabled)
  {
    if (!p->priority[t] || impatient)
      p->priority[t] = pos_draw(p);
    if (p->priority[t] > best_priority)
      best = t, best_priority = p->priority[t];
  }
  p->priority[best] = 0;
  const struct operation *op = &c->thread[best].pending;
  THREADSET_EACH(t, c->enabled)
  {
    if (t != best && op_dependent(op, &c->thread[t].pending))
      p->priority[t] = 0;
  }
  return best;
}

static unsigned pos_choose(void *state, unsigned n)
{
  return rng_below(&((struct pos *)state)->stream, n);
}

static bool pos_end(void *state, const struct outcome *outcome)
{
  (void)state, (void)outcome;
  return true;
}

const struct strategy strategy_pos = {
    .name = "pos",
    .state_size = sizeof(struct pos),
    .open = pos_open,
    .begin = pos_begin,
    .pick = pos_pick,
    .choose = pos_choose,
    .end = pos_end,
};
