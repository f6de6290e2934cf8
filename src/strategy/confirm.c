/* SPDX-License-Identifier: Apache-2.0
 *
 * The active checker: random scheduling that holds threads where a plan (core/plan.h) says they should be, until all
 * are there at the same time. One loop for all kinds of plans; what a kind wants to know of operations and whom it
 * wants to hold is in its checker. Nothing is decided here about bugs: what happens is for the observers to see.
 *
 * When everybody who could go on is held, one of them is let go (a thrash); so is one that was held for very long while
 * others run in circles (the watchdog). Whoever was let go may pass once.
 */
#include "core/control.h"
#include "core/key.h"
#include "core/plan.h"
#include "core/rng.h"
#include "core/strategy.h"
#include "core/world.h"
#include "strategy/typestates.h"

#define HELD_MOST 32
#define NO_STEP UINT32_MAX
#define PATIENCE 4000 /* steps that a thread is held at most */

/* What is known of a thread. */
struct steered_thread {
  uint64_t operations; /* for which name and place were worked out */
  uint64_t name, object, place;
  bool held, pass, yielding, yielded;
  uint64_t since; /* step at which it was held, or began to yield */
  uint32_t locks;
  uint32_t lock[HELD_MOST];  /* objects it holds, in order */
  uint64_t taken[HELD_MOST]; /* and where it took them */
  uint32_t depth[HELD_MOST]; /* and how often, if they are recursive */
  bool inside;               /* atomicity: it has made the first of its two accesses */
  uintptr_t addr;            /* of this memory */
};

struct confirm {
  uint64_t stream;
  const struct plan *plan;
  struct plan_outcome outcome;
  uint32_t at;               /* sequence: the next step */
  bool lost;                 /* sequence: left for good */
  bool come[PLAN_PAUSES];    /* sequence: what a pause is for was done */
  bool between;              /* races, atomicity, protocols: it happened */
  struct typestates objects; /* protocols */
  struct steered_thread thread[MAX_THREADS];
};

enum verdict { RUN, HOLD };

struct checker {
  enum verdict (*check)(struct confirm *s, const struct choice *c, unsigned t);
  void (*perform)(struct confirm *s, const struct choice *c, unsigned t);
  bool (*reached)(const struct confirm *s, const struct outcome *o);
};

/* ---- what all need ---- */

static const struct operation *pending(const struct choice *c, unsigned t)
{
  return &c->thread[t].pending;
}

/* The object's name, 0 if it has none. */
static uint64_t object_name(const struct confirm *s, const struct choice *c, const struct operation *op)
{
  const struct world *w = c->world;
  if (!op->object || op_is_memory(op->kind) || op_table[op->kind].object == OBJECT_FD)
    return 0;
  return naming_of(w->object_origin(w->self, op->object), (enum naming)s->plan->naming, s->plan->depth);
}

static void look_at(struct confirm *s, const struct choice *c, unsigned t)
{
  struct steered_thread *f = &s->thread[t];
  const struct thread_state *thread = &c->thread[t];
  if (f->operations == thread->operations)
    return;
  f->operations = thread->operations;
  const struct world *w = c->world;
  f->name = naming_of(w->task_origin(w->self, t), (enum naming)s->plan->naming, s->plan->depth);
  f->object = object_name(s, c, &thread->pending);
  f->place = w->place(w->self, thread->pending.pc);
  f->yielded = false;
}

/* Where it is not known, the object tells. */
static bool is_there(const struct steered_thread *f, uint64_t place, uint64_t object)
{
  return place ? place == f->place : object == f->object;
}

static bool is_party(const struct confirm *s, const struct choice *c, unsigned t, unsigned party)
{
  const struct plan_party *p = &s->plan->party[party];
  const struct steered_thread *f = &s->thread[t];
  return p->op == pending(c, t)->kind && is_there(f, p->place, p->object) && p->thread == f->name;
}

static bool overlap(const struct operation *a, const struct operation *b)
{
  return op_is_memory(a->kind) && op_is_memory(b->kind) && op_dependent(a, b);
}

