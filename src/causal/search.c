/* SPDX-License-Identifier: Apache-2.0
 *
 * The questions that the search by causality asks of an execution, answered by going through the states of its replays
 * (model.h): in which of them does this step see something else? In which can nobody go on?
 *
 * Steps that harm nobody are taken as soon as they can be; only the others are tried in all orders. That loses nothing
 * but prefixes within others: who takes such a step earlier can still do all that it could have done. Each state is
 * visited once. A question with too many states is not answered, which is a loss.
 */
#include "causal/causal.h"
#include "core/loss.h"
#include "core/rng.h"

#define RACE_QUESTIONS 3
#define RACE_EVENTS 4096 /* of an execution in which races are looked for */
#define LOOP_STEPS 8     /* of one turn of a loop that waits */
#define LOOP_TURNS 16    /* that saw the same; what a turn after them may see is not asked */

/* ---- states ---- */

static void forget_states(struct causal_search *s)
{
  for (uint32_t i = 0; i < s->used_count; i++)
    s->visited[s->used[i]] = 0;
  s->states = s->used_count = 0;
}

/* False: it was visited. */
static bool visit(struct causal_search *s, uint64_t number)
{
  uint32_t mask = (1u << CAUSAL_STATES_BITS) - 1, at = (uint32_t)mix64(number) & mask;
  number |= !number;
  while (s->visited[at] && s->visited[at] != number)
    at = (at + 1) & mask;
  if (s->visited[at])
    return false;
  s->visited[at] = number;
  s->used[s->used_count++] = at;
  s->states++;
  return true;
}

/* ---- the walk ---- */

/* What is looked for. */
struct question {
  const struct causal_event *step;   /* that is to see something else; NULL: a standstill */
  const struct causal_event *beside; /* both are to be next at once: a race; NULL: no such thing */
  unsigned thread;                   /* of it, or of those that are to stand still */
  bool of_all;                       /* all threads are concerned */
  bool over;                         /* it is answered */
  uint32_t first;                    /* courses that were found for it */
};

/* The next step of the thread, if it may be taken. */
static const struct causal_event *next_step(const struct causal *c, const struct question *q, unsigned thread)
{
  const struct causal_event *e = causal_next(&c->replay, thread);
  bool stays = !e || e == q->step || e == q->beside || e->last || e->nth == c->trace.thread[thread].count;
  return stays || causal_judge(&c->replay, e) != STEP_READY ? NULL : e;
}

static void take_harmless(struct causal *c, const struct question *q)
{
  for (bool again = true; again;) {
    again = false;
    for (unsigned t = 0; t < c->trace.threads; t++) {
      const struct causal_event *e;
      while ((e = next_step(c, q, t)) && causal_is_harmless(&c->replay, e)) {
        causal_take(&c->replay, e, 0);
        again = true;
      }
    }
  }
}

static bool is_null(const struct causal *c, const struct causal_event *e)
{
  const struct causal_access *a = &c->trace.access[e->access];
  return e->accesses == 1 && a->reads && a->bytes == 0xff && a->seen > UINT16_MAX && !c->replay.value[a->word];
}

static uint64_t number_of_sight(const struct causal_event *e, uint64_t sign)
{
  return mix64(mix64(e->pc) ^ sign ^ UINT64_C(0x7369676874));
}

static void find_other_sight(struct causal *c, const struct question *q)
{
  const struct causal_event *e = q->step;
  if (causal_next(&c->replay, e->thread) != e)
    return;
  if (e->rule == RULE_CHOICE && e->nth < c->trace.thread[e->thread].count) {
    for (unsigned v = 0; v < e->outcomes; v++)
      if (v != e->outcome)
        causal_add_course(c, q->first, e, causal_mix(e->what, v), v + 1, REASON_ANOTHER);
    return;
  }
  if (causal_judge(&c->replay, e) != STEP_DIFFERS)
    return;
  uint64_t sign = causal_sign_now(&c->replay, e);
  bool known = causal_is_marked(c, number_of_sight(e, sign));
  enum causal_reason reason = is_null(c, e)                   ? REASON_NULL
                              : causal_breaks_atomicity(c, e) ? REASON_TORN
                              : known                         ? REASON_ANOTHER
                                                              : REASON_NEW;
  causal_add_course(c, q->first, e, sign, 0, reason);
}

/* Nobody can go on, and somebody would have to: a number for who stands where; 0: that is not so. */
static uint64_t standstill(const struct causal *c)
{
  uint64_t number = 0;
  for (unsigned t = 0; t < c->trace.threads; t++) {
    const struct causal_event *e = causal_next(&c->replay, t);
    if (!e)
      continue;
    if (causal_judge(&c->replay, e) != STEP_BLOCKED)
      return 0;
    number += mix64(e->what + t);
  }
  return number;
}

static void look(struct causal *c, struct question *q)
{
  uint64_t number;
  if (q->beside)
    q->over =
        causal_next(&c->replay, q->step->thread) == q->step && causal_next(&c->replay, q->beside->thread) == q->beside;
  else if (q->step)
    find_other_sight(c, q);
  else if ((number = standstill(c)) && causal_mark(c, number))
    causal_add_course(c, q->first, NULL, number, 0, REASON_STANDSTILL);
  if (q->over)
    causal_add_race(c, q->first, q->step->pc, q->beside->pc);
}

