/* SPDX-License-Identifier: Apache-2.0
 *
 * A search through the states that a monitor can come to without leaving its property; see property_prospect.h.
 */
#include "enforce/property_prospect.h"
#include "core/automaton_table.h"
#include "core/property_instances.h"
#include "core/without_libc.h"

static bool is_left(const struct property_set *set, const struct property *p, uint16_t state)
{
  return state == NO_STATE || property_is_violated(p, set->category[p->monitor.category + state]);
}

bool property_may_be_allowed(const struct property_set *set, uint32_t property, uint16_t state, uint32_t event,
                             uint64_t coming)
{
  static uint16_t list[PROPERTY_STATES];
  static bool seen[PROPERTY_STATES];
  const struct property *p = &set->property[property];
  const struct property_monitor *m = &p->monitor;
  uint32_t count = 0;
  if (m->kind != MONITOR_TABLE || state >= m->states)
    return true;
  fill_bytes(seen, 0, sizeof seen);
  seen[state] = true;
  list[count++] = state;
  for (uint32_t at = 0; at < count; at++)
    for (uint32_t letter = 0; letter < m->letters; letter++) {
      uint16_t next = automaton_step(&set->edge[m->next], m->letters, list[at], letter);
      if (is_left(set, p, next))
        continue;
      if (letter == event)
        return true;
      if (!(coming >> letter & 1))
        continue;
      if (!seen[next])
        list[count++] = next;
      seen[next] = true;
    }
  return false;
}

bool property_moves_by_events(const struct property_set *set, const struct property_rule *rule)
{
  const struct property *p = &set->property[rule->property];
  for (uint32_t e = 0; e < p->events; e++)
    if (p->event[e].destroys)
      return false;
  return !rule->condition && !p->pointers;
}