/* ---- deadlocks ---- */

static uint32_t held_at(const struct steered_thread *f, uint32_t object)
{
  uint32_t i = 0;
  while (i < f->locks && f->lock[i] != object)
    i++;
  return i;
}

static void take_lock(struct steered_thread *f, uint32_t object)
{
  uint32_t i = held_at(f, object);
  if (i < f->locks) {
    f->depth[i]++;
  } else if (i < HELD_MOST) {
    f->lock[i] = object;
    f->taken[i] = f->place;
    f->depth[i] = 1;
    f->locks++;
  }
}

static void drop_lock(struct steered_thread *f, uint32_t object)
{
  uint32_t i = held_at(f, object);
  if (i == f->locks || --f->depth[i] > 0)
    return;
  for (f->locks--; i < f->locks; i++) {
    f->lock[i] = f->lock[i + 1];
    f->taken[i] = f->taken[i + 1];
    f->depth[i] = f->depth[i + 1];
  }
}

/* Whether it will get it: those that only try may not. */
static bool gets_lock(const struct choice *c, const struct steered_thread *f, const struct operation *op)
{
  uint64_t key = key_of_object(op_table[op->kind].object, op->space, op->addr);
  uint64_t left = c->world->state(c->world->self, op, key);
  bool all = op->kind == OP_RWLOCK_WRLOCK || op->kind == OP_RWLOCK_TRYWRLOCK || op->kind == OP_RWLOCK_TIMEDWRLOCK;
  return (all ? left == WORLD_ALL : left != 0) || held_at(f, op->object) < f->locks;
}

static void follow_locks(struct confirm *s, const struct choice *c, unsigned t)
{
  struct steered_thread *f = &s->thread[t];
  const struct operation *op = pending(c, t);
  if (op->kind == OP_COND_WAKE || op->kind == OP_COND_TIMEDWAKE)
    take_lock(f, op->second);
  else if (op->kind == OP_COND_WAIT)
    drop_lock(f, op->second);
  else if (op_takes_lock(op->kind) && gets_lock(c, f, op))
    take_lock(f, op->object);
  else if (op_leaves_lock(op->kind))
    drop_lock(f, op->object);
}

static bool same_context(const struct confirm *s, const struct steered_thread *f, const struct plan_party *p)
{
  if (s->plan->no_contexts)
    return true;
  if (p->context_length != f->locks + 1)
    return false;
  for (uint32_t i = 0; i < f->locks; i++)
    if (p->context[i] != f->taken[i])
      return false;
  return true;
}

static bool wants_lock(const struct confirm *s, const struct choice *c, unsigned t, unsigned party)
{
  const struct steered_thread *f = &s->thread[t];
  const struct plan_party *p = &s->plan->party[party];
  return is_party(s, c, t, party) && p->object == f->object && same_context(s, f, p);
}

/* Before the outermost lock of its part of the cycle a thread lets others go first: what they do with these locks on
 * their way must be over. */
static bool should_yield(const struct confirm *s, const struct steered_thread *f, const struct operation *op)
{
  for (uint32_t i = 0; !s->plan->no_yield && !f->yielded && i < s->plan->party_count; i++) {
    const struct plan_party *p = &s->plan->party[i];
    if (p->context_length > 1 && p->thread == f->name && p->context[0] == f->place && op_takes_lock(op->kind))
      return true;
  }
  return false;
}

static enum verdict check_deadlock(struct confirm *s, const struct choice *c, unsigned t)
{
  struct steered_thread *f = &s->thread[t];
  if (should_yield(s, f, pending(c, t)))
    f->yielding = f->yielded = true;
  for (uint32_t i = 0; i < s->plan->party_count; i++)
    if (wants_lock(s, c, t, i))
      return HOLD;
  return RUN;
}

