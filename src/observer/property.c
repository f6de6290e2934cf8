/* SPDX-License-Identifier: Apache-2.0
 *
 * Properties that specifications say (core/property.h): every event (OP_PROPERTY) is read by its monitors, and one that
 * leads to a category that must not be reached, or out of one that must not be left, is a bug. Events of one monitor
 * depend on each other (core/dependence.c), so that a search that is complete has seen all that the monitors can say.
 *
 * Of properties that are enforced no event is let through that would be a violation: its task is held back until the
 * others have made it none. When nobody can go on and somebody is held, that is told as a bug, an enforced deadlock. A
 * task that is held is not blocked, as far as threadBlocked() is concerned: else the delay itself could meet it.
 */
#include "core/engine.h"
#include "core/finding.h"
#include "core/observer.h"
#include "core/property_instances.h"
#include "core/rng.h"
#include "core/waits.h"
#include "core/without_libc.h"
#include "observer/monitor_lanes.h"

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
  if (e->control->config.trace)
    monitor_lanes_begin(e);
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

static bool is_enforced(const struct property_set *set, const struct operation *op)
{
  return op->kind == OP_PROPERTY && set->property[PROPERTY_EVENT_OF(op->length)].enforced;
}

/* All that the operation is, how many: enforced properties read what happens at once. */
static unsigned readings_of(const struct engine *e, unsigned task, const struct operation *op,
                            struct property_reading out[PROPERTIES_AT_ONCE])
{
  if (e->world->readings && is_enforced(properties_of(e), op))
    return e->world->readings(e->world->self, task, out);
  out[0] = (struct property_reading){.rule = PROPERTY_EVENT_RULE(op->length),
                                     .value = {(int64_t)op->addr, (int64_t)op->arg},
                                     .thread = task,
                                     .pc = op->pc};
  return 1;
}

static void property_about(void *state, struct engine *e, unsigned task, const struct operation *op)
{
  const struct property_set *set = properties_of(e);
  struct property_reading reading[PROPERTIES_AT_ONCE];
  if (op->kind != OP_PROPERTY || !set)
    return;
  if (((const struct property_instances *)state)->set != set) /* the program went on as another one */
    property_instances_begin(state, set);
  unsigned count = readings_of(e, task, op, reading);
  if (is_enforced(set, op) && e->processes > 1) /* each of them has monitors of its own */
    e->control->losses |= LOST_MONITORS;
  for (unsigned i = 0; i < count; i++) {
    const struct property_rule *rule = &set->rule[reading[i].rule];
    const struct property_outcome outcome = property_instances_read(state, &reading[i]);
    e->control->property_events[rule->property] |= 1u << rule->event;
    if (outcome.lost)
      e->control->losses |= LOST_MONITORS;
    if (e->control->config.trace)
      monitor_lanes_note(e, state, &reading[i], outcome.violated);
    if (outcome.violated)
      report(e, set, &outcome, &reading[i]);
  }
}

/* ---- holding back ---- */

static bool property_holds(const void *state, const struct engine *e)
{
  const struct property_set *set = properties_of(e);
  (void)state;
  for (uint32_t p = 0; p < set->properties; p++)
    if (set->property[p].enforced)
      return true;
  return false;
}

static bool is_named(const struct engine *e, unsigned task, const char *name)
{
  const char *own = e->control->thread[task].name;
  return !text_compare(own[0] ? own : task ? "" : "main", name);
}

static bool is_blocked(const void *self, const char *name, int64_t number)
{
  const struct engine *e = self;
  for (unsigned t = 0; t < e->threads; t++) {
    const struct thread_state *s = &e->thread[t];
    if ((name[0] ? is_named(e, t, name) : number == t + 1) && s->alive && !s->cut_off &&
        e->world->stands(e->world->self, t, &s->pending))
      return true;
  }
  return false;
}

/* The reading that keeps the operation from being performed; NULL: none does. */
static const struct property_reading *objection(struct property_instances *t, const struct engine *e, unsigned task,
                                                const struct operation *op,
                                                struct property_reading list[PROPERTIES_AT_ONCE])
{
  const struct property_set *set = properties_of(e);
  const struct property_threads threads = {.blocked = is_blocked, .self = e};
  if (!set || t->set != set || !is_enforced(set, op))
    return NULL;
  unsigned count = readings_of(e, task, op, list);
  for (unsigned i = 0; i < count; i++)
    if (!property_instances_admit(t, &list[i], &threads))
      return &list[i];
  return NULL;
}

