/* SPDX-License-Identifier: Apache-2.0
 *
 * Properties that specifications say (core/property.h): every event (OP_PROPERTY) is read by its monitors, and one that
 * leads to a category that must not be reached, or out of one that must not be left, is a bug. Events of one monitor
 * depend on each other (core/dependence.c), so that a search that is complete has seen all that the monitors can say.
 */
#include "core/engine.h"
#include "core/finding.h"
#include "core/observer.h"
#include "core/property_instances.h"
#include "core/rng.h"
#include "core/without_libc.h"

static const struct property_set *properties_of(const struct engine *e)
{
  return e->job.bytes[JOB_PROPERTIES] ? e->job.part[JOB_PROPERTIES] : NULL;
}

static bool property_looks(const void *state, const struct engine *e)
{
  (void)state;
  return properties_of(e);
}

static void property_begin(void *state, struct engine *e)
{
  if (properties_of(e))
    property_instances_begin(state, properties_of(e));
}

/* ---- what a violation is told as ---- */

static void describe_event(const struct property_set *set, const struct property_reading *reading, char *out,
                           size_t size)
{
  const struct property_rule *rule = &set->rule[reading->rule];
  const struct property *p = &set->property[rule->property];
  print_text(out, size, "%s of %s", p->event[rule->event].name, p->name);
}

/* "SafeIteration is violated: the list was changed while it was iterated" */
static void describe_violation(const struct property_set *set, const struct property_outcome *outcome,
                               const struct property_reading *reading, struct bug *bug)
{
  const struct property *p = &set->property[outcome->violated->property];
  const char *event = p->event[set->rule[reading->rule].event].name;
  uint32_t named = p->monitor.kind == MONITOR_TABLE ? set->state_name[p->monitor.state_name + outcome->from] : 0;
  if (p->message[0])
    bug_text(bug, "%s is violated: %s", p->name, p->message);
  else if (named)
    bug_text(bug, "%s is violated: event %s in state %s", p->name, event, &set->name[named]);
  else
    bug_text(bug, "%s is violated: event %s leads %s %s", p->name, event, p->leave ? "out of" : "to", p->category);
}

static uint64_t key_of(struct engine *e, const struct property *p, const struct property_reading *reading,
                       const struct property_reading *before)
{
  uint64_t key = bug_key_of(e, BUG_PROPERTY, reading->pc, before->rule < PROPERTY_RULES ? before->pc : 0);
  for (const char *c = p->name; *c; c++)
    key = mix64(key ^ (unsigned char)*c);
  return key;
}

static void add_party(struct engine *e, const struct property_set *set, struct bug *bug,
                      const struct property_reading *reading)
{
  const struct property_rule *rule = &set->rule[reading->rule];
  const struct property *p = &set->property[rule->property];
  uint8_t parameter = rule->carried ? rule->value[0].parameter : PROPERTY_PARAMETERS;
  bool is_address = parameter < PROPERTY_PARAMETERS && p->pointers >> parameter & 1;
  bug_add_party(e, bug, reading->thread, OP_PROPERTY, is_address ? (uintptr_t)reading->value[0] : 0, 0, reading->pc);
  struct bug_party *party = &bug->party[bug->parties - 1];
  describe_event(set, reading, party->what, sizeof party->what);
}

static void report(struct engine *e, const struct property_set *set, const struct property_outcome *outcome,
                   const struct property_reading *reading)
{
  const struct property *p = &set->property[outcome->violated->property];
  struct bug *bug = bug_new(e, BUG_PROPERTY, key_of(e, p, reading, &outcome->before));
  bug->detail = PROPERTY_SPECIFIED;
  describe_violation(set, outcome, reading, bug);
  add_party(e, set, bug, reading);
  if (outcome->before.rule < PROPERTY_RULES)
    add_party(e, set, bug, &outcome->before);
  bug_declare(e, bug);
}

/* ---- events ---- */

static void property_about(void *state, struct engine *e, unsigned task, const struct operation *op)
{
  const struct property_set *set = properties_of(e);
  if (op->kind != OP_PROPERTY || !set)
    return;
  if (((const struct property_instances *)state)->set != set) /* the program went on as another one */
    property_instances_begin(state, set);
  const struct property_reading reading = {.rule = PROPERTY_EVENT_RULE(op->length),
                                           .value = {(int64_t)op->addr, (int64_t)op->arg},
                                           .thread = task,
                                           .pc = op->pc};
  const struct property_outcome outcome = property_instances_read(state, &reading);
  if (outcome.lost)
    e->control->losses |= LOST_MONITORS;
  if (outcome.violated)
    report(e, set, &outcome, &reading);
}

static void property_renewed(void *state, struct engine *e, uintptr_t addr, size_t size)
{
  if (properties_of(e) && ((const struct property_instances *)state)->set)
    property_instances_renew(state, addr, size);
}

const struct observer observer_property = {.name = "property",
                                           .state_size = sizeof(struct property_instances),
                                           .begin = property_begin,
                                           .looks = property_looks,
                                           .about = property_about,
                                           .renewed = property_renewed};
