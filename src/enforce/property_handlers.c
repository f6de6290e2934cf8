/* SPDX-License-Identifier: Apache-2.0
 *
 * Handlers; see property_handlers.h.
 */
#include "enforce/property_handlers.h"
#include "core/without_libc.h"
#include "enforce/order_threads.h"
#include "enforce/property_keeping.h"
#include "enforce/property_script.h"

#define TOLD_MOST 20 /* violations of a property, one by one */

static hd_property_handler *handlers[PROPERTIES][HANDLED];
static uint64_t violations[PROPERTIES];

void property_set_handler(uint32_t property, enum handled what, hd_property_handler *handler)
{
  handlers[property][what] = handler;
}

bool property_has_handler(uint32_t property)
{
  const struct property *p = &properties_kept()->property[property];
  return p->enforced && (handlers[property][HANDLED_CATEGORY] || p->script[HANDLED_CATEGORY]);
}

uint64_t property_violations(void)
{
  uint64_t all = 0;
  for (uint32_t p = 0; p < PROPERTIES; p++)
    all += __atomic_load_n(&violations[p], __ATOMIC_RELAXED);
  return all;
}

static void tell(const struct property_reading *reading)
{
  const struct property_set *set = properties_kept();
  const struct property *p = &set->property[set->rule[reading->rule].property];
  uint64_t before = __atomic_fetch_add(&violations[p - set->property], 1, __ATOMIC_RELAXED);
  char text[512], name[64];
  size_t n = 0;
  if (before >= TOLD_MOST)
    return;
  n += print_text(text + n, sizeof text - n, "heddle: %s is violated", p->name);
  if (p->message[0])
    n += print_text(text + n, sizeof text - n, ": %s", p->message);
  n += print_text(text + n, sizeof text - n, "; %s came to ", order_thread_text(order_self(), name, sizeof name));
  n += property_reading_text(reading, text + n, sizeof text - n);
  n += print_text(text + n, sizeof text - n, before + 1 == TOLD_MOST ? " (more are not told)\n" : "\n");
  order_say(text, n);
}

static struct hd_property_event describe(const struct property_reading *reading, enum handled what, char *name,
                                         size_t size)
{
  const struct property_set *set = properties_kept();
  const struct property_rule *rule = &set->rule[reading->rule];
  const struct property *p = &set->property[rule->property];
  struct hd_property_event e = {.property = p->name,
                                .event = what == HANDLED_DEADLOCK ? "deadlock" : p->event[rule->event].name,
                                .message = what == HANDLED_DEADLOCK ? p->deadlock : p->message,
                                .thread = order_thread_text(order_thread(reading->thread), name, size)};
  for (unsigned v = 0; v < rule->carried; v++)
    if (rule->value[v].parameter < PROPERTY_PARAMETERS) {
      e.name[e.values] = p->parameter[rule->value[v].parameter];
      e.value[e.values++] = reading->value[v];
    }
  return e;
}

static bool call_handler(const struct property_reading *reading, enum handled what)
{
  const struct property_set *set = properties_kept();
  uint32_t property = set->rule[reading->rule].property;
  uint32_t script = set->property[property].script[what];
  char name[64];
  if (!handlers[property][what] && !script)
    return false;
  const struct hd_property_event event = describe(reading, what, name, sizeof name);
  if (handlers[property][what])
    handlers[property][what](&event);
  if (script)
    property_run_script(&set->name[script], &event);
  return true;
}

void property_handle(const struct property_reading *reading, bool violated)
{
  const struct property_set *set = properties_kept();
  if (violated)
    tell(reading);
  if (violated || set->property[set->rule[reading->rule].property].enforced)
    call_handler(reading, HANDLED_CATEGORY);
}

bool property_handle_deadlock(const struct property_reading *reading)
{
  const struct property_set *set = properties_kept();
  const struct property *p = &set->property[set->rule[reading->rule].property];
  char text[256];
  if (p->deadlock[0])
    order_say(text, print_text(text, sizeof text, "heddle: %s: %s\n", p->name, p->deadlock));
  return call_handler(reading, HANDLED_DEADLOCK);
}
