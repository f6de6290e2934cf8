/* SPDX-License-Identifier: Apache-2.0
 *
 * Properties that are enforced under search, against brute force: random toy programs with two random properties, which
 * are printed, compiled and watched by the observer: one for each value, one for all. Free executions are enumerated
 * without the engine, and a step is left out if the whole trace up to it, cut into the slices of each value, leaves one
 * of the properties; what ends there is what a search may run (held_search.h). Each that ends with somebody held must
 * be told as an enforced deadlock.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/property_instances.h"
#include "core/rng.h"
#include "held_search.h"
#include "language/property_compile.h"
#include <stdio.h>

enum {
  PROGRAMS = 900,
  CODE_MAX = 4,
  LETTERS = 5,
  WITH_VALUE = 3,
  AUTOMATA = 2 /* at most */,
  AUTOMATON_STATES = 3,
  FAILED = -1
};

struct letter {
  int event, value; /* value: of the parameter, 0 for none */
};

struct enforced {
  struct toy_program program;
  struct toy_insn code[TOY_THREADS][CODE_MAX + 1];
  int automata;
  bool blocks; /* it is mostly about who is blocked */
  int next[AUTOMATA][AUTOMATON_STATES][LETTERS];
  int waits_for[AUTOMATA][LETTERS]; /* a thread, 0 for none */
  char text[4096];
  struct property_set set;
};

/* ---- programs ---- */

static void generate_code(struct enforced *g, uint64_t *stream)
{
  static const enum toy_kind kinds[] = {EVENT, EVENT, EVENT, EVENT, LOCK, UNLOCK, READ, SET, POST, WAIT, WAIT, SET};
  int left = 6;
  g->blocks = rng_below(stream, 2);
  g->program.threads = 3 + (rng_below(stream, 4) > 0);
  g->program.exits = rng_below(stream, 2);
  for (int t = 1; t < g->program.threads; t++) {
    int length = 1 + (int)rng_below(stream, CODE_MAX);
    length = length < left ? length : left;
    left -= length;
    for (int i = 0; i < length; i++) {
      enum toy_kind kind = kinds[g->blocks ? 2 + rng_below(stream, 10) : rng_below(stream, 10)];
      int value = kind == EVENT ? (int)rng_below(stream, LETTERS) : 10 * t + i;
      bool on_lock = kind == POST || kind == WAIT || kind == LOCK || kind == UNLOCK;
      int object = on_lock || (kind == EVENT && value >= WITH_VALUE) ? 0 : (int)rng_below(stream, 2);
      g->code[t][i] = (struct toy_insn){kind, object + (kind == EVENT && value < WITH_VALUE), value};
    }
    g->program.code[t] = g->code[t];
  }
}

static size_t automaton_text(struct enforced *g, int a, size_t n, uint64_t *stream)
{
#define PRINT(...) n += (size_t)snprintf(g->text + n, sizeof g->text - n, __VA_ARGS__)
  PRINT("enforce P%d(%s) {\n", a, a ? "" : "long x");
  for (int e = 0; e < LETTERS; e++) {
    bool waits = rng_below(stream, g->blocks ? 3 : 100) == 0;
    g->waits_for[a][e] = waits ? 1 + (int)rng_below(stream, (unsigned)g->program.threads - 1) : 0;
    PRINT("event e%d before(%s) : call(f%d(..))", e, !a && e < WITH_VALUE ? "long x" : "", e);
    if (!a && e < WITH_VALUE)
      PRINT(" && target(x)");
    if (waits)
      PRINT(" && threadBlocked(%d)", g->waits_for[a][e] + 1);
    PRINT(" {}\n");
  }
  PRINT("fsm:");
  for (int q = 0; q < AUTOMATON_STATES; q++) {
    PRINT(" s%d [", q);
    for (int e = 0; e < LETTERS; e++) {
      bool fails = rng_below(stream, a || g->blocks ? 16 : 6) == 0;
      g->next[a][q][e] = fails ? FAILED : (int)rng_below(stream, AUTOMATON_STATES);
      if (!fails)
        PRINT(" e%d -> s%d", e, g->next[a][q][e]);
    }
    PRINT(" ]");
  }
  PRINT(" @nonfail {} }\n");
#undef PRINT
  return n;
}

static void generate(struct enforced *g, uint64_t *stream)
{
  static const char *const functions[] = {"f0", "f1", "f2", "f3", "f4"};
  struct language_error error;
  size_t n = 0;
  memset(g, 0, sizeof *g);
  generate_code(g, stream);
  g->automata = 1 + (int)rng_below(stream, AUTOMATA);
  for (int a = 0; a < g->automata; a++)
    n = automaton_text(g, a, n, stream);
  if (!property_compile(g->text, functions, LETTERS, true, &g->set, &error))
    fail_msg("%u:%u: %s\n%s", error.line, error.column, error.text, g->text);
}

