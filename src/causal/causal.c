/* SPDX-License-Identifier: Apache-2.0
 *
 * The executions of the search by causality: a course is followed, then the execution goes on by itself, and what it
 * shows is asked for the next ones. See causal.h.
 */
#include "causal/causal.h"
#include "core/loss.h"
#include "core/rng.h"

#define PATIENCE 200 /* steps in a row, then another one: a loop may wait for it */

void causal_open(struct causal *c, const struct control_config *config)
{
  c->hashing = config->hashes;
  c->races = config->races != RACES_IGNORE;
}

void causal_forget(struct causal *c)
{
  causal_forget_classes(c);
  c->course = 0;
  c->runs = c->questions = c->steps = 0;
  c->planned = (struct planned){0};
  c->finished = c->full = false;
  c->lost = 0;
  c->uncovered = (struct uncovered){0};
}

void causal_start(struct causal *c)
{
  causal_begin(&c->trace);
  c->strayed = false;
  c->position = c->current = 0;
  c->since = 0;
  c->threads_before = 1;
  c->aside = c->finished ? ASIDE_REPORTED : ASIDE_NOT;
}

/* ---- who goes on ---- */

static const struct causal_course *followed(struct causal *c)
{
  return c->course ? causal_course_at(&c->work, c->course - 1) : NULL;
}

static uint64_t step_at(const struct causal_course *course, uint32_t position)
{
  return causal_steps_of(course)[position];
}

/* The end of the program comes last. */
static struct threadset able(const struct choice *choice)
{
  struct threadset set = *choice->enabled;
  THREADSET_EACH(t, choice->enabled)
  {
    if (choice->thread[t].pending.kind == OP_END && threadset_count(&set) > 1)
      threadset_remove(&set, t);
  }
  return set;
}

static unsigned next_after(const struct threadset *set, unsigned t)
{
  unsigned next = t + 1 < MAX_THREADS ? threadset_next(set, t + 1) : MAX_THREADS;
  return next < MAX_THREADS ? next : threadset_next(set, 0);
}

static unsigned by_itself(const struct causal *c, const struct choice *choice)
{
  struct threadset set = able(choice);
  bool on = threadset_has(&set, c->current) && !op_lets_others(&choice->thread[c->current].pending);
  return on && choice->step - c->since < PATIENCE ? c->current : next_after(&set, c->current);
}

/* The step of the course; MAX_THREADS: it cannot be taken, or is another one. */
static unsigned planned(const struct causal *c, const struct choice *choice, const struct causal_course *course)
{
  bool target = c->position == course->steps;
  unsigned t = target ? course->thread : (unsigned)(step_at(course, c->position) & 0xffff);
  if (!threadset_has(choice->enabled, t))
    return MAX_THREADS;
  if (!target && causal_what(&choice->thread[t].pending) >> 32 != step_at(course, c->position) >> 32)
    return MAX_THREADS;
  return t;
}

static void settle(struct causal *c, const struct world *world, const struct thread_state *thread, unsigned threads)
{
  if (!c->position)
    return;
  unsigned t = c->trace.event[c->trace.events - 1].thread;
  bool failed = op_announced_kind(&c->trace.last) == OP_ATOMIC_RMW && thread[t].failed == c->operation;
  bool creates = c->trace.last.kind == OP_CREATE && threads > c->threads_before;
  causal_settle(&c->trace, world, failed, creates ? threads - 1 : 0);
  c->threads_before = threads;
}

/* The trace's own reason goes before that one. */
static void uncover(struct causal *c, enum uncovered_reason why, const struct causal_event *e)
{
  c->lost |= LOST_CAUSALITY;
  causal_uncover(&c->trace.uncovered, why, e);
  if (!c->uncovered.why)
    c->uncovered = c->trace.uncovered;
}

static const struct causal_event *last_event(const struct causal *c)
{
  return c->trace.events ? &c->trace.event[c->trace.events - 1] : NULL;
}

/* It is not covered what follows. */
static unsigned give_up(struct causal *c)
{
  uncover(c, UNCOVERED_HELD, last_event(c));
  c->finished = true;
  return PICK_BLOCKED;
}

static unsigned stray(struct causal *c)
{
  uncover(c, UNCOVERED_STRAYED, last_event(c));
  c->strayed = true;
  c->aside = ASIDE_REPORTED;
  return PICK_BLOCKED;
}

unsigned causal_pick(struct causal *c, const struct choice *choice)
{
  const struct causal_course *course = followed(c);
  if (c->finished)
    return PICK_BLOCKED; /* there is nothing to be done in this job */
  settle(c, choice->world, choice->thread, choice->threads);
  bool follows = course && c->position < course->steps + (course->thread < CAUSAL_THREADS);
  unsigned t = follows ? planned(c, choice, course) : by_itself(c, choice);
  if (t == MAX_THREADS)
    return stray(c);
  const struct operation *op = &choice->thread[t].pending;
  causal_add(&c->trace, choice->world, t, op);
  if (c->trace.uncovered.why || choice->holding)
    return give_up(c);
  c->operation = choice->thread[t].operations;
  c->position++;
  if (t != c->current) {
    c->current = t;
    c->since = choice->step;
  }
  return t;
}

