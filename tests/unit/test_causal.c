/* SPDX-License-Identifier: Apache-2.0
 *
 * The search by causality (causal/causal.h) against a search through the states of the toy world that knows neither
 * engine nor model: exactly the classes there are, each once, and every standstill.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "causal/part.h"
#include "core/loss.h"
#include "generated.h"

/* ---- what there is: a state, and what each thread saw on its way there ---- */

enum { STATES_MOST = 200000 };

struct witnessed {
  struct toy_state state;
  uint64_t saw[TOY_THREADS];
};

struct expected {
  unsigned states;
  struct set *seen;
  struct set classes, standstills, failures;
};

static uint64_t number_of_class(const struct witnessed *w)
{
  uint64_t sum = 0;
  for (int t = 0; t < TOY_THREADS; t++)
    sum += mix64(w->saw[t] + (unsigned)t);
  return sum;
}

/* Who stands where. */
static uint64_t number_of_standstill(const struct toy_state *s)
{
  uint64_t h = 0;
  for (int t = 0; t < TOY_THREADS; t++)
    if (toy_alive(s, t))
      h += mix64((uint64_t)s->at[t] << 8 | (unsigned)t);
  return h;
}

static uint64_t seen_by(const struct toy_insn *i, const struct toy_state *before, int result)
{
  if (!i)
    return 1;
  switch (i->kind) {
  case READ:
  case TRYLOCK:
  case CHOOSE:
  case FETCH_ADD:
  case SWAP:
    return 2 + (uint64_t)(uint32_t)result;
  case ADD:
  case SET_BITS:
    return 2 + (uint64_t)(uint32_t)before->var[i->object];
  default:
    return 1;
  }
}

static bool reach(const struct toy_program *p, struct expected *e, const struct witnessed *w)
{
  bool fresh, stuck = true, over = true;
  set_add(e->seen, number_of_class(w) ^ mix64(number_of(&w->state)), &fresh);
  if (!fresh)
    return true;
  if (++e->states > STATES_MOST || e->seen->count > SET_SLOTS - 100)
    return false;
  if (p->bug && p->bug(&w->state)) {
    set_add(&e->failures, number_of_class(w), &fresh);
    return true;
  }
  for (int t = 0; t < p->threads; t++) {
    over &= !toy_alive(&w->state, t);
    if (!toy_alive(&w->state, t) || !toy_enabled(p, &w->state, t))
      continue;
    const struct toy_insn *i = toy_next_insn(p, &w->state, t);
    stuck = false;
    for (int choice = 0; choice < (i && i->kind == CHOOSE ? i->value : 1); choice++) {
      struct witnessed next = *w;
      int at = w->state.at[t], result = toy_apply(p, &next.state, t, choice);
      next.saw[t] = mix64(mix64(w->saw[t] + (unsigned)at + 2) ^ seen_by(i, &w->state, result));
      if (!reach(p, e, &next))
        return false;
    }
  }
  if (over)
    set_add(&e->classes, number_of_class(w), &fresh);
  else if (stuck)
    set_add(&e->standstills, number_of_standstill(&w->state), &fresh);
  return true;
}

static struct expected *new_expected(void)
{
  struct expected *e = toy_memory(sizeof *e);
  e->seen = toy_memory(sizeof *e->seen);
  return e;
}

static bool expect(const struct toy_program *p, struct expected *e)
{
  struct witnessed start = {.state = toy_start(p)};
  e->states = 0;
  set_clear(e->seen);
  set_clear(&e->classes);
  set_clear(&e->standstills);
  set_clear(&e->failures);
  return reach(p, e, &start);
}

/* ---- what is run ---- */

struct found {
  unsigned runs, finished, failed, stood, first_failure;
  uint64_t lost;
  struct set hashes, standstills;
};

