/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that nobody can tell apart, in process, over toy programs: dpor with --symmetric against a search through all
 * states of the toy world that knows neither engine nor explorer, and against closed formulas.
 *
 * For random programs in which thread 0 creates several threads with the same code, it must hold that
 *  - the states in which executions end are those that can be reached, but for which of the twins is which; where
 * thread 0 asks for one of them, the very states,
 *  - nothing is run twice, and no execution is abandoned,
 *  - there are no more executions than without it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/explorer.h"
#include "generated.h"

enum { EXECUTIONS_MAX = 6000, STATES_MAX = 20000, STEPS_MAX = 200, TWINS_MAX = 3 };

/* ---- ends, whichever twin is which ---- */

/* The codes 1 to n are the twins'. */
static struct toy_state exchanged(const struct toy_state *s, const int *to)
{
  struct toy_state out = *s;
  for (int t = 1; t <= TWINS_MAX; t++) {
    out.at[to[t]] = s->at[t];
    out.exists[to[t]] = s->exists[t];
    out.ended[to[t]] = s->ended[t];
    out.reg[to[t]] = s->reg[t];
  }
  for (int m = 0; m < TOY_MUTEXES; m++)
    if (s->owner[m] > 1 && s->owner[m] <= TWINS_MAX + 1)
      out.owner[m] = to[s->owner[m] - 1] + 1;
  return out;
}

/* How many of them thread 0 has joined, before it does anything else, says only which of them have ended. */
static void take_joins_back(const struct toy_program *p, struct toy_state *s, int twins)
{
  while (s->at[0] > 0 && !s->ended[0] && p->code[0][s->at[0] - 1].kind == JOIN &&
         p->code[0][s->at[0] - 1].object <= twins)
    s->at[0]--;
}

/* One number for all that differ only in that. */
static uint64_t number_of_orbit(const struct toy_program *p, const struct toy_state *end, int twins)
{
  struct toy_state s = end_of(p, *end);
  take_joins_back(p, &s, twins);
  static const int orders[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {0, 3, 1, 2}, {0, 3, 2, 1}};
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < (twins == 3 ? 6 : twins); i++) {
    struct toy_state other = exchanged(&s, orders[i]);
    uint64_t n = number_of(&other);
    least = n < least ? n : least;
  }
  return least;
}

/* ---- what can be reached ---- */

struct ends {
  struct set orbits, states;
};

static struct set seen;
static struct toy_state state_of[STATES_MAX];
static struct ends truth, found;

static void note_end(struct ends *e, const struct toy_program *p, const struct toy_state *s, int twins)
{
  bool fresh;
  set_add(&e->orbits, number_of_orbit(p, s, twins), &fresh);
  set_add(&e->states, end_number(p, *s), &fresh);
}

/* False: too many. */
static bool go_from(const struct toy_program *p, const struct toy_state *s, bool *moved)
{
  for (int t = 0; t < TOY_THREADS; t++) {
    if (!toy_alive(s, t) || !toy_enabled(p, s, t))
      continue;
    const struct toy_insn *insn = toy_next_insn(p, s, t);
    for (int choice = 0; choice < (insn && insn->kind == CHOOSE ? insn->value : 1); choice++) {
      struct toy_state next = *s;
      bool fresh;
      toy_apply(p, &next, t, choice);
      unsigned at = set_add(&seen, number_of(&next), &fresh);
      if (at >= STATES_MAX - 1)
        return false;
      state_of[at] = next;
      *moved = true;
    }
  }
  return true;
}

static bool reach(const struct toy_program *p, int twins)
{
  bool fresh;
  set_clear(&seen);
  set_clear(&truth.orbits);
  set_clear(&truth.states);
  state_of[0] = toy_start(p);
  set_add(&seen, number_of(&state_of[0]), &fresh);
  for (unsigned i = 0; i < seen.count; i++) {
    struct toy_state s = state_of[i];
    bool moved = false, over = p->bug && p->bug(&s);
    if (!over && !go_from(p, &s, &moved))
      return false;
    if (!moved)
      note_end(&truth, p, &s, twins);
  }
  return true;
}

/* ---- the search ---- */

struct search {
  unsigned executions, twice, blocked;
  bool complete, told_apart, lost;
};

static struct set classes;

static void forget(struct search *s)
{
  set_clear(&classes);
  set_clear(&found.orbits);
  set_clear(&found.states);
  s->executions = s->twice = s->blocked = 0;
}

