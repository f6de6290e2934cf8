/* SPDX-License-Identifier: Apache-2.0
 *
 * States of objects; see typestates.h.
 */
#include "strategy/typestates.h"
#include "core/automaton_table.h"
#include "core/rng.h"

#define NO_METHOD UINT16_MAX

void typestates_begin(struct typestates *s, const struct plan_protocol *protocol, const struct control_config *config)
{
  s->protocol = protocol;
  s->config = config;
  s->count = 0;
  for (uint32_t i = 0; i < TYPESTATES; i++)
    s->of[i].object = 0;
  for (uint32_t i = 0; i < WATCHED_CALLS; i++)
    s->method[i] = 0;
}

static bool same_text(const char *a, const char *b, size_t size)
{
  size_t i = 0;
  while (i + 1 < size && a[i] && a[i] == b[i])
    i++;
  return a[i] == b[i];
}

static uint16_t look_up(const struct plan_protocol *p, const struct watched_call *function)
{
  if (!same_text(p->type, function->type, sizeof p->type))
    return NO_METHOD;
  for (uint16_t i = 0; i < p->methods; i++)
    if (same_text(p->method[i], function->name, sizeof p->method[i]))
      return i;
  return NO_METHOD;
}

static uint16_t method_of(struct typestates *s, const struct operation *call)
{
  if (!call->arg || call->arg > WATCHED_CALLS || !s->protocol->states)
    return NO_METHOD;
  uint16_t *known = &s->method[call->arg - 1];
  if (!*known)
    *known = (uint16_t)(look_up(s->protocol, &s->config->call[call->arg - 1]) + 1); /* NO_METHOD becomes 0 */
  return (uint16_t)(*known - 1);
}

/* NULL when there is no room. */
static struct typestate *state_of(struct typestates *s, const struct operation *call)
{
  uint32_t i = (uint32_t)mix64(call->object) % TYPESTATES;
  while (s->of[i].object && s->of[i].object != call->object)
    i = (i + 1) % TYPESTATES;
  if (!s->of[i].object) {
    if (s->count == TYPESTATES - 1)
      return NULL;
    s->of[i] = (struct typestate){call->object, 0};
    s->count++;
  }
  return &s->of[i];
}

/* Where the call leads; a new object begins in state 0. */
static uint16_t next_of(const struct plan_protocol *p, const struct typestate *o, const struct operation *call,
                        uint16_t method)
{
  return automaton_step(p->next, p->methods, op_makes_object(call) ? 0 : o->state, method);
}

bool typestates_allow(struct typestates *s, const struct operation *call)
{
  uint16_t method = method_of(s, call);
  const struct typestate *o = method == NO_METHOD ? NULL : state_of(s, call);
  bool known = o && (o->state != NO_STATE || op_makes_object(call)); /* after a wrong call nothing is said any more */
  return !known || next_of(s->protocol, o, call, method) != NO_STATE;
}

void typestates_call(struct typestates *s, const struct operation *call)
{
  uint16_t method = method_of(s, call);
  struct typestate *o = method == NO_METHOD ? NULL : state_of(s, call);
  if (o)
    o->state = next_of(s->protocol, o, call, method);
}