unsigned causal_choose(struct causal *c, unsigned n)
{
  const struct causal_course *course = followed(c);
  unsigned told = 0;
  if (!c->position)
    return 0;
  if (course && c->position <= course->steps)
    told = (unsigned)(step_at(course, c->position - 1) >> 16 & 0xffff);
  else if (course && c->position == course->steps + 1)
    told = course->choice;
  unsigned value = told && told <= n ? told - 1 : 0;
  causal_chose(&c->trace, n, value);
  return value;
}

/* ---- the end of an execution ---- */

static void number_prefixes(struct causal *c)
{
  const struct causal_trace *t = &c->trace;
  c->class_hash = 0;
  for (unsigned u = 0; u < t->threads; u++) {
    uint64_t prefix = 0;
    for (uint32_t i = 0; i < t->thread[u].count; i++) {
      const struct causal_event *e = causal_event_of(t, u, i);
      prefix = causal_prefix_with(prefix, e->sign, causal_is_listed(e));
      c->prefix_of[t->thread[u].first + i] = prefix;
    }
    c->class_hash += mix64(prefix + u);
  }
}

/* If the program ended while others were alive, or failed, they are where they stand. */
static void finish_trace(struct causal *c, const struct outcome *outcome)
{
  struct causal_trace *t = &c->trace;
  settle(c, outcome->world, outcome->thread, outcome->threads);
  unsigned last = outcome->inside && t->events ? t->event[t->events - 1].thread : MAX_THREADS;
  bool others = false;
  for (unsigned u = 0; u < outcome->threads; u++) {
    if (outcome->thread[u].alive && u != last) {
      causal_add_pending(t, outcome->world, u, &outcome->thread[u].pending);
      others |= u < CAUSAL_THREADS;
    } else if (u < CAUSAL_THREADS && u != last) {
      t->thread[u].ended = true;
    }
  }
  if (outcome->inside && t->events) {
    t->event[t->events - 1].last = true;
    c->lost |= others ? LOST_BEFORE_END : 0;
  }
  causal_finish(t);
}

/* The step of the course saw what it was to see, or all came to where they were to stand. */
static bool went_as_planned(struct causal *c)
{
  const struct causal_course *course = followed(c);
  if (!course)
    return true;
  if (course->thread == CAUSAL_THREADS)
    return c->trace.events >= course->steps;
  return c->trace.events > course->steps && c->trace.event[course->steps].sign == course->wanted;
}

static void note_plan(struct causal *c)
{
  if (!c->course)
    return;
  c->planned.executions++;
  c->planned.shown += !c->strayed && went_as_planned(c);
}

/* What the execution shows can be concluded from. */
static bool is_explained(struct causal *c, const struct outcome *outcome)
{
  enum uncovered_reason why = UNCOVERED_NOTHING;
  const struct causal_event *at = NULL;
  if (outcome->cut) {
    why = UNCOVERED_CUT;
  } else if (!c->trace.uncovered.why && !causal_holds(&c->replay, &c->trace)) {
    why = UNCOVERED_UNEXPLAINED;
    at = c->replay.taken_count < c->trace.events ? &c->trace.event[c->replay.taken_count] : NULL;
  } else if (!went_as_planned(c)) {
    why = UNCOVERED_STRAYED;
    at = last_event(c);
  }
  if (!why && !c->trace.uncovered.why)
    return true;
  uncover(c, why, at);
  return false;
}

static bool go_on(struct causal *c)
{
  if (c->full)
    c->lost |= LOST_TOO_LONG;
  c->course = causal_next_course(c);
  c->finished = !c->course;
  return c->course;
}

bool causal_end(struct causal *c, const struct outcome *outcome)
{
  const struct causal_course *course = followed(c);
  if (c->finished)
    return false;
  if (c->strayed) {
    note_plan(c);
    return go_on(c);
  }
  finish_trace(c, outcome);
  note_plan(c);
  number_prefixes(c);
  if (course)
    causal_tell_attempt(&c->trace, course, outcome);
  if (outcome->too_long) {
    c->lost |= LOST_TOO_LONG;
    return go_on(c);
  }
  if (!is_explained(c, outcome))
    return go_on(c);
  if (course && course->thread == CAUSAL_THREADS) {
    c->aside = ASIDE_REPORTED; /* for what its beginning shows; where that leads is found by others */
    return go_on(c);
  }
  c->runs++;
  causal_add_class(c);
  causal_find_courses(c);
  return go_on(c);
}
