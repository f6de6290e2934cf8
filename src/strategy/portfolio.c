/* SPDX-License-Identifier: Apache-2.0
 *
 * Several strategies in turns: the first execution by rr, then pos, pct, abreast and random one after the other. What
 * one is blind to, another often sees at once. Holds the states of its members in its own; decides nothing
 * itself. */
#include "core/invariant.h"
#include "core/strategy.h"

enum { SLOT = 4096 };

struct portfolio {
  unsigned member; /* enum strategy_id of this execution */
  _Alignas(16) unsigned char state[STRATEGY_COUNT][SLOT];
};

/* Those that take turns, then the one that comes once. */
static const enum strategy_id members[] = {STRATEGY_pos,    STRATEGY_pct, STRATEGY_abreast,
                                           STRATEGY_random, STRATEGY_rr,  STRATEGY_COUNT};
enum { MEMBERS = 4 };

static enum strategy_id portfolio_member(const void *state)
{
  return (enum strategy_id)((const struct portfolio *)state)->member;
}

static void portfolio_open(void *state, const struct job *job)
{
  struct portfolio *p = state;
  for (unsigned i = 0; i < MEMBERS; i++) {
    invariant(strategy_table[members[i]]->state_size <= SLOT,
              "a member of the portfolio needs more memory than a slot has");
    if (strategy_table[members[i]]->open)
      strategy_table[members[i]]->open(p->state[members[i]], job);
  }
}

static void portfolio_begin(void *state, const struct job *job, uint64_t seed, uint64_t execution)
{
  struct portfolio *p = state;
  p->member = execution == 0 ? STRATEGY_rr : members[execution % MEMBERS];
  strategy_table[p->member]->begin(p->state[p->member], job, seed, execution);
}

static unsigned portfolio_pick(void *state, const struct choice *c)
{
  struct portfolio *p = state;
  const struct strategy *member = strategy_table[p->member];
  if (c->count == 1 && !member->every_step)
    return threadset_next(c->enabled, 0);
  return member->pick(p->state[p->member], c);
}

static unsigned portfolio_choose(void *state, unsigned n)
{
  struct portfolio *p = state;
  return strategy_table[p->member]->choose(p->state[p->member], n);
}

static bool portfolio_end(void *state, const struct outcome *outcome)
{
  struct portfolio *p = state;
  strategy_table[p->member]->end(p->state[p->member], outcome);
  return true;
}

const struct strategy strategy_portfolio = {
    .name = "portfolio",
    .leans = true,
    .state_size = sizeof(struct portfolio),
    .every_step = true, /* for those members that want it */
    .open = portfolio_open,
    .begin = portfolio_begin,
    .pick = portfolio_pick,
    .choose = portfolio_choose,
    .end = portfolio_end,
    .member = portfolio_member,
    .members = members,
};
