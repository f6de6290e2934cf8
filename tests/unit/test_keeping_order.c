/* SPDX-License-Identifier: Apache-2.0
 *
 * Orderings under search, against brute force: random toy programs with random orderings, made as trees here, printed,
 * and read by the parser. Free executions are enumerated without the engine, and those that do not keep the ordering
 * left out by asking the trees (held_search.h). Formulas (core/formula.h) are asked themselves there, as test_formula.c
 * has them against their definition: what is tried is that a search keeps them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/formula.h"
#include "core/rng.h"
#include "held_search.h"
#include "language/order_parse.h"
#include <stdio.h>

enum { PROGRAMS = 900, WITH_FORMULAS = 400, THREADS = 3, CODE_MAX = 3, EVENTS = 3, RULES = 2, NODES = 16 };

/* Events 0 to EVENTS - 1 are marks; then come starts and ends of threads 1, 2, … */
#define START_OF(t) (EVENTS + (t)-1)
#define END_OF(t) (EVENTS + THREADS + (t)-1)

struct node {
  enum { LEAF, BLOCKED, BOTH, EITHER } kind;
  int event;       /* of the first two */
  int left, right; /* of the others */
};

struct rule {
  int root, event;
};

struct ordered {
  struct toy_program program;
  struct toy_insn code[THREADS + 1][CODE_MAX + 1];
  int nodes, rules;
  struct node node[NODES];
  struct rule rule[RULES];
  char text[512];
  struct ordering ordering;
};

/* ---- programs ---- */

/* Short, and mostly about who is blocked: that is where orders matter to orderings. */
static void generate_code(struct ordered *g, uint64_t *stream)
{
  static const enum toy_kind kinds[] = {READ, WRITE, SET, MARK, MARK, MARK, MARK, MARK, POST, WAIT, LOCK, UNLOCK};
  int left = 6;
  g->program.threads = 3 + (rng_below(stream, 4) > 0);
  g->program.exits = rng_below(stream, 2);
  for (int t = 1; t < g->program.threads; t++) {
    int length = 1 + (int)rng_below(stream, CODE_MAX);
    length = length < left ? length : left;
    left -= length;
    for (int i = 0; i < length; i++) {
      bool after_mark = i && g->code[t][i - 1].kind == MARK && rng_below(stream, 2);
      enum toy_kind kind = after_mark ? WAIT : kinds[rng_below(stream, sizeof kinds / sizeof kinds[0])];
      bool on_lock = kind == POST || kind == WAIT || kind == LOCK || kind == UNLOCK;
      int object = kind == MARK ? (int)rng_below(stream, EVENTS) : on_lock ? 0 : (int)rng_below(stream, 2);
      g->code[t][i] = (struct toy_insn){kind, object, 10 * t + i};
    }
    g->program.code[t] = g->code[t];
  }
}

static int random_event(const struct ordered *g, uint64_t *stream)
{
  int n = g->program.threads - 1, event = (int)rng_below(stream, (unsigned)(EVENTS + 2));
  int t = 1 + (int)rng_below(stream, (unsigned)n);
  return event < EVENTS ? event : event == EVENTS ? START_OF(t) : END_OF(t);
}

static int random_condition(struct ordered *g, uint64_t *stream, unsigned depth)
{
  int at = g->nodes++;
  if (depth == 0 || rng_below(stream, 2)) {
    g->node[at] = (struct node){.kind = rng_below(stream, 2) ? BLOCKED : LEAF, .event = random_event(g, stream)};
    return at;
  }
  int left = random_condition(g, stream, depth - 1), right = random_condition(g, stream, depth - 1);
  g->node[at] = (struct node){.kind = rng_below(stream, 2) ? BOTH : EITHER, .left = left, .right = right};
  return at;
}

static void event_text(int event, char *out)
{
  if (event < EVENTS)
    sprintf(out, "e%d", event);
  else if (event < EVENTS + THREADS)
    sprintf(out, "start@t%d", event - EVENTS + 1);
  else
    sprintf(out, "end@t%d", event - EVENTS - THREADS + 1);
}

static void condition_text(const struct ordered *g, int at, char *out)
{
  char left[256], right[256];
  const struct node *n = &g->node[at];
  if (n->kind == LEAF || n->kind == BLOCKED) {
    event_text(n->event, left);
    sprintf(out, n->kind == BLOCKED ? "[%s]" : "%s", left);
    return;
  }
  condition_text(g, n->left, left);
  condition_text(g, n->right, right);
  snprintf(out, 256, "(%.100s %s %.100s)", left, n->kind == BOTH ? "&&" : "||", right);
}