/* Whether for every party there is a thread that stands where it is to. */
static bool all_stand(const struct confirm *s, const struct outcome *o,
                      bool (*stands)(const struct confirm *, const struct choice *, unsigned thread, uint32_t party))
{
  struct choice c = {.thread = o->thread, .threads = o->threads, .world = o->world};
  for (uint32_t i = 0; i < s->plan->party_count; i++) {
    bool there = false;
    for (unsigned t = 0; t < o->threads && !there; t++)
      there = o->thread[t].alive && stands(s, &c, t, i);
    if (!there)
      return false;
  }
  return s->plan->party_count > 0;
}

static bool reached_deadlock(const struct confirm *s, const struct outcome *o)
{
  return all_stand(s, o, wants_lock);
}

/* ---- races ---- */

static enum verdict check_race(struct confirm *s, const struct choice *c, unsigned t)
{
  const struct plan *p = s->plan;
  const struct operation *op = pending(c, t);
  for (unsigned i = 0; i < 2 && op_is_memory(op->kind); i++) {
    if (p->party[i].place != s->thread[t].place || p->party[i].op != op->kind)
      continue;
    for (unsigned u = 0; u < c->threads; u++)
      if (u != t && c->thread[u].alive && s->thread[u].place == p->party[!i].place && overlap(op, pending(c, u))) {
        s->between = true;
        return RUN;
      }
    return HOLD;
  }
  return RUN;
}

static bool reached_between(const struct confirm *s, const struct outcome *o)
{
  (void)o;
  return s->between;
}

/* ---- atomicity: something must come in between ---- */

/* Somebody else is between the two local accesses of this memory. */
static bool is_inside(const struct confirm *s, const struct choice *c, unsigned t)
{
  for (unsigned u = 0; u < c->threads; u++)
    if (u != t && c->thread[u].alive && s->thread[u].inside && s->thread[u].addr == pending(c, t)->addr)
      return true;
  return false;
}

/* The local thread is held on its way to the second access, before it takes a lock that would keep the other one out;
 * the other one before the access, unless it holds a lock that the first may need. */
static enum verdict check_atomicity(struct confirm *s, const struct choice *c, unsigned t)
{
  const struct steered_thread *f = &s->thread[t];
  if (s->between)
    return RUN;
  if (f->inside && (is_party(s, c, t, 2) || (op_takes_lock(pending(c, t)->kind) && !f->locks)))
    return HOLD;
  return is_party(s, c, t, 1) && !f->locks && !is_inside(s, c, t) ? HOLD : RUN;
}

static void perform_atomicity(struct confirm *s, const struct choice *c, unsigned t)
{
  struct steered_thread *f = &s->thread[t];
  follow_locks(s, c, t);
  s->between |= is_party(s, c, t, 1) && is_inside(s, c, t);
  if (is_party(s, c, t, 2))
    f->inside = false;
  if (is_party(s, c, t, 0)) {
    f->inside = true;
    f->addr = pending(c, t)->addr;
  }
}

/* ---- protocols ---- */

/* It stands before the call that is to be wrong, and the object is in a state in which it is. */
static bool is_wrong_now(struct confirm *s, const struct choice *c, unsigned t)
{
  return is_party(s, c, t, 0) && !typestates_allow(&s->objects, pending(c, t));
}

/* Somebody else does, on the same object: another call could put it right again. */
static bool other_is_wrong_now(struct confirm *s, const struct choice *c, unsigned t)
{
  for (unsigned u = 0; u < c->threads; u++)
    if (u != t && c->thread[u].alive && pending(c, u)->object == pending(c, t)->object && is_wrong_now(s, c, u))
      return true;
  return false;
}

/* Party 0 is held as long as its call is allowed; party 1, if its call would allow it, until then. */
static enum verdict check_protocol(struct confirm *s, const struct choice *c, unsigned t)
{
  if (s->between || pending(c, t)->kind != OP_CALL || is_wrong_now(s, c, t))
    return RUN;
  bool allows = s->plan->early && is_party(s, c, t, 1);
  return allows || is_party(s, c, t, 0) || other_is_wrong_now(s, c, t) ? HOLD : RUN;
}

static void perform_protocol(struct confirm *s, const struct choice *c, unsigned t)
{
  if (pending(c, t)->kind != OP_CALL)
    return;
  s->between |= is_wrong_now(s, c, t);
  typestates_call(&s->objects, pending(c, t));
}

