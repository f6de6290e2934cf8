/* SPDX-License-Identifier: Apache-2.0
 *
 * Properties that specifications say, as shapes of mistakes: which events of the property came in the wrong order, or
 * which one came after which who is held back can never go on. Told in the words of the specification; what the
 * property means is not known here, only which events its monitor read.
 */
#include "report/blame/shape_table.h"
#include "report/blame/told_part.h"
#include "report/blame/trail.h"
#include <stdio.h>
#include <string.h>

static bool of_one_monitor(const struct trace_event *a, const struct trace_event *b)
{
  return b->op == OP_PROPERTY &&
         property_events_meet(a->length, (uint64_t[]){a->addr, a->arg}, b->length, (uint64_t[]){b->addr, b->arg});
}

/* The latest event before that one which its monitor has read, of its own thread or of another; NO_EVENT: none. */
static size_t read_before(const struct story *story, const struct trace_event *last, size_t before, bool own)
{
  for (size_t i = before; i-- > 0;)
    if (of_one_monitor(last, &story->events[i]) && story->events[i].text[0] &&
        (story->events[i].thread == last->thread) == own)
      return i;
  return NO_EVENT;
}

/* The event that violates it is the last one; another thread's is before it, and perhaps one of its own before that. */
static bool find_violation(const struct story *story, struct pattern *out)
{
  const struct bug *bug = story->bug;
  size_t last = story->event_count;
  if (bug->kind != BUG_PROPERTY || bug->detail != PROPERTY_SPECIFIED || !party_count(bug))
    return false;
  while (last-- > 0 && !(story->events[last].op == OP_PROPERTY && story->events[last].thread == bug->party[0].thread &&
                         story->events[last].pc == bug->party[0].pc))
    continue;
  if (last >= story->event_count)
    return false;
  const size_t other = read_before(story, &story->events[last], last, false);
  if (other == NO_EVENT)
    return false;
  *out = (struct pattern){.kind = PATTERN_DISALLOWED,
                          .event = {read_before(story, &story->events[last], other, true), other, last, NO_EVENT}};
  return true;
}

/* Who is held is about to reach an event that the monitor does not allow after the latest one. */
static bool find_held(const struct story *story, struct pattern *out)
{
  const struct bug *bug = story->bug;
  if (bug->kind != BUG_PROPERTY || bug->detail != PROPERTY_HOLDS_BACK || !party_count(bug))
    return false;
  const struct trace_event *left = left_of(story, bug->party[0].thread);
  if (!left || left->op != OP_PROPERTY)
    return false;
  size_t other = read_before(story, left, story->event_count, false);
  if (other == NO_EVENT)
    return false;
  *out = (struct pattern){.kind = PATTERN_HELD_BACK, .event = {other, NO_EVENT, NO_EVENT, NO_EVENT}};
  return true;
}

/* ---- telling ---- */

struct named_event {
  struct told_part part;
  char name[sizeof((struct trace_event *)0)->text], property[sizeof((struct trace_event *)0)->text];
};

/* "modify of SafeIteration on list → unsafe": what specifications call it. */
static struct named_event name_event(const struct story *story, const struct trace_event *event)
{
  struct named_event n = {.part = part_of_event(story, event)};
  const char *of = strstr(event->text, " of ");
  const char *property = of ? of + strlen(" of ") : "";
  snprintf(n.name, sizeof n.name, "%.*s", of ? (int)(of - event->text) : 0, event->text);
  snprintf(n.property, sizeof n.property, "%.*s", (int)strcspn(property, " "), property);
  return n;
}

static struct named_event name_of(const struct story *story, const struct pattern *p, unsigned at)
{
  return name_event(story, &story->events[p->event[at]]);
}

static void tell_violation(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct named_event other = name_of(story, p, 1), last = name_of(story, p, 2);
  if (p->event[0] == NO_EVENT) {
    snprintf(out, n, "%s reaches `%s` at %s and then %s reaches `%s` at %s, which %s does not allow", other.part.who,
             other.name, other.part.where, last.part.who, last.name, place_after(other.part.where, last.part.where),
             last.property);
    return;
  }
  const struct named_event first = name_of(story, p, 0);
  snprintf(out, n, "%s reaches `%s` at %s and `%s` at %s; %s reaches `%s` at %s in between, and %s does not allow that",
           first.part.who, first.name, first.part.where, last.name, place_after(first.part.where, last.part.where),
           other.part.who, other.name, place_after(first.part.where, other.part.where), last.property);
}

static void mend_violation(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct named_event other = name_of(story, p, 1), last = name_of(story, p, 2);
  if (p->event[0] == NO_EVENT && !strcmp(other.name, last.name)) /* whoever comes first */
    snprintf(out, n, "one lock, held from `%s` (%s) until %s allows the next one, and likewise from `%s` (%s)",
             other.name, other.part.where, last.property, last.name, last.part.where);
  else if (p->event[0] == NO_EVENT)
    snprintf(
        out, n,
        "let %s wait with `%s` until %s is past `%s`, or let %s do without it once that has come (with \"enforce\" "
        "before the name of the property, heddle enforce tries what that would be)",
        other.part.who, other.name, last.part.who, last.name, last.part.who);
  else
    snprintf(out, n, "one lock, held from `%s` (%s) to `%s` (%s) and around `%s` (%s)", name_of(story, p, 0).name,
             name_of(story, p, 0).part.where, last.name, last.part.where, other.name, other.part.where);
}

static void tell_held(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct named_event other = name_of(story, p, 0),
                           held = name_event(story, left_of(story, story->bug->party[0].thread));
  snprintf(out, n, "%s is held before `%s` at %s, since %s does not allow it after `%s` of %s at %s", held.part.who,
           held.name, held.part.where, held.property, other.name, other.part.who,
           place_after(held.part.where, other.part.where));
}

static void mend_held(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct named_event other = name_of(story, p, 0),
                           held = name_event(story, left_of(story, story->bug->party[0].thread));
  snprintf(out, n, "let %s wait with `%s` until %s is past `%s`, or allow that in %s", other.part.who, other.name,
           held.part.who, held.name, held.property);
}

const struct shape property_shapes[] = {
    {PATTERN_DISALLOWED, find_violation, NULL, tell_violation, mend_violation, NULL},
    {PATTERN_HELD_BACK, find_held, NULL, tell_held, mend_held, NULL},
};
const size_t property_count = sizeof property_shapes / sizeof property_shapes[0];
