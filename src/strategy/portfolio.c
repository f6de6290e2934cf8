/* SPDX-License-Identifier: Apache-2.0
 *
 * Several strategies in turns. What one is blind to, another often sees at once. Every second execution is of reversals
 * as long as these are new: most of what small programs have shows there, and needs no luck. Between them come rr, two
 * of the extremes and pct once each, and from then on those that draw: pos and rff, which find most in programs that
 * are larger, surw and pct. After a while reversals are worth less, and others have half of their turns. What all have
 * not found may need many switches in a row: every second execution is novel's then. Holds the states of its members in
 * its own; decides nothing itself.
 *
 * With two workers, to each of which comes every second execution, one has all of reversals and novel, and the other
 * all of rff: they remember. */
#include "core/invariant.h"
#include "core/strategy.h"

enum { SLOT = 8 << 20 }; /* only what a member uses of it is there */

#define PROMISING 64 /* executions */
#define PATIENCE 256

enum { PCT, ABREAST, POS, SURW, RANDOM, RFF, NOVEL, EXTREMES, RR, REVERSALS, ALL };
static const enum strategy_id members[ALL + 1] = {[PCT] = STRATEGY_pct,       [ABREAST] = STRATEGY_abreast,
                                                  [POS] = STRATEGY_pos,       [SURW] = STRATEGY_surw,
                                                  [RANDOM] = STRATEGY_random, [RFF] = STRATEGY_rff,
                                                  [NOVEL] = STRATEGY_novel,   [EXTREMES] = STRATEGY_extremes,
                                                  [RR] = STRATEGY_rr,         [REVERSALS] = STRATEGY_reversals,
                                                  [ALL] = STRATEGY_COUNT};

/* Whose executions the first are; then those with even numbers, in turns, those with odd numbers that reversals do not
 * need, and later those with even ones. */
static const unsigned opening[] = {RR, REVERSALS, EXTREMES, REVERSALS, PCT, REVERSALS, EXTREMES};
static const unsigned even[] = {SURW, POS, RFF, PCT, POS, RFF}, odd[] = {PCT, RANDOM, ABREAST};
static const unsigned later[] = {POS, RFF, PCT, RFF, ABREAST, RFF, SURW, RFF};
#define COUNT(turns) (sizeof(turns) / sizeof *(turns))
#define OF(turns, n) ((turns)[(n) % COUNT(turns)])

struct portfolio {
  bool reversed; /* there is nothing left for reversals */
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

static unsigned turn_of(const struct portfolio *p, uint64_t execution)
{
  if (execution < COUNT(opening) && !(p->reversed && opening[execution] == REVERSALS))
    return opening[execution];
  if (execution >= PATIENCE)
    return execution % 2 ? NOVEL : OF(later, execution / 2);
  if (execution % 2 == 0)
    return OF(even, execution / 2);
  bool reverses = !p->reversed && (execution < PROMISING || execution % 4 == 1);
  return reverses ? REVERSALS : OF(odd, execution / 4);
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
  p->turn = turn_of(p, execution);
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
  bool more = strategy_table[members[p->turn]]->end(p->state[p->turn], outcome);
  p->reversed |= p->turn == REVERSALS && !more;
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
