/* SPDX-License-Identifier: Apache-2.0
 *
 * Probabilistic concurrency testing: threads get random priorities, the highest enabled one runs, and at d-1 random
 * steps the running thread falls below all others. Finds a bug of depth d with probability at least 1/(n k^(d-1)) for
 * n threads and k steps. k is the longest execution seen so far, so the guarantee holds from the second execution on.
 *
 * In every other execution a thread falls only where it is about to change something, and only such steps are counted:
 * what it has seen is out of date by the time it goes on. That is where most of what goes wrong begins, and such steps
 * are fewer. What needs a change elsewhere is up to the other half.
 *
 * Two additions keep it fair: a thread that yields (every other time), or that has run very long while others wait,
 * falls below all others too; otherwise a spin loop of the highest thread would never end.
 */
#include "core/control.h"
#include "core/rng.h"
#include "core/strategy.h"

#define PCT_PATIENCE 1000 /* steps in a row before a thread is taken to be spinning */

struct pct {
  uint64_t stream;
  bool selective;      /* only where something is changed */
  uint64_t longest[2]; /* points in the longest execution so far; of those that are selective, too */
  uint64_t point;      /* of this execution: only points with a choice count */
  uint64_t change[PCT_DEPTH_MAX];
  uint64_t run;
  unsigned last;
  unsigned depth;
  int64_t lowest;                /* next priority below all others */
  int64_t priority[MAX_THREADS]; /* 0: not drawn yet */
};

static void pct_open(void *state, const struct job *job)
{
  struct pct *p = state;
  p->depth = job->config->pct_depth ? job->config->pct_depth : 3;
  if (p->depth > PCT_DEPTH_MAX)
    p->depth = PCT_DEPTH_MAX;
  p->longest[0] = p->longest[1] = 1;
}

static void pct_begin(void *state, const struct job *job, uint64_t seed, uint64_t execution)
{
  (void)job, (void)execution;
  struct pct *p = state;
  p->stream = seed;
  p->selective = mix64(seed) & 1;
  p->point = 0;
  p->run = 0;
  p->lowest = -1;
  for (unsigned i = 0; i < MAX_THREADS; i++)
    p->priority[i] = 0;
  for (unsigned i = 0; i + 1 < p->depth; i++)
    p->change[i] = rng_next(&p->stream) % p->longest[p->selective];
}

static int64_t pct_priority(struct pct *p, unsigned thread)
{
  if (!p->priority[thread])
    p->priority[thread] = (int64_t)(rng_next(&p->stream) >> 2) + 1;
  return p->priority[thread];
}

static unsigned pct_highest(struct pct *p, const struct threadset *enabled)
{
  unsigned best = MAX_THREADS;
  int64_t best_priority = INT64_MIN;
  THREADSET_EACH(t, enabled)
  {
    int64_t priority = pct_priority(p, t);
    if (priority > best_priority)
      best = t, best_priority = priority;
  }
  return best;
}

/* Whether somebody may fall before the step. Before the beginning or the end of a thread is as good as beside it, and
 * whoever still has a lock is in nobody's way but of those that wait for it. */
static bool counts(const struct pct *p, const struct operation *op)
{
  enum op_kind kind = (enum op_kind)op->kind;
  if (!p->selective)
    return true;
  if (op_is_memory(kind))
    return op_writes_memory(kind);
  return kind != OP_START && kind != OP_EXIT && kind != OP_MUTEX_UNLOCK && kind != OP_SPIN_UNLOCK &&
         kind != OP_RWLOCK_UNLOCK;
}

static unsigned pct_pick(void *state, const struct choice *c)
{
  struct pct *p = state;
  p->run = c->current == p->last ? p->run + 1 : 0;
  p->last = c->current;
  if ((c->yielded && rng_next(&p->stream) & 1) || p->run >= PCT_PATIENCE) {
    p->priority[c->current] = p->lowest--;
    p->run = 0;
  }
  unsigned best = pct_highest(p, c->enabled);
  if (!counts(p, &c->thread[best].pending))
    return best;
  for (unsigned i = 0; i + 1 < p->depth; i++)
    if (p->change[i] == p->point) {
      p->priority[best] = p->lowest--;
      best = pct_highest(p, c->enabled);
    }
  p->point++;
  return best;
}

static unsigned pct_choose(void *state, unsigned n)
{
  return rng_below(&((struct pct *)state)->stream, n);
}

static bool pct_end(void *state, const struct outcome *outcome)
{
  (void)outcome;
  struct pct *p = state;
  if (p->point > p->longest[p->selective])
    p->longest[p->selective] = p->point;
  return true;
}

const struct strategy strategy_pct = {
    .name = "pct",
    .leans = true,
    .state_size = sizeof(struct pct),
    .open = pct_open,
    .begin = pct_begin,
    .pick = pct_pick,
    .choose = pct_choose,
    .end = pct_end,
};
