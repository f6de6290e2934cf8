/* SPDX-License-Identifier: Apache-2.0
 *
 * One pair of steps the other way round at a time. The first execution has all look before anybody writes (WRITES_LAST
 * of extremes.c). What it shows are steps of different threads that meet in something and could have come in the other
 * order (step_trace.h). Each execution after it is the same but for one of these pairs: the thread whose step came
 * first is held there until the other one's has come, and goes on then. What that shows are new pairs, which are
 * reversed on top of it. This needs no luck: a small mistake shows within as many executions as there are such pairs.
 *
 * Pairs that promise most come first: steps on what their thread has met before, which was looked at and is acted on
 * now; pairs that meet in memory or in an object, before those that meet in a part of the system, and before those that
 * may concern anything; places where nobody was held yet; few reversals on top of each other.
 *
 * A thread that was held until another one's step is held longer in a later execution, until the next one of that
 * thread that matters to it. One that has looked at something is also held for as long as anybody else can go on, since
 * what it saw is as out of date then as it can be; and so is each before it meets others for the first time, so that it
 * comes last.
 *
 * Executions in which nothing meets in a new order are not gone on from. A pair that can only be had in the order it
 * was seen in costs an execution, in which the hold is given up.
 */
#include "core/rng.h"
#include "core/strategy.h"
#include "core/world.h"
#include "strategy/abreast_steps.h"
#include "strategy/step_trace.h"

#define HOLDS 4      /* on top of each other */
#define ENTRIES 2048 /* schedules to be tried */
#define TRIED 8192   /* slots; powers of two */
#define SEEN 1024
#define PLACES 1024
#define PATIENCE 300  /* steps for which others may wait for one that does not come; */
#define YIELD 20      /* one by which a thread waits itself is so many */
#define TOO_LONG 5000 /* steps: who is about to write might be waited for, and waits no more */

/* What makes an entry less promising. */
enum {
  NOT_MET_BEFORE = 2,
  COARSE = 2,
  FAR = 6,
  FURTHER = 1,
  TO_THE_END = 3,
  ON_TOP = 8,
  HELD_THERE = 2,
  SAME_PLACES = 4
};

/* A thread waits before the one event until the other has come; no place: until nobody else can go on. */
struct hold {
  struct abstract_event held, until;
};

struct entry {
  struct hold hold[HOLDS];
  uint32_t holds, penalty;
  bool done;
};

/* A hold in this execution. */
struct hold_now {
  uintptr_t pc, until_pc;
  unsigned thread; /* MAX_THREADS: nobody waits */
  bool over;
  uint32_t since; /* step from which on it is over; UINT32_MAX: nobody has waited */
};

struct reversals {
  bool begun;
  uint32_t entries, tried, seen;
  struct entry entry[ENTRIES];
  uint64_t tried_hash[TRIED], signature[SEEN];
  struct {
    uint64_t place;
    uint32_t count;
  } met[PLACES];

  /* This execution: */
  struct entry now;
  bool prepared;
  struct hold_now held[HOLDS];
  unsigned next; /* who was held, and goes on now; MAX_THREADS: nobody */
  uint64_t waited;
  uint64_t taken[MAX_THREADS];
  struct step_trace trace;
};

/* ---- what to try ---- */

/* How often somebody was held there. */
static uint32_t *count_at(struct reversals *r, uint64_t place)
{
  uint32_t i = mix64(place) % PLACES;
  for (unsigned tries = 0; tries < PLACES && r->met[i].place && r->met[i].place != place; tries++)
    i = (i + 1) % PLACES;
  r->met[i].place = place;
  return &r->met[i].count;
}

static uint32_t *count_of_places(struct reversals *r, const struct hold *h)
{
  return count_at(r, mix64(h->held.place) + h->until.place);
}

static uint32_t cost_of(struct reversals *r, const struct entry *e)
{
  const struct hold *last = &e->hold[e->holds - 1];
  return e->penalty + ON_TOP * (e->holds - 1) + HELD_THERE * *count_at(r, last->held.place) +
         SAME_PLACES * *count_of_places(r, last);
}

static void choose_entry(struct reversals *r)
{
  struct entry *best = NULL;
  for (uint32_t i = 0; i < r->entries; i++)
    if (!r->entry[i].done && (!best || cost_of(r, &r->entry[i]) < cost_of(r, best)))
      best = &r->entry[i];
  if (!best)
    return;
  best->done = true;
  r->now = *best;
  const struct hold *last = &best->hold[best->holds - 1];
  ++*count_at(r, last->held.place);
  ++*count_of_places(r, last);
}

static void reversals_begin(void *state, const struct job *job, uint64_t seed, uint64_t execution)
{
  (void)job, (void)seed, (void)execution;
  struct reversals *r = state;
  r->now.holds = 0;
  if (r->begun)
    choose_entry(r);
  r->begun = true;
  r->prepared = false;
  r->waited = 0;
  r->next = MAX_THREADS;
  for (unsigned t = 0; t < MAX_THREADS; t++)
    r->taken[t] = 0;
  step_trace_begin(&r->trace);
}

