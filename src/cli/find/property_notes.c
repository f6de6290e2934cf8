/* SPDX-License-Identifier: Apache-2.0
 *
 * Notes on properties; see property_notes.h.
 */
#include "cli/find/property_notes.h"
#include "core/property.h"
#include "debuginfo/references.h"
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

/* ---- why an event does not come ---- */

/* The function by whose calls alone it could come, if nothing in the program leads there; NULL: it may come. */
static const char *never_called(const struct control_config *config, const struct property_set *set, uint32_t property,
                                uint32_t event, const bool *may_happen)
{
  const char *function = NULL;
  for (uint32_t r = 0; r < set->rules; r++) {
    const struct property_rule *rule = &set->rule[r];
    if (rule->property != property || rule->event != event)
      continue;
    if (rule->source != EVENT_OF_CALL || may_happen[rule->function - 1])
      return NULL;
    function = config->call[rule->function - 1].name;
  }
  return function;
}

static void print_missing(const struct control_config *config, const struct target *target, const char *file,
                          uint32_t property, const struct session_result *r, const bool *may_happen)
{
  const struct property *p = &target->properties->property[property];
  for (uint32_t e = 0; e < p->events; e++) {
    const char *function = never_called(config, target->properties, property, e, may_happen);
    if (r && r->property_events[property] >> e & 1)
      continue;
    if (function)
      console_note("%s:%u: event %s of %s never comes: nothing in %s calls %s (a compiler leaves out calls that do "
                   "nothing)",
                   file, p->line, p->event[e].name, p->name, target->label, function);
    else if (r)
      console_note("%s:%u: event %s of %s came in no execution; is that called, and not inlined?", file, p->line,
                   p->event[e].name, p->name);
  }
}

void print_property_notes(const struct control_config *config, const struct target *target, const char *file,
                          const struct session_result *r)
{
  bool may_happen[WATCHED_CALLS], looked = false;
  for (unsigned i = 0; target->path && i < target->own_properties; i++) {
    const struct property *p = &target->properties->property[i];
    if (r && r->property_events[i] == (uint32_t)((UINT64_C(1) << p->events) - 1))
      continue;
    if (!looked)
      find_references(target->path, config, may_happen);
    looked = true;
    if (r && !r->property_events[i])
      console_note("%s:%u: %s was not checked: none of its events came in any execution", file, p->line, p->name);
    print_missing(config, target, file, i, r, may_happen);
  }
}
