/* SPDX-License-Identifier: Apache-2.0
 *
 * The questions of the search by causality (causal/causal.h) put to Z3 instead: is there a beginning of another
 * execution of the same program in which this step sees that? A second opinion that shares no code with the search but
 * the trace: each event is in the beginning or not, and has a place in its order.
 *
 * For traces of the toy world: whole words, plain mutexes, semaphores, creations and joins.
 */
#ifndef HEDDLE_TESTS_SMT_ORACLE_H
#define HEDDLE_TESTS_SMT_ORACLE_H

#include "causal/causal.h"
#include <z3.h>

enum { SMT_EVENTS = 256, SMT_PARTS = 4 * SMT_EVENTS };

struct smt {
  Z3_context z;
  Z3_solver solver;
  const struct causal_trace *t;
  Z3_ast in[SMT_EVENTS], at[SMT_EVENTS];
  uint32_t leaves[SMT_EVENTS]; /* of a step that takes a lock, the one that gives it back, + 1 */
};

static inline Z3_ast smt_number(struct smt *s, int64_t n)
{
  return Z3_mk_int64(s->z, n, Z3_mk_int_sort(s->z));
}

static inline Z3_ast smt_before(struct smt *s, uint32_t a, uint32_t b)
{
  return Z3_mk_lt(s->z, s->at[a], s->at[b]);
}

static inline Z3_ast smt_and(struct smt *s, Z3_ast a, Z3_ast b)
{
  return Z3_mk_and(s->z, 2, (Z3_ast[]){a, b});
}

static inline Z3_ast smt_or(struct smt *s, Z3_ast a, Z3_ast b)
{
  return Z3_mk_or(s->z, 2, (Z3_ast[]){a, b});
}

static inline void smt_say(struct smt *s, Z3_ast fact)
{
  Z3_solver_assert(s->z, s->solver, fact);
}

/* b comes only with a, and after it. */
static inline void smt_say_needs(struct smt *s, uint32_t b, uint32_t a)
{
  smt_say(s, Z3_mk_implies(s->z, s->in[b], smt_and(s, s->in[a], smt_before(s, a, b))));
}

static inline const struct causal_access *smt_access(const struct smt *s, uint32_t e)
{
  return s->t->event[e].accesses ? &s->t->access[s->t->event[e].access] : NULL;
}

static inline bool smt_writes(const struct smt *s, uint32_t e, uint32_t word)
{
  const struct causal_access *a = smt_access(s, e);
  return a && a->writes && a->word == word;
}

/* No write of the word comes between those two; from: the event, + 1, 0 for the start. */
static inline Z3_ast smt_undisturbed(struct smt *s, uint32_t word, uint32_t from, uint32_t to)
{
  Z3_ast part[SMT_PARTS];
  unsigned n = 0;
  for (uint32_t w = 0; w < s->t->events; w++) {
    if (!smt_writes(s, w, word) || w + 1 == from || w == to)
      continue;
    Z3_ast away = smt_or(s, Z3_mk_not(s->z, s->in[w]), smt_before(s, to, w));
    part[n++] = from ? smt_or(s, away, smt_before(s, w, from - 1)) : away;
  }
  return Z3_mk_and(s->z, n, part);
}

static inline Z3_ast smt_sees(struct smt *s, uint32_t e, uint64_t value)
{
  const struct causal_access *a = smt_access(s, e);
  Z3_ast part[SMT_PARTS];
  unsigned n = 0;
  for (uint32_t w = 0; w < s->t->events; w++)
    if (w != e && smt_writes(s, w, a->word) && smt_access(s, w)->left == value)
      part[n++] = smt_and(s, smt_and(s, s->in[w], smt_before(s, w, e)), smt_undisturbed(s, a->word, w + 1, e));
  if (s->t->word[a->word].start == value)
    part[n++] = smt_undisturbed(s, a->word, 0, e);
  return Z3_mk_or(s->z, n, part);
}

/* ---- locks and semaphores ---- */

static inline bool smt_locks(const struct causal_event *e)
{
  return e->rule == RULE_LOCK || (e->rule == RULE_TRYLOCK && e->outcome);
}

static inline void smt_find_sections(struct smt *s)
{
  for (uint32_t a = 0; a < s->t->events; a++) {
    const struct causal_event *e = &s->t->event[a];
    s->leaves[a] = 0;
    for (uint32_t n = e->nth + 1; smt_locks(e) && n < s->t->thread[e->thread].count && !s->leaves[a]; n++) {
      const struct causal_event *f = causal_event_of(s->t, e->thread, n);
      if (f->rule == RULE_UNLOCK && f->object == e->object)
        s->leaves[a] = (uint32_t)(f - s->t->event) + 1;
    }
  }
}

/* The section that begins with a is over before b. */
static inline Z3_ast smt_is_over(struct smt *s, uint32_t a, uint32_t b)
{
  return s->leaves[a] ? smt_and(s, s->in[s->leaves[a] - 1], smt_before(s, s->leaves[a] - 1, b)) : Z3_mk_false(s->z);
}