/* The next step to be tried after that one. False: there is none. */
static bool try_next(struct causal *c, const struct question *q, struct causal_branch *b)
{
  const struct causal_event *e = b->choice ? next_step(c, q, b->thread) : NULL;
  if (e && b->choice < causal_choices(&c->replay, e)) {
    causal_take(&c->replay, e, ++b->choice);
    return true;
  }
  for (unsigned t = b->thread + (b->choice != 0); t < c->trace.threads; t++) {
    e = q->of_all || causal_concerns(c, q->thread, t) ? next_step(c, q, t) : NULL;
    if (!e)
      continue;
    b->thread = (uint16_t)t;
    b->choice = 1;
    causal_take(&c->replay, e, causal_choices(&c->replay, e) ? 1 : 0);
    return true;
  }
  return false;
}

/* Back to where that branch began. */
static void go_back(struct causal *c, const struct causal_branch *b)
{
  while (c->replay.taken_count > b->taken)
    causal_take_back(&c->replay);
}

/* Who is not concerned has come as far as can be. */
static void begin(struct causal *c, struct question *q)
{
  causal_replay_begin(&c->replay, &c->trace);
  take_harmless(c, q);
  q->of_all = !causal_take_others(c, q->thread);
  if (q->of_all)
    causal_replay_begin(&c->replay, &c->trace);
}

static void ask(struct causal *c, struct question *q)
{
  struct causal_search *s = &c->search;
  uint32_t depth = 0;
  bool fresh = true;
  forget_states(s);
  c->questions++;
  c->replay.steps = 0;
  begin(c, q);
  for (;;) {
    if (fresh) {
      take_harmless(c, q);
      if (s->states == CAUSAL_STATES_MOST || c->replay.undos >= CAUSAL_UNDOS || c->replay.steps > c->steps_left) {
        c->lost |= LOST_UNANSWERED;
        break;
      }
      c->replay.steps += c->trace.threads; /* as much as it takes to look at them */
      if (visit(s, c->replay.number)) {
        look(c, q);
        s->branch[depth++] = (struct causal_branch){.taken = c->replay.taken_count};
      }
      fresh = false;
    }
    if (!depth || q->over)
      break;
    go_back(c, &s->branch[depth - 1]);
    if (try_next(c, q, &s->branch[depth - 1]))
      fresh = true;
    else
      depth--;
  }
  c->steps += c->replay.steps;
  c->steps_left -= c->replay.steps < c->steps_left ? c->replay.steps : c->steps_left;
}

/* What a question costs before it is asked; then it is not, if too much was. */
static bool pay(struct causal *c)
{
  uint64_t cost = c->trace.events / 4 + c->trace.words;
  if (c->steps_left <= cost) {
    c->steps_left = 0;
    c->lost |= LOST_UNANSWERED;
    return false;
  }
  c->steps_left -= cost;
  return true;
}

/* ---- quick answers ---- */

static void find_what_varies(struct causal *c)
{
  const struct causal_trace *t = &c->trace;
  for (uint32_t i = 0; i < t->words; i++) {
    c->search.vary[i] = 0;
    c->search.is_freed[i] = false;
  }
  for (uint32_t i = 0; i < t->events; i++)
    for (unsigned j = 0; j < t->event[i].accesses; j++) {
      const struct causal_access *a = &t->access[t->event[i].access + j];
      c->search.vary[a->word] |= a->writes ? (a->left ^ t->word[a->word].start) & causal_bytes(a->bytes) : 0;
      c->search.is_freed[a->word] |= t->event[i].rule == RULE_FREE;
    }
}

static bool is_shared(const struct causal_trace *t, uint32_t user)
{
  return user && t->user[user - 1].next;
}

static bool may_differ(const struct causal *c, const struct causal_event *e)
{
  const struct causal_trace *t = &c->trace;
  if (e->rule == RULE_CHOICE)
    return true;
  for (unsigned i = 0; i < e->accesses; i++) {
    const struct causal_access *a = &t->access[e->access + i];
    bool varies = a->reads && c->search.vary[a->word] & causal_bytes(a->bytes);
    if ((varies || c->search.is_freed[a->word]) && is_shared(t, t->word[a->word].user))
      return true;
  }
  return e->object && causal_sees_outcome(e->rule) && is_shared(t, t->object[e->object - 1].user);
}

/* The steps before it are turns of a loop that saw the same in each: there are as many classes as such a loop has
 * turns, and no end of them. */
static bool is_in_waiting_loop(const struct causal_trace *t, const struct causal_event *e)
{
  for (uint32_t length = 1; length <= LOOP_STEPS && (LOOP_TURNS + 1) * length <= e->nth; length++) {
    uint32_t same = 0;
    while (same < LOOP_TURNS * length && causal_event_of(t, e->thread, e->nth - 1 - same)->sign ==
                                             causal_event_of(t, e->thread, e->nth - 1 - same - length)->sign)
      same++;
    if (same == LOOP_TURNS * length)
      return true;
  }
  return false;
}