/* ---- brute force ---- */

struct trace {
  struct toy_state state;
  int events, steps;
  struct letter event[32];
  unsigned char log[64];
};

/* Whether the automaton is still right after the letters that concern the value (0: those that have none). The second
 * one has no parameter, so that all do. */
static bool keeps_slice(const struct enforced *g, int a, const struct trace *trace, int value)
{
  int state = 0;
  for (int i = 0; i < trace->events && state != FAILED; i++)
    if (a || !trace->event[i].value || trace->event[i].value == value)
      state = g->next[a][state][trace->event[i].event];
  return state != FAILED;
}

/* Whether the last letter leads nowhere wrong. What has not happened yet has no monitor. */
static bool keeps(const struct enforced *g, const struct trace *trace)
{
  const struct letter *last = &trace->event[trace->events - 1];
  bool has[3] = {0};
  for (int i = 0; i < trace->events; i++)
    has[trace->event[i].value] = true;
  for (int a = 0; a < g->automata; a++)
    for (int value = 0; value < 3; value++)
      if (has[value] && (!last->value || last->value == value) && !keeps_slice(g, a, trace, value))
        return false;
  return true;
}

static bool waits(const struct enforced *g, const struct trace *trace, int event)
{
  for (int a = 0; a < g->automata; a++) {
    int other = g->waits_for[a][event];
    if (other && (!toy_alive(&trace->state, other) || toy_enabled(&g->program, &trace->state, other)))
      return true;
  }
  return false;
}

static bool enumerate(const struct enforced *g, const struct trace *trace)
{
  const struct toy_program *p = &g->program;
  bool any = false, held = false;
  for (int t = 1; t < p->threads; t++) {
    const struct toy_insn *i = toy_next_insn(p, &trace->state, t);
    struct trace next = *trace;
    if (!toy_alive(&trace->state, t) || !toy_enabled(p, &trace->state, t))
      continue;
    if (i && i->kind == EVENT) {
      next.event[next.events++] = (struct letter){i->value, i->object};
      if (waits(g, trace, i->value) || !keeps(g, &next)) {
        held = true;
        continue;
      }
    }
    any = true;
    next.log[next.steps++] = (unsigned char)t;
    toy_apply(p, &next.state, t, 0);
    if (!enumerate(g, &next))
      return false;
  }
  return any || end_of_run(&trace->state, trace->log, trace->steps, held);
}

/* ---- searches ---- */

static struct property_instances instances; /* the observer's state */

static unsigned properties; /* that read each event */

static unsigned toy_readings(void *self, unsigned task, struct property_reading out[PROPERTIES_AT_ONCE])
{
  const struct toy *t = self;
  const struct toy_insn *i = toy_next_insn(t->program, &t->state, t->code_of[task]);
  for (unsigned a = 0; a < properties; a++)
    out[a] = (struct property_reading){
        .rule = a * LETTERS + (unsigned)i->value, .value = {i->object}, .thread = task, .pc = (uintptr_t)task + 1};
  return properties;
}

static struct toy *open_enforced(void *context, enum strategy_id strategy)
{
  struct enforced *g = context;
  struct toy *t = toy_open(&g->program);
  t->world.readings = toy_readings;
  properties = (unsigned)g->automata;
  watch_held(t);
  assert_int_equal(observer_property.state_size, sizeof instances);
  watchers_add(&t->engine->watchers, &observer_property, &instances);
  toy_use(t, strategy, 1);
  t->engine->job.part[JOB_PROPERTIES] = &g->set;
  t->engine->job.bytes[JOB_PROPERTIES] = sizeof g->set;
  return t;
}

static void searches_enforce(void **unused)
{
  (void)unused;
  static struct enforced g;
  uint64_t stream = 16;
  unsigned told = 0, several = 0, stuck = 0, both = 0, waiting = 0, all = 0, reduced = 0;
  for (unsigned i = 0; i < PROGRAMS; i++) {
    generate(&g, &stream);
    struct trace start = {.state = toy_start(&g.program)};
    truth.count = runs.count = held_up = 0;
    if (!enumerate(&g, &start))
      continue;
    told++;
    several += runs.count > held_up + 1;
    stuck += held_up > 0;
    both += held_up && held_up < runs.count;
    waiting += strstr(g.text, "threadBlocked") != NULL;
    all += runs.count;
    search_all(open_enforced, &g, g.text, i);
    reduced += reduce(open_enforced, &g, g.text, i);
  }
  print_message("%u programs, %u with several executions, %u that cannot always go on, %u of these sometimes, %u that "
                "wait for who is blocked; %u executions, %u reduced\n",
                told, several, stuck, both, waiting, all, reduced);
  assert_true(told > PROGRAMS / 2 && several > told / 4 && both > told / 25); /* worth the name */
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(searches_enforce)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
