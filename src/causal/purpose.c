/* SPDX-License-Identifier: Apache-2.0
 *
 * Why the search by causality ran an execution that showed a bug (core/attempt.h): which step was to see whose write,
 * which two steps were to come at once, or who was to wait for ever. Made from the execution itself, after its end.
 */
#include "causal/causal.h"
#include "core/attempt.h"
#include "core/key.h"
#include "core/thread_path.h"

/* The how manyth of its thread at that place; 0: the thread comes there once. */
static uint32_t times_there(const struct causal_trace *t, const struct causal_event *e)
{
  uint32_t before = 1, all = 0;
  for (uint32_t i = 0; i < t->thread[e->thread].count; i++) {
    const struct causal_event *other = causal_event_of(t, e->thread, i);
    before += other->pc == e->pc && other->nth < e->nth;
    all += other->pc == e->pc;
  }
  return all > 1 ? before : 0;
}

static struct abstract_event event_of(const struct causal_trace *t, const struct outcome *o,
                                      const struct causal_event *e)
{
  return (struct abstract_event){.place = o->world->name(o->world->self, e->pc),
                                 .thread = thread_path(o->info, e->thread),
                                 .nth = times_there(t, e),
                                 .kind = e->kind};
}

static uint64_t location_of(const struct causal_trace *t, const struct outcome *o, const struct causal_event *e)
{
  uint64_t key = e->accesses                         ? t->word[t->access[e->access].word].key
                 : e->object && e->rule != RULE_JOIN ? t->object[e->object - 1].key
                                                     : 0;
  return key && !key_space(key) ? o->world->name(o->world->self, key_address(key)) : 0;
}

/* Whether it has written what the other one reads, or changed its object. */
static bool is_seen_by(const struct causal_trace *t, const struct causal_event *e, const struct causal_event *reader)
{
  for (unsigned i = 0; i < e->accesses; i++)
    for (unsigned j = 0; j < reader->accesses; j++) {
      const struct causal_access *w = &t->access[e->access + i], *r = &t->access[reader->access + j];
      if (w->word == r->word && w->bytes & r->bytes && (w->writes || e->rule == RULE_FREE))
        return true;
    }
  return !e->accesses && !reader->accesses && e->object == reader->object && e->rule != RULE_JOIN &&
         e->rule != RULE_CREATE;
}

static void say_sight(struct abstract_schedule *s, const struct causal_trace *t, const struct outcome *o,
                      uint32_t target)
{
  const struct causal_event *e = &t->event[target];
  struct constraint *c = &s->constraint[s->constraints++];
  *c = (struct constraint){.read = event_of(t, o, e), .location = location_of(t, o, e)};
  if (e->rule == RULE_CHOICE) {
    c->asked = ASKED_CHOICE;
    c->location = e->outcome;
    return;
  }
  while (target-- > 0)
    if (is_seen_by(t, &t->event[target], e)) {
      c->write = event_of(t, o, &t->event[target]);
      return;
    }
}

static void say_standstill(struct abstract_schedule *s, const struct causal_trace *t, const struct outcome *o)
{
  for (unsigned u = 0; u < t->threads && s->constraints < CONSTRAINTS_MOST; u++) {
    const struct causal_event *e = t->thread[u].pending ? causal_event_of(t, u, t->thread[u].count) : NULL;
    if (e && e->rule != RULE_JOIN)
      s->constraint[s->constraints++] =
          (struct constraint){.read = event_of(t, o, e), .location = location_of(t, o, e), .asked = ASKED_WAITS};
  }
}

/* The two steps that the threads take after the course, whoever comes first. */
static void say_race(struct abstract_schedule *s, const struct causal_trace *t, const struct outcome *o,
                     const struct causal_course *course)
{
  const struct causal_event *pair[2] = {NULL, NULL};
  for (unsigned u = 0; u < t->threads && u < course->threads; u++) {
    uint32_t n = (uint32_t)course->begun[u].steps;
    const struct causal_event *e = n < t->thread[u].count ? causal_event_of(t, u, n) : NULL;
    for (unsigned i = 0; i < 2 && e; i++)
      if (e->pc == course->racing[i] && !pair[i]) {
        pair[i] = e;
        break;
      }
  }
  if (pair[0] && pair[1])
    s->constraint[s->constraints++] = (struct constraint){.read = event_of(t, o, pair[0]),
                                                          .write = event_of(t, o, pair[1]),
                                                          .location = location_of(t, o, pair[0]),
                                                          .asked = ASKED_AT_ONCE};
}

void causal_tell_attempt(const struct causal_trace *t, const struct causal_course *course,
                         const struct outcome *outcome)
{
  struct abstract_schedule s = {0};
  if (!attempt_is_wanted(outcome))
    return;
  if (course->reason == REASON_STANDSTILL)
    say_standstill(&s, t, outcome);
  else if (course->reason == REASON_RACE)
    say_race(&s, t, outcome, course);
  else if (t->events > course->steps)
    say_sight(&s, t, outcome, course->steps);
  attempt_tell(outcome, &s);
}
