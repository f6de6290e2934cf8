/* SPDX-License-Identifier: Apache-2.0
 *
 * Notes on properties; see property_notes.h.
 */
#include "cli/find/property_notes.h"
#include "core/property.h"
#include "session/console.h"
#include <stdio.h>
#include <string.h>

bool properties_are_idle(const struct target *target, const struct session_result *r)
{
  for (unsigned i = 0; i < target->own_properties; i++)
    if (!r->property_events[i])
      return true;
  return false;
}

/* "a, b" */
static void list_missing(const struct property *p, uint32_t seen, char *out, size_t size)
{
  size_t n = 0;
  out[0] = 0;
  for (uint32_t e = 0; e < p->events && n < size; e++)
    if (!(seen >> e & 1))
      n += (size_t)snprintf(out + n, size - n, "%s%s", n ? ", " : "", p->event[e].name);
}

void print_property_notes(const struct target *target, const char *file, const struct session_result *r)
{
  char missing[512];
  for (unsigned i = 0; i < target->own_properties; i++) {
    const struct property *p = &target->properties->property[i];
    list_missing(p, r->property_events[i], missing, sizeof missing);
    if (!r->property_events[i])
      console_note("%s:%u: %s was not checked: none of its events came in any execution (%s)", file, p->line, p->name,
                   missing);
    else if (missing[0])
      console_note("%s:%u: %s: event%s %s came in no execution; is that called, and not inlined?", file, p->line,
                   p->name, strchr(missing, ',') ? "s" : "", missing);
  }
}