/* ---- an execution ---- */

static void prepare(struct reversals *r, const struct world *world)
{
  r->prepared = true;
  for (uint32_t i = 0; i < r->now.holds; i++) {
    const struct hold *h = &r->now.hold[i];
    r->held[i] = (struct hold_now){.pc = world->address(world->self, h->held.place),
                                   .until_pc = h->until.place ? world->address(world->self, h->until.place) : 0,
                                   .since = UINT32_MAX};
  }
}

/* Who waits is taken from those that go on, unless nobody is left then. */
static void hold_back(struct reversals *r, const struct choice *c, uint32_t i, struct threadset *going)
{
  struct hold_now *held = &r->held[i];
  struct threadset all = *going;
  held->thread = MAX_THREADS;
  if (held->over)
    return;
  THREADSET_EACH(t, c->enabled)
  {
    if (step_trace_is_at(&r->trace, c, t, &r->now.hold[i].held, held->pc))
      held->thread = t;
  }
  if (held->thread == MAX_THREADS)
    return;
  threadset_remove(going, held->thread);
  r->waited += c->yielded ? YIELD : 1;
  if (!threadset_empty(going) && r->waited <= PATIENCE)
    return;
  held->over = true;
  held->since = r->trace.steps;
  *going = all;
}

/* Whom somebody waits for goes first. */
static unsigned waited_for(const struct reversals *r, const struct choice *c, const struct threadset *going)
{
  for (uint32_t i = r->now.holds; i-- > 0;) {
    if (r->held[i].over || r->held[i].thread == MAX_THREADS)
      continue;
    THREADSET_EACH(t, going)
    {
      bool gives_way = t == c->current && op_lets_others(&c->thread[t].pending);
      if (r->trace.path[t] == r->now.hold[i].until.thread && !gives_way)
        return t;
    }
  }
  return MAX_THREADS;
}

static unsigned choose_thread(struct reversals *r, const struct choice *c, const struct threadset *going)
{
  unsigned next = r->next;
  r->next = MAX_THREADS;
  unsigned t = waited_for(r, c, going);
  if (t < MAX_THREADS)
    return t;
  return next < MAX_THREADS && threadset_has(going, next) ? next
                                                          : furthest_behind(r->taken, c, going, c->step < TOO_LONG);
}

/* The thread takes the step that somebody waits for. */
static void release(struct reversals *r, const struct choice *c, unsigned t)
{
  for (uint32_t i = 0; i < r->now.holds; i++) {
    struct hold_now *held = &r->held[i];
    if (held->over || !step_trace_is_at(&r->trace, c, t, &r->now.hold[i].until, held->until_pc))
      continue;
    held->over = true;
    if (held->thread == MAX_THREADS)
      continue;
    r->next = held->thread;
    held->since = r->trace.steps + 1;
  }
}

static unsigned reversals_pick(void *state, const struct choice *c)
{
  struct reversals *r = state;
  if (!r->prepared)
    prepare(r, c->world);
  step_trace_settle(&r->trace, c);
  struct threadset going = *c->enabled;
  for (uint32_t i = 0; i < r->now.holds; i++)
    hold_back(r, c, i, &going);
  unsigned t = choose_thread(r, c, &going);
  release(r, c, t);
  r->taken[t] = c->thread[t].pending.kind == OP_CREATE ? 0 : r->taken[t] + 1;
  step_trace_step(&r->trace, c, t);
  return t;
}

static unsigned reversals_choose(void *state, unsigned n)
{
  (void)state, (void)n;
  return 0;
}

/* ---- what it showed ---- */

static uint64_t number_of(const struct entry *e)
{
  uint64_t number = 0;
  for (uint32_t i = 0; i < e->holds; i++)
    number += mix64(abstract_event_number(&e->hold[i].held) + 3 * abstract_event_number(&e->hold[i].until));
  return number | 1;
}

/* Whether it is new in the set, and has room there. */
static bool remember(uint64_t *set, uint32_t size, uint32_t *count, uint64_t number)
{
  uint32_t i = mix64(number) & (size - 1);
  while (set[i] && set[i] != number)
    i = (i + 1) & (size - 1);
  if (set[i] || *count >= size / 4 * 3)
    return false;
  set[i] = number;
  ++*count;
  return true;
}

static bool is_first(struct reversals *r, const struct entry *e)
{
  return remember(r->tried_hash, TRIED, &r->tried, number_of(e));
}

static void keep(struct reversals *r, const struct entry *e)
{
  if (r->entries < ENTRIES && is_first(r, e))
    r->entry[r->entries++] = *e;
}

