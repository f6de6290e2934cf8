/* SPDX-License-Identifier: Apache-2.0
 *
 * Orderings under search, against brute force: random toy programs with random orderings (ordered_program.h). Depth
 * first search must run exactly the executions that keep the ordering, as sequences of steps (held_search.h); reduction
 * must come to every end that there is, where somebody is held for good or waits in a loop included, whether the search
 * is divided or not (state_graph.h).
 *
 * test_keeping_order [PROGRAMS [SEED]] is the long version.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "divided_search.h"
#include "held_search.h"
#include "state_graph.h"

enum { STEPS_MAX = 200 };

static uint64_t programs = 600, first_seed = 1;
static unsigned most = 150; /* executions of a program; others are passed over */

/* ---- the world ---- */

static unsigned toy_event(void *self, unsigned task, const struct operation *op)
{
  const struct toy *t = self;
  const struct ordering *o = &t->control->orderings.ordering[t->control->orderings.now - 1];
  int code = op->kind == OP_START ? (int)t->control->thread[task].start : t->code_of[task];
  const char *thread = thread_names[code];
  char mark[16];
  if (op->kind == OP_EVENT) {
    snprintf(mark, sizeof mark, "e%d", mark_of(&t->state, code, &t->program->code[code][t->state.at[code]]));
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

/* Which of several orderings is kept is chosen by the first step. */
static void chooser_begin(void *state, struct engine *e)
{
  (void)state;
  e->control->orderings.now = e->control->orderings.count == 1;
}

static void chooser_performed(void *state, struct engine *e, unsigned task, const struct operation *op,
                              const struct effect *effect)
{
  (void)state, (void)task;
  if (op->kind == OP_CHOOSE)
    e->control->orderings.now = (uint32_t)effect->result + 1;
}

static const struct observer chooser = {.name = "chooser", .begin = chooser_begin, .performed = chooser_performed};

static uint64_t following[64]; /* the observer's state */

static struct toy *open_kept(const void *context, enum strategy_id strategy)
{
  const struct ordered_program *g = context;
  struct toy *t = toy_open(&g->program);
  t->world.event = toy_event;
  t->world.is_called = toy_is_called;
  watch_held(t);
  t->control->config.max_steps = STEPS_MAX;
  t->control->orderings.count = g->orderings;
  for (unsigned i = 0; i < g->orderings; i++)
    t->control->orderings.ordering[i] = g->ordered[i].ordering;
  assert_true(observer_orderings.state_size <= sizeof following);
  watchers_add(&t->engine->watchers, &chooser, NULL);
  watchers_add(&t->engine->watchers, &observer_orderings, following);
  toy_use(t, strategy, 1);
  return t;
}

/* ---- every sequence ---- */

struct sequence {
  int steps;
  unsigned char log[64];
};

/* NOLINTNEXTLINE(misc-no-recursion): as deep as an execution is long */
static bool enumerate(const struct ordered_program *g, const struct moment *m, struct sequence *s)
{
  bool any = false, held = false;
  for (int t = 0; t < g->program.threads; t++) {
    struct moment next;
    enum stepped stepped = step_of(g, m, t, 0, &next);
    any |= stepped == STEPPED;
    held |= stepped == HELD;
    if (stepped != STEPPED)
      continue;
    s->log[s->steps++] = (unsigned char)t;
    bool few = enumerate(g, &next, s);
    s->steps--;
    if (!few)
      return false;
  }
  return any || end_of_run(&m->state, s->log, s->steps, held);
}

static struct toy *open_by_name(void *context, enum strategy_id strategy)
{
  return open_kept(context, strategy);
}

/* Whether there were few enough. */
static bool search_sequences(struct ordered_program *g, uint64_t seed)
{
  struct moment start = moment_of_start(g);
  struct sequence s = {0};
  truth.count = runs.count = held_up = 0;
  if (g->loops || g->orderings > 1 || !enumerate(g, &start, &s))
    return false;
  search_all(open_by_name, g, g->ordered[0].text, (unsigned)seed);
  return true;
}

/* ---- every end ---- */

static bool cut; /* an execution was too long: nothing is said of the program then */

/* Where the last execution ended, + 1. All of its steps must be allowed. */
static uint64_t end_of(const void *subject, const struct toy *t)
{
  const struct ordered_program *g = subject;
  struct moment m = moment_of_start(g), next;
  uint32_t *slot;
  for (unsigned i = 0; i < t->steps; i++, m = next) {
    int outcome = outcomes(g, &m, t->log[i]) > 1 ? (int)t->control->orderings.now - 1 : 0;
    if (step_of(g, &m, t->log[i], outcome, &next) != STEPPED)
      fail_msg("%s: step %u of an execution is not allowed", g->ordered[0].text, i);
  }
  uint32_t node = graph_find(&m, &slot);
  assert_int_not_equal(node, 0);
  t->control->bugs = 0;
  cut |= t->end == NEXT_TOO_LONG && !graph.node[node - 1].end;
  return graph.node[node - 1].end;
}

/* For whom a failure is to be understood by. */
static void print_program(const struct ordered_program *g)
{
  static const char *const names[] = {
      [END] = "end",       [READ] = "read",       [WRITE] = "write",        [SET] = "set",   [LOCK] = "lock",
      [UNLOCK] = "unlock", [TRYLOCK] = "trylock", [WAIT] = "wait",          [POST] = "post", [YIELD] = "yield",
      [CHOOSE] = "choose", [CREATE] = "create",   [JOIN] = "join",          [MARK] = "mark", [TRYJOIN] = "tryjoin",
      [SPIN] = "spin",     [BRANCH] = "branch",   [SPIN_BACK] = "spin_back"};
  for (int t = 0; t < g->program.threads; t++) {
    print_message("%s:", thread_names[t]);
    for (const struct toy_insn *i = g->code[t]; i->kind != END; i++)
      print_message(" %s %d,%d;", names[i->kind], i->object, i->value);
    print_message("\n");
  }
  print_message("semaphore %d\n", g->program.sem[0]);
}

static struct classes found;

static void expect_all_ends(const char *how, const struct ordered_program *g, uint64_t seed)
{
  uint64_t last = 0;
  uint32_t count = 0;
  sort(&found);
  for (unsigned i = 0; i < found.count && !cut; i++) {
    if (!found.hash[i])
      print_program(g);
    if (!found.hash[i])
      fail_msg("seed %llu: %s: %s ended where it could go on", (unsigned long long)seed, g->ordered[0].text, how);
    count += found.hash[i] != last;
    last = found.hash[i];
  }
  if (cut || count == graph.ends)
    return;
  print_program(g);
  fail_msg("seed %llu: %s: %s came to %u of %u ends", (unsigned long long)seed, g->ordered[0].text, how, count,
           graph.ends);
}

static struct tally {
  uint64_t programs, several, stuck, loops, sequences, executions, divided;
} tally;

static void try_program(struct ordered_program *g, uint64_t seed, uint64_t *stream)
{
  const struct search_of search = {open_kept, end_of, g, most};
  cut = false;
  if (!graph_build(g) || !explore_whole(&search, STRATEGY_dpor, &found) || cut)
    return;
  expect_all_ends("dpor", g, seed);
  tally.programs++;
  tally.several += graph.ends > 1;
  tally.loops += g->loops;
  tally.stuck += graph_holds_somebody();
  tally.executions += found.count;
  if (seed % 4 == 0) {
    explore_divided(&search, STRATEGY_dpor, 2, seed % 8 == 0, &found, stream);
    expect_all_ends("dpor with two workers", g, seed);
    tally.divided++;
  }
  tally.sequences += seed % 2 && search_sequences(g, seed);
}

static void search_programs(enum order_kind kind, uint64_t count)
{
  static struct ordered_program g;
  tally = (struct tally){0};
  for (uint64_t seed = first_seed; seed < first_seed + count; seed++) {
    uint64_t stream = mix64(seed);
    generate(&g, &stream, kind, 4 + seed % 3, seed % 3);
    try_program(&g, seed, &stream);
  }
  print_message(
      "%llu programs, %llu with several ends, %llu that cannot always go on, %llu with loops; %llu executions; "
      "%llu searches divided, %llu by every sequence\n",
      (unsigned long long)tally.programs, (unsigned long long)tally.several, (unsigned long long)tally.stuck,
      (unsigned long long)tally.loops, (unsigned long long)tally.executions, (unsigned long long)tally.divided,
      (unsigned long long)tally.sequences);
  assert_true(tally.programs > count / 4 && tally.several > count / 12 &&
              tally.stuck > count / 12); /* worth the name */
}

static void searches_keep_the_ordering(void **unused)
{
  (void)unused;
  search_programs(ORDER_SCHEDULE, programs);
}

static void searches_keep_the_formula(void **unused)
{
  (void)unused;
  search_programs(ORDER_FORMULA, programs / 3);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(searches_keep_the_ordering),
                                     cmocka_unit_test(searches_keep_the_formula)};
  programs = argc > 1 ? strtoull(argv[1], NULL, 0) : programs;
  first_seed = argc > 2 ? strtoull(argv[2], NULL, 0) : first_seed;
  most = argc > 1 ? 400 : most;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
