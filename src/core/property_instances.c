/* SPDX-License-Identifier: Apache-2.0
 *
 * Monitors by the values of parameters; see property_instances.h.
 */
#include "core/property_instances.h"
#include "core/property_code.h"
#include "core/without_libc.h"

/* Values of some parameters. */
struct binding {
  uint8_t bound;
  int64_t value[PROPERTY_PARAMETERS];
};

static struct property_instance *make(struct property_instances *t, uint32_t property)
{
  const struct property_monitor *m = &t->set->property[property].monitor;
  uint32_t at = 0;
  uint16_t memory = 0;
  while (at < t->count && t->instance[at].used)
    at++;
  while (monitor_needs_memory(m) && memory < PROPERTY_MEMORIES && t->taken[memory])
    memory++;
  if (at == PROPERTY_INSTANCES || memory == PROPERTY_MEMORIES) {
    t->lost = true;
    return NULL;
  }
  struct property_instance *i = &t->instance[at];
  *i = (struct property_instance){
      .property = (uint8_t)property, .used = true, .number = ++t->made, .last.rule = PROPERTY_RULES};
  if (monitor_needs_memory(m)) {
    i->memory = memory + 1;
    t->taken[memory] = true;
  }
  if (at == t->count)
    t->count++;
  return i;
}

static struct monitor_memory *memory_of(struct property_instances *t, const struct property_instance *i)
{
  return i->memory ? &t->memory[i->memory - 1] : NULL;
}

/* As it is before any event. */
static void begin_instance(struct property_instances *t, struct property_instance *i)
{
  const struct property *p = &t->set->property[i->property];
  monitor_begin(t->set, &p->monitor, &i->state, memory_of(t, i));
  for (uint32_t v = 0; v < p->variables; v++)
    i->variable[v] = p->initial[v];
}

static void drop(struct property_instances *t, struct property_instance *i)
{
  if (i->memory)
    t->taken[i->memory - 1] = false;
  i->used = false;
}

void property_instances_begin(struct property_instances *t, const struct property_set *set)
{
  for (uint32_t i = 0; i < t->count; i++)
    if (t->instance[i].used)
      drop(t, &t->instance[i]);
  t->set = set;
  t->count = t->made = 0;
  t->events = 0;
  t->lost = false;
  for (uint32_t p = 0; p < set->properties; p++) {
    struct property_instance *i = set->property[p].parameters ? NULL : make(t, p);
    if (i)
      begin_instance(t, i);
  }
}

void property_instances_keep(struct property_instances *t, uint32_t property)
{
  for (uint32_t i = 0; i < t->count; i++)
    if (t->instance[i].used && t->instance[i].property != property)
      drop(t, &t->instance[i]);
}

/* ---- bindings ---- */

static struct binding binding_of(const struct property_set *set, const struct property_reading *reading)
{
  const struct property_rule *rule = &set->rule[reading->rule];
  struct binding b = {0};
  for (uint8_t i = 0; i < rule->carried; i++)
    if (rule->value[i].parameter < PROPERTY_PARAMETERS) {
      b.bound |= (uint8_t)(1u << rule->value[i].parameter);
      b.value[rule->value[i].parameter] = reading->value[i];
    }
  return b;
}

/* Whether what both have is the same, and of objects that are still there. */
static bool agrees(const struct property_instance *i, const struct binding *b)
{
  uint8_t both = i->bound & b->bound;
  if (both & i->gone)
    return false;
  for (unsigned p = 0; p < PROPERTY_PARAMETERS; p++)
    if (both >> p & 1 && i->value[p] != b->value[p])
      return false;
  return true;
}

static bool is_live(const struct property_instance *i, uint32_t property)
{
  return i->used && i->property == property;
}

static bool exists(const struct property_instances *t, uint32_t property, const struct binding *b)
{
  for (uint32_t i = 0; i < t->count; i++)
    if (is_live(&t->instance[i], property) && t->instance[i].bound == b->bound && agrees(&t->instance[i], b))
      return true;
  return false;
}

/* The one with most values of those that know nothing else than the binding, or NULL. */
static const struct property_instance *most_specific(const struct property_instances *t, uint32_t property,
                                                     const struct binding *b)
{
  const struct property_instance *best = NULL;
  for (uint32_t i = 0; i < t->count; i++) {
    const struct property_instance *x = &t->instance[i];
    if (is_live(x, property) && !x->fresh && !(x->bound & ~b->bound) && agrees(x, b) &&
        (!best || __builtin_popcount(x->bound) > __builtin_popcount(best->bound)))
      best = x;
  }
  return best;
}