/* Whether somebody waits for others in a way that may be in vain: not just for a lock while holding none. */
static bool may_stand_still(const struct causal_trace *t)
{
  int held[CAUSAL_THREADS] = {0};
  for (uint32_t i = 0; i < t->events; i++) {
    const struct causal_event *e = &t->event[i];
    bool waits = e->rule == RULE_TAKE || e->rule == RULE_WAIT || e->rule == RULE_WAKE || e->rule == RULE_LEAVE ||
                 e->rule == RULE_ENTER;
    bool locks = e->rule == RULE_LOCK || e->rule == RULE_SHARE;
    if (waits || ((locks || e->rule == RULE_JOIN) && held[e->thread]))
      return true;
    held[e->thread] += locks || ((e->rule == RULE_TRYLOCK || e->rule == RULE_TRYSHARE) && e->outcome);
    held[e->thread] -= e->rule == RULE_UNLOCK;
  }
  for (unsigned u = 0; u < t->threads; u++)
    if (t->thread[u].pending || held[u])
      return true;
  return false;
}

/* ---- races ---- */

static bool conflicts(const struct causal_trace *t, const struct causal_event *a, const struct causal_event *b)
{
  if (a->thread == b->thread || (op_is_atomic(a->kind) && op_is_atomic(b->kind)))
    return false;
  for (unsigned i = 0; i < a->accesses; i++)
    for (unsigned j = 0; j < b->accesses; j++) {
      const struct causal_access *x = &t->access[a->access + i], *y = &t->access[b->access + j];
      if (x->word == y->word && x->bytes & y->bytes && (x->writes || y->writes))
        return true;
    }
  return false;
}

/* Each pair of places in the code is asked for a few times at most: that there is no race is not said. */
static bool is_worth_asking(struct causal *c, const struct causal_event *a, const struct causal_event *b)
{
  uint64_t pair = mix64(a->pc < b->pc ? mix64(a->pc) ^ b->pc : mix64(b->pc) ^ a->pc);
  for (unsigned i = 0; i < RACE_QUESTIONS; i++)
    if (causal_mark(c, pair + i))
      return true;
  return false;
}

static void ask_for_races(struct causal *c)
{
  const struct causal_trace *t = &c->trace;
  for (uint32_t i = 0; i < t->events && t->events <= RACE_EVENTS; i++)
    for (uint32_t j = i + 1; j < t->events && t->event[i].rule == RULE_MEMORY; j++) {
      const struct causal_event *a = &t->event[i], *b = &t->event[j];
      if (b->rule != RULE_MEMORY || !conflicts(t, a, b) || !is_worth_asking(c, a, b))
        continue;
      struct question q = {.step = a, .beside = b, .first = c->work.count, .thread = a->thread};
      uint64_t lost = c->lost;
      if (pay(c)) {
        causal_find_concern(c, NULL);
        ask(c, &q);
      }
      c->lost = lost; /* nothing is said of races */
    }
}

/* ---- all questions ---- */

static void note_sights(struct causal *c)
{
  for (uint32_t i = 0; i < c->trace.events; i++)
    if (c->trace.event[i].rule == RULE_MEMORY)
      causal_mark(c, number_of_sight(&c->trace.event[i], c->trace.event[i].sign));
}

uint32_t causal_ask(struct causal *c, const struct causal_event *e)
{
  struct question q = {.step = e, .first = c->work.count, .thread = e->thread};
  if (pay(c)) {
    causal_find_concern(c, e);
    ask(c, &q);
  }
  return q.first;
}

/* Among threads that have to do with each other; those that have nothing to do with them come to their end. */
static void ask_for_standstills(struct causal *c)
{
  uint32_t first = c->work.count;
  causal_find_concern(c, NULL);
  for (unsigned t = 0; t < c->trace.threads; t++) {
    unsigned before = 0;
    while (before < t && !causal_concerns(c, before, t))
      before++;
    struct question q = {.first = first, .thread = t};
    if (before == t)
      ask(c, &q);
  }
  causal_keep_courses(c, first);
}

static void ask_of(struct causal *c, const struct causal_event *e)
{
  if (is_in_waiting_loop(&c->trace, e))
    c->lost |= LOST_LOOP;
  else
    causal_keep_courses(c, causal_ask(c, e));
}

void causal_find_courses(struct causal *c)
{
  const struct causal_trace *t = &c->trace;
  uint32_t first = c->work.count;
  c->steps_left = CAUSAL_STEPS_MOST;
  find_what_varies(c);
  note_sights(c);
  for (unsigned u = 0; u < t->threads; u++) {
    for (uint32_t i = 0; i < t->thread[u].count; i++)
      if (may_differ(c, causal_event_of(t, u, i)))
        ask_of(c, causal_event_of(t, u, i));
    if (t->thread[u].pending)
      ask_of(c, causal_event_of(t, u, t->thread[u].count));
  }
  if (may_stand_still(t))
    ask_for_standstills(c);
  if (c->races)
    ask_for_races(c);
  causal_list_courses(c, first);
}