static bool property_admits(void *state, const struct engine *e, unsigned task, const struct operation *op)
{
  struct property_reading list[PROPERTIES_AT_ONCE];
  return !objection(state, e, task, op, list);
}

static bool asks_who_is_blocked(const struct property_set *set)
{
  for (uint32_t r = 0; r < set->rules; r++)
    if (set->rule[r].waits)
      return true;
  return false;
}

/* An event may let others go on, or keep them from it, but only such as depend on it in any case: those of its
 * monitors. If it is one of several properties, the operation tells of the first alone. Whether a thread is blocked may
 * change by whatever it or another one does, and which thread is asked for is not known before. */
static bool property_matters(void *state, const struct engine *e, unsigned task, const struct operation *op)
{
  const struct property_set *set = properties_of(e);
  struct property_reading list[PROPERTIES_AT_ONCE];
  (void)state;
  return asks_who_is_blocked(set) || (is_enforced(set, op) && readings_of(e, task, op, list) > 1);
}

/* ---- when nobody can go on ---- */

static bool is_held(struct property_instances *t, const struct engine *e, unsigned task, struct property_reading *by)
{
  struct property_reading list[PROPERTIES_AT_ONCE];
  const struct property_reading *reading =
      engine_is_held(e, task) ? objection(t, e, task, &e->thread[task].pending, list) : NULL;
  if (reading && by)
    *by = *reading;
  return reading;
}

static void add_held(struct engine *e, const struct property_set *set, struct bug *bug,
                     const struct property_reading *by)
{
  const struct property_rule *rule = &set->rule[by->rule];
  const struct property *p = &set->property[rule->property];
  if (bug->parties == BUG_PARTIES)
    return;
  add_party(e, set, bug, by);
  struct bug_party *party = &bug->party[bug->parties - 1];
  if (rule->waits)
    print_text(party->state, sizeof party->state, "%s to be blocked, and for %s to allow it",
               rule->blocked[0] ? rule->blocked : "a thread", p->name);
  else
    print_text(party->state, sizeof party->state, "%s to allow it", p->name);
}

/* One bug, wherever the others stand: who is held by what, at which places. */
static void report_deadlock(struct property_instances *t, struct engine *e, const struct property_reading *first)
{
  const struct property_set *set = properties_of(e);
  const struct property *p = &set->property[set->rule[first->rule].property];
  struct property_reading by;
  uint64_t key = BUG_PROPERTY;
  for (unsigned i = 0; i < e->threads; i++)
    if (is_held(t, e, i, &by))
      key += mix64(key_of(e, &set->property[set->rule[by.rule].property], &by,
                          &(struct property_reading){.rule = PROPERTY_RULES}));
  struct bug *bug = bug_new(e, BUG_PROPERTY, mix64(key));
  bug->detail = PROPERTY_HOLDS_BACK;
  for (unsigned i = 0; i < e->threads; i++)
    if (is_held(t, e, i, &by))
      add_held(e, set, bug, &by);
  for (unsigned i = 0; i < e->threads; i++)
    if (task_waits(e, i) && !is_held(t, e, i, NULL))
      bug_add_waiting(e, bug, i);
  if (p->deadlock[0])
    bug_text(bug, "enforced deadlock: %s holds back who would violate it: %s", p->name, p->deadlock);
  else
    bug_text(bug, "enforced deadlock: %s holds back who would violate it, and nobody can go on", p->name);
  bug_declare(e, bug);
}

/* A circle of locks is a deadlock, whoever is held. */
static enum stop property_stopped(void *state, struct engine *e, unsigned why)
{
  struct property_reading first = {.rule = PROPERTY_RULES};
  if (!properties_of(e) || why != NEXT_DEADLOCK)
    return STOP_UNEXPLAINED;
  for (unsigned t = 0; t < e->threads; t++) {
    if (task_waits(e, t) && task_waits_in_circle(e, t))
      return STOP_UNEXPLAINED;
    if (first.rule == PROPERTY_RULES)
      is_held(state, e, t, &first);
  }
  if (first.rule == PROPERTY_RULES)
    return STOP_UNEXPLAINED;
  report_deadlock(state, e, &first);
  return STOP_END;
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
                                           .holds = property_holds,
                                           .admits = property_admits,
                                           .matters = property_matters,
                                           .about = property_about,
                                           .stopped = property_stopped,
                                           .renewed = property_renewed};
