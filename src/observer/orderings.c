/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps the ordering that a test asks for (core/ordering.h): a task that comes to an event too early is held back until
 * its conditions hold. All else is free, and searches explore what is left. When nobody can go on and somebody is held,
 * the ordering cannot be followed from there, which is told as a bug: a run of the test without heddle would stand
 * still as well. If it pins a bug, that the bug's interleaving is impossible is what one hopes for: the execution is
 * cut short there.
 *
 * A task that is held is not blocked: else the delay itself could meet a condition.
 */
#include "core/engine.h"
#include "core/finding.h"
#include "core/formula.h"
#include "core/observer.h"
#include "core/rng.h"
#include "core/waits.h"
#include "core/without_libc.h"

struct following {
  uint64_t occurred;
  uint16_t emitter[ORDERING_EVENTS]; /* tasks, of events that have happened */
  struct formula_past past;          /* instead, of a formula; up to the last step */
  bool begun;                        /* it is */
};

static const struct ordering *ordering_of(const struct engine *e)
{
  const struct control *c = e->control;
  return c->orderings.now ? &c->orderings.ordering[c->orderings.now - 1] : NULL;
}

static bool orderings_look(const void *state, const struct engine *e)
{
  (void)state;
  return e->control->orderings.count > 0;
}

static void orderings_begin(void *state, struct engine *e)
{
  struct following *f = state;
  (void)e;
  f->occurred = 0;
  f->begun = false;
}

/* The event that the operation is, from 1; 0: none. */
static unsigned event_of(const struct engine *e, unsigned task, const struct operation *op)
{
  return e->world->event(e->world->self, task, op);
}

/* ---- holding back ---- */

static bool is_blocked(const struct engine *e, unsigned task)
{
  const struct thread_state *t = &e->thread[task];
  return t->alive && !t->cut_off && e->world->stands(e->world->self, task, &t->pending);
}

/* As far as the event's conditions ask. */
static struct ordering_moment moment(const struct following *f, const struct engine *e, const struct ordering *o,
                                     unsigned event)
{
  struct ordering_moment at = {.occurred = f->occurred};
  for (uint64_t left = ordering_brackets(o, event) & f->occurred; left; left &= left - 1) {
    unsigned asked = (unsigned)__builtin_ctzll(left);
    if (is_blocked(e, f->emitter[asked]))
      at.blocked |= ORDERING_BIT(asked);
  }
  return at;
}

/* ---- formulas ---- */

/* The threads that a formula asks for, as far as they are blocked. */
static uint32_t standing_now(const struct engine *e, const struct ordering *o)
{
  uint32_t standing = 0;
  for (unsigned t = 0; o->threads && t < e->threads; t++)
    for (unsigned i = 0; i < o->threads && is_blocked(e, t); i++)
      standing |= (uint32_t)e->world->is_called(e->world->self, t, o->thread[i]) << i;
  return standing;
}

/* What is before the next step: since the last one, threads may have been blocked, or have gone on. */
static struct formula_past past_now(const struct following *f, const struct engine *e, const struct ordering *o)
{
  struct formula_past past = f->past;
  const uint32_t standing = standing_now(e, o);
  if (!f->begun)
    formula_begin(o, &past);
  if (standing != past.standing)
    formula_go_on(o, &past, (struct formula_instant){.standing = standing});
  return past;
}

static bool formula_lets_go(const struct following *f, const struct engine *e, const struct ordering *o, unsigned event)
{
  const struct formula_past past = past_now(f, e, o);
  return past.occurred & ORDERING_BIT(event - 1) ||
         formula_admits(o, &past, (struct formula_instant){event, past.standing});
}

/* The event happens once. */
static void formula_step(struct following *f, const struct engine *e, const struct ordering *o, unsigned event)
{
  f->past = past_now(f, e, o);
  f->begun = true;
  if (event && ~f->past.occurred & ORDERING_BIT(event - 1))
    formula_go_on(o, &f->past, (struct formula_instant){event, f->past.standing});
}

/* ---- */

static bool orderings_admit(void *state, const struct engine *e, unsigned task, const struct operation *op)
{
  const struct following *f = state;
  const struct ordering *o = ordering_of(e);
  unsigned event = o ? event_of(e, task, op) : 0;
  if (event && o->is_formula)
    return formula_lets_go(f, e, o, event);
  if (!event || ~o->guarded & ORDERING_BIT(event - 1) || f->occurred & ORDERING_BIT(event - 1))
    return true;
  return ordering_admits(o, event - 1, moment(f, e, o, event - 1));
}

/* ---- what that makes dependent ---- */

/* Events to come that wait for somebody to be blocked. */
static bool asks_who_is_blocked(const struct following *f, const struct ordering *o)
{
  for (uint64_t left = o->guarded & ~f->occurred; left; left &= left - 1)
    if (ordering_brackets(o, (unsigned)__builtin_ctzll(left)))
      return true;
  return false;
}

static bool is_asked_for(const struct following *f, const struct ordering *o, unsigned task)
{
  for (uint64_t left = f->occurred; left; left &= left - 1) {
    unsigned event = (unsigned)__builtin_ctzll(left);
    if (o->event[event].bracketed && f->emitter[event] == task)
      return true;
  }
  return false;
}

static bool has_starts(const struct ordering *o)
{
  for (unsigned i = 0; i < o->events; i++)
    if (o->event[i].kind == ORDERING_START)
      return true;
  return false;
}