/* ---- sequences ---- */

static bool does(const struct confirm *s, const struct choice *c, unsigned t, const struct plan_step *p)
{
  const struct steered_thread *f = &s->thread[t];
  return p->thread == f->name && p->op == pending(c, t)->kind && is_there(f, p->place, p->object);
}

static enum verdict check_pauses(const struct confirm *s, const struct choice *c, unsigned t)
{
  for (uint32_t i = 0; i < s->plan->pause_count; i++)
    if (!s->come[i] && does(s, c, t, &s->plan->pause[i].held))
      return HOLD;
  return RUN;
}

/* The step of the sequence that the thread is about to take, or NO_STEP. Accesses of memory that only one thread
 * happens to use in this execution are not seen, so steps of that kind may be left out. A thread that has left out
 * another one, and did not do before what it does now, will not come back to it: the sequence is left for good, if
 * pauses can take its place. */
static uint32_t own_step(struct confirm *s, const struct choice *c, unsigned t)
{
  bool left_out = false, again = false;
  for (uint32_t i = 0; i < s->plan->step_count; i++) {
    const struct plan_step *step = &s->plan->step[i];
    if (step->thread != s->thread[t].name)
      continue;
    bool does_it = does(s, c, t, step);
    if (i < s->at) {
      again |= does_it;
    } else if (does_it) {
      s->lost |= left_out && !again && s->plan->pause_count;
      return left_out ? NO_STEP : i;
    }
    left_out |= i >= s->at && !op_is_memory(step->op);
  }
  return NO_STEP;
}

/* A thread that is to take one of the next steps waits until it is its turn. */
static enum verdict check_sequence(struct confirm *s, const struct choice *c, unsigned t)
{
  uint32_t own = s->lost ? NO_STEP : own_step(s, c, t);
  if (s->lost)
    return check_pauses(s, c, t);
  if (own == NO_STEP)
    return RUN;
  while (s->at < own && s->plan->step[s->at].thread == s->thread[t].name)
    s->at++; /* left out */
  return own == s->at ? RUN : HOLD;
}

static void perform_sequence(struct confirm *s, const struct choice *c, unsigned t)
{
  if (!s->lost && s->at < s->plan->step_count && does(s, c, t, &s->plan->step[s->at]))
    s->at++;
  for (uint32_t i = 0; i < s->plan->pause_count; i++)
    s->come[i] |= does(s, c, t, &s->plan->pause[i].until);
}

static bool reached_sequence(const struct confirm *s, const struct outcome *o)
{
  return all_stand(s, o, is_party);
}

static void perform_nothing(struct confirm *s, const struct choice *c, unsigned t)
{
  (void)s, (void)c, (void)t;
}

static const struct checker checkers[PLAN_KINDS] = {
    [PLAN_DEADLOCK] = {check_deadlock, follow_locks, reached_deadlock},
    [PLAN_RACE] = {check_race, perform_nothing, reached_between},
    [PLAN_ATOMICITY] = {check_atomicity, perform_atomicity, reached_between},
    [PLAN_PROTOCOL] = {check_protocol, perform_protocol, reached_between},
    [PLAN_SEQUENCE] = {check_sequence, perform_sequence, reached_sequence},
};

/* ---- the loop ---- */

static void confirm_begin(void *state, const struct job *job, uint64_t seed, uint64_t execution)
{
  (void)execution;
  struct confirm *s = state;
  s->stream = seed;
  s->plan = job->part[JOB_PLAN];
  s->at = 0;
  s->lost = s->between = false;
  for (uint32_t i = 0; i < PLAN_PAUSES; i++)
    s->come[i] = false;
  typestates_begin(&s->objects, &s->plan->protocol, job->config);
  for (unsigned t = 0; t < MAX_THREADS; t++) {
    struct steered_thread *f = &s->thread[t];
    f->operations = 0;
    f->held = f->pass = f->yielding = f->yielded = f->inside = false;
    f->locks = 0;
  }
}

