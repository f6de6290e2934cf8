/* SPDX-License-Identifier: Apache-2.0
 *
 * Events of properties, as steps; see property_events.h.
 */
#include "worlds/threads/process/property_events.h"
#include "core/property_happening.h"
#include "core/without_libc.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/thread/thread.h"

static const struct property_set *properties(void)
{
  const struct job *job = &rt.engine->job;
  return job->bytes[JOB_PROPERTIES] ? job->part[JOB_PROPERTIES] : NULL;
}

static uintptr_t address_of(const struct property_rule *rule)
{
  return rule->place + rt.control->module_bias[0];
}

static unsigned parameter_number(const struct property_rule *rule, unsigned value)
{
  bool is_one = value < rule->carried && rule->value[value].parameter < PROPERTY_PARAMETERS;
  return is_one ? rule->value[value].parameter + 1u : 0;
}

static void take_event(const struct property_set *set, const struct property_reading *reading)
{
  const struct property_rule *rule = &set->rule[reading->rule];
  struct operation op = {
      .kind = OP_PROPERTY,
      .length = PROPERTY_EVENT(reading->rule, rule->property, parameter_number(rule, 0), parameter_number(rule, 1)),
      .addr = (uintptr_t)reading->value[0],
      .arg = (uint64_t)reading->value[1],
      .pc = reading->pc};
  step(&op);
  performed(0);
}

/* ---- what is enforced ----
 *
 * All properties that are enforced read at once what one thing that happens is to them, or none does. */

static struct {
  unsigned count;
  struct property_reading list[PROPERTIES_AT_ONCE];
} at_once[MAX_THREADS] SYSTEM;

unsigned property_readings(void *self, unsigned thread, struct property_reading out[PROPERTIES_AT_ONCE])
{
  (void)self;
  if (rt.thread[thread].process != hd_own.process)
    return 0;
  copy_bytes(out, at_once[thread].list, at_once[thread].count * sizeof *out);
  return at_once[thread].count;
}

/* From the rule on, the first of each property; where the next one of a property is that has one already. In a signal
 * handler nobody can be held back. */
static uint32_t take_enforced(const struct property_set *set, uint32_t from, const struct property_happening *h)
{
  struct property_reading list[PROPERTIES_AT_ONCE], reading;
  uint64_t taken = 0;
  uint32_t i = from;
  unsigned count = 0;
  for (; i < set->rules; i++) {
    const struct property_rule *rule = &set->rule[i];
    if (!set->property[rule->property].enforced || !property_happening_read(set, i, h, &reading))
      continue;
    if (taken >> rule->property & 1 || count == PROPERTIES_AT_ONCE)
      break;
    taken |= UINT64_C(1) << rule->property;
    list[count++] = reading;
  }
  if (count && self_thread()->handler_signal) {
    lose(LOST_EVENTS);
  } else if (count) {
    at_once[self_index()].count = count;
    copy_bytes(at_once[self_index()].list, list, count * sizeof *list);
    take_event(set, &list[0]);
  }
  return i;
}

static bool left; /* a call, in this execution */
bool property_events_asked, property_watches_memory, property_asks_names, property_asks_addresses;

void property_left(void)
{
  lose(LOST_EVENTS);
  left = true;
}

/* What rules name is never private, so that each access of it is seen. Another program has other variables. */
static void watch_memory(const struct property_set *set)
{
  for (uint32_t i = 0; i < set->rules; i++) {
    const struct property_rule *rule = &set->rule[i];
    if (rule->source < EVENT_OF_ACCESS)
      continue;
    if (hd_own.image)
      lose(LOST_EVENTS);
    else if (rule->source == EVENT_OF_ACCESS)
      property_watches_memory = true;
    uintptr_t begin = address_of(rule);
    for (uintptr_t g = begin & ~UINT64_C(7); property_watches_memory && g < begin + rule->bytes; g += 8)
      memory_share(g);
  }
}

static void note_questions(const struct property_set *set)
{
  for (uint32_t i = 0; i < set->rules; i++)
    property_asks_names |= set->rule[i].threads || set->rule[i].blocked[0];
  for (uint32_t i = 0; i < set->properties; i++)
    property_asks_addresses |= set->property[i].pointers;
}

void property_reset(void)
{
  left = property_watches_memory = property_asks_names = property_asks_addresses = false;
  property_events_asked = properties();
  if (property_events_asked) {
    watch_memory(properties());
    note_questions(properties());
  }
}

static void take_events(struct property_happening *h)
{
  const struct property_set *set = left ? NULL : properties();
  const char *name = rt.control->thread[self_index()].name;
  struct property_reading reading;
  h->thread = self_index() + 1;
  h->signal = self_thread()->handler_signal;
  h->bias = rt.control->module_bias[0];
  if (property_asks_names && set && property_happening_asks_name(set, h))
    thread_touch_name(self_index(), OP_ATOMIC_LOAD, h->pc);
  h->thread_name = name[0] || self_index() ? name : "main";
  for (uint32_t i = 0; set && i < set->rules;)
    i = take_enforced(set, i, h);
  for (uint32_t i = 0; set && i < set->rules; i++)
    if (!set->property[set->rule[i].property].enforced && property_happening_read(set, i, h, &reading))
      take_event(set, &reading);
}

void property_call(uint32_t function, bool after, const uintptr_t argument[6], uintptr_t result, uintptr_t pc)
{
  struct property_happening h = {
      .source = EVENT_OF_CALL, .after = after, .function = function, .argument = argument, .result = result, .pc = pc};
  take_events(&h);
}

void property_mark(const char *name, uintptr_t pc)
{
  take_events(&(struct property_happening){.source = EVENT_OF_MARK, .mark = name, .pc = pc});
}

void property_access(uintptr_t addr, size_t size, enum op_kind kind, uintptr_t pc)
{
  bool reads = kind == OP_READ || kind == OP_ATOMIC_LOAD || kind == OP_ATOMIC_RMW;
  uint8_t accesses = (uint8_t)((reads ? ACCESS_READS : 0) | (op_writes_memory(kind) ? ACCESS_WRITES : 0));
  if (op_is_access(kind))
    take_events(&(struct property_happening){
        .source = EVENT_OF_ACCESS, .addr = addr, .size = size, .accesses = accesses, .pc = pc});
}

void property_take_lock(const void *mutex, bool after, uintptr_t pc)
{
  take_events(&(struct property_happening){
      .source = EVENT_OF_LOCK, .after = after, .addr = (uintptr_t)mutex, .size = 1, .pc = pc});
}

void property_take_unlock(const void *mutex, bool after, uintptr_t pc)
{
  take_events(&(struct property_happening){
      .source = EVENT_OF_UNLOCK, .after = after, .addr = (uintptr_t)mutex, .size = 1, .pc = pc});
}

void property_take_thread(enum event_source source)
{
  const struct thread *self = self_thread();
  if (!self->system)
    take_events(&(struct property_happening){.source = source, .pc = (uintptr_t)self->start});
}