/* Why a search that leaves out orders of independent steps comes to all ends. Whether a task is held follows from which
 * events that are asked for have happened, in which order and whose, and from who is blocked. The first changes only by
 * those events. Whether a thread is blocked changes by its own steps, and by those of others on any object, but not by
 * their accesses of memory; it is asked only by events to come that have brackets, so what is said of a step when it
 * comes to be pending is true until its turn, or too careful. All these steps depend on all others, so two executions
 * that differ only in the order of independent steps hold the same tasks before the same steps, and no step is enabled
 * or disabled by one that it does not depend on: that is all the argument of explore/explorer.h needs. Steps that
 * nobody could tell from their absence are none here: all count as soon as somebody holds tasks back.
 *
 * Formulas ask for threads by names that those may give themselves between two steps, so all steps may change whom they
 * mean. The name of a thread is not yet known when it is made. */
static bool orderings_mind(void *state, const struct engine *e, unsigned task, const struct operation *op)
{
  const struct following *f = state;
  const struct ordering *o = ordering_of(e);
  if (!o)
    return false;
  if (op->kind == OP_START && has_starts(o))
    return true;
  unsigned event = event_of(e, task, op);
  if (event && o->asked & ORDERING_BIT(event - 1))
    return true;
  if (o->is_formula)
    return o->threads > 0;
  return asks_who_is_blocked(f, o) && (!op_is_memory(op->kind) || is_asked_for(f, o, task));
}

static void orderings_about(void *state, struct engine *e, unsigned task, const struct operation *op)
{
  struct following *f = state;
  const struct ordering *o = ordering_of(e);
  unsigned event = o ? event_of(e, task, op) : 0;
  if (!o)
    return;
  struct ordering_tally *tally = &e->control->orderings.tally[e->control->orderings.now - 1];
  if (o->is_formula)
    formula_step(f, e, o, event);
  if (o->is_formula && op->kind == OP_END) {
    tally->ended++;
    tally->kept += f->past.holds;
  }
  if (!event)
    return;
  uint64_t bit = ORDERING_BIT(event - 1);
  tally->repeated |= f->occurred & bit;
  tally->happened |= bit;
  if (~f->occurred & bit)
    f->emitter[event - 1] = (uint16_t)task;
  f->occurred |= bit;
}

/* ---- when nobody can go on ---- */

static bool is_held(struct following *f, const struct engine *e, unsigned task)
{
  return engine_is_held(e, task) && !orderings_admit(f, e, task, &e->thread[task].pending);
}

/* One bug, wherever the others stand. */
static uint64_t key_of(struct following *f, struct engine *e, const struct ordering *o)
{
  uint64_t key = BUG_SCHEDULE;
  for (const char *s = o->name; *s; s++)
    key = mix64(key ^ (unsigned char)*s);
  for (unsigned t = 0; t < e->threads; t++)
    if (is_held(f, e, t))
      key += mix64(event_of(e, t, &e->thread[t].pending));
  return key;
}

static void add_held(struct following *f, struct engine *e, const struct ordering *o, struct bug *bug, unsigned task)
{
  const struct operation *op = &e->thread[task].pending;
  unsigned event = event_of(e, task, op) - 1;
  if (bug->parties == BUG_PARTIES)
    return;
  bug_add_party(e, bug, task, (enum op_kind)op->kind, 0, 0, op->pc);
  struct bug_party *party = &bug->party[bug->parties - 1];
  ordering_event_text(o, event, party->what, sizeof party->what);
  if (o->is_formula) {
    const struct formula_past past = past_now(f, e, o);
    formula_unmet_text(o, &past, (struct formula_instant){event + 1, past.standing}, party->state, sizeof party->state);
    return;
  }
  ordering_unmet_text(o, event, moment(f, e, o, event), party->state, sizeof party->state);
}

static void report(struct following *f, struct engine *e, const struct ordering *o)
{
  struct bug *bug = bug_new(e, BUG_SCHEDULE, bug_key_of(e, BUG_SCHEDULE, key_of(f, e, o), 0));
  for (unsigned t = 0; t < e->threads; t++)
    if (is_held(f, e, t))
      add_held(f, e, o, bug, t);
  bug_text(bug, "schedule %s cannot be followed: %s waits for %s", o->name, bug->party[0].what, bug->party[0].state);
  for (unsigned t = 0; t < e->threads; t++)
    if (task_waits(e, t) && !is_held(f, e, t))
      bug_add_waiting(e, bug, t);
  bug_declare(e, bug);
}

/* A circle of locks is a deadlock, whoever is held. */
static enum stop orderings_stopped(void *state, struct engine *e, unsigned why)
{
  struct following *f = state;
  const struct ordering *o = ordering_of(e);
  bool held = false;
  for (unsigned t = 0; t < e->threads && o && why == NEXT_DEADLOCK; t++) {
    if (task_waits(e, t) && task_waits_in_circle(e, t))
      return STOP_UNEXPLAINED;
    held |= is_held(f, e, t);
  }
  if (!held || o->pinned)
    return STOP_UNEXPLAINED;
  report(f, e, o);
  return STOP_END;
}

const struct observer observer_orderings = {.name = "orderings",
                                            .state_size = sizeof(struct following),
                                            .begin = orderings_begin,
                                            .looks = orderings_look,
                                            .admits = orderings_admit,
                                            .matters = orderings_mind,
                                            .about = orderings_about,
                                            .stopped = orderings_stopped};
