/* SPDX-License-Identifier: Apache-2.0
 *
 * Decisions remembered over all executions of a session: at an abstract state, a decision that was never taken there
 * goes first; where all were, chance decides. Over when executions take no new decision any more.
 *
 * The state is which threads are ready, and where each stands: how it got there (its calls) and what it is about to do.
 * Threads that stand at the same place are interchangeable, so their permutations count as one, as do orders that lead
 * to the same places. The data is not part of it: this is a policy for testing, no proof.
 *
 * With "pc+object" the place includes what the operation acts on; with "raw" threads are told apart, and those that are
 * blocked are part of the state.
 */
#include "strategy/history.h"
#include "core/control.h"
#include "core/rng.h"
#include "core/world.h"

enum { SLOTS = 1 << 20, MOST = SLOTS / 4 * 3 };

struct history {
  uint64_t stream;
  uint64_t known;   /* decisions in the set */
  uint64_t before;  /* when the execution began */
  uint64_t in_vain; /* executions in a row that took no new one */
  uint64_t patience;
  uint32_t abstraction;
  uint64_t operations[MAX_THREADS]; /* for which the place was worked out */
  uint64_t place[MAX_THREADS];
  uint64_t decision[SLOTS]; /* a set by open addressing; 0 is free */
};

static void history_open(void *state, const struct job *job)
{
  struct history *h = state;
  h->abstraction = job->config->abstraction;
  h->patience = job->config->patience ? job->config->patience : 1;
}

static void history_begin(void *state, const struct job *job, uint64_t seed, uint64_t execution)
{
  (void)job, (void)execution;
  struct history *h = state;
  h->stream = seed;
  h->before = h->known;
  for (unsigned i = 0; i < MAX_THREADS; i++)
    h->operations[i] = 0;
}

/* Where the thread stands, worked out once for each of its steps. */
static uint64_t place_of(struct history *h, const struct choice *c, unsigned t)
{
  const struct thread_state *thread = &c->thread[t];
  if (h->operations[t] == thread->operations)
    return h->place[t];
  const struct operation *op = &thread->pending;
  uint64_t place = mix64(c->world->calls(c->world->self, t) ^ mix64(op->pc) ^ op->kind);
  if (h->abstraction == ABSTRACT_OBJECT)
    place = mix64(place ^ mix64(op->addr) ^ op->arg);
  if (h->abstraction == ABSTRACT_RAW)
    place = mix64(place + t);
  h->operations[t] = thread->operations;
  return h->place[t] = place;
}

/* Sums do not know the order: a multiset of places. */
static uint64_t state_of(struct history *h, const struct choice *c)
{
  uint64_t sum = 0;
  THREADSET_EACH(t, c->enabled)
  {
    sum += mix64(place_of(h, c, t));
  }
  for (unsigned t = 0; h->abstraction == ABSTRACT_RAW && t < c->threads; t++)
    if (c->thread[t].alive && !threadset_has(c->enabled, t))
      sum += mix64(~place_of(h, c, t));
  return sum;
}

/* True if the decision is new; it is remembered. */
static bool remember(struct history *h, uint64_t decision)
{
  decision += !decision;
  uint64_t i = decision % SLOTS;
  while (h->decision[i] && h->decision[i] != decision)
    i = (i + 1) % SLOTS;
  if (h->decision[i] || h->known == MOST)
    return false;
  h->decision[i] = decision;
  h->known++;
  return true;
}

static unsigned history_pick(void *state, const struct choice *c)
{
  struct history *h = state;
  unsigned ready[MAX_THREADS], count = 0, from = rng_below(&h->stream, c->count);
  uint64_t here = state_of(h, c);
  THREADSET_EACH(t, c->enabled)
  {
    ready[count++] = t;
  }
  for (unsigned i = 0; i < count; i++) {
    unsigned t = ready[(from + i) % count];
    if (remember(h, mix64(here ^ mix64(h->place[t] + 1))))
      return t;
  }
  return ready[from];
}

static unsigned history_choose(void *state, unsigned n)
{
  return rng_below(&((struct history *)state)->stream, n);
}

static bool history_end(void *state, const struct outcome *outcome)
{
  (void)outcome;
  struct history *h = state;
  h->in_vain = h->known > h->before ? 0 : h->in_vain + 1;
  return h->in_vain < h->patience;
}

uint64_t history_size(const void *state)
{
  return ((const struct history *)state)->known;
}

const struct strategy strategy_history = {
    .name = "history",
    .state_size = sizeof(struct history),
    .calls = true,
    .remembers = true,
    .open = history_open,
    .begin = history_begin,
    .pick = history_pick,
    .choose = history_choose,
    .end = history_end,
};
