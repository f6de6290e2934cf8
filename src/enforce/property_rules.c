/* SPDX-License-Identifier: Apache-2.0
 *
 * Rules of a running program; see property_rules.h.
 */
#include "enforce/property_rules.h"
#include "core/config.h"
#include "enforce/property_cells.h"
#include <sys/mman.h>

#define FUNCTIONS_MOST (WATCHED_CALLS + 1) /* they are numbered from 1 */

static const struct property_set *set;
struct kept_rule property_rules[PROPERTY_RULES];

/* Rules of calls, by function and whether it has returned: where they begin in the list, and end. */
static uint16_t call_rule[PROPERTY_RULES];
static uint16_t call_rules[FUNCTIONS_MOST][2][2];

static void index_calls(void)
{
  uint16_t count = 0;
  for (uint32_t f = 0; f < FUNCTIONS_MOST; f++)
    for (unsigned after = 0; after < 2; after++) {
      call_rules[f][after][0] = count;
      for (uint32_t r = 0; r < set->rules; r++)
        if (set->rule[r].source == EVENT_OF_CALL && set->rule[r].function == f && set->rule[r].after == after)
          call_rule[count++] = (uint16_t)r;
      call_rules[f][after][1] = count;
    }
}

/* A parameter that all events of the property bind, -1 if there is none: then there is one part. Who destroys several
 * objects at once must find all that have to do with any of them. */
static int common_parameter(uint32_t property)
{
  uint32_t common = (1u << set->property[property].parameters) - 1;
  for (uint32_t r = 0; r < set->rules; r++) {
    uint32_t bound = 0;
    if (set->rule[r].property != property)
      continue;
    for (unsigned v = 0; v < set->rule[r].carried; v++)
      bound |= 1u << set->rule[r].value[v].parameter;
    common &= bound;
    if (set->property[property].event[set->rule[r].event].destroys && bound & (bound - 1))
      return -1;
  }
  return common ? __builtin_ctz(common) : -1;
}

/* -1: none. */
static int8_t value_of_parameter(const struct property_rule *rule, int parameter)
{
  for (int8_t v = 0; v < rule->carried; v++)
    if (rule->value[v].parameter == parameter)
      return v;
  return -1;
}

/* Of one rule: what it makes of each state. */
static void fill_steps(struct kept_rule *k, uint16_t *to)
{
  const struct property_rule *rule = &set->rule[k->number];
  const struct property *p = &set->property[rule->property];
  const struct property_monitor *m = &p->monitor;
  for (uint32_t state = 0; state < m->states; state++) {
    uint16_t next = set->edge[m->next + state * m->letters + rule->event];
    bool violates = property_is_violated(p, set->category[m->category + next]);
    to[state] = next | (violates ? STEP_VIOLATES : 0);
    k->loops |= to[state] == state;
  }
  k->to = to;
}
_Static_assert(PROPERTY_STATES <= STEP_VIOLATES, "a state leaves room for the mark");

static void fill_rule(struct kept_rule *k, uint32_t number, const int *divides_by)
{
  const struct property_rule *rule = &set->rule[number];
  const struct property *p = &set->property[rule->property];
  k->number = (uint16_t)number;
  k->property = (uint8_t)rule->property;
  k->is_plain = !rule->threads && !rule->asks;
  k->is_enforced = p->enforced;
  k->creates = !p->parameters || p->event[rule->event].creation;
  k->destroys = p->event[rule->event].destroys;
  k->carried = rule->carried;
  k->divider = value_of_parameter(rule, divides_by[rule->property]);
  for (int i = 0; i < 2; i++)
    k->key[i] = value_of_parameter(rule, i);
  for (unsigned v = 0; v < rule->carried; v++)
    k->value[v] = rule->value[v];
}

bool property_rules_begin(const struct property_set *kept)
{
  int divides_by[PROPERTIES];
  size_t steps = 1;
  set = kept;
  for (uint32_t p = 0; p < set->properties; p++)
    divides_by[p] = common_parameter(p);
  for (uint32_t r = 0; r < set->rules; r++)
    steps += set->property[set->rule[r].property].monitor.states;
  uint16_t *to = mmap(NULL, steps * sizeof *to, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (to == MAP_FAILED)
    return false;
  for (uint32_t r = 0; r < set->rules; r++) {
    fill_rule(&property_rules[r], r, divides_by);
    if (!property_has_cells(set, set->rule[r].property))
      continue;
    fill_steps(&property_rules[r], to);
    to += set->property[set->rule[r].property].monitor.states;
  }
  index_calls();
  return true;
}

/* ---- what happens ---- */

static void read_plain(const struct kept_rule *k, const struct property_happening *h, struct property_reading *out)
{
  out->rule = k->number;
  out->thread = h->thread - 1;
  out->pc = h->pc;
  for (unsigned v = 0; v < k->carried; v++)
    out->value[v] = property_happening_value(&k->value[v], h);
}

static unsigned read_call(const struct property_happening *h, struct property_reading *list)
{
  const uint16_t *range = call_rules[h->function][h->after];
  unsigned count = 0;
  for (unsigned i = range[0]; i < range[1] && count < READINGS_MOST; i++) {
    const struct kept_rule *k = &property_rules[call_rule[i]];
    if (k->is_plain && !h->unfinished)
      read_plain(k, h, &list[count++]);
    else
      count += property_happening_read(set, k->number, h, &list[count]);
  }
  return count;
}

unsigned property_rules_read(const struct property_happening *h, struct property_reading list[READINGS_MOST])
{
  unsigned count = 0;
  if (h->source == EVENT_OF_CALL)
    return read_call(h, list);
  for (uint32_t r = 0; r < set->rules && count < READINGS_MOST; r++)
    count += set->rule[r].source == h->source && property_happening_read(set, r, h, &list[count]);
  return count;
}
