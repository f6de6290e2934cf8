/* SPDX-License-Identifier: Apache-2.0
 *
 * Random toy programs with random orderings, and what each step of them is to an ordering, without the engine.
 * Orderings are made as trees here, printed, and read by the parser; whether an event may happen the trees are asked.
 *
 * Thread 0, "main", chooses the ordering if there are several, and creates the others, "t1", "t2", …; a marker may be
 * the event of whoever comes there or of one thread, and which one it is may depend on what the thread has read.
 */
#ifndef HEDDLE_TESTS_ORDERED_PROGRAM_H
#define HEDDLE_TESTS_ORDERED_PROGRAM_H

#include "core/formula.h"
#include "core/rng.h"
#include "language/order_parse.h"
#include "toy_world.h"
#include <stdio.h>

enum { THREADS = 3, CODE_MAX = 12, MARKS = 3, RULES = 3, NODES = 24, ORDERINGS = 2 };

/* Events 0 to MARKS - 1 are marks; then come starts and ends of threads 1, 2, … */
#define START_OF(t) (MARKS + (t)-1)
#define END_OF(t) (MARKS + THREADS + (t)-1)
enum { EVENTS = MARKS + 2 * THREADS };

struct node {
  enum { LEAF, BLOCKED, BOTH, EITHER } kind;
  int event;       /* of the first two */
  int left, right; /* of the others */
};

struct rule {
  int root, event;
};

struct ordered {
  int whose[MARKS]; /* the thread whose marker it is; -1: anybody's */
  int nodes, rules;
  struct node node[NODES];
  struct rule rule[RULES];
  char text[768];
  struct ordering ordering;
};

struct ordered_program {
  struct toy_program program;
  struct toy_insn code[THREADS + 1][CODE_MAX + 1];
  bool loops;
  bool asks; /* one thread waits for a semaphore, one posts it, and whether that has come is asked of a third */
  unsigned orderings;
  struct ordered ordered[ORDERINGS];
};

/* ---- code ---- */

static inline int put(struct toy_insn *code, int at, enum toy_kind kind, int object, int value)
{
  code[at] = (struct toy_insn){kind, object, value};
  return at + 1;
}

static inline int put_mark(struct toy_insn *code, int at, uint64_t *stream)
{
  return put(code, at, MARK, (int)rng_below(stream, MARKS), rng_below(stream, 4) == 0);
}

/* Waits for a variable, coming to a marker in each round or not; or comes to one only if it has read that. */
static inline int put_branch(struct ordered_program *g, struct toy_insn *code, int at, uint64_t *stream)
{
  int object = (int)rng_below(stream, 2), value = 1 + (int)rng_below(stream, 2);
  switch (rng_below(stream, 4)) {
  case 0:
    g->loops = true;
    return put(code, at, SPIN, object, value);
  case 1:
    g->loops = true;
    at = put_mark(code, at, stream);
    return put(code, at, SPIN_BACK, object, value);
  default:
    at = put(code, at, rng_below(stream, 2) ? READ : TRYLOCK, object, 0);
    at = put(code, at, BRANCH, 2, (int)rng_below(stream, 2));
    return put_mark(code, at, stream);
  }
}

/* Mostly about who is blocked: that is where orders matter to orderings. */
static inline int put_some(struct toy_insn *code, int at, uint64_t *stream)
{
  static const enum toy_kind kinds[] = {READ, WRITE, SET, MARK, MARK, MARK, MARK, POST, POST, POST, WAIT, LOCK, UNLOCK};
  bool after_mark = at && code[at - 1].kind == MARK && rng_below(stream, 2);
  enum toy_kind kind = after_mark ? WAIT : kinds[rng_below(stream, sizeof kinds / sizeof kinds[0])];
  if (kind == MARK)
    return put_mark(code, at, stream);
  bool on_lock = kind == POST || kind == WAIT || kind == LOCK || kind == UNLOCK;
  return put(code, at, kind, on_lock ? 0 : (int)rng_below(stream, 2), 1 + (int)rng_below(stream, 2));
}

