/* SPDX-License-Identifier: Apache-2.0
 *
 * A few fixed schedules, each the end of something that schedules can be. Most mistakes that small programs have show
 * in one of them, and need no luck then; there is nothing to learn from a second execution of any.
 *
 * REVERSED: all are created, then each runs for as long as it can, the newest first.
 * IN_TURNS: three steps each, or until a thread is created. Threads get into what others are in the middle of.
 * NEWEST_FIRST: a thread runs as soon as it is created, before its creator says more.
 * SHOWN: a thread goes on until it has written something and has no lock any more, then comes the next one: everybody
 * sees everything that is half done.
 * ABREAST: who has taken fewest steps goes next; unlike abreast.c, nobody waits until all are there.
 * WRITES_LAST: the same, but who is about to write waits until nobody has anything else to do. All have looked by then,
 * and what they saw is out of date for all but one: checks that do not hold any more, updates that get lost, locks that
 * each has one of.
 *
 * A loop that waits for a thread whose turn does not come would go on for ever: what has become too long goes on in
 * turns.
 */
#include "core/strategy.h"
#include "strategy/abreast_steps.h"

#define TURN 3        /* steps */
#define TOO_LONG 5000 /* steps; far above what a small test does */

enum extreme { REVERSED, IN_TURNS, NEWEST_FIRST, SHOWN, ABREAST, WRITES_LAST, EXTREMES };

struct extremes {
  enum extreme extreme;
  bool last;                   /* of all */
  unsigned thread;             /* that took the last step, */
  uint64_t run;                /* how many in a row, */
  bool wrote, created;         /* and whether it wrote something in them, or created a thread */
  uint32_t locks[MAX_THREADS]; /* that a thread has, as far as steps tell */
  uint64_t taken[MAX_THREADS]; /* steps, since a thread came or created another */
};

static void extremes_begin(void *state, const struct job *job, uint64_t seed, uint64_t execution)
{
  (void)job, (void)seed;
  struct extremes *e = state;
  e->extreme = (enum extreme)(execution % EXTREMES);
  e->last = execution + 1 >= EXTREMES;
  e->thread = 0;
  e->run = 0;
  e->wrote = e->created = false;
  for (unsigned i = 0; i < MAX_THREADS; i++)
    e->taken[i] = e->locks[i] = 0;
}

static unsigned next_after(const struct choice *c)
{
  unsigned next = c->current + 1 < MAX_THREADS ? threadset_next(c->enabled, c->current + 1) : MAX_THREADS;
  return next < MAX_THREADS ? next : threadset_next(c->enabled, 0);
}

/* But for the one that asks others to go first. */
static unsigned newest(const struct choice *c)
{
  unsigned best = MAX_THREADS;
  THREADSET_EACH(t, c->enabled)
  {
    bool gives_way = t == c->current && op_lets_others(&c->thread[t].pending);
    if (!gives_way || best == MAX_THREADS)
      best = t;
  }
  return best;
}

static unsigned decide(struct extremes *e, const struct choice *c)
{
  bool goes_on = threadset_has(c->enabled, c->current) && !op_lets_others(&c->thread[c->current].pending);
  enum extreme extreme = c->step < TOO_LONG ? e->extreme : IN_TURNS;
  switch (extreme) {
  case IN_TURNS:
    return goes_on && e->run < TURN && !e->created ? c->current : next_after(c);
  case SHOWN:
    return goes_on && (!e->wrote || e->locks[c->current]) ? c->current : next_after(c);
  case NEWEST_FIRST:
    return newest(c);
  case REVERSED:
    return goes_on ? c->current : newest(c);
  default:
    return furthest_behind(e->taken, c, c->enabled, e->extreme == WRITES_LAST);
  }
}

static void note_step(struct extremes *e, unsigned t, enum op_kind kind)
{
  bool unlocks = kind == OP_MUTEX_UNLOCK || kind == OP_SPIN_UNLOCK || kind == OP_RWLOCK_UNLOCK;
  bool gathers = e->extreme == WRITES_LAST && kind == OP_CREATE;
  e->run = t == e->thread ? e->run + 1 : 1;
  e->wrote = (t == e->thread && e->wrote) || (op_is_memory(kind) && op_writes_memory(kind));
  e->created = (t == e->thread && e->created) || kind == OP_CREATE;
  e->thread = t;
  e->locks[t] += op_takes_lock(kind);
  e->locks[t] -= unlocks && e->locks[t];
  e->taken[t] = gathers ? 0 : e->taken[t] + 1;
}

static unsigned extremes_pick(void *state, const struct choice *c)
{
  struct extremes *e = state;
  unsigned t = decide(e, c);
  note_step(e, t, (enum op_kind)c->thread[t].pending.kind);
  return t;
}

/* The last for those that take the last thread first. */
static unsigned extremes_choose(void *state, unsigned n)
{
  const struct extremes *e = state;
  return e->extreme == NEWEST_FIRST || e->extreme == REVERSED ? n - 1 : 0;
}

static bool extremes_end(void *state, const struct outcome *outcome)
{
  (void)outcome;
  return !((const struct extremes *)state)->last;
}

const struct strategy strategy_extremes = {
    .name = "extremes",
    .by_number = true,
    .state_size = sizeof(struct extremes),
    .every_step = true,
    .begin = extremes_begin,
    .pick = extremes_pick,
    .choose = extremes_choose,
    .end = extremes_end,
};