static void create(struct property_instances *t, uint32_t property, const struct binding *b)
{
  const struct property_instance *from = most_specific(t, property, b);
  struct property_instance *i = make(t, property);
  if (!i)
    return;
  if (from) {
    uint16_t memory = i->memory;
    uint32_t number = i->number;
    *i = *from;
    i->memory = memory;
    i->number = number;
    if (memory)
      copy_bytes(memory_of(t, i), memory_of(t, from), sizeof(struct monitor_memory));
  } else {
    begin_instance(t, i);
  }
  i->bound = b->bound;
  i->gone = 0;
  i->fresh = true;
  for (unsigned p = 0; p < PROPERTY_PARAMETERS; p++)
    i->value[p] = b->value[p];
}

static void join(struct binding *b, const struct property_instance *i)
{
  for (unsigned p = 0; p < PROPERTY_PARAMETERS; p++)
    if (i->bound >> p & 1)
      b->value[p] = i->value[p];
  b->bound |= i->bound;
}

/* Whether each of the two has values that the other has not, and they agree. */
static bool is_joined(const struct property_instance *i, const struct binding *b)
{
  return !i->gone && !i->fresh && agrees(i, b) && b->bound & ~i->bound && i->bound & ~b->bound;
}

/* One for each that can be made more specific, and one for the values themselves. */
static void create_for(struct property_instances *t, uint32_t property, const struct binding *b, bool creation)
{
  uint32_t before = t->count;
  for (uint32_t i = 0; i < before; i++) {
    const struct property_instance *x = &t->instance[i];
    struct binding joined = *b;
    if (!is_live(x, property) || !is_joined(x, b))
      continue;
    join(&joined, x);
    if (!exists(t, property, &joined))
      create(t, property, &joined);
  }
  if (!exists(t, property, b) && (creation || most_specific(t, property, b)))
    create(t, property, b);
}

/* ---- reading ---- */

/* Whether the event is one for this monitor, by its variables. */
static bool concerns(const struct property_set *set, const struct property_instance *i,
                     const struct property_reading *reading)
{
  const struct property_rule *rule = &set->rule[reading->rule];
  int64_t variable[PROPERTY_VARIABLES];
  if (!rule->condition)
    return true;
  copy_bytes(variable, i->variable, sizeof variable);
  return property_code_run(&set->code[rule->condition], reading->value, variable);
}

static void read_one(struct property_instances *t, struct property_instance *i, const struct property_reading *reading,
                     struct property_outcome *outcome)
{
  const struct property_rule *rule = &t->set->rule[reading->rule];
  const struct property *p = &t->set->property[i->property];
  const struct property_reading before = i->last;
  uint16_t from = i->state;
  i->fresh = false;
  if (!concerns(t->set, i, reading))
    return;
  i->categories = monitor_step(t->set, &p->monitor, &i->state, memory_of(t, i), rule->event);
  if (rule->body)
    property_code_run(&t->set->code[rule->body], reading->value, i->variable);
  i->readings++;
  i->read = t->events;
  i->last = *reading;
  t->lost |= (i->categories & CATEGORY_LOST) != 0;
  if (outcome->violated || !property_is_violated(p, i->categories))
    return;
  outcome->violated = i;
  outcome->before = before;
  outcome->from = from;
}

static void lose_objects(struct property_instances *t, struct property_instance *i, uint8_t gone)
{
  i->gone |= gone;
  if (i->bound && i->gone == i->bound)
    drop(t, i);
}

/* The objects are no more. */
static void destroy(struct property_instances *t, uint32_t property, const struct binding *b)
{
  for (uint32_t i = 0; i < t->count; i++) {
    struct property_instance *x = &t->instance[i];
    uint8_t gone = 0;
    for (unsigned p = 0; is_live(x, property) && p < PROPERTY_PARAMETERS; p++)
      if ((x->bound & b->bound) >> p & 1 && x->value[p] == b->value[p])
        gone |= (uint8_t)(1u << p);
    if (gone) {
      x->read = t->events;
      lose_objects(t, x, gone);
    }
  }
}

struct property_outcome property_instances_read(struct property_instances *t, const struct property_reading *reading)
{
  const struct property_rule *rule = &t->set->rule[reading->rule];
  struct binding b = binding_of(t->set, reading);
  struct property_outcome outcome = {0};
  t->events++;
  if (t->set->property[rule->property].event[rule->event].destroys) {
    destroy(t, rule->property, &b);
    return outcome;
  }
  create_for(t, rule->property, &b, t->set->property[rule->property].event[rule->event].creation);
  for (uint32_t i = 0; i < t->count; i++) {
    struct property_instance *x = &t->instance[i];
    if (is_live(x, rule->property) && !(b.bound & ~x->bound) && agrees(x, &b))
      read_one(t, x, reading, &outcome);
  }
  outcome.lost = t->lost;
  return outcome;
}

/* ---- trying ---- */