static inline void generate_main(struct ordered_program *g, uint64_t *stream)
{
  int at = g->orderings > 1 ? put(g->code[0], 0, CHOOSE, 0, (int)g->orderings) : 0;
  for (int t = 1; t < g->program.threads; t++) {
    at = put(g->code[0], at, CREATE, t, 0);
    if (rng_below(stream, 6) == 0)
      at = put_some(g->code[0], at, stream);
  }
  for (int t = 1; t < g->program.threads && g->program.exits; t++)
    if (rng_below(stream, 3) == 0)
      at = put(g->code[0], at, rng_below(stream, 4) ? JOIN : TRYJOIN, t, 0);
  g->program.code[0] = g->code[0];
}

/* What the random code of the thread comes behind. Who posts knows whether the other one is about to wait. */
static inline int put_asked(struct toy_insn *code, int t)
{
  static const struct toy_insn first[THREADS][4] = {
      {{MARK, 0, 0}, {SET, 0, 1}, {WAIT, 0, 0}}, {{MARK, 1, 0}}, {{READ, 0, 0}, {POST, 0, 0}}};
  int at = 0;
  for (; first[t - 1][at].kind != END; at++)
    code[at] = first[t - 1][at];
  return at;
}

/* features: of loops and branches, so many in eight. */
static inline void generate_code(struct ordered_program *g, unsigned steps, unsigned features, uint64_t *stream)
{
  int left = (int)steps;
  g->asks = rng_below(stream, 4) == 0;
  g->program.threads = 3 + (g->asks || rng_below(stream, 4) > 0);
  g->program.exits = rng_below(stream, 3) == 0; /* else nobody sees threads end */
  g->program.sem[0] = rng_below(stream, 4) == 0;
  generate_main(g, stream);
  for (int t = 1; t < g->program.threads; t++) {
    int length = (int)rng_below(stream, 3) + !g->asks, at = g->asks ? put_asked(g->code[t], t) : 0;
    for (length = at + (length < left ? length : left); at < length;)
      at = rng_below(stream, 8) < features ? put_branch(g, g->code[t], at, stream) : put_some(g->code[t], at, stream);
    left -= g->asks ? 2 : at;
    g->program.code[t] = g->code[t];
  }
}

/* ---- orderings ---- */

static inline int random_event(const struct ordered_program *g, uint64_t *stream)
{
  int event = (int)rng_below(stream, 2 * MARKS + 2), t = 1 + (int)rng_below(stream, (unsigned)g->program.threads - 1);
  return event < 2 * MARKS ? event / 2 : event == 2 * MARKS ? START_OF(t) : END_OF(t);
}

/* brackets: of leaves, so many in four. */
static inline int random_condition(const struct ordered_program *g, struct ordered *o, unsigned depth,
                                   unsigned brackets, uint64_t *stream)
{
  int at = o->nodes++;
  if (depth == 0 || rng_below(stream, 2)) {
    o->node[at] =
        (struct node){.kind = rng_below(stream, 4) < brackets ? BLOCKED : LEAF, .event = random_event(g, stream)};
    return at;
  }
  int left = random_condition(g, o, depth - 1, brackets, stream);
  int right = random_condition(g, o, depth - 1, brackets, stream);
  o->node[at] = (struct node){.kind = rng_below(stream, 2) ? BOTH : EITHER, .left = left, .right = right};
  return at;
}

static const char *const thread_names[THREADS + 1] = {"main", "t1", "t2", "t3"};

enum { EVENT_TEXT = 48 };

static inline void event_text(const struct ordered *o, int event, char out[EVENT_TEXT])
{
  if (event < MARKS && o->whose[event] < 0)
    snprintf(out, EVENT_TEXT, "e%d", event);
  else if (event < MARKS)
    snprintf(out, EVENT_TEXT, "e%d@%s", event, thread_names[o->whose[event]]);
  else
    snprintf(out, EVENT_TEXT, "%s@%s", event < END_OF(1) ? "start" : "end",
             thread_names[(event - MARKS) % THREADS + 1]);
}

static inline void condition_text(const struct ordered *o, int at, char *out)
{
  char left[256], right[256];
  const struct node *n = &o->node[at];
  if (n->kind == LEAF || n->kind == BLOCKED) {
    event_text(o, n->event, left);
    sprintf(out, n->kind == BLOCKED ? "[%s]" : "%s", left);
    return;
  }
  condition_text(o, n->left, left);
  condition_text(o, n->right, right);
  snprintf(out, 256, "(%.100s %s %.100s)", left, n->kind == BOTH ? "&&" : "||", right);
}

