/* SPDX-License-Identifier: Apache-2.0
 *
 * Readings of monitors as a part of the answer; see monitor_lanes.h.
 */
#include "observer/monitor_lanes.h"
#include "core/monitor_trace.h"
#include "core/without_libc.h"

_Static_assert(sizeof(struct monitor_trace) <= ANSWER_MONITORS_MOST, "more than the answer has room for");

void monitor_lanes_begin(struct engine *e)
{
  struct monitor_trace *out = e->job.answer[ANSWER_MONITORS];
  out->monitors = out->readings = 0;
  out->left_out = 0;
  e->job.answered[ANSWER_MONITORS] = sizeof *out;
}

static struct traced_value value_of(const struct engine *e, const struct property *p, unsigned parameter, int64_t value,
                                    unsigned thread)
{
  struct traced_value out = {.value = value, .is_address = p->pointers >> parameter & 1};
  struct whereabouts at;
  print_text(out.name, sizeof out.name, "%s", p->parameter[parameter]);
  if (!out.is_address)
    return out;
  e->world->locate(e->world->self, thread, (uintptr_t)value, &at);
  out.block_pc = at.block_pc;
  out.block_offset = at.block_offset;
  copy_bytes(out.block_calls, at.block_calls, sizeof out.block_calls);
  out.local_pc = at.local_pc;
  out.local_offset = at.local_offset;
  return out;
}

static void describe_monitor(const struct engine *e, const struct property_instance *i,
                             const struct property_reading *reading, const struct property *p,
                             struct traced_monitor *out)
{
  *out = (struct traced_monitor){.number = i->number, .pc = reading->pc};
  print_text(out->property, sizeof out->property, "%s", p->name);
  for (unsigned k = 0; k < PROPERTY_PARAMETERS; k++)
    if (i->bound >> k & 1)
      out->value[out->values++] = value_of(e, p, k, i->value[k], reading->thread);
}

/* Its index; TRACED_MONITORS: there is no room for it. */
static uint32_t lane_of(const struct engine *e, struct monitor_trace *out, const struct property_instance *i,
                        const struct property_reading *reading, const struct property *p)
{
  uint32_t at = 0;
  while (at < out->monitors && out->monitor[at].number != i->number)
    at++;
  if (at == out->monitors && at < TRACED_MONITORS)
    describe_monitor(e, i, reading, p, &out->monitor[out->monitors++]);
  return at;
}

void monitor_lanes_note(struct engine *e, const struct property_instances *t, const struct property_reading *reading,
                        const struct property_instance *violated)
{
  struct monitor_trace *out = e->job.answer[ANSWER_MONITORS];
  const struct property_rule *rule = &t->set->rule[reading->rule];
  const struct property *p = &t->set->property[rule->property];
  for (uint32_t k = 0; k < t->count; k++) {
    const struct property_instance *i = &t->instance[k];
    if (i->read != t->events || i->property != rule->property)
      continue;
    uint32_t lane = lane_of(e, out, i, reading, p);
    if (lane == TRACED_MONITORS || out->readings == TRACED_READINGS) {
      out->left_out++;
      continue;
    }
    struct traced_reading *r = &out->reading[out->readings++];
    *r = (struct traced_reading){
        .step = e->step, .thread = reading->thread, .monitor = (uint16_t)lane, .violated = i == violated};
    print_text(r->event, sizeof r->event, "%s", p->event[rule->event].name);
    property_instances_describe(t, i, r->state, sizeof r->state);
  }
}