static void explore(const struct toy_program *p, struct found *f, unsigned most)
{
  struct toy *t = toy_open(p);
  t->control->config.races = RACES_REPORT; /* executions that show races are none of those that are counted */
  bool fresh, more = true;
  f->runs = f->finished = f->failed = f->stood = f->first_failure = 0;
  set_clear(&f->hashes);
  set_clear(&f->standstills);
  toy_use(t, STRATEGY_causal, 1);
  const struct causal *c = t->engine->strategy_state;
  while (more && f->runs < most) {
    more = toy_run(t);
    bool stands = t->end == NEXT_DEADLOCK;
    if (stands)
      set_add(&f->standstills, number_of_standstill(&t->state), &fresh);
    f->stood += stands;
    if (c->aside)
      continue;
    f->runs++;
    f->failed += t->bug && !stands;
    f->first_failure = f->first_failure || !t->bug ? f->first_failure : f->runs;
    f->finished += !t->bug && !stands;
    set_add(&f->hashes, c->class_hash, &fresh);
    assert_true(fresh); /* none twice */
  }
  assert_false(more);
  f->lost = c->lost;
  toy_close(t);
}

/* ---- what several run together ---- */

enum { WORKERS = 3, JOB_BYTES = 1 << 22 };

struct colleague {
  struct toy *toy;
  struct causal_job *job; /* that it has; NULL: none */
  uint32_t told;
  unsigned count; /* executions of it that came to their end, */
  uint64_t finished[1 << 12];
};

static bool give(struct causal *keeper, struct colleague *w, bool *begun, uint64_t *stream)
{
  if (*begun && !causal_has_courses(keeper))
    return false;
  struct causal_job *job = malloc(JOB_BYTES);
  *job = (struct causal_job){.base = w->told, .begins = !*begun, .alone = rng_below(stream, 2)};
  uint64_t bytes = causal_write_job(keeper, job, JOB_BYTES, 1 + (uint32_t)rng_below(stream, 4));
  assert_true(bytes >= sizeof *job);
  w->told = keeper->classes.count;
  *begun = true;
  if (!job->begins && !job->courses) {
    free(job);
    w->told = 0;
    return false;
  }
  assert_true(causal_take_job(w->toy->engine->strategy_state, job, bytes));
  w->job = job;
  return true;
}

static void hand_in(struct causal *keeper, struct colleague *w, struct set *finished)
{
  bool fresh;
  for (unsigned i = 0; i < w->count; i++)
    set_add(finished, w->finished[i], &fresh);
  w->count = 0;
  struct causal *c = w->toy->engine->strategy_state;
  struct causal_answer *answer = malloc(JOB_BYTES);
  uint64_t repeats = 0, bytes = causal_write_answer(c, answer, JOB_BYTES);
  assert_true(causal_take_answer(keeper, answer, bytes, &repeats));
  assert_false(causal_take_answer(keeper, answer, sizeof *answer - 8, &repeats));
  free(answer);
  free(w->job);
  w->job = NULL;
}

/* Nothing of what it did is known to anybody. */
static void lose(struct causal *keeper, struct colleague *w, bool *begun)
{
  causal_return_job(keeper, w->job);
  *begun &= !w->job->begins;
  causal_forget(w->toy->engine->strategy_state);
  w->told = w->count = 0;
  free(w->job);
  w->job = NULL;
}

/* What finished and was handed in is in the set. */
static void explore_together(const struct toy_program *p, struct set *finished, uint64_t *stream)
{
  struct causal *keeper = toy_memory(sizeof *keeper);
  static struct colleague w[WORKERS];
  bool begun = false, working = true;
  set_clear(finished);
  for (unsigned i = 0; i < WORKERS; i++) {
    w[i] = (struct colleague){.toy = toy_open(p)};
    w[i].toy->control->config.races = RACES_REPORT;
    toy_use(w[i].toy, STRATEGY_causal, 1);
  }
  while (working || !begun || causal_has_courses(keeper)) {
    struct colleague *one = &w[rng_below(stream, WORKERS)];
    const struct causal *c = one->toy->engine->strategy_state;
    if (one->job || give(keeper, one, &begun, stream)) {
      bool more = toy_run(one->toy);
      if (!c->aside && !one->toy->bug && one->toy->end != NEXT_DEADLOCK)
        one->finished[one->count++] = c->class_hash;
      if (!rng_below(stream, 32))
        lose(keeper, one, &begun);
      else if (!more || !rng_below(stream, 4))
        hand_in(keeper, one, finished);
    }
    working = w[0].job || w[1].job || w[2].job;
  }
  for (unsigned i = 0; i < WORKERS; i++)
    toy_close(w[i].toy);
  munmap(keeper, sizeof *keeper);
}