static inline void generate_rules(const struct ordered_program *g, struct ordered *o, uint64_t *stream)
{
  unsigned brackets = (unsigned)rng_below(stream, 4);
  size_t n = 0;
  o->nodes = 0;
  o->rules = 1 + (int)rng_below(stream, RULES);
  for (int i = 0; i < o->rules; i++) {
    char condition[256], event[EVENT_TEXT];
    o->rule[i].root = random_condition(g, o, 1 + (i == 0), brackets, stream);
    o->rule[i].event = g->asks && !i ? 1 : random_event(g, stream);
    if (g->asks && !i)
      o->node[o->rule[i].root] = (struct node){.kind = BLOCKED, .event = 0};
    condition_text(o, o->rule[i].root, condition);
    event_text(o, o->rule[i].event, event);
    n += (size_t)snprintf(o->text + n, sizeof o->text - n, "%s -> %s,", condition, event);
  }
}

/* One or two things that only formulas can say, or that orderings say as well. */
static inline void generate_formula(const struct ordered_program *g, struct ordered *o, uint64_t *stream)
{
  static const char *const shapes[] = {"(%s -> %s)", "(%s && [%s] -> %s)", "!(%s -> %s)", "([%s] -> %s)",
                                       "(%s && ![%s] -> %s)"};
  size_t n = 0;
  for (unsigned i = 0, parts = 1 + (unsigned)rng_below(stream, 2); i < parts; i++) {
    char a[EVENT_TEXT], b[EVENT_TEXT];
    const unsigned shape = (unsigned)rng_below(stream, 5);
    const char *thread = thread_names[1 + rng_below(stream, (unsigned)g->program.threads - 1)];
    event_text(o, random_event(g, stream), a);
    event_text(o, random_event(g, stream), b);
    n += (size_t)snprintf(o->text + n, sizeof o->text - n, "%s", i ? rng_below(stream, 2) ? " && " : " || " : "");
    if (shape == 3)
      n += (size_t)snprintf(o->text + n, sizeof o->text - n, shapes[shape], thread, b);
    else if (shape == 1 || shape == 4)
      n += (size_t)snprintf(o->text + n, sizeof o->text - n, shapes[shape], a, thread, a);
    else
      n += (size_t)snprintf(o->text + n, sizeof o->text - n, shapes[shape], a, b);
  }
}

/* One that passes the checks. */
static inline void generate_ordered(const struct ordered_program *g, struct ordered *o, enum order_kind kind,
                                    uint64_t *stream)
{
  struct order_error error;
  do {
    for (int i = 0; i < MARKS; i++)
      o->whose[i] = g->asks || rng_below(stream, 3) ? -1 : (int)rng_below(stream, (unsigned)g->program.threads);
    (kind == ORDER_FORMULA ? generate_formula : generate_rules)(g, o, stream);
  } while (!order_read(kind, o->text, &o->ordering, &error));
}

static inline void generate(struct ordered_program *g, uint64_t *stream, enum order_kind kind, unsigned steps,
                            unsigned features)
{
  memset(g, 0, sizeof *g);
  g->orderings = 1 + (rng_below(stream, 4) == 0);
  generate_code(g, steps, features, stream);
  for (unsigned i = 0; i < g->orderings; i++)
    generate_ordered(g, &g->ordered[i], kind, stream);
}

/* ---- what a step is to an ordering ---- */

/* An execution, as far as what may come depends on it. */
struct moment {
  struct toy_state state;
  int now;             /* the ordering, + 1; 0: not chosen yet */
  int emitter[EVENTS]; /* the thread + 1; 0: has not happened */
  struct formula_past past;
};

static inline struct moment moment_of_start(const struct ordered_program *g)
{
  struct moment m;
  memset(&m, 0, sizeof m); /* compared byte by byte */
  m.state = toy_start(&g->program);
  m.now = g->orderings == 1;
  for (unsigned i = 0; i < g->orderings; i++)
    if (g->ordered[i].ordering.is_formula && g->orderings == 1)
      formula_begin(&g->ordered[i].ordering, &m.past);
  return m;
}

/* Which marker it comes to. */
static inline int mark_of(const struct toy_state *s, int t, const struct toy_insn *i)
{
  return i->value ? (i->object + (s->reg[t] & 1)) % MARKS : i->object;
}

