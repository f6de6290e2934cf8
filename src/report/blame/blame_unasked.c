/* SPDX-License-Identifier: Apache-2.0
 *
 * Waits on a condition variable that end though nobody signalled, and are not repeated. POSIX allows such ends; with
 * --spurious they happen.
 */
#include "report/blame/shape_table.h"
#include "report/blame/told_part.h"
#include "report/blame/trail.h"
#include "report/story/moment.h"
#include <stdio.h>

static bool wakes(const struct trace_event *e)
{
  return e->op == OP_COND_WAKE || e->op == OP_COND_TIMEDWAKE;
}

static bool signals_it(const struct trace_event *e, const struct trace_event *wake)
{
  return (e->op == OP_COND_SIGNAL || e->op == OP_COND_BROADCAST) && e->addr == wake->addr;
}

/* Where the thread began the wait that ends there. */
static size_t find_wait(const struct story *story, size_t wake)
{
  for (size_t i = wake; i-- > 0;)
    if (story->events[i].thread == story->events[wake].thread)
      return story->events[i].op == OP_COND_WAIT ? i : NO_EVENT;
  return NO_EVENT;
}

/* Whether the event writes what the thread had looked at before it began to wait, since it took the mutex. */
static bool changes_what_was_seen(const struct story *story, size_t wait, const struct trace_event *change)
{
  const struct trace_event *events = story->events;
  if (!op_writes_memory(change->op))
    return false;
  for (size_t i = wait; i-- > 0;) {
    if (events[i].thread != events[wait].thread)
      continue;
    if (event_takes(&events[i], events[wait].second))
      return false;
    if (event_reads(&events[i]) && events_overlap(&events[i], change))
      return true;
  }
  return false;
}

/* Nobody signalled, what it waits for is as it was, and yet it goes on. */
static bool is_unasked(const struct story *story, size_t wait, size_t wake)
{
  const struct trace_event *events = story->events;
  if (wait == NO_EVENT || events[wake].result)
    return false;
  for (size_t i = wait + 1; i < wake; i++)
    if (signals_it(&events[i], &events[wake]) || changes_what_was_seen(story, wait, &events[i]))
      return false;
  for (size_t i = wake + 1; i < story->event_count; i++)
    if (events[i].thread == events[wake].thread && events[i].op == OP_COND_WAIT && events[i].addr == events[wake].addr)
      return false;
  return true;
}

bool find_unasked(const struct story *story, struct pattern *out)
{
  for (size_t i = story->event_count; i-- > 0;) {
    const size_t wait = wakes(&story->events[i]) ? find_wait(story, i) : NO_EVENT;
    if (!is_unasked(story, wait, i))
      continue;
    *out = pattern_of(PATTERN_UNASKED, wait, i, NO_EVENT, NO_EVENT);
    return true;
  }
  return false;
}

void tell_unasked(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part wake = part_of(story, p->event[1]);
  snprintf(out, n, "the wait of %s on `%s` at %s ends though nobody signalled, and %s goes on as if somebody had",
           wake.who, wake.what, wake.where, wake.who);
}
