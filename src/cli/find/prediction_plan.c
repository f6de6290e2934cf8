/* SPDX-License-Identifier: Apache-2.0
 *
 * Making plans; see prediction_plan.h.
 */
#include "cli/find/prediction_plan.h"
#include <stdio.h>
#include <string.h>

static const enum plan_kind kind_of[PREDICTION_COUNT] = {
    [PREDICT_DEADLOCK] = PLAN_DEADLOCK,   [PREDICT_COMMUNICATION] = PLAN_SEQUENCE, [PREDICT_RACE] = PLAN_RACE,
    [PREDICT_ATOMICITY] = PLAN_ATOMICITY, [PREDICT_TYPESTATE] = PLAN_PROTOCOL,
};

static struct plan_party party_of(const struct plan *plan, const struct trace *t, const struct prediction_party *from)
{
  enum naming naming = (enum naming)plan->naming;
  struct plan_party p = {.thread = trace_thread_name(t, from->thread, naming, plan->depth),
                         .object = from->object ? trace_object_name(t, from->object, naming, plan->depth) : 0,
                         .place = t->sites[from->site].place,
                         .op = from->op,
                         .occurrence = from->occurrence,
                         .context_length = from->context_length};
  for (uint32_t i = 0; i < from->context_length && i < PLAN_CONTEXT; i++)
    p.context[i] = t->sites[from->context[i]].place;
  return p;
}

void plan_make(struct plan *plan, const struct trace *t, const struct prediction *prediction,
               const struct plan_options *options)
{
  *plan = (struct plan){.kind = kind_of[prediction->kind],
                        .naming = options->naming,
                        .depth = options->depth,
                        .no_contexts = options->no_contexts,
                        .no_yield = options->no_yield,
                        .early = prediction->early,
                        .party_count = prediction->party_count};
  for (uint32_t i = 0; i < prediction->party_count; i++)
    plan->party[i] = party_of(plan, t, &prediction->party[i]);
}

/* What is only told, not announced, is no step. */
static bool is_announced(const struct model_step *step)
{
  return step->op != OP_PREDICATE;
}

static struct plan_step step_of(const struct plan *plan, const struct trace *t, const struct model_step *from)
{
  enum naming naming = (enum naming)plan->naming;
  bool thread = op_table[from->op].object == OBJECT_THREAD;
  return (struct plan_step){.thread = trace_thread_name(t, from->thread, naming, plan->depth),
                            .object =
                                from->object && !thread ? trace_object_name(t, from->object, naming, plan->depth) : 0,
                            .place = from->flags & LINE_ELSEWHERE ? 0 : t->sites[from->site].place,
                            .op = from->op,
                            .occurrence = from->occurrence};
}

static void add_step(struct plan *plan, const struct trace *t, const struct model_step *from)
{
  if (plan->step_count < PLAN_STEPS && is_announced(from))
    plan->step[plan->step_count++] = step_of(plan, t, from);
}

/* Threads that are to be blocked before a lock come there last. */
void plan_add_steps(struct plan *plan, const struct trace *t, const struct model_group *group)
{
  for (uint32_t i = 0; i < group->steps; i++)
    add_step(plan, t, &group->step[i]);
  for (uint32_t i = 0; i < group->blocked_count; i++)
    if (op_table[group->blocked[i].op].blocks && group->blocked[i].op != OP_COND_WAKE)
      add_step(plan, t, &group->blocked[i]);
}

_Static_assert(PLAN_PAUSES >= PAUSES_MOST, "all pauses fit");

void plan_add_pauses(struct plan *plan, const struct trace *t, const struct trace_program *program,
                     const struct model_group *group)
{
  struct pause pause[PAUSES_MOST];
  plan->pause_count = pauses_of(program, group, pause);
  for (uint32_t i = 0; i < plan->pause_count; i++)
    plan->pause[i] = (struct plan_pause){step_of(plan, t, &pause[i].held), step_of(plan, t, &pause[i].until)};
}

_Static_assert(sizeof((struct plan_protocol *)0)->type == sizeof((struct watched_call *)0)->type &&
                   sizeof((struct plan_protocol *)0)->method[0] == sizeof((struct watched_call *)0)->name,
               "functions are compared by names of the same length");

bool plan_add_protocol(struct plan *plan, const struct automaton *a)
{
  struct plan_protocol *p = &plan->protocol;
  size_t edges = (size_t)a->states * a->methods;
  if (a->methods > PLAN_METHODS || edges > PLAN_EDGES)
    return false;
  p->states = a->states;
  p->methods = a->methods;
  snprintf(p->type, sizeof p->type, "%s", a->type);
  for (uint32_t i = 0; i < a->methods; i++)
    snprintf(p->method[i], sizeof p->method[i], "%s", a->method[i]);
  memcpy(p->next, a->next, edges * sizeof *p->next);
  return true;
}