/* The event that the thread's next step is, -1 for none. */
static inline int next_event(const struct ordered_program *g, const struct moment *m, int t)
{
  const struct toy_insn *i = toy_next_insn(&g->program, &m->state, t);
  if (!m->now)
    return -1;
  if (i && i->kind == MARK) {
    int mark = mark_of(&m->state, t, i), whose = g->ordered[m->now - 1].whose[mark];
    return whose < 0 || whose == t ? mark : -1;
  }
  return !t ? -1 : !i ? START_OF(t) : i->kind == END ? END_OF(t) : -1;
}

static inline bool is_standing(const struct ordered_program *g, const struct toy_state *s, int t)
{
  return toy_alive(s, t) && !toy_enabled(&g->program, s, t);
}

static inline bool condition_holds(const struct ordered_program *g, const struct moment *m, int at)
{
  const struct node *n = &g->ordered[m->now - 1].node[at];
  if (n->kind == BOTH)
    return condition_holds(g, m, n->left) && condition_holds(g, m, n->right);
  if (n->kind == EITHER)
    return condition_holds(g, m, n->left) || condition_holds(g, m, n->right);
  int emitter = m->emitter[n->event];
  return n->kind == LEAF || !emitter ? emitter : is_standing(g, &m->state, emitter - 1);
}

static inline bool rules_keep(const struct ordered_program *g, const struct moment *m, int event)
{
  const struct ordered *o = &g->ordered[m->now ? m->now - 1 : 0];
  for (int i = 0; i < o->rules && event >= 0 && !m->emitter[event]; i++)
    if (o->rule[i].event == event && !condition_holds(g, m, o->rule[i].root))
      return false;
  return true;
}

/* ---- the same for a formula, which is asked itself: test_formula.c has it against its definition ---- */

static inline uint32_t standing(const struct ordered_program *g, const struct ordering *o, const struct toy_state *s)
{
  uint32_t set = 0;
  for (unsigned i = 0; i < o->threads; i++)
    if (is_standing(g, s, o->thread[i][1] - '0'))
      set |= 1U << i;
  return set;
}

static inline unsigned number_of(const struct ordered *o, int event)
{
  char text[EVENT_TEXT], *at;
  if (event < 0)
    return 0;
  event_text(o, event, text);
  at = strchr(text, '@');
  if (at)
    *at++ = 0;
  return ordering_event_of(&o->ordering,
                           event < MARKS       ? ORDERING_MARK
                           : event < END_OF(1) ? ORDERING_START
                                               : ORDERING_END,
                           text, at);
}

/* Whether the step is let through; then *past is what is behind it. */
static inline bool formula_keeps(const struct ordered_program *g, struct moment *next, const struct moment *m,
                                 int event)
{
  if (!m->now)
    return true;
  const struct ordered *o = &g->ordered[m->now - 1];
  struct formula_past *past = &next->past;
  const struct formula_instant now = {number_of(o, event), standing(g, &o->ordering, &m->state)};
  if (now.standing != past->standing)
    formula_go_on(&o->ordering, past, (struct formula_instant){.standing = now.standing});
  if (!now.event || past->occurred & ORDERING_BIT(now.event - 1))
    return true;
  if (!formula_admits(&o->ordering, past, now))
    return false;
  formula_go_on(&o->ordering, past, now);
  return true;
}

/* ---- steps ---- */

/* How many outcomes the thread's step has. */
static inline int outcomes(const struct ordered_program *g, const struct moment *m, int t)
{
  const struct toy_insn *i = toy_next_insn(&g->program, &m->state, t);
  return i && i->kind == CHOOSE ? i->value : 1;
}

enum stepped { STEPPED, STANDS, HELD };

/* What is behind the thread's step, which it may be held back from. */
static inline enum stepped step_of(const struct ordered_program *g, const struct moment *m, int t, int outcome,
                                   struct moment *next)
{
  if (!toy_alive(&m->state, t) || !toy_enabled(&g->program, &m->state, t))
    return STANDS;
  int event = next_event(g, m, t);
  bool chooses = outcomes(g, m, t) > 1;
  *next = *m;
  if (g->ordered[0].ordering.is_formula ? !formula_keeps(g, next, m, event) : !rules_keep(g, m, event))
    return HELD;
  if (event >= 0 && !next->emitter[event])
    next->emitter[event] = t + 1;
  toy_apply(&g->program, &next->state, t, outcome);
  if (chooses)
    next->now = outcome + 1;
  if (chooses && g->ordered[outcome].ordering.is_formula)
    formula_begin(&g->ordered[outcome].ordering, &next->past);
  return STEPPED;
}

#endif