/* The holds of this execution that were over before the step; false: there is no room for one more. */
static bool holds_before(const struct reversals *r, uint32_t step, struct entry *out)
{
  *out = (struct entry){0};
  for (uint32_t i = 0; i < r->now.holds; i++)
    if (r->held[i].since <= step)
      out->hold[out->holds++] = r->now.hold[i];
  return out->holds < HOLDS;
}

/* The earlier one is to come after the later one. The order in which they came is known. */
static void reverse(struct reversals *r, uint32_t earlier, uint32_t later, uint32_t penalty)
{
  struct entry e;
  if (!holds_before(r, earlier, &e))
    return;
  struct hold *h = &e.hold[e.holds++];
  const struct abstract_event *a = &r->trace.step[earlier].event, *b = &r->trace.step[later].event;
  *h = (struct hold){.held = *b, .until = *a};
  is_first(r, &e);
  *h = (struct hold){.held = *a, .until = *b};
  e.penalty = penalty;
  keep(r, &e);
}

static void hold_to_the_end(struct reversals *r, uint32_t step, uint32_t penalty)
{
  struct entry e;
  if (!holds_before(r, step, &e))
    return;
  e.hold[e.holds++] = (struct hold){.held = r->trace.step[step].event};
  e.penalty = penalty + TO_THE_END;
  keep(r, &e);
}

/* With the first step of each other thread that is near, and with the first one that may be. Whether one is near. */
static bool reverse_step(struct reversals *r, uint32_t i, uint32_t penalty)
{
  const struct traced_step *a = &r->trace.step[i];
  uint32_t through = 0, far = 0;
  bool near = false;
  for (uint32_t k = i + 1; k < r->trace.steps; k++) {
    const struct traced_step *b = &r->trace.step[k];
    uint32_t bit = UINT32_C(1) << b->thread;
    if (b->thread == a->thread || through & bit)
      continue;
    if (step_is_after(a, b) || step_takes_one_of(b, a->locks)) {
      through |= bit;
      continue;
    }
    enum bond bond = step_is_movable(b) && !(a->locks & b->locks) ? steps_bond(a, b) : BOND_NONE;
    if (bond == BOND_NONE || (bond == BOND_FAR && far & bit))
      continue;
    reverse(r, i, k, penalty + (bond == BOND_FAR ? FAR : bond == BOND_COARSE ? COARSE : 0));
    far |= bit;
    through |= bond == BOND_FAR ? 0 : bit;
    near |= bond == BOND_NEAR;
  }
  return near;
}

static void reverse_all(struct reversals *r)
{
  uint32_t begun = 0;
  for (uint32_t i = 0; i < r->trace.steps; i++) {
    const struct traced_step *s = &r->trace.step[i];
    if (!step_is_movable(s))
      continue;
    bool met = step_trace_met_before(&r->trace, i), first = !(begun >> s->thread & 1);
    uint32_t penalty = met ? 0 : NOT_MET_BEFORE;
    if (!reverse_step(r, i, penalty))
      continue;
    begun |= UINT32_C(1) << s->thread;
    if (met || first)
      hold_to_the_end(r, i, penalty);
  }
}

/* Whether the step depends on one that its thread, which was held, has taken in between. */
static bool matters_to(const struct step_trace *t, uint32_t since, uint32_t step, uint64_t thread)
{
  for (uint32_t i = since; i < step; i++)
    if (t->step[i].event.thread == thread && steps_bond(&t->step[i], &t->step[step]) != BOND_NONE)
      return true;
  return false;
}

static void hold_longer(struct reversals *r)
{
  const struct step_trace *t = &r->trace;
  struct entry e = r->now;
  if (!e.holds)
    return;
  struct hold *h = &e.hold[e.holds - 1];
  uint32_t since = r->held[e.holds - 1].since;
  e.done = false;
  e.penalty += FURTHER;
  for (uint32_t i = since; i < t->steps; i++) {
    const struct traced_step *s = &t->step[i];
    if (s->event.thread != h->until.thread || !step_is_movable(s) || !matters_to(t, since, i, h->held.thread))
      continue;
    h->until = s->event;
    keep(r, &e);
    return;
  }
}

static bool has_more(const struct reversals *r)
{
  for (uint32_t i = 0; i < r->entries; i++)
    if (!r->entry[i].done)
      return true;
  return false;
}

static bool reversals_end(void *state, const struct outcome *outcome)
{
  (void)outcome;
  struct reversals *r = state;
  if (r->prepared)
    hold_longer(r);
  bool new = remember(r->signature, SEEN, &r->seen, step_trace_signature(&r->trace));
  if (new)
    reverse_all(r);
  return has_more(r);
}

const struct strategy strategy_reversals = {
    .name = "reversals",
    .state_size = sizeof(struct reversals),
    .every_step = true,
    .remembers = true,
    .begin = reversals_begin,
    .pick = reversals_pick,
    .choose = reversals_choose,
    .end = reversals_end,
};
