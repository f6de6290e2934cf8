/* SPDX-License-Identifier: Apache-2.0
 *
 * Rules and what happens; see property_happening.h.
 */
#include "core/property_happening.h"
#include "core/property_code.h"
#include "core/without_libc.h"

static bool is_there(const struct property_rule *rule, const struct property_happening *h)
{
  if (h->source < EVENT_OF_ACCESS)
    return true;
  uintptr_t begin = rule->place + h->bias;
  return h->addr < begin + rule->bytes && begin < h->addr + h->size &&
         (h->source != EVENT_OF_ACCESS || rule->accesses & h->accesses);
}

static bool fits(const struct property_rule *rule, const struct property_happening *h)
{
  return rule->source == h->source && rule->after == h->after && rule->function == h->function &&
         (!h->mark || !text_compare(rule->mark, h->mark)) && is_there(rule, h);
}

static bool is_by_thread(const struct property_rule *rule, const struct property_happening *h)
{
  for (unsigned i = 0; i < rule->threads; i++)
    if ((text_compare(rule->thread[i], h->thread_name) == 0) == (rule->not_in >> i & 1))
      return false;
  return true;
}

bool property_happening_asks_name(const struct property_set *set, const struct property_happening *h)
{
  for (uint32_t i = 0; i < set->rules; i++)
    if (set->rule[i].threads && fits(&set->rule[i], h))
      return true;
  return false;
}

static bool uses_result(const struct property_rule *rule)
{
  for (unsigned i = 0; i < rule->values; i++)
    if (rule->value[i].source == VALUE_RESULT)
      return true;
  return false;
}

bool property_happening_read(const struct property_set *set, uint32_t number, const struct property_happening *h,
                             struct property_reading *out)
{
  const struct property_rule *rule = &set->rule[number];
  int64_t value[PROPERTY_ALL_VALUES] = {0};
  if (!fits(rule, h) || !is_by_thread(rule, h) || (h->unfinished && uses_result(rule)))
    return false;
  for (unsigned i = 0; i < rule->values; i++)
    value[i] = property_happening_value(&rule->value[i], h);
  if (rule->asks && !property_code_run(&set->code[rule->asks], value, NULL))
    return false;
  *out = (struct property_reading){.rule = number, .thread = h->thread - 1, .pc = h->pc};
  for (unsigned i = 0; i < rule->carried; i++)
    out->value[i] = value[i];
  return true;
}
