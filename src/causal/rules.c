/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules of the causal model (model.h): when a step can be taken, what it sees there, what it changes. Pure: no
 * tested process is needed. A replay is a stack of steps, and its state has a number, so that a search knows states
 * that it has been in.
 */
#include "causal/model.h"
#include "core/key.h"
#include "core/rng.h"

#define FREED UINT64_C(0x66726565)
#define NUMBER_OF_THREADS (UINT64_C(1) << 32)
#define NUMBER_OF_OBJECTS (UINT64_C(1) << 33)

/* ---- numbers ---- */

static uint64_t number_of_value(uint32_t word, uint64_t value, uint8_t freed)
{
  return mix64(mix64((uint64_t)word << 8 | freed) ^ value);
}

static uint64_t number_of_state(uint32_t object, const struct causal_state *s)
{
  uint64_t h = mix64(NUMBER_OF_OBJECTS + object);
  h = mix64(h ^ s->waiters);
  h = mix64(h ^ s->signalled);
  h = mix64(h ^ (uint64_t)(uint32_t)s->owner << 32 ^ (uint32_t)s->depth);
  return mix64(h ^ (uint64_t)(uint32_t)s->readers << 32 ^ (uint32_t)s->count);
}

static uint64_t number_of_position(unsigned thread, uint32_t at)
{
  return mix64(NUMBER_OF_THREADS + ((uint64_t)thread << 20) + at);
}

/* ---- the stack ---- */

void causal_replay_begin(struct causal_replay *r, const struct causal_trace *t)
{
  r->trace = t;
  r->number = 0;
  r->taken_count = r->undos = 0;
  for (unsigned i = 0; i < t->threads; i++)
    r->at[i] = 0;
  for (uint32_t i = 0; i < t->words; i++) {
    r->value[i] = t->word[i].start;
    r->freed[i] = 0;
  }
  for (uint32_t i = 0; i < t->objects; i++)
    r->state[i] = t->object[i].start;
}

static void save(struct causal_replay *r, const struct causal_undo *undo)
{
  if (r->undos < CAUSAL_UNDOS)
    r->undo[r->undos] = *undo;
  r->undos++;
}

static void set_value(struct causal_replay *r, uint32_t word, uint64_t value, uint8_t freed)
{
  save(r, &(struct causal_undo){.index = word, .value = r->value[word], .freed = r->freed[word]});
  r->number += number_of_value(word, value, freed) - number_of_value(word, r->value[word], r->freed[word]);
  r->value[word] = value;
  r->freed[word] = freed;
}

static void set_state(struct causal_replay *r, uint32_t object, const struct causal_state *state)
{
  save(r, &(struct causal_undo){.index = CAUSAL_WORDS + object, .state = r->state[object]});
  r->number += number_of_state(object, state) - number_of_state(object, &r->state[object]);
  r->state[object] = *state;
}

void causal_take_back(struct causal_replay *r)
{
  uint32_t last = --r->taken_count;
  unsigned thread = r->taken[last].thread;
  while (r->undos > r->undone_to[last]) {
    const struct causal_undo *u = &r->undo[--r->undos];
    if (u->index < CAUSAL_WORDS) {
      r->number += number_of_value(u->index, u->value, u->freed) -
                   number_of_value(u->index, r->value[u->index], r->freed[u->index]);
      r->value[u->index] = u->value;
      r->freed[u->index] = u->freed;
    } else {
      uint32_t o = u->index - CAUSAL_WORDS;
      r->number += number_of_state(o, &u->state) - number_of_state(o, &r->state[o]);
      r->state[o] = u->state;
    }
  }
  r->number -= number_of_position(thread, r->at[thread]);
  r->at[thread]--;
  r->number += r->at[thread] ? number_of_position(thread, r->at[thread]) : 0;
}

/* ---- when a step can be taken ---- */

const struct causal_event *causal_next(const struct causal_replay *r, unsigned thread)
{
  const struct causal_trace *t = r->trace;
  const struct causal_thread *own = &t->thread[thread];
  if (r->at[thread] >= own->count + own->pending)
    return NULL;
  if (own->creator && r->at[own->creator - 1] <= own->before)
    return NULL;
  return causal_event_of(t, thread, r->at[thread]);
}

static bool has_ended(const struct causal_replay *r, unsigned thread)
{
  const struct causal_thread *t = &r->trace->thread[thread];
  return thread < r->trace->threads && t->ended && r->at[thread] == t->count;
}

/* Free, or the thread's own and may be taken again. */
static bool can_lock(const struct causal_replay *r, uint32_t object, unsigned thread)
{
  const struct causal_state *s = &r->state[object - 1];
  const struct causal_object *o = &r->trace->object[object - 1];
  return s->owner ? s->owner == (int)thread + 1 && (o->recursive || o->checks) : !s->readers;
}

