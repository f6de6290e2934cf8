/* SPDX-License-Identifier: Apache-2.0
 *
 * Several strategies in turns. What one is blind to, another often sees at once. First comes what needs little luck:
 * rr, pct and two of the extremes, which show most of what small programs have, then the other extremes among
 * strategies that draw. After them pct, pos, random, abreast and rff take turns. What they have not found after a while
 * may need many switches in a row: every other execution is novel's then. Holds the states of its members in its own;
 * decides nothing itself.
 *
 * With two workers, to each of which comes every second execution, one has all of rff's and the other all of novel's:
 * they remember. */
#include "core/invariant.h"
#include "core/strategy.h"

enum { SLOT = 8 << 20 }; /* only what a member uses of it is there */

#define PATIENCE 256 /* executions */

enum { PCT, ABREAST, POS, SURW, RANDOM, RFF, NOVEL, EXTREMES, RR, ALL };
static const enum strategy_id members[ALL + 1] = {
    [PCT] = STRATEGY_pct,       [ABREAST] = STRATEGY_abreast, [POS] = STRATEGY_pos,     [SURW] = STRATEGY_surw,
    [RANDOM] = STRATEGY_random, [RFF] = STRATEGY_rff,         [NOVEL] = STRATEGY_novel, [EXTREMES] = STRATEGY_extremes,
    [RR] = STRATEGY_rr,         [ALL] = STRATEGY_COUNT};

/* Whose executions the first are; then those with odd and with even numbers, in turns, and later those with even ones.
 */
static const unsigned opening[] = {RR,  EXTREMES, PCT,      EXTREMES, RANDOM, POS,      ABREAST,
                                   PCT, EXTREMES, RANDOM,   POS,      PCT,    EXTREMES, ABREAST,
                                   RFF, PCT,      EXTREMES, RANDOM,   POS,    PCT,      EXTREMES};
static const unsigned odd[] = {PCT, RANDOM, ABREAST}, even[] = {POS, RFF, PCT};
static const unsigned later[] = {POS, RFF, PCT, RFF, ABREAST, RFF, SURW, RFF};
#define COUNT(turns) (sizeof(turns) / sizeof *(turns))
#define OF(turns, n) ((turns)[(n) % COUNT(turns)])

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

static unsigned turn_of(uint64_t execution)
{
  if (execution < COUNT(opening))
    return opening[execution];
  if (execution < PATIENCE)
    return execution % 2 ? OF(odd, execution / 2) : OF(even, execution / 2);
  return execution % 2 ? NOVEL : OF(later, execution / 2);
}

/* Of the extremes there is one after the other. */
static uint64_t number_for(unsigned turn, uint64_t execution)
{
  uint64_t before = 0;
  for (uint64_t i = 0; i < execution && turn == EXTREMES; i++)
    before += opening[i] == EXTREMES;
  return turn == EXTREMES ? before : execution;
}

static void portfolio_begin(void *state, const struct job *job, uint64_t seed, uint64_t execution)
{
  struct portfolio *p = state;
  p->turn = turn_of(execution);
  strategy_table[members[p->turn]]->begin(p->state[p->turn], job, seed, number_for(p->turn, execution));
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