/* ---- programs whose classes are known ---- */

#define COUNT CODE({READ, 0, 0}, {WRITE, 0, 1})
#define WITHDRAW CODE({READ, 0, 0}, {WRITE, 0, -1})
#define LOCKED_DEPOSIT CODE({LOCK, 0, 0}, {READ, 0, 0}, {WRITE, 0, 1}, {UNLOCK, 0, 0})
#define LOCKED_WITHDRAWAL CODE({LOCK, 0, 0}, {READ, 0, 0}, {WRITE, 0, -1}, {UNLOCK, 0, 0})
enum { NOWHERE = -1 };

/* If the register is `value`, on; else over the n instructions that follow the next one. */
#define IF(value, n)                                                                                                   \
  {                                                                                                                    \
    BRANCH, 1 + (n), value                                                                                             \
  }
#define UNLESS(value, n)                                                                                               \
  {BRANCH, 2, value},                                                                                                  \
  {                                                                                                                    \
    BRANCH, 1 + (n), NOWHERE                                                                                           \
  }

/* stop is variable 0, sold is 1; there is room for one, or for two. */
static const struct toy_insn sell_1[] = {{READ, 0, 0}, IF(0, 4),    {READ, 1, 0}, {WRITE, 1, 1},
                                         {READ, 1, 0}, {SET, 0, 1}, {END, 0, 0}};
static const struct toy_insn sell_2[] = {{READ, 0, 0}, IF(0, 6),     {READ, 1, 0}, {WRITE, 1, 1},
                                         {READ, 1, 0}, UNLESS(1, 1), {SET, 0, 1},  {END, 0, 0}};
static const struct toy_insn sell_1_locked[] = {{LOCK, 0, 0}, {READ, 0, 0}, IF(0, 4),       {READ, 1, 0}, {WRITE, 1, 1},
                                                {READ, 1, 0}, {SET, 0, 1},  {UNLOCK, 0, 0}, {END, 0, 0}};
static const struct toy_insn sell_2_locked[] = {{LOCK, 0, 0}, {READ, 0, 0}, IF(0, 6),    {READ, 1, 0},   {WRITE, 1, 1},
                                                {READ, 1, 0}, UNLESS(1, 1), {SET, 0, 1}, {UNLOCK, 0, 0}, {END, 0, 0}};

/* The filter is there while variable 0 is 0. */
static const struct toy_insn use_filter[] = {{LOCK, 0, 0},   {READ, 0, 0},         IF(0, 3),       {READ, 0, 0},
                                             {UNLOCK, 0, 0}, {BRANCH, 2, NOWHERE}, {UNLOCK, 0, 0}, {END, 0, 0}};
static const struct toy_insn use_filter_once[] = {{LOCK, 0, 0}, {READ, 0, 0}, {UNLOCK, 0, 0}, {END, 0, 0}};

static bool filter_fails(const struct toy_state *s)
{
  return s->at[1] == 4 && s->reg[1] == 1;
}

/* The motivating example: x is variable 0, y is 1, each body comes twice. */
#define FIRST                                                                                                          \
  {LOCK, 0, 0}, {SET, 0, 1}, {SET, 1, 1},                                                                              \
  {                                                                                                                    \
    UNLOCK, 0, 0                                                                                                       \
  }