static bool is_possible(const struct causal_replay *r, const struct causal_event *e)
{
  const struct causal_state *s = e->object ? &r->state[e->object - 1] : NULL;
  switch (e->rule) {
  case RULE_JOIN:
    return has_ended(r, e->object);
  case RULE_LOCK:
    return can_lock(r, e->object, e->thread);
  case RULE_SHARE:
    return !s->owner;
  case RULE_TAKE:
    return s->count > 0;
  case RULE_WAKE:
    return s->signalled >> e->thread & 1 && can_lock(r, e->second, e->thread);
  case RULE_LEAVE:
    return s->signalled >> e->thread & 1;
  case RULE_ENTER:
    return s->count != 0;
  default:
    return true;
  }
}

/* ---- what it sees ---- */

static uint32_t outcome_now(const struct causal_replay *r, const struct causal_event *e)
{
  const struct causal_state *s = e->object ? &r->state[e->object - 1] : NULL;
  switch (e->rule) {
  case RULE_TRYLOCK:
    return can_lock(r, e->object, e->thread) && !(s->owner && r->trace->object[e->object - 1].checks);
  case RULE_TRYSHARE:
    return !s->owner;
  case RULE_TRYTAKE:
    return s->count > 0;
  case RULE_COUNT:
    return (uint32_t)s->count;
  case RULE_ENTER:
    return s->count != ONCE_IS_DONE;
  default:
    return e->outcome;
  }
}

uint64_t causal_sign_now(const struct causal_replay *r, const struct causal_event *e)
{
  uint64_t sign = e->what;
  for (unsigned i = 0; i < e->accesses; i++) {
    const struct causal_access *a = &r->trace->access[e->access + i];
    if (a->reads)
      sign = causal_mix(sign, r->value[a->word] & causal_bytes(a->bytes));
    if (r->freed[a->word] & a->bytes)
      sign = causal_mix(sign, FREED);
  }
  return causal_sees_outcome(e->rule) ? causal_mix(sign, outcome_now(r, e)) : sign;
}

enum causal_verdict causal_judge(const struct causal_replay *r, const struct causal_event *e)
{
  if (!is_possible(r, e))
    return STEP_BLOCKED;
  bool pending = e->nth == r->trace->thread[e->thread].count;
  return !pending && causal_sign_now(r, e) == e->sign ? STEP_READY : STEP_DIFFERS;
}

unsigned causal_choices(const struct causal_replay *r, const struct causal_event *e)
{
  if (e->rule != RULE_SIGNAL)
    return 0;
  const struct causal_state *s = &r->state[e->object - 1];
  unsigned n = (unsigned)__builtin_popcountll(s->waiters & ~s->signalled);
  return n > 1 ? n : 0;
}

/* ---- what it changes ---- */

static void give_up(struct causal_state *s, unsigned thread)
{
  if (s->owner == (int)thread + 1) {
    s->depth--;
    s->owner = s->depth ? s->owner : 0;
  } else if (!s->owner && s->readers) {
    s->readers--;
  }
}

static void lock(struct causal_state *s, bool recursive, unsigned thread)
{
  s->depth += !s->owner || recursive;
  s->owner = (int)thread + 1;
}

static uint64_t nth_of(uint64_t set, unsigned n)
{
  while (n--)
    set &= set - 1;
  return set & -set;
}

static void arrive(struct causal_state *s, uint32_t limit, unsigned thread)
{
  s->waiters |= UINT64_C(1) << thread;
  if (++s->count != (int)limit)
    return;
  s->signalled |= s->waiters;
  s->waiters = 0;
  s->count = 0;
}

static void change_lock(const struct causal_replay *r, const struct causal_event *e, struct causal_state *s)
{
  const struct causal_object *o = &r->trace->object[e->object - 1];
  switch (e->rule) {
  case RULE_TRYLOCK:
    if (outcome_now(r, e))
      lock(s, o->recursive, e->thread);
    break;
  case RULE_LOCK:
    lock(s, o->recursive, e->thread);
    break;
  case RULE_UNLOCK:
    give_up(s, e->thread);
    break;
  case RULE_SHARE:
    s->readers++;
    break;
  case RULE_TRYSHARE:
    s->readers += !s->owner;
    break;
  default:
    break;
  }
}

