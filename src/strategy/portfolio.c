/* SPDX-License-Identifier: Apache-2.0
 *
 * Several strategies in turns: the first execution by rr, then pos, pct, abreast and random one after the other. What
 * one is blind to, another often sees at once. What they have not found after a while may need many switches in a row:
 * every other execution is novel's then. Holds the states of its members in its own; decides nothing itself. */
#include "core/invariant.h"
#include "core/strategy.h"

enum { SLOT = 8 << 20 }; /* only what a member uses of it is there */

#define PATIENCE 256 /* executions */

/* Those that take turns, then the one that comes later, and the one that comes once. */
enum { MEMBERS = 4, LATER = MEMBERS, ONCE, ALL };
static const enum strategy_id members[ALL + 1] = {STRATEGY_pos,   STRATEGY_pct, STRATEGY_abreast, STRATEGY_random,
                                                  STRATEGY_novel, STRATEGY_rr,  STRATEGY_COUNT};

struct portfolio {
  unsigned turn; /* whose execution it is, of members */
  _Alignas(16) unsigned char state[ALL][SLOT];
};

static enum strategy_id portfolio_member(const void *state)
{
  return members[((const struct portfolio *)state)->turn];
}

static void portfolio_open(void *state, const struct job *job)
{
  struct portfolio *p = state;
  for (unsigned i = 0; i < ALL; i++) {
    const struct strategy *member = strategy_table[members[i]];
    invariant(member->state_size <= SLOT, "a member of the portfolio needs more memory than a slot has");
    if (member->open)
      member->open(p->state[i], job);
  }
}

/* With two workers, to each of which comes every second execution, one has all of novel's: it remembers. */
static unsigned turn_of(uint64_t execution)
{
  if (execution == 0)
    return ONCE;
  if (execution < PATIENCE)
    return execution % MEMBERS;
  return execution & 1 ? LATER : execution / 2 % MEMBERS;
}

static void portfolio_begin(void *state, const struct job *job, uint64_t seed, uint64_t execution)
{
  struct portfolio *p = state;
  p->turn = turn_of(execution);
  strategy_table[members[p->turn]]->begin(p->state[p->turn], job, seed, execution);
}

static unsigned portfolio_pick(void *state, const struct choice *c)
{
  struct portfolio *p = state;
  const struct strategy *member = strategy_table[members[p->turn]];
  if (c->count == 1 && !member->every_step)
    return threadset_next(c->enabled, 0);
  return member->pick(p->state[p->turn], c);
}

static unsigned portfolio_choose(void *state, unsigned n)
{
  struct portfolio *p = state;
  return strategy_table[members[p->turn]]->choose(p->state[p->turn], n);
}

static bool portfolio_end(void *state, const struct outcome *outcome)
{
  struct portfolio *p = state;
  strategy_table[members[p->turn]]->end(p->state[p->turn], outcome);
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
