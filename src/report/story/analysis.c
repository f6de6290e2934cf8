/* SPDX-License-Identifier: Apache-2.0
 *
 * Figures of analyses as JSON; see analysis.h.
 */
#include "report/story/analysis.h"
#include "report/document/build_json.h"

static json_t *times_json(const struct analysis_times *times, bool *good)
{
  json_t *value = container(json_object(), good);
  set(value, "record", json_real(times->record), good);
  set(value, "read", json_real(times->read), good);
  set(value, "learn", json_real(times->learn), good);
  set(value, "check", json_real(times->check), good);
  set(value, "programs", json_real(times->programs), good);
  return value;
}

static json_t *blocked_json(const struct trace *t, const struct model_step *step, bool *good)
{
  json_t *value = container(json_object(), good);
  set(value, "thread", text_value(t->threads[step->thread].text), good);
  set(value, "operation", text_value(op_table[step->op].name), good);
  set(value, "where", text_value(t->sites[step->site].text), good);
  return value;
}

static json_t *group_json(const struct trace *t, const struct model_group *group, bool *good)
{
  json_t *value = container(json_object(), good), *blocked = container(json_array(), good);
  set(value, "communication", json_boolean(group->communication), good);
  set(value, "executions", integer(group->executions), good);
  set(value, "walked", json_boolean(group->walked), good);
  for (uint32_t i = 0; i < group->blocked_count; i++)
    add(blocked, blocked_json(t, &group->blocked[i], good), good);
  set(value, "blocked", blocked, good);
  return value;
}

static json_t *communication_json(const struct trace *t, const struct communication *c, bool *good)
{
  const struct model_result *r = &c->result;
  json_t *value = container(json_object(), good), *groups = container(json_array(), good);
  set(value, "operations", integer(c->program ? c->program->after : 0), good);
  set(value, "operations_unreduced", integer(c->program ? c->program->before : 0), good);
  set(value, "executions", integer(r->executions), good);
  set(value, "walks", integer(r->walks), good);
  set(value, "deadlocks", integer(r->deadlocks), good);
  set(value, "complete", json_boolean(r->complete), good);
  set(value, "seconds", json_real(r->seconds), good);
  for (uint32_t i = 0; i < r->groups; i++)
    add(groups, group_json(t, &r->group[i], good), good);
  set(value, "groups", groups, good);
  return value;
}

static json_t *protocols_json(const struct protocol_figures *f, bool *good)
{
  json_t *value = container(json_object(), good);
  set(value, "calls", integer(f->calls), good);
  set(value, "different_calls", integer(f->entries), good);
  set(value, "types", integer(f->types), good);
  set(value, "racing_types", integer(f->racing), good);
  set(value, "protocols", integer(f->protocols), good);
  set(value, "protocol_states", integer(f->size), good);
  set(value, "objects", integer(f->objects), good);
  set(value, "checked_objects", integer(f->checked), good);
  set(value, "states", integer(f->states), good);
  set(value, "errors", integer(f->errors), good);
  return value;
}

json_t *analysis_json(const struct analysis_view *view, bool *good)
{
  json_t *value = container(json_object(), good);
  set(value, "events", integer(view->events), good);
  set(value, "threads", integer(view->tables->thread_count - 1), good);
  set(value, "seconds", times_json(&view->times, good), good);
  set(value, "communication", communication_json(view->tables, view->communication, good), good);
  set(value, "protocols", protocols_json(view->protocols, good), good);
  return value;
}
