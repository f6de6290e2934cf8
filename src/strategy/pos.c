/* SPDX-License-Identifier: Apache-2.0
 *
 * Partial order sampling: every pending operation has a random priority and the highest one runs; when it has run, the
 * pending operations that race with it draw again. Spreads the samples over partial orders rather than interleavings.
 *
 * A yielding thread gets, every other time, the lowest priority for its next operation. So does, in every other
 * execution, the end of the program: it races with everything, would draw again after every step, and hardly ever come
 * last. Threads that go on for ever wait for it, so it waits for a while only.
 *
 * Threads that spin draw for each look, and keep one with a low number waiting: of k that spin, one of them draws a
 * higher number than p with probability 1 - p^k, so with a few of them a wait is longer than T steps in T^(-1/k) of all
 * cases. All draw again then. But whoever draws again forgets its place in the order, and an order of a hundred threads
 * is what this strategy is for: that must not happen to threads that work. So what counts is steps in a row that nobody
 * can have waited for, reads and atomic operations: PATIENCE of them are more than threads read at a stretch that do
 * not spin, and a hundredth of what an execution may take, so it recovers often enough. EXHAUSTED is for loops that
 * write.
 */
#include "core/rng.h"
#include "core/strategy.h"

#define PATIENCE 1000
#define EXHAUSTED 20000
#define END_WAITS 500 /* steps: what threads have left to do when main() returns is mostly less */

struct pos {
  uint64_t stream;
  uint64_t since_new_draw;        /* steps */
  uint64_t looks;                 /* of them, the last in a row that may be looks of a thread that spins */
  uint64_t end_waits;             /* so many steps more */
  uint64_t priority[MAX_THREADS]; /* of each thread's pending operation; 0: not drawn yet */
};

static void pos_begin(void *state, const struct job *job, uint64_t seed, uint64_t execution)
{
  (void)job, (void)execution;
  struct pos *p = state;
  p->stream = seed;
  p->since_new_draw = p->looks = 0;
  p->end_waits = mix64(seed) & 1 ? END_WAITS : 0;
  for (unsigned i = 0; i < MAX_THREADS; i++)
    p->priority[i] = 0;
}

/* Priorities are at least 2; 1 is for those who asked to wait. */
static uint64_t pos_draw(struct pos *p)
{
  return rng_next(&p->stream) | 2;
}

/* Whether the thread is to let all others go first. */
static bool gives_way(struct pos *p, const struct operation *op)
{
  if ((op->kind != OP_END && op->kind != OP_PROCESS_END) || !p->end_waits)
    return false;
  p->end_waits--;
  return true;
}

static bool may_spin(enum op_kind kind)
{
  return op_is_memory(kind) && (!op_writes_memory(kind) || op_is_atomic(kind));
}

/* Whether all draw again. */
static bool is_impatient(struct pos *p)
{
  if (p->looks < PATIENCE && ++p->since_new_draw < EXHAUSTED)
    return false;
  p->since_new_draw = p->looks = 0;
  return true;
}

static unsigned pos_pick(void *state, const struct choice *c)
{
  struct pos *p = state;
  bool impatient = is_impatient(p);
  if (c->yielded && rng_next(&p->stream) & 1)
    p->priority[c->current] = 1;
  unsigned best = MAX_THREADS;
  uint64_t best_priority = 0;
  THREADSET_EACH(t, c->enabled)
  {
    if (!p->priority[t] || impatient)
      p->priority[t] = pos_draw(p);
    uint64_t priority = gives_way(p, &c->thread[t].pending) ? 1 : p->priority[t];
    if (priority > best_priority)
      best = t, best_priority = priority;
  }
  p->priority[best] = 0;
  const struct operation *op = &c->thread[best].pending;
  p->looks = may_spin((enum op_kind)op->kind) ? p->looks + 1 : 0;
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
    .by_number = true,
    .leans = true,
    .state_size = sizeof(struct pos),
    .begin = pos_begin,
    .pick = pos_pick,
    .choose = pos_choose,
    .end = pos_end,
};