#define SECOND                                                                                                         \
  {LOCK, 0, 0}, {SET, 0, 0}, {UNLOCK, 0, 0}, {READ, 0, 0}, UNLESS(0, 3), {READ, 1, 0}, {WRITE, 1, 1},                  \
  {                                                                                                                    \
    SET, 0, 2                                                                                                          \
  }
#define THIRD                                                                                                          \
  {READ, 0, 0}, IF(2, 2), {READ, 1, 0},                                                                                \
  {                                                                                                                    \
    SET, 1, 2                                                                                                          \
  }
static const struct toy_insn first_twice[] = {FIRST, FIRST, {END, 0, 0}};
static const struct toy_insn second_twice[] = {SECOND, SECOND, {END, 0, 0}};
static const struct toy_insn third_twice[] = {THIRD, THIRD, {END, 0, 0}};
#define SECOND_FIXED                                                                                                   \
  {LOCK, 0, 0}, {SET, 0, 0}, {UNLOCK, 0, 0}, {LOCK, 0, 0}, {READ, 0, 0}, UNLESS(0, 3), {READ, 1, 0}, {WRITE, 1, 1},    \
      {SET, 0, 2},                                                                                                     \
  {                                                                                                                    \
    UNLOCK, 0, 0                                                                                                       \
  }
#define THIRD_FIXED                                                                                                    \
  {LOCK, 0, 0}, {READ, 0, 0}, IF(2, 2), {READ, 1, 0}, {SET, 1, 2},                                                     \
  {                                                                                                                    \
    UNLOCK, 0, 0                                                                                                       \
  }
static const struct toy_insn second_fixed[] = {SECOND_FIXED, SECOND_FIXED, {END, 0, 0}};
static const struct toy_insn third_fixed[] = {THIRD_FIXED, THIRD_FIXED, {END, 0, 0}};

static bool y_is_3(const struct toy_state *s)
{
  return s->reg[3] == 3;
}

struct row {
  const char *name;
  struct toy_program program;
  unsigned classes, failing; /* failing: at least */
  bool stands;
};

static const struct row rows[] = {
    {"two writers and one more",
     {.threads = 3, .code = {NULL, CODE({SET, 0, 1}, {SET, 0, 2}), CODE({SET, 1, 1}, {SET, 0, 3})}},
     1,
     0,
     false},
    {"counter, 2 threads", {.threads = 3, .code = {NULL, COUNT, COUNT}}, 3, 0, false},
    {"counter, 3 threads", {.threads = 4, .code = {NULL, COUNT, COUNT, COUNT}}, 13, 0, false},
    {"counter, 4 threads", {.threads = 5, .code = {NULL, COUNT, COUNT, COUNT, COUNT}}, 75, 0, false},
    {"airline, 2 sellers", {.threads = 3, .code = {NULL, sell_1, sell_1}}, 7, 0, false},
    {"airline, 2 sellers, locked", {.threads = 3, .code = {NULL, sell_1_locked, sell_1_locked}}, 2, 0, false},
    {"airline, 3 sellers", {.threads = 4, .code = {NULL, sell_2, sell_2, sell_2}}, 76, 0, false},
    {"airline, 3 sellers, locked",
     {.threads = 4, .code = {NULL, sell_2_locked, sell_2_locked, sell_2_locked}},
     6,
     0,
     false},
    {"account", {.threads = 5, .code = {NULL, COUNT, COUNT, WITHDRAW, WITHDRAW}}, 51, 0, false},
    {"account, locked",
     {.threads = 5, .code = {NULL, LOCKED_DEPOSIT, LOCKED_DEPOSIT, LOCKED_WITHDRAWAL, LOCKED_WITHDRAWAL}},
     14,
     0,
     false},
    {"filter", {.threads = 3, .code = {NULL, use_filter, CODE({SET, 0, 1})}, .bug = filter_fails}, 2, 1, false},
    {"filter, read once", {.threads = 3, .code = {NULL, use_filter_once, CODE({SET, 0, 1})}}, 2, 0, false},
    {"nested locks",
     {.threads = 3,
      .code = {NULL, CODE({LOCK, 0, 0}, {LOCK, 1, 0}, {UNLOCK, 1, 0}, {UNLOCK, 0, 0}),
               CODE({LOCK, 1, 0}, {LOCK, 0, 0}, {UNLOCK, 0, 0}, {UNLOCK, 1, 0})}},
     1,
     0,
     true},
    {"motivating example",
     {.threads = 4, .code = {NULL, first_twice, second_twice, third_twice}, .bug = y_is_3},
     99,
     6,
     false},
    {"motivating example, fixed",
     {.threads = 4, .code = {NULL, first_twice, second_fixed, third_fixed}, .bug = y_is_3},
     30,
     0,
     false},
};