static bool twins_of_toy(void *self, unsigned a, unsigned b)
{
  const struct toy *t = self;
  return t->program->code[t->code_of[a]] == t->program->code[t->code_of[b]];
}

static bool told_apart_in_toy(void *self, unsigned thread, uint64_t value)
{
  (void)self, (void)thread, (void)value;
  return false;
}

static struct search search(const struct toy_program *p, int twins, bool symmetric)
{
  struct search s = {0};
  struct toy *t = toy_open(p);
  t->world.twins = twins_of_toy;
  t->world.told_apart = told_apart_in_toy;
  t->control->config.hashes = 1;
  t->control->config.symmetric = symmetric;
  t->control->config.max_steps = STEPS_MAX;
  toy_use(t, STRATEGY_dpor, 1);
  const struct explorer *x = t->engine->strategy_state;
  forget(&s);
  for (unsigned i = 0; i < EXECUTIONS_MAX && !s.complete; i++) {
    s.complete = !toy_run(t);
    bool fresh, anew = !x->order.events && !s.complete && !x->fixed && !x->redo;
    if (anew) {
      forget(&s);
      continue;
    }
    if (x->aside)
      continue;
    if (t->end == NEXT_BLOCKED) {
      s.blocked++;
      continue;
    }
    s.executions++;
    set_add(&classes, x->class_hash, &fresh);
    s.twice += !fresh;
    note_end(&found, p, &t->state, twins);
  }
  s.told_apart = x->order.told_apart;
  s.lost = x->lost;
  toy_close(t);
  return s;
}

/* ---- random programs ---- */

enum joins { JOINED_AT_ONCE, JOINED_APART, SOME_JOINED, ASKED_FOR, NOT_JOINED, JOINS };

struct twins_program {
  struct generated g;
  int twins;
  enum joins joins;
};

static void generate_twins(struct twins_program *w, unsigned features, uint64_t *stream)
{
  struct toy_program *p = &w->g.program;
  memset(w, 0, sizeof *w);
  w->twins = 2 + (int)rng_below(stream, 2);
  w->joins = (enum joins)rng_below(stream, JOINS);
  p->threads = w->twins + 1 + (int)rng_below(stream, 2);
  p->sem[0] = 1;
  p->exits = true;
  generate_code(w->g.code[1], w->twins == 2 ? 4 + (int)rng_below(stream, 2) : 2 + (int)rng_below(stream, 2),
                features & LOOPS, stream);
  generate_code(w->g.code[2], 1 + (int)rng_below(stream, 2), false, stream);
  for (int t = 1; t <= w->twins; t++)
    p->code[t] = w->g.code[1];
  if (p->threads > w->twins + 1)
    p->code[w->twins + 1] = w->g.code[2];
  struct toy_insn *code = w->g.code[0];
  int at = 0;
  bool other_first = rng_below(stream, 2);
  if (p->threads > w->twins + 1 && other_first)
    at = put(code, at, CREATE, w->twins + 1, 0);
  for (int t = 1; t <= w->twins; t++) {
    at = put(code, at, CREATE, t, 0);
    if (!rng_below(stream, 6))
      at = put(code, at, SET, 0, 2);
  }
  if (p->threads > w->twins + 1 && !other_first)
    at = put(code, at, CREATE, w->twins + 1, 0);
  if (rng_below(stream, 2))
    at = put_some(code, at, stream);
  for (int t = 1; t <= w->twins && w->joins != NOT_JOINED; t++) {
    if (w->joins != SOME_JOINED || t > 1)
      at = put(code, at, w->joins == ASKED_FOR && t == 1 ? TRYJOIN : JOIN, t, 0);
    if (w->joins == JOINED_APART && t == 1)
      at = put(code, at, rng_below(stream, 2) ? SET : READ, 0, 1);
  }
  put(code, at, READ, 0, 0);
  p->code[0] = code;
  if (features & ENDS)
    p->bug = rng_below(stream, 2) ? var_0_is_2 : a_register_is_2;
}

static const char *wrong(const struct search *s, const struct search *whole)
{
  if (!s->complete)
    return "it does not come to an end";
  if (s->lost)
    return "something was left out";
  if (s->blocked)
    return "an execution was abandoned";
  if (s->twice > whole->twice)
    return "a class was run twice";
  if (!set_within(&found.states, &truth.states))
    return "an execution ended where none can";
  if (!set_equal(&found.orbits, &truth.orbits))
    return "an end was missed";
  if (s->told_apart && !set_equal(&found.states, &truth.states))
    return "an end was missed where they can be told apart";
  if (s->executions > whole->executions)
    return "there are more executions than without";
  return NULL;
}

