/* SPDX-License-Identifier: Apache-2.0
 *
 * Which threads a question of the search by causality concerns (causal.h). Threads that have nothing to do with those
 * of the question, and with nobody who has, until the step in question has come, can do all that they did whatever the
 * others do: they take their steps as they came, and only the orders of the others are tried.
 *
 * Two threads have to do with each other if both use an object, or bytes that one of them writes; and if one creates or
 * joins the other, and does more than that before or after it.
 */
#include "causal/causal.h"

static unsigned root_of(const struct causal_concern *k, unsigned thread)
{
  while (k->with[thread] != thread)
    thread = k->with[thread];
  return thread;
}

static void unite(struct causal_concern *k, unsigned a, unsigned b)
{
  k->with[root_of(k, a)] = (uint16_t)root_of(k, b);
}

/* How many steps of each thread can come before that one, as far as creations and joins say. */
static void find_limits(const struct causal_trace *t, struct causal_concern *k, const struct causal_event *step)
{
  for (unsigned u = 0; u < t->threads; u++)
    k->limit[u] = t->thread[u].count;
  if (step)
    k->limit[step->thread] = step->nth;
  for (uint32_t i = 0; i < t->events && step; i++) {
    const struct causal_event *e = &t->event[i];
    unsigned creator = t->thread[e->thread].creator;
    if (e->nth == 0 && creator && k->limit[creator - 1] <= t->thread[e->thread].before)
      k->limit[e->thread] = 0;
    bool joins = e->rule == RULE_JOIN && e->object < t->threads;
    if (joins && k->limit[e->object] < t->thread[e->object].count + (step->thread == e->object) &&
        k->limit[e->thread] > e->nth)
      k->limit[e->thread] = e->nth;
  }
}

static bool uses(const struct causal_event *e)
{
  return e->accesses || (e->object && e->rule != RULE_JOIN && e->rule != RULE_CREATE && e->rule != RULE_NOTHING &&
                         e->rule != RULE_SETUP);
}

static void note_writes(const struct causal_trace *t, struct causal_concern *k)
{
  for (uint32_t i = 0; i < t->words; i++)
    k->written[i] = 0;
  for (uint32_t i = 0; i < t->events; i++) {
    const struct causal_event *e = &t->event[i];
    for (unsigned j = 0; j < e->accesses && e->nth < k->limit[e->thread]; j++) {
      const struct causal_access *a = &t->access[e->access + j];
      k->written[a->word] |= a->writes || e->rule == RULE_FREE ? a->bytes : 0;
    }
  }
}

static void meet(struct causal_concern *k, uint16_t *first, unsigned thread)
{
  if (*first)
    unite(k, *first - 1u, thread);
  *first = (uint16_t)(thread + 1);
}

static void unite_by_use(const struct causal_trace *t, struct causal_concern *k, const struct causal_event *e)
{
  for (unsigned j = 0; j < e->accesses; j++) {
    const struct causal_access *a = &t->access[e->access + j];
    for (unsigned b = 0; b < 8; b++)
      if (a->bytes & k->written[a->word] & 1u << b)
        meet(k, &k->user_of_byte[8 * a->word + b], e->thread);
  }
  if (uses(e) && e->object)
    meet(k, &k->user_of_object[e->object - 1], e->thread);
  if (e->second)
    meet(k, &k->user_of_object[e->second - 1], e->thread);
}

/* Who does something before it creates another thread decides when that comes; who joins one and does something then
 * waits for it. */
static void unite_by_life(const struct causal_trace *t, struct causal_concern *k)
{
  uint32_t last[CAUSAL_THREADS] = {0};
  bool begun[CAUSAL_THREADS] = {false};
  for (uint32_t i = 0; i < t->events; i++)
    if (uses(&t->event[i]) && t->event[i].nth < k->limit[t->event[i].thread])
      last[t->event[i].thread] = t->event[i].nth;
  for (uint32_t i = 0; i < t->events; i++) {
    const struct causal_event *e = &t->event[i];
    begun[e->thread] |= uses(e);
    bool creates = e->rule == RULE_CREATE && begun[e->thread], joins = e->rule == RULE_JOIN && last[e->thread] > e->nth;
    if ((creates || joins) && e->object < t->threads && e->nth < k->limit[e->thread])
      unite(k, e->thread, e->object);
  }
}

void causal_find_concern(struct causal *c, const struct causal_event *step)
{
  const struct causal_trace *t = &c->trace;
  struct causal_concern *k = &c->concern;
  find_limits(t, k, step);
  note_writes(t, k);
  for (unsigned u = 0; u < t->threads; u++)
    k->with[u] = (uint16_t)u;
  for (uint32_t i = 0; i < 8 * t->words; i++)
    k->user_of_byte[i] = 0;
  for (uint32_t i = 0; i < t->objects; i++)
    k->user_of_object[i] = 0;
  for (uint32_t i = 0; i < t->events; i++)
    if (t->event[i].nth < k->limit[t->event[i].thread])
      unite_by_use(t, k, &t->event[i]);
  for (unsigned u = 0; u < t->threads; u++)
    if (t->thread[u].pending)
      unite_by_use(t, k, causal_event_of(t, u, t->thread[u].count));
  if (step)
    unite_by_use(t, k, step);
  unite_by_life(t, k);
}

/* The step can be taken as it came. */
static bool can_follow(const struct causal *c, const struct causal_event *e)
{
  return !e->last && e->nth < c->concern.limit[e->thread] && causal_next(&c->replay, e->thread) == e &&
         causal_judge(&c->replay, e) == STEP_READY;
}

bool causal_take_others(struct causal *c, unsigned thread)
{
  const struct causal_trace *t = &c->trace;
  const struct causal_concern *k = &c->concern;
  unsigned own = root_of(k, thread);
  for (uint32_t i = 0; i < t->events; i++) {
    const struct causal_event *e = &t->event[i];
    if (root_of(k, e->thread) != own && can_follow(c, e))
      causal_take(&c->replay, e, e->rule == RULE_SIGNAL && e->outcomes ? e->outcome + 1 : 0);
  }
  for (unsigned u = 0; u < t->threads; u++) {
    const struct causal_event *e = causal_next(&c->replay, u);
    bool stuck = e && root_of(k, u) != own && e->nth < k->limit[u] && e->rule != RULE_JOIN;
    if (stuck)
      return false;
  }
  return true;
}

bool causal_concerns(const struct causal *c, unsigned thread, unsigned other)
{
  return root_of(&c->concern, thread) == root_of(&c->concern, other);
}
