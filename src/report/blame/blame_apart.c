/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps of one thread that belong together, on more than one variable or object, and what another one did between them:
 * values read apart, a check and an act, a slot given free before it is read, a message written in two calls. Read from
 * the failing run alone, around its preemptions.
 */
#include "report/blame/shape_table.h"

#include "report/blame/told_part.h"
#include "report/blame/trail.h"
#include "report/story/held.h"
#include "report/story/terminal_text.h"
#include <string.h>

#define NEAR 400 /* events before a preemption: what is further away has little to do with it */

/* Where somebody else wrote that memory in the gap, last; NO_EVENT: nobody did. */
static size_t written_in(const struct story *story, const struct gap *gap, const struct trace_event *memory)
{
  for (size_t i = gap->to; i-- > gap->from;)
    if (op_writes_memory(story->events[i].op) && story->events[i].op != OP_FREE &&
        events_overlap(&story->events[i], memory))
      return i;
  return NO_EVENT;
}

static bool is_plain_read(const struct trace_event *e)
{
  return e->op == OP_READ || e->op == OP_ATOMIC_LOAD;
}

/* Whether a write left another value than an event read there. */
static bool has_changed(const struct trace_event *read, const struct trace_event *write)
{
  return read->has_value && write->has_value && read->value != write->value;
}

/* Whether the thread did nothing but read and write memory between two events: no lock, nothing atomic but loads. */
static bool is_straight(const struct story *story, uint32_t thread, size_t from, size_t to)
{
  for (size_t i = from + 1; i < to; i++) {
    const struct trace_event *e = &story->events[i];
    if (e->thread == thread && !is_plain_read(e) && e->op != OP_WRITE)
      return false;
  }
  return true;
}

/* ---- two values ---- */

/* The thread reads one before the gap and another one behind it; who wrote the second in the gap wrote both. */
static bool find_pair(const struct story *story, const struct gap *gap, struct pattern *out)
{
  const struct trace_event *events = story->events;
  if (gap->thread != failing_thread(story))
    return false;
  for (size_t i = gap->from; i-- > 0 && gap->from - i < NEAR;) {
    if (events[i].thread != gap->thread || !is_plain_read(&events[i]) || is_repeated(story, i))
      continue;
    const size_t first = written_in(story, gap, &events[i]);
    if (first == NO_EVENT || !has_changed(&events[i], &events[first]) ||
        access_after(story, gap->to, gap->thread, &events[i]) != NO_EVENT || in_library(story, events[i].pc))
      continue;
    for (size_t k = gap->to; k < story->event_count; k++) {
      if (events[k].thread != gap->thread || !is_plain_read(&events[k]) || is_repeated(story, k))
        continue;
      const size_t second = written_in(story, gap, &events[k]);
      *out = pattern_of(PATTERN_PAIR, i, first, second, k);
      if (second != NO_EVENT && events[second].thread == events[first].thread &&
          is_straight(story, gap->thread, i, k) && access_before(story, gap->from, gap->thread, &events[k]) == NO_EVENT)
        return true;
    }
  }
  return false;
}

static void tell_pair(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part one = part_of(story, p->event[0]), first = part_of(story, p->event[1]),
                         other = part_of(story, p->event[3]);
  if (p->event[2] == NO_EVENT) {
    snprintf(out, n,
             "%s reads `%s` at %s and `%s` at %s while %s changes both under a lock: it has written the first, at "
             "%s, and not yet the other",
             one.who, one.what, one.where, other.what, place_after(one.where, other.where), first.who,
             place_after(one.where, first.where));
    return;
  }
  const struct told_part second = part_of(story, p->event[2]);
  snprintf(out, n,
           "%s reads `%s` at %s and `%s` at %s; %s has written both in between, at %s and %s: one is old, the "
           "other new",
           one.who, one.what, one.where, other.what, place_after(one.where, other.where), first.who,
           place_after(one.where, first.where), place_after(one.where, second.where));
}

/* ---- a check and an act ---- */

/* The thread reads something, others change that, and it writes something else that they have looked at meanwhile. */
static bool find_check_apart(const struct story *story, const struct gap *gap, struct pattern *out)
{
  const struct trace_event *events = story->events;
  for (size_t i = gap->from; i-- > 0 && gap->from - i < NEAR;) {
    if (events[i].thread != gap->thread || !is_plain_read(&events[i]) || !is_tested(story, &events[i]))
      continue;
    const size_t change = written_in(story, gap, &events[i]);
    if (change == NO_EVENT || !has_changed(&events[i], &events[change]) ||
        access_after(story, i + 1, gap->thread, &events[i]) != NO_EVENT)
      continue;
    for (size_t k = gap->to; k < story->event_count; k++) {
      const size_t seen = events[k].thread == gap->thread && op_writes_memory(events[k].op)
                              ? access_before(story, gap->to, events[change].thread, &events[k])
                              : NO_EVENT;
      if (seen == NO_EVENT || seen < gap->from)
        continue;
      *out = pattern_of(PATTERN_CHECK_APART, i, change, k, NO_EVENT);
      return true;
    }
  }
  return false;
}

static void tell_check_apart(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part check = part_of(story, p->event[0]), change = part_of(story, p->event[1]),
                         act = part_of(story, p->event[2]);
  char value[VALUE_SIZE], found[VALUE_SIZE];
  describe_plain_value(story, &story->events[p->event[0]], false, value);
  describe_plain_value(story, &story->events[p->event[1]], false, found);
  snprintf(out, n,
           "%s reads `%s` at %s (%s) and writes `%s` at %s as if it still were; %s has changed it in between, at "
           "%s: it is %s by then",
           check.who, check.what, check.where, value, act.what, place_after(check.where, act.where), change.who,
           place_after(check.where, change.where), found);
}