static void try_programs(unsigned programs, unsigned features, uint64_t stream)
{
  static struct twins_program w;
  unsigned tried = 0, fewer = 0, failed = 0;
  uint64_t executions = 0, of = 0;
  for (unsigned i = 0; i < programs && failed < 5; i++) {
    generate_twins(&w, features, &stream);
    if (!reach(&w.g.program, w.twins))
      continue;
    struct search whole = search(&w.g.program, w.twins, false);
    if (!whole.complete || whole.blocked || whole.lost)
      continue;
    assert_true(set_equal(&found.states, &truth.states));
    struct search s = search(&w.g.program, w.twins, true);
    const char *what = wrong(&s, &whole);
    tried++;
    fewer += s.executions < whole.executions;
    executions += s.executions;
    of += whole.executions;
    failed += !!what;
    if (what) {
      print_message("%s: executions %u of %u, abandoned %u, told apart %d, ends %u of %u, joins %d\n", what,
                    s.executions, whole.executions, s.blocked, s.told_apart, found.orbits.count, truth.orbits.count,
                    w.joins);
      print_program(&w.g.program);
    }
  }
  print_message("%u programs, %u with fewer executions: %lu of %lu\n", tried, fewer, (unsigned long)executions,
                (unsigned long)of);
  assert_int_equal(failed, 0);
  assert_true(tried > programs / 3 && fewer > programs / 8);
}

static void plain_twins(void **unused)
{
  (void)unused;
  try_programs(400, 0, 1);
}

static void twins_that_end_the_program(void **unused)
{
  (void)unused;
  try_programs(200, ENDS, 2);
}

static void twins_in_loops(void **unused)
{
  (void)unused;
  try_programs(250, LOOPS, 3);
}

/* ---- closed formulas ---- */

static unsigned count(int twins, const struct toy_insn *code)
{
  static struct toy_insn first[2 * TOY_THREADS];
  struct toy_program p = {.threads = twins + 1, .exits = true};
  int at = 0;
  for (int t = 1; t <= twins; t++) {
    p.code[t] = code;
    at = put(first, at, CREATE, t, 0);
  }
  for (int t = 1; t <= twins; t++)
    at = put(first, at, JOIN, t, 0);
  put(first, at, END, 0, 0);
  p.code[0] = first;
  struct search s = search(&p, 1, true);
  assert_true(s.complete && !s.lost && !s.blocked && !s.twice && !s.told_apart);
  return s.executions;
}

static void what_orders_them_once_is_run_once(void **unused)
{
  (void)unused;
  for (int n = 2; n < TOY_THREADS - 1; n++) {
    assert_int_equal(count(n, CODE({SET, 0, 1})), 1);                               /* n! */
    assert_int_equal(count(n, CODE({FETCH_ADD, 0, 1}, {READ, 1, 0})), 1);           /* a ticket */
    assert_int_equal(count(n, CODE({LOCK, 0, 0}, {ADD, 1, 1}, {UNLOCK, 0, 0})), 1); /* n! */
    assert_int_equal(count(n, CODE({READ, 1, 0}, {READ, 0, 0}, {SET, 2, 1})), 1);   /* n!, and they begin alike */
  }
  assert_int_equal(count(2, CODE({FETCH_ADD, 0, 1}, {FETCH_ADD, 1, 1})), 2); /* 4 */
  assert_int_equal(count(2, CODE({READ, 0, 0}, {WRITE, 0, 1})), 2);          /* increments: 4 or 6 */
}

int main(int argc, char **argv)
{
  if (argc == 3) { /* how many, and which: a long run */
    unsigned programs = (unsigned)strtoul(argv[1], NULL, 0);
    uint64_t stream = strtoull(argv[2], NULL, 0);
    try_programs(programs, 0, stream);
    try_programs(programs, ENDS, stream + 1);
    try_programs(programs, LOOPS, stream + 2);
    return 0;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_twins),
      cmocka_unit_test(twins_that_end_the_program),
      cmocka_unit_test(twins_in_loops),
      cmocka_unit_test(what_orders_them_once_is_run_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