/* What the event would make of a monitor that goes on from there; NULL: from the start. */
static bool admits(struct property_instances *t, const struct property_instance *from,
                   const struct property_reading *reading, const struct property_threads *threads)
{
  const struct property_rule *rule = &t->set->rule[reading->rule];
  const struct property *p = &t->set->property[rule->property];
  struct property_instance trial = {.property = (uint8_t)rule->property};
  if (from) {
    trial = *from;
    if (from->memory)
      copy_bytes(&t->scratch, memory_of(t, from), sizeof t->scratch);
  } else {
    monitor_begin(t->set, &p->monitor, &trial.state, &t->scratch);
    copy_bytes(trial.variable, p->initial, sizeof trial.variable);
  }
  if (!concerns(t->set, &trial, reading))
    return true;
  if (rule->waits) {
    int64_t number =
        rule->blocked_code ? property_code_run(&t->set->code[rule->blocked_code], reading->value, trial.variable) : 0;
    if (!threads->blocked(threads->self, rule->blocked, number))
      return false;
  }
  return !property_is_violated(p, monitor_step(t->set, &p->monitor, &trial.state, &t->scratch, rule->event));
}

bool property_instances_admit(struct property_instances *t, const struct property_reading *reading,
                              const struct property_threads *threads)
{
  const struct property_rule *rule = &t->set->rule[reading->rule];
  struct binding b = binding_of(t->set, reading);
  const struct property_instance *nearest = most_specific(t, rule->property, &b);
  if (t->set->property[rule->property].event[rule->event].destroys)
    return true;
  if (!exists(t, rule->property, &b) && (nearest || t->set->property[rule->property].event[rule->event].creation) &&
      !admits(t, nearest, reading, threads))
    return false;
  for (uint32_t i = 0; i < t->count; i++) {
    const struct property_instance *x = &t->instance[i];
    struct binding joined = b;
    if (!is_live(x, rule->property) || !agrees(x, &b))
      continue;
    if (!(b.bound & ~x->bound) && !admits(t, x, reading, threads))
      return false;
    if (!is_joined(x, &b))
      continue;
    join(&joined, x);
    if (!exists(t, rule->property, &joined) && !admits(t, most_specific(t, rule->property, &joined), reading, threads))
      return false;
  }
  return true;
}

const struct property_instance *property_instances_last(const struct property_instances *t, uint32_t rule,
                                                        uint32_t thread, uintptr_t pc)
{
  for (uint32_t i = t->count; i-- > 0;) {
    const struct property_instance *x = &t->instance[i];
    if (x->used && x->last.rule == rule && x->last.thread == thread && x->last.pc == pc)
      return x;
  }
  return NULL;
}

const char *property_instances_state(const struct property_instances *t, const struct property_instance *i)
{
  const struct property_monitor *m = &t->set->property[i->property].monitor;
  uint32_t name = m->kind == MONITOR_TABLE ? t->set->state_name[m->state_name + i->state] : 0;
  return name ? &t->set->name[name] : NULL;
}

/* "open open": what is left of the trace. */
static void describe_word(const struct property *p, const struct monitor_word *word, char *out, size_t size)
{
  size_t length = 0;
  print_text(out, size, "nothing open");
  for (uint16_t i = 0; i < word->letters && length + 1 < size; i++) {
    print_text(out + length, size - length, "%s%s", i ? " " : "", p->event[word->letter[i]].name);
    length = text_length(out);
  }
}

static const char *category_name(const struct property *p, uint32_t categories)
{
  static const char *const name[] = {"fail", "match", "violation", "validation", "succeed", "not known"};
  for (unsigned i = 0; i < sizeof name / sizeof name[0]; i++)
    if (categories >> i & 1)
      return name[i];
  return property_is_violated(p, categories) ? "violated" : NULL;
}

void property_instances_describe(const struct property_instances *t, const struct property_instance *i, char *out,
                                 size_t size)
{
  const struct property *p = &t->set->property[i->property];
  const char *name = property_instances_state(t, i), *category = category_name(p, i->categories);
  if (!i->used || i->gone)
    print_text(out, size, "gone");
  else if (name || category)
    print_text(out, size, "%s", name ? name : category);
  else if (p->monitor.kind == MONITOR_REWRITING && i->memory)
    describe_word(p, &t->memory[i->memory - 1].word, out, size);
  else if (p->monitor.kind == MONITOR_TABLE)
    print_text(out, size, "state %u", i->state);
  else
    print_text(out, size, "prefix");
}

void property_instances_renew(struct property_instances *t, uintptr_t addr, size_t size)
{
  for (uint32_t i = 0; i < t->count; i++) {
    struct property_instance *x = &t->instance[i];
    uint32_t pointers = x->used ? t->set->property[x->property].pointers & x->bound : 0;
    uint8_t gone = 0;
    for (unsigned p = 0; p < PROPERTY_PARAMETERS; p++)
      if (pointers >> p & 1 && (uintptr_t)x->value[p] - addr < size)
        gone |= (uint8_t)(1u << p);
    if (gone)
      lose_objects(t, x, gone);
  }
}