static inline Z3_ast smt_somebody_holds(struct smt *s, uint32_t f)
{
  Z3_ast part[SMT_PARTS];
  unsigned n = 0;
  for (uint32_t a = 0; a < s->t->events; a++)
    if (a != f && smt_locks(&s->t->event[a]) && s->t->event[a].object == s->t->event[f].object)
      part[n++] = smt_and(s, smt_and(s, s->in[a], smt_before(s, a, f)), Z3_mk_not(s->z, smt_is_over(s, a, f)));
  return Z3_mk_or(s->z, n, part);
}

static inline Z3_ast smt_is_left(struct smt *s, uint32_t e)
{
  const struct causal_event *own = &s->t->event[e];
  Z3_ast part[SMT_PARTS];
  unsigned n = 0;
  part[n++] = smt_number(s, s->t->object[own->object - 1].start.count);
  for (uint32_t f = 0; f < s->t->events; f++) {
    const struct causal_event *other = &s->t->event[f];
    bool posts = other->rule == RULE_POST, takes = other->rule == RULE_TAKE;
    if (f != e && (posts || takes) && other->object == own->object)
      part[n++] =
          Z3_mk_ite(s->z, smt_and(s, s->in[f], smt_before(s, f, e)), smt_number(s, posts ? 1 : -1), smt_number(s, 0));
  }
  return Z3_mk_gt(s->z, Z3_mk_add(s->z, n, part), smt_number(s, 0));
}

/* ---- the trace ---- */

static inline void smt_say_event(struct smt *s, uint32_t i)
{
  const struct causal_event *e = &s->t->event[i];
  const struct causal_thread *own = &s->t->thread[e->thread];
  if (e->nth)
    smt_say_needs(s, i, s->t->nth[own->first + e->nth - 1]);
  else if (own->creator)
    smt_say_needs(s, i, s->t->nth[s->t->thread[own->creator - 1].first + own->before]);
  if (e->rule == RULE_JOIN) {
    const struct causal_thread *joined = &s->t->thread[e->object];
    smt_say_needs(s, i, s->t->nth[joined->first + joined->count - 1]);
  }
  if (e->last)
    smt_say(s, Z3_mk_not(s->z, s->in[i]));
}

/* All that its rule asks of it, if it sees what it saw. */
static inline Z3_ast smt_rule(struct smt *s, uint32_t i)
{
  const struct causal_event *e = &s->t->event[i];
  const struct causal_access *a = smt_access(s, i);
  if (a && a->reads)
    return smt_sees(s, i, a->seen);
  if (smt_locks(e))
    return Z3_mk_not(s->z, smt_somebody_holds(s, i));
  if (e->rule == RULE_TRYLOCK)
    return smt_somebody_holds(s, i);
  return e->rule == RULE_TAKE ? smt_is_left(s, i) : Z3_mk_true(s->z);
}

static inline struct smt *smt_open(const struct causal_trace *t)
{
  static struct smt s;
  Z3_config config = Z3_mk_config();
  s = (struct smt){.z = Z3_mk_context(config), .t = t};
  Z3_del_config(config);
  s.solver = Z3_mk_solver(s.z);
  Z3_solver_inc_ref(s.z, s.solver);
  for (uint32_t i = 0; i < t->events; i++) {
    s.in[i] = Z3_mk_const(s.z, Z3_mk_int_symbol(s.z, (int)i), Z3_mk_bool_sort(s.z));
    s.at[i] = Z3_mk_const(s.z, Z3_mk_int_symbol(s.z, (int)(SMT_EVENTS + i)), Z3_mk_int_sort(s.z));
  }
  smt_find_sections(&s);
  smt_say(&s, Z3_mk_distinct(s.z, t->events, s.at));
  return &s;
}

static inline void smt_close(struct smt *s)
{
  Z3_solver_dec_ref(s->z, s->solver);
  Z3_del_context(s->z);
}

/* Everything but the question: the step is the last one, and the rule of all others holds. */
static inline void smt_ask(struct smt *s, uint32_t step)
{
  const struct causal_event *e = &s->t->event[step];
  for (uint32_t i = 0; i < s->t->events; i++) {
    if (i != step || !s->t->event[i].last)
      smt_say_event(s, i);
    if (i == step)
      continue;
    smt_say(s, Z3_mk_implies(s->z, s->in[i], smt_and(s, smt_rule(s, i), smt_before(s, i, step))));
    if (s->t->event[i].thread == e->thread && s->t->event[i].nth > e->nth)
      smt_say(s, Z3_mk_not(s->z, s->in[i]));
  }
  smt_say(s, s->in[step]);
}

/* The beginning is not within those prefixes. */
static inline void smt_say_beyond(struct smt *s, const struct causal_course *course)
{
  Z3_ast part[CAUSAL_THREADS];
  unsigned n = 0;
  for (unsigned u = 0; u < s->t->threads; u++) {
    const struct causal_thread *own = &s->t->thread[u];
    if (u != course->thread && course->begun[u].steps < own->count)
      part[n++] = s->in[s->t->nth[own->first + course->begun[u].steps]];
  }
  smt_say(s, Z3_mk_or(s->z, n, part));
}

static inline bool smt_is_possible(struct smt *s)
{
  Z3_lbool answer = Z3_solver_check(s->z, s->solver);
  assert_int_not_equal(answer, Z3_L_UNDEF);
  return answer == Z3_L_TRUE;
}

#endif