static void generate_ordering(struct ordered *g, uint64_t *stream)
{
  size_t n = 0;
  g->nodes = 0;
  g->rules = 1 + (int)rng_below(stream, RULES);
  for (int i = 0; i < g->rules; i++) {
    char condition[256], event[32];
    g->rule[i].root = random_condition(g, stream, 1);
    g->rule[i].event = random_event(g, stream);
    condition_text(g, g->rule[i].root, condition);
    event_text(g->rule[i].event, event);
    n += (size_t)snprintf(g->text + n, sizeof g->text - n, "%s -> %s,", condition, event);
  }
}

/* One or two things that only formulas can say, or that orderings say as well. */
static void generate_formula(struct ordered *g, uint64_t *stream)
{
  static const char *const shapes[] = {"(%s -> %s)", "(%s && [t%d] -> %s)", "!(%s -> %s)", "([t%d] -> %s)",
                                       "(%s && ![t%d] -> %s)"};
  size_t n = 0;
  for (unsigned i = 0, parts = 1 + (unsigned)rng_below(stream, 2); i < parts; i++) {
    char a[32], b[32];
    const unsigned shape = (unsigned)rng_below(stream, 5);
    const int thread = 1 + (int)rng_below(stream, (unsigned)g->program.threads - 1);
    event_text(random_event(g, stream), a);
    event_text(random_event(g, stream), b);
    n += (size_t)snprintf(g->text + n, sizeof g->text - n, "%s", i ? rng_below(stream, 2) ? " && " : " || " : "");
    if (shape == 3)
      n += (size_t)snprintf(g->text + n, sizeof g->text - n, shapes[shape], thread, b);
    else if (shape == 1 || shape == 4)
      n += (size_t)snprintf(g->text + n, sizeof g->text - n, shapes[shape], a, thread, a);
    else
      n += (size_t)snprintf(g->text + n, sizeof g->text - n, shapes[shape], a, b);
  }
}

/* One whose ordering passes the checks. */
static void generate(struct ordered *g, uint64_t *stream, enum order_kind kind)
{
  struct order_error error;
  memset(g, 0, sizeof *g);
  generate_code(g, stream);
  do
    (kind == ORDER_FORMULA ? generate_formula : generate_ordering)(g, stream);
  while (!order_read(kind, g->text, &g->ordering, &error));
}

/* ---- brute force ---- */

struct trace {
  struct toy_state state;
  int emitter[EVENTS + 2 * THREADS]; /* 0: has not happened */
  int steps;
  unsigned char log[64];
  struct formula_past past;
};

/* The event that the thread's next step is, -1 for none. */
static int next_event(const struct ordered *g, const struct toy_state *s, int t)
{
  const struct toy_insn *i = toy_next_insn(&g->program, s, t);
  if (!i)
    return START_OF(t);
  return i->kind == MARK ? i->object : i->kind == END ? END_OF(t) : -1;
}

static bool holds(const struct ordered *g, const struct trace *trace, int at)
{
  const struct node *n = &g->node[at];
  if (n->kind == BOTH)
    return holds(g, trace, n->left) && holds(g, trace, n->right);
  if (n->kind == EITHER)
    return holds(g, trace, n->left) || holds(g, trace, n->right);
  int emitter = trace->emitter[n->event];
  if (n->kind == LEAF || !emitter)
    return emitter;
  return toy_alive(&trace->state, emitter) && !toy_enabled(&g->program, &trace->state, emitter);
}

static bool keeps(const struct ordered *g, const struct trace *trace, int event)
{
  for (int i = 0; i < g->rules && event >= 0 && !trace->emitter[event]; i++)
    if (g->rule[i].event == event && !holds(g, trace, g->rule[i].root))
      return false;
  return true;
}

/* ---- the same for a formula ---- */

static uint32_t standing(const struct ordered *g, const struct toy_state *s)
{
  uint32_t set = 0;
  for (unsigned i = 0; i < g->ordering.threads; i++) {
    const int t = g->ordering.thread[i][1] - '0';
    if (toy_alive(s, t) && !toy_enabled(&g->program, s, t))
      set |= 1U << i;
  }
  return set;
}

static unsigned number_of(const struct ordered *g, int event)
{
  char mark[32];
  const char *thread = NULL;
  if (event < 0)
    return 0;
  event_text(event, mark);
  if (event >= EVENTS)
    thread = strchr(mark, '@') + 1;
  return ordering_event_of(&g->ordering,
                           event < EVENTS             ? ORDERING_MARK
                           : event < EVENTS + THREADS ? ORDERING_START
                                                      : ORDERING_END,
                           mark, thread);
}