static void classes_that_are_known(void **unused)
{
  (void)unused;
  struct found *f = toy_memory(sizeof *f);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const struct row *row = &rows[i];
    explore(&row->program, f, 10000);
    print_message("%s: %u runs, %u classes, %u failing (first %u), %u standstills\n", row->name, f->runs, f->finished,
                  f->failed, f->first_failure, f->stood);
    assert_int_equal(f->finished, row->classes);
    assert_int_equal(f->runs, f->finished + f->failed);
    assert_true(row->failing ? f->failed >= row->failing : !f->failed);
    assert_int_equal(f->stood, row->stands);
    assert_int_equal(f->lost & ~(row->failing ? LOST_BEFORE_END : 0u), 0);
  }
  munmap(f, sizeof *f);
}

/* ---- programs that nobody wrote ---- */

static unsigned how_many(unsigned by_default)
{
  const char *n = getenv("CAUSAL_PROGRAMS");
  return n ? (unsigned)atoi(n) : by_default;
}

static void compare(unsigned programs, uint64_t seed, unsigned features)
{
  struct expected *e = new_expected();
  struct found *f = toy_memory(sizeof *f);
  struct set *together = toy_memory(sizeof *together);
  unsigned compared = 0, runs = 0;
  for (unsigned i = 0; i < programs; i++) {
    uint64_t stream = seed + i;
    static struct generated g;
    generate(&g, features, &stream);
    if (g.program.bug)
      g.program.bug = a_register_is_2; /* what one thread sees */
    if (!expect(&g.program, e))
      continue;
    explore(&g.program, f, 4 * e->classes.count + 4 * e->failures.count + 1000);
    bool right = f->finished == e->classes.count && set_within(&f->standstills, &e->standstills) &&
                 !f->standstills.count == !e->standstills.count && !f->failed == !e->failures.count &&
                 !(f->lost & ~(uint64_t)LOST_BEFORE_END);
    if (!right) {
      print_message("seed %" PRIu64 ": %u classes, %u expected, %u runs; %u standstills, %u expected; %u failing; lost "
                    "%" PRIx64 "\n",
                    seed + i, f->finished, e->classes.count, f->runs, f->standstills.count, e->standstills.count,
                    f->failed, f->lost);
      print_program(&g.program);
      fail();
    }
    explore_together(&g.program, together, &stream);
    if (together->count != e->classes.count) {
      print_message("seed %" PRIu64 ": %u classes together, %u expected\n", seed + i, together->count,
                    e->classes.count);
      print_program(&g.program);
      fail();
    }
    compared++;
    runs += f->runs;
  }
  print_message("%u programs, %u runs\n", compared, runs);
  munmap(f, sizeof *f);
  munmap(together, sizeof *together);
}

static void classes_of_random_programs(void **unused)
{
  (void)unused;
  compare(how_many(1500), 1, 0);
}

static void classes_of_random_families(void **unused)
{
  (void)unused;
  compare(how_many(500), 1, FAMILY);
}

static void classes_of_random_programs_that_fail(void **unused)
{
  (void)unused;
  compare(how_many(500), 1, ENDS);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(classes_that_are_known),
      cmocka_unit_test(classes_of_random_programs),
      cmocka_unit_test(classes_of_random_families),
      cmocka_unit_test(classes_of_random_programs_that_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
