/* SPDX-License-Identifier: Apache-2.0
 *
 * One operation for all monitors; see monitor.h.
 */
#include "core/monitor.h"
#include "core/automaton_table.h"

void monitor_begin(const struct property_set *set, const struct property_monitor *m, uint16_t *state,
                   struct monitor_memory *memory)
{
  *state = 0;
  if (m->kind == MONITOR_GRAMMAR)
    chart_begin(&set->symbol[m->next], memory);
  else if (m->kind == MONITOR_REWRITING)
    word_begin(memory);
}

uint32_t monitor_step(const struct property_set *set, const struct property_monitor *m, uint16_t *state,
                      struct monitor_memory *memory, uint32_t letter)
{
  if (m->kind == MONITOR_GRAMMAR)
    return chart_step(&set->symbol[m->next], memory, letter);
  if (m->kind == MONITOR_REWRITING)
    return word_step(&set->symbol[m->next], memory, letter);
  *state = automaton_step(&set->edge[m->next], m->letters, *state, letter);
  return set->category[m->category + *state];
}