/* Whether the step is let through; then *past is what is behind it. */
static bool formula_keeps(const struct ordered *g, const struct toy_state *s, struct formula_past *past, int event)
{
  const struct formula_instant now = {number_of(g, event), standing(g, s)};
  if (now.standing != past->standing)
    formula_go_on(&g->ordering, past, (struct formula_instant){.standing = now.standing});
  if (!now.event || past->occurred & ORDERING_BIT(now.event - 1))
    return true;
  if (!formula_admits(&g->ordering, past, now))
    return false;
  formula_go_on(&g->ordering, past, now);
  return true;
}

static bool enumerate(const struct ordered *g, const struct trace *trace)
{
  const struct toy_program *p = &g->program;
  bool any = false, held = false;
  for (int t = 1; t < p->threads; t++) {
    if (!toy_alive(&trace->state, t) || !toy_enabled(p, &trace->state, t))
      continue;
    int event = next_event(g, &trace->state, t);
    struct trace next = *trace;
    if (g->ordering.is_formula ? !formula_keeps(g, &trace->state, &next.past, event) : !keeps(g, trace, event)) {
      held = true;
      continue;
    }
    any = true;
    if (event >= 0 && !next.emitter[event])
      next.emitter[event] = t;
    next.log[next.steps++] = (unsigned char)t;
    toy_apply(p, &next.state, t, 0);
    if (!enumerate(g, &next))
      return false;
  }
  return any || end_of_run(&trace->state, trace->log, trace->steps, held);
}

/* ---- the world ---- */

static unsigned toy_event(void *self, unsigned task, const struct operation *op)
{
  const struct toy *t = self;
  const struct ordering *o = &t->control->orderings.ordering[0];
  int code = op->kind == OP_START ? (int)t->control->thread[task].start : t->code_of[task];
  char mark[8], thread[8];
  snprintf(thread, sizeof thread, "t%d", code);
  if (op->kind == OP_EVENT) {
    snprintf(mark, sizeof mark, "e%d", t->program->code[code][t->state.at[code]].object);
    return ordering_event_of(o, ORDERING_MARK, mark, thread);
  }
  if (op->kind == OP_START || op->kind == OP_EXIT)
    return ordering_event_of(o, op->kind == OP_START ? ORDERING_START : ORDERING_END, NULL, thread);
  return 0;
}

static bool toy_is_called(void *self, unsigned task, const char *name)
{
  const struct toy *t = self;
  return t->code_of[task] == name[1] - '0';
}

/* ---- searches ---- */

static uint64_t following[64]; /* the observer's state */

static struct toy *open_kept(void *context, enum strategy_id strategy)
{
  struct ordered *g = context;
  struct toy *t = toy_open(&g->program);
  t->world.event = toy_event;
  t->world.is_called = toy_is_called;
  watch_held(t);
  t->control->orderings.count = t->control->orderings.now = 1;
  t->control->orderings.ordering[0] = g->ordering;
  assert_true(observer_orderings.state_size <= sizeof following);
  watchers_add(&t->engine->watchers, &observer_orderings, following);
  toy_use(t, strategy, 1);
  return t;
}

static void search_programs(enum order_kind kind, unsigned programs)
{
  uint64_t stream = 16; /* has what tells a reduction that takes too much for independent */
  unsigned several = 0, stuck = 0, told = 0, reduced = 0, all = 0;
  for (unsigned i = 0; i < programs; i++) {
    struct ordered g;
    generate(&g, &stream, kind);
    struct trace start = {.state = toy_start(&g.program)};
    if (kind == ORDER_FORMULA)
      formula_begin(&g.ordering, &start.past);
    truth.count = runs.count = held_up = 0;
    if (!enumerate(&g, &start))
      continue;
    told++;
    several += runs.count > held_up + 1;
    stuck += held_up > 0;
    all += runs.count;
    search_all(open_kept, &g, g.text, i);
    if (kind != ORDER_FORMULA) /* of which a reduced search says that it loses something */
      reduced += reduce(open_kept, &g, g.text, i);
  }
  print_message("%u programs, %u with several executions, %u that cannot always go on; %u executions, %u reduced\n",
                told, several, stuck, all, reduced);
  assert_true(told > programs / 2 && several > told / 4 && stuck > told / 10); /* worth the name */
}

static void searches_keep_the_ordering(void **unused)
{
  (void)unused;
  search_programs(ORDER_SCHEDULE, PROGRAMS);
}

static void searches_keep_the_formula(void **unused)
{
  (void)unused;
  search_programs(ORDER_FORMULA, WITH_FORMULAS);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(searches_keep_the_ordering),
                                     cmocka_unit_test(searches_keep_the_formula)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