/* A lock that the thread took between the check and the act, which the other one held at its change; 0 for none. */
static uintptr_t lock_between(const struct story *story, const struct pattern *p)
{
  const struct held act = held_at(story, p->event[2]);
  for (uint32_t i = 0; i < act.count; i++)
    if (!holds_at(story, p->event[0], act.lock[i].addr) && holds_at(story, p->event[1], act.lock[i].addr))
      return act.lock[i].addr;
  return 0;
}

static void mend_check_apart(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part check = part_of(story, p->event[0]);
  const uintptr_t lock = lock_between(story, p);
  char name[OBJECT_SIZE] = "";
  if (lock)
    describe_lock_name(story, lock, name);
  if (name[0])
    snprintf(out, n, "%s must look at `%s` with `%s` held, and keep that until it has acted", check.who, check.what,
             name);
  else
    snprintf(out, n, "the check and the act must be in one critical section, and so must be what changes `%s`",
             check.what);
}

/* ---- given free ---- */

/* The thread writes something that lets another one go on, and only then reads what that one now writes over. */
static bool find_given_early(const struct story *story, const struct gap *gap, struct pattern *out)
{
  const struct trace_event *events = story->events;
  for (size_t i = gap->from; i-- > 0 && events[i].thread == gap->thread;) {
    if (!op_writes_memory(events[i].op) || !op_is_atomic(events[i].op))
      continue;
    for (size_t see = gap->from; see < gap->to; see++) {
      if (!event_reads(&events[see]) || !events_overlap(&events[see], &events[i]) || is_repeated(story, see) ||
          find_source(story, see) != i)
        continue;
      for (size_t k = gap->to; k < story->event_count && k < gap->to + NEAR; k++) {
        const size_t over =
            events[k].thread == gap->thread && events[k].op == OP_READ ? written_in(story, gap, &events[k]) : NO_EVENT;
        *out = pattern_of(PATTERN_GIVEN_EARLY, i, see, over, k);
        if (over != NO_EVENT && over > see && events[over].thread == events[see].thread &&
            is_straight(story, gap->thread, i, k))
          return true;
      }
    }
  }
  return false;
}

static void tell_given_early(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part given = part_of(story, p->event[0]), sees = part_of(story, p->event[1]),
                         over = part_of(story, p->event[2]), use = part_of(story, p->event[3]);
  snprintf(out, n,
           "%s writes `%s` at %s before it reads `%s` at %s; %s sees the first at %s and writes over the other at "
           "%s",
           given.who, given.what, given.where, use.what, place_after(given.where, use.where), sees.who,
           place_after(given.where, sees.where), place_after(given.where, over.where));
}

static void mend_given_early(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part given = part_of(story, p->event[0]), use = part_of(story, p->event[3]);
  snprintf(out, n, "%s must read `%s` first and write `%s` after that (with a release store)", given.who, use.what,
           given.what);
}

/* ---- messages ---- */

static bool sends(const struct trace_event *e, uintptr_t stream)
{
  return (e->op == OP_CHANNEL_SEND || e->op == OP_CHANNEL_TIMEDSEND) && e->second && (!stream || e->second == stream);
}

/* The last message of the thread before the gap, another one's in the gap, and the rest of its own: sent, or left. */
static bool find_two_writes(const struct story *story, const struct gap *gap, struct pattern *out)
{
  const struct trace_event *events = story->events, *left = left_of(story, gap->thread);
  size_t first = gap->from, other = NO_EVENT, last = gap->to;
  while (first-- > 0 && !(events[first].thread == gap->thread && sends(&events[first], 0)))
    continue;
  if (first >= gap->from)
    return false;
  for (size_t i = gap->from; i < gap->to; i++)
    if (sends(&events[i], events[first].second))
      other = i;
  while (last < story->event_count &&
         !(events[last].thread == gap->thread && sends(&events[last], events[first].second)))
    last++;
  const bool waiting = left && (left->op == OP_CHANNEL_SEND || left->op == OP_CHANNEL_TIMEDSEND);
  *out = pattern_of(PATTERN_TWO_WRITES, first, other, last < story->event_count ? last : NO_EVENT, NO_EVENT);
  return other != NO_EVENT && (last < story->event_count || waiting);
}

static void tell_two_writes(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct trace_event *rest =
      p->event[2] == NO_EVENT ? left_of(story, story->events[p->event[0]].thread) : &story->events[p->event[2]];
  const struct told_part first = part_of(story, p->event[0]), other = part_of(story, p->event[1]),
                         last = part_of_event(story, rest);
  snprintf(out, n, "%s writes to %s at %s and the rest at %s; %s writes there in between, at %s", first.who, first.what,
           first.where, place_after(first.where, last.where), other.who, place_after(first.where, other.where));
}

/* ---- the table ---- */

const struct shape apart_shapes[] = {
    {PATTERN_GIVEN_EARLY, NULL, find_given_early, tell_given_early, mend_given_early, NULL},
    {PATTERN_TWO_WRITES, NULL, find_two_writes, tell_two_writes, NULL,
     "one write() or writev() for the whole message (of a pipe at most PIPE_BUF bytes), or one lock around both calls"},
    {PATTERN_PAIR, NULL, find_pair, tell_pair, NULL,
     "read both under one lock that the writer holds, too; or, with a number that each change increases, read that "
     "before "
     "and after both, and begin anew if it differs or a change is under way"},
    {PATTERN_CHECK_APART, NULL, find_check_apart, tell_check_apart, mend_check_apart, NULL},
};
const size_t apart_count = sizeof apart_shapes / sizeof apart_shapes[0];