/* The state of its object after it. */
static void change(const struct causal_replay *r, const struct causal_event *e, struct causal_state *s, unsigned choice)
{
  const struct causal_object *o = &r->trace->object[e->object - 1];
  uint64_t own = UINT64_C(1) << e->thread;
  switch (e->rule) {
  case RULE_TAKE:
    s->count--;
    break;
  case RULE_TRYTAKE:
    s->count -= s->count > 0;
    break;
  case RULE_POST:
    s->count++;
    break;
  case RULE_WAIT:
    s->waiters |= own;
    break;
  case RULE_WAKE:
    s->waiters &= ~own;
    s->signalled &= ~own;
    break;
  case RULE_SIGNAL:
    s->signalled |= nth_of(s->waiters & ~s->signalled, choice ? choice - 1 : 0);
    break;
  case RULE_BROADCAST:
    s->signalled |= s->waiters;
    break;
  case RULE_ARRIVE:
    arrive(s, o->limit, e->thread);
    break;
  case RULE_LEAVE:
    s->signalled &= ~own;
    break;
  case RULE_ENTER:
    s->count = outcome_now(r, e) ? 0 : s->count;
    break;
  case RULE_DONE:
    s->count = ONCE_IS_DONE;
    break;
  case RULE_SETUP:
    *s = (struct causal_state){.count = key_is_object(o->key) && key_kind(o->key) == OBJECT_SEM ? (int)e->outcome : 0};
    break;
  default:
    change_lock(r, e, s);
    break;
  }
}

static void take_accesses(struct causal_replay *r, const struct causal_event *e)
{
  for (unsigned i = 0; i < e->accesses; i++) {
    const struct causal_access *a = &r->trace->access[e->access + i];
    uint64_t mask = causal_bytes(a->bytes);
    if (e->rule == RULE_FREE)
      set_value(r, a->word, r->value[a->word], r->freed[a->word] | a->bytes);
    else if (a->writes)
      set_value(r, a->word, (r->value[a->word] & ~mask) | (a->left & mask), r->freed[a->word]);
  }
}

void causal_take(struct causal_replay *r, const struct causal_event *e, unsigned choice)
{
  r->undone_to[r->taken_count] = r->undos;
  r->steps++;
  if (e->rule == RULE_MEMORY || e->rule == RULE_FREE) {
    take_accesses(r, e);
  } else if (e->object && e->rule != RULE_JOIN && e->rule != RULE_CREATE) {
    struct causal_state s = r->state[e->object - 1];
    change(r, e, &s, choice);
    set_state(r, e->object - 1, &s);
  }
  if (e->second) {
    struct causal_state s = r->state[e->second - 1];
    if (e->rule == RULE_WAIT)
      give_up(&s, e->thread);
    else
      lock(&s, r->trace->object[e->second - 1].recursive, e->thread);
    set_state(r, e->second - 1, &s);
  }
  uint16_t told = e->rule == RULE_CHOICE ? (uint16_t)(e->outcome + 1) : (uint16_t)choice;
  r->taken[r->taken_count++] = (struct causal_taken){e->thread, told};
  r->number -= r->at[e->thread] ? number_of_position(e->thread, r->at[e->thread]) : 0;
  r->at[e->thread]++;
  r->number += number_of_position(e->thread, r->at[e->thread]);
}

/* ---- steps that need no decision ---- */

/* Nobody else uses it any more, from where they are. */
static bool is_alone(const struct causal_replay *r, uint32_t user, unsigned thread, uint8_t bytes)
{
  for (; user; user = r->trace->user[user - 1].next) {
    const struct causal_user *u = &r->trace->user[user - 1];
    if (u->thread != thread && u->bytes & bytes && u->last > r->at[u->thread])
      return false;
  }
  return true;
}

static bool accesses_alone(const struct causal_replay *r, const struct causal_event *e)
{
  for (unsigned i = 0; i < e->accesses; i++) {
    const struct causal_access *a = &r->trace->access[e->access + i];
    if ((a->writes || e->rule == RULE_FREE) && !is_alone(r, r->trace->word[a->word].user, e->thread, a->bytes))
      return false;
  }
  return true;
}

bool causal_is_harmless(const struct causal_replay *r, const struct causal_event *e)
{
  const struct causal_object *o = e->object ? &r->trace->object[e->object - 1] : NULL;
  switch (e->rule) {
  case RULE_NOTHING:
  case RULE_CHOICE:
  case RULE_CREATE:
  case RULE_JOIN:
  case RULE_LEAVE:
  case RULE_DONE:
  case RULE_SETUP: /* ordered with all other uses anyway */
    return true;
  case RULE_MEMORY:
  case RULE_FREE:
    return accesses_alone(r, e);
  case RULE_UNLOCK:
  case RULE_POST:
    return !o->tried || is_alone(r, o->user, e->thread, UINT8_MAX);
  default:
    return is_alone(r, o->user, e->thread, UINT8_MAX) &&
           (!e->second || is_alone(r, r->trace->object[e->second - 1].user, e->thread, UINT8_MAX));
  }
}

bool causal_holds(struct causal_replay *r, const struct causal_trace *t)
{
  causal_replay_begin(r, t);
  for (uint32_t i = 0; i < t->events; i++) {
    const struct causal_event *e = &t->event[i];
    if (causal_next(r, e->thread) != e || causal_judge(r, e) != STEP_READY)
      return false;
    causal_take(r, e, e->rule == RULE_SIGNAL && e->outcomes ? e->outcome + 1 : 0);
  }
  return r->undos < CAUSAL_UNDOS;
}
