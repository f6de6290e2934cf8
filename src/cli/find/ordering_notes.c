/* SPDX-License-Identifier: Apache-2.0
 *
 * Notes on the schedules of a test; see ordering_notes.h.
 */
#include "cli/find/ordering_notes.h"
#include "session/console.h"
#include <inttypes.h>
#include <stdio.h>

static uint32_t tried(const struct session_result *r)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < ORDERINGS_MOST; i++)
    count += r->orderings[i].executions > 0;
  return count;
}

const char *kept_orderings(const struct session_result *r)
{
  const uint32_t count = tried(r);
  return count > 1 ? " that keeps one of its schedules" : count ? " that keeps its schedule" : "";
}

static void print_events(const struct ordering *o, uint64_t events, const char *what)
{
  char text[512] = "", event[ORDERING_NAME + ORDERING_THREAD];
  size_t n = 0;
  for (unsigned i = 0; i < o->events; i++) {
    if (!(events >> i & 1) || n + sizeof event + 2 > sizeof text)
      continue;
    ordering_event_text(o, i, event, sizeof event);
    n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? ", " : "", event);
  }
  if (n)
    console_note("schedule %s: %s %s", o->name, text, what);
}

void print_ordering_notes(const struct session_result *r)
{
  for (uint32_t i = 0; r->control && i < r->control->orderings.count && i < ORDERINGS_MOST; i++) {
    const struct ordering *o = &r->control->orderings.ordering[i];
    const struct ordering_tally *tally = &r->orderings[i];
    if (!tally->executions)
      continue;
    const uint64_t all = o->events < 64 ? ORDERING_BIT(o->events) - 1 : UINT64_MAX;
    print_events(o, all & ~tally->happened, "never happened in any execution; is it spelt as in the test?");
    print_events(o, tally->repeated, "happened more than once in an execution; only the first time counts");
    if (o->is_formula && tally->kept < tally->ended)
      console_note("schedule %s: it held at the end of %" PRIu64 " of %" PRIu64 " executions", o->name, tally->kept,
                   tally->ended);
  }
}