/* Members of the enabled set that are held, or that are not; of the latter those that yield only if there are no
 * others. A random one, or MAX_THREADS. */
static unsigned draw(struct confirm *s, const struct choice *c, bool held)
{
  unsigned free = 0, yielding = 0;
  THREADSET_EACH(t, c->enabled)
  {
    free += s->thread[t].held == held && (held || !s->thread[t].yielding);
    yielding += s->thread[t].held == held && !held && s->thread[t].yielding;
  }
  if (free + yielding == 0)
    return MAX_THREADS;
  bool yield = free == 0;
  unsigned n = rng_below(&s->stream, yield ? yielding : free);
  THREADSET_EACH(t, c->enabled)
  {
    if (s->thread[t].held == held && (held || s->thread[t].yielding == yield) && n-- == 0)
      return t;
  }
  return MAX_THREADS;
}

static void let_go(struct confirm *s, unsigned t)
{
  s->thread[t].held = false;
  s->thread[t].pass = true;
  s->lost = true;
}

static void watch(struct confirm *s, const struct choice *c)
{
  THREADSET_EACH(t, c->enabled)
  {
    struct steered_thread *f = &s->thread[t];
    if (!(f->held || f->yielding) || c->step - f->since <= PATIENCE)
      continue;
    s->outcome.watchdog++;
    f->yielding = false;
    if (f->held)
      let_go(s, t);
  }
}

/* Those that were held are looked at again: what they waited for may have come. */
static void reconsider(struct confirm *s, const struct choice *c)
{
  const struct checker *checker = &checkers[s->plan->kind];
  THREADSET_EACH(t, c->enabled)
  {
    struct steered_thread *f = &s->thread[t];
    if (f->held && checker->check(s, c, t) == RUN)
      f->held = false;
  }
}

static unsigned confirm_pick(void *state, const struct choice *c)
{
  struct confirm *s = state;
  const struct checker *checker = &checkers[s->plan->kind];
  for (unsigned t = 0; t < c->threads; t++)
    if (c->thread[t].alive)
      look_at(s, c, t);
  reconsider(s, c);
  watch(s, c);
  for (;;) {
    unsigned t = draw(s, c, false);
    if (t == MAX_THREADS) {
      s->outcome.thrashes++;
      let_go(s, draw(s, c, true));
      continue;
    }
    struct steered_thread *f = &s->thread[t];
    bool yielding = f->yielding;
    if (!f->pass && checker->check(s, c, t) == HOLD) {
      f->held = true;
      f->since = c->step;
      continue;
    }
    if (f->yielding && !yielding) {
      f->since = c->step;
      continue;
    }
    f->pass = f->yielding = false;
    checker->perform(s, c, t);
    return t;
  }
}

static unsigned confirm_choose(void *state, unsigned n)
{
  return rng_below(&((struct confirm *)state)->stream, n);
}

static bool confirm_end(void *state, const struct outcome *o)
{
  struct confirm *s = state;
  struct choice c = {.thread = o->thread, .threads = o->threads, .world = o->world};
  for (unsigned t = 0; t < o->threads; t++)
    if (o->thread[t].alive)
      look_at(s, &c, t);
  bool target = checkers[s->plan->kind].reached(s, o);
  s->outcome.target += target;
  s->outcome.failed += target && o->bug;
  s->outcome.other += !target && o->bug && o->inside;
  s->outcome.stalled += !target && o->bug && !o->inside;
  s->outcome.completed += !target && !o->bug;
  s->outcome.diverged += s->lost && s->plan->kind == PLAN_SEQUENCE;
  *(struct plan_outcome *)o->job->answer[ANSWER_OUTCOME] = s->outcome;
  o->job->answered[ANSWER_OUTCOME] = sizeof s->outcome;
  return true;
}

const struct strategy strategy_confirm = {
    .name = "confirm",
    .state_size = sizeof(struct confirm),
    .every_step = true,
    .calls = true,
    .names = true,
    .begin = confirm_begin,
    .pick = confirm_pick,
    .choose = confirm_choose,
    .end = confirm_end,
};
