/* SPDX-License-Identifier: Apache-2.0
 *
 * A search that is divided is the search that is not: toy programs (toy_world.h) are explored by one explorer from the
 * start to the end, and then by several that share a frontier, hand in after a few executions and have it written down
 * and read again now and then. Both must run the same executions up to equivalence, each once, and abandon none.
 *
 * Loops that wait are in most of the programs: who watches what must survive all of that. The last tests are about
 * size: neither deep trees nor long executions may need more than memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "divided_search.h"
#include <time.h>

enum { STEPS_MAX = 80, CODE_MAX = 12 };

static bool same(const struct classes *a, const struct classes *b)
{
  return a->count == b->count && (thrifty || a->blocked == b->blocked) &&
         !memcmp(a->hash, b->hash, a->count * sizeof *a->hash);
}

/* The same, but for some that come twice. */
static bool same_once(const struct classes *a, const struct classes *b)
{
  unsigned i = 0, j = 0;
  while (i < a->count && j < b->count && a->hash[i] == b->hash[j]) {
    uint64_t hash = a->hash[i];
    while (i < a->count && a->hash[i] == hash)
      i++;
    while (j < b->count && b->hash[j] == hash)
      j++;
  }
  return i == a->count && j == b->count;
}

/* ---- explorers ---- */

static struct toy *open_toy(const void *program, enum strategy_id id)
{
  struct toy *t = toy_open(program);
  t->control->config.hashes = 1;
  t->control->config.max_steps = STEPS_MAX;
  t->control->config.bound = bound;
  t->control->config.keeps_beyond = bound.kind != BOUND_NONE;
  toy_use(t, id, 1);
  return t;
}

static void explore_alone(const struct search_of *s, struct classes *c, uint64_t *stream)
{
  struct frontier f;
  struct helper *h = &helpers[0];
  assert_true(frontier_open(&f));
  f.costs = bound.kind != BOUND_NONE;
  c->count = c->blocked = 0;
  open_helpers(s, STRATEGY_dpor, 1);
  while (!frontier_is_finished(&f)) {
    enum ran ran = RAN;
    h->place = frontier_take(&f, false, h->unit, BUFFER);
    assert_int_equal(h->unit->root, 0);
    explorer_load(explorer_of(h->toy), &h->toy->world, h->unit);
    h->found.count = h->found.blocked = 0;
    for (uint64_t n = 1 + rng_below(stream, 7); ran == RAN_ON || (n && ran == RAN); n -= n > 0)
      ran = run(s, h->toy, &h->found);
    if (ran != LEARNT) {
      hand_in(&f, h, c);
      continue;
    }
    explorer_hand_in_lessons(explorer_of(h->toy), &h->toy->world, h->out);
    frontier_learn(&f, h->out);
    begin_anew(&f, c);
  }
  close_helpers(1);
  frontier_close(&f);
}

/* By need: who has nothing to do asks the other for what it has after so many executions. Returns how many units there
 * were. */
static unsigned explore_by_need(const struct search_of *s, unsigned count, unsigned patience, struct classes *c)
{
  struct frontier f;
  unsigned units = 0;
  assert_true(frontier_open(&f));
  f.costs = bound.kind != BOUND_NONE;
  c->count = c->blocked = 0;
  open_helpers(s, STRATEGY_dpor, count);
  while (!frontier_is_finished(&f))
    for (unsigned i = 0; i < count; i++) {
      struct helper *h = &helpers[i], *other = &helpers[count - 1 - i];
      bool wanted = other != h && !other->place;
      if (!h->place && !(h->place = frontier_take(&f, wanted, h->unit, BUFFER)))
        continue;
      if (h->place && !h->left) {
        explorer_load(explorer_of(h->toy), &h->toy->world, h->unit);
        h->left = patience;
        h->found.count = h->found.blocked = 0;
        units++;
      }
      enum ran ran = run(s, h->toy, &h->found);
      assert_int_not_equal(ran, LEARNT);
      h->left -= h->left > 1;
      if (ran == RAN_LAST || (ran == RAN && wanted && h->left == 1)) {
        hand_in(&f, h, c);
        h->left = 0;
      }
    }
  close_helpers(count);
  frontier_close(&f);
  sort(c);
  return units;
}

/* ---- programs ---- */

struct generated {
  struct toy_program program;
  struct toy_insn code[TOY_THREADS][CODE_MAX + 1];
};

static int put(struct toy_insn *code, int at, enum toy_kind kind, int object, int value)
{
  code[at] = (struct toy_insn){kind, object, value};
  return at + 1;
}

/* Waiting for a variable to have a value: plainly, politely, looking at two, under a lock; or by trying to lock. */
static int put_loop(struct toy_insn *code, int at, uint64_t *stream)
{
  int object = (int)rng_below(stream, 2), value = (int)rng_below(stream, 3);
  switch (rng_below(stream, 5)) {
  case 0:
    return put(code, at, SPIN, object, value);
  case 1:
    at = put(code, at, YIELD, 0, 0);
    return put(code, at, SPIN_BACK, object, value);
  case 2:
    at = put(code, at, LOCK, 0, 0);
    at = put(code, at, READ, object, 0);
    at = put(code, at, UNLOCK, 0, 0);
    return put(code, at, BRANCH, -3, value);
  case 3:
    at = put(code, at, READ, !object, 0);
    at = put(code, at, READ, object, 0);
    return put(code, at, BRANCH, -2, value);
  default:
    at = put(code, at, TRYLOCK, object, 0);
    at = put(code, at, BRANCH, -1, 1);
    return put(code, at, UNLOCK, object, 0);
  }
}

static int put_some(struct toy_insn *code, int at, uint64_t *stream)
{
  static const enum toy_kind kinds[] = {READ,   READ,    WRITE, WRITE, SET,    SET, LOCK,
                                        UNLOCK, TRYLOCK, WAIT,  POST,  CHOOSE, ADD, SET_BITS};
  enum toy_kind kind = kinds[rng_below(stream, sizeof kinds / sizeof kinds[0])];
  int object = (int)rng_below(stream, 2);
  return put(code, at, kind, object, kind == CHOOSE ? 2 + (int)rng_below(stream, 2) : 1 + (int)rng_below(stream, 2));
}

static void generate(struct generated *g, unsigned loops_of_3, uint64_t *stream)
{
  static const int steps[] = {0, 0, 6, 4, 2}; /* by the number of threads */
  memset(g, 0, sizeof *g);
  int threads = 2 + (int)rng_below(stream, 3);
  g->program.threads = threads + 1;
  g->program.sem[0] = 1;
  g->program.exits = rng_below(stream, 2) || loops_of_3;
  for (int t = 1; t <= threads; t++) {
    int at = 0;
    for (int n = steps[threads] - (int)rng_below(stream, 2); n > 0 && at < CODE_MAX - 4; n--)
      at = rng_below(stream, 3) < loops_of_3 ? put_loop(g->code[t], at, stream) : put_some(g->code[t], at, stream);
    g->program.code[t] = g->code[t];
  }
}

/* ---- within bounds ---- */

/* One bound after the other, each from what the one before left out. Who explores beside others does not know all that
 * they find for a larger bound: a few executions come twice then. */
static void explore_iteratively(const struct search_of *s, enum strategy_id id, unsigned count, bool write,
                                struct classes *c, uint64_t *stream)
{
  struct frontier f;
  struct bound last = bound;
  assert_true(frontier_open(&f));
  f.costs = bound.kind != BOUND_NONE;
  c->count = c->blocked = 0;
  for (bound.limit = 0; bound.limit <= last.limit; bound.limit++) {
    assert_true(frontier_raise(&f, bound.limit));
    open_helpers(s, id, count);
    while (!frontier_is_finished(&f)) {
      work(s, &f, &helpers[rng_below(stream, count)], c, stream);
      if (write && !f.taken && rng_below(stream, 3) == 0)
        write_and_read(&f);
    }
    close_helpers(count);
    if (write)
      write_and_read(&f);
  }
  bound = last;
  frontier_close(&f);
  sort(c);
}

/* ---- the tests ---- */

static struct classes whole, divided;

static void compare_iterative(const struct search_of *s, enum strategy_id id, uint64_t seed, uint64_t *stream)
{
  for (unsigned count = 1; count < WORKERS; count++)
    for (int write = 0; write < 2; write++) {
      explore_iteratively(s, id, count, write, &divided, stream);
      if (count == 1 || id == STRATEGY_dfs ? !same(&whole, &divided) : !same_once(&whole, &divided))
        fail_msg("program %llu, %u %s, bound by bound with %u workers%s: %u executions; at once %u",
                 (unsigned long long)seed, bound.limit, bound.kind == BOUND_DELAYS ? "delays" : "preemptions", count,
                 write ? ", written and read" : "", divided.count, whole.count);
    }
}

static void try_bounds(unsigned programs, enum strategy_id id)
{
  static struct generated g;
  const struct search_of of_g = {.open = open_toy, .subject = &g.program};
  unsigned tried = 0;
  for (uint64_t seed = 1; tried < programs; seed++) {
    uint64_t stream = mix64(seed);
    generate(&g, 0, &stream);
    bound = (struct bound){seed % 2 ? BOUND_PREEMPTIONS : BOUND_DELAYS, 1 + (uint32_t)(seed / 2 % 3)};
    if (!explore_whole(&of_g, id, &whole) || whole.count < 4)
      continue;
    tried++;
    compare_iterative(&of_g, id, seed, &stream);
  }
  bound = (struct bound){0};
}

static void bounds_with_reduction(void **unused)
{
  (void)unused;
  try_bounds(25, STRATEGY_dpor);
}

static void bounds_without_reduction(void **unused)
{
  (void)unused;
  try_bounds(10, STRATEGY_dfs);
}

static void compare(const struct search_of *s, enum strategy_id id, uint64_t seed, uint64_t *stream)
{
  for (unsigned count = 1; count <= WORKERS; count++)
    for (int write = 0; write < 2; write++) {
      explore_divided(s, id, count, write, &divided, stream);
      if (!same(&whole, &divided))
        fail_msg("program %llu with %u workers%s: %u executions, %u abandoned; undivided %u, %u",
                 (unsigned long long)seed, count, write ? ", written and read" : "", divided.count, divided.blocked,
                 whole.count, whole.blocked);
    }
}

static void try_programs(unsigned programs, unsigned loops_of_3, enum strategy_id id)
{
  static struct generated g;
  const struct search_of of_g = {.open = open_toy, .subject = &g.program};
  unsigned tried = 0;
  bound = (struct bound){0};
  for (uint64_t seed = 1; tried < programs; seed++) {
    uint64_t stream = mix64(seed);
    generate(&g, loops_of_3, &stream);
    if (!explore_whole(&of_g, id, &whole) || whole.count < 8)
      continue;
    tried++;
    compare(&of_g, id, seed, &stream);
  }
}

static void plain_programs(void **unused)
{
  (void)unused;
  try_programs(40, 0, STRATEGY_dpor);
}

static void plain_programs_without_reduction(void **unused)
{
  (void)unused;
  try_programs(15, 0, STRATEGY_dfs);
}

static void some_loops_that_wait(void **unused)
{
  (void)unused;
  try_programs(60, 1, STRATEGY_dpor);
}

static void many_loops_that_wait(void **unused)
{
  (void)unused;
  try_programs(60, 2, STRATEGY_dpor);
}

static void thrifty_searches(void **unused)
{
  (void)unused;
  thrifty = true;
  try_programs(25, 0, STRATEGY_dpor);
  try_programs(15, 1, STRATEGY_dpor);
  thrifty = false;
}

/* One worker whom nobody disturbs has all of the search as one unit, and after a hand-in goes on where it stood: the
 * executions come in the order of a search that is not divided. */
static void goes_on_where_it_stood(void **unused)
{
  (void)unused;
  static struct generated g;
  const struct search_of of_g = {.open = open_toy, .subject = &g.program};
  unsigned tried = 0;
  for (uint64_t seed = 1; tried < 60; seed++) {
    uint64_t stream = mix64(seed);
    generate(&g, 0, &stream);
    if (!explore_in_order(&of_g, STRATEGY_dpor, &whole) || whole.count < 8)
      continue;
    tried++;
    explore_alone(&of_g, &divided, &stream);
    if (!same(&whole, &divided))
      fail_msg("program %llu: %u executions, undivided %u, or not in this order", (unsigned long long)seed,
               divided.count, whole.count);
  }
}

/* One writer and six readers have trees of witnesses with a leaf for each class, five writers branches of many. */
static void few_units(void **unused)
{
  (void)unused;
  static const struct toy_insn write[] = {{WRITE, 0, 1}, {0}}, read[] = {{READ, 0, 0}, {0}};
  const struct toy_program readers = {.threads = 8, .code = {NULL, write, read, read, read, read, read, read}};
  const struct toy_program writers = {.threads = 6, .code = {NULL, write, write, write, write, write}};
  const struct search_of of_readers = {.open = open_toy, .subject = &readers},
                         of_writers = {.open = open_toy, .subject = &writers};
  assert_true(explore_whole(&of_readers, STRATEGY_dpor, &whole));
  assert_int_equal(whole.count, 64);
  assert_int_equal(explore_by_need(&of_readers, 1, 4, &divided), 1);
  assert_true(same(&whole, &divided));
  explore_by_need(&of_readers, 2, 4, &divided);
  assert_true(same(&whole, &divided));
  assert_true(explore_whole(&of_writers, STRATEGY_dpor, &whole));
  assert_int_equal(whole.count, 120);
  unsigned units = explore_by_need(&of_writers, 2, 4, &divided);
  assert_true(same(&whole, &divided));
  if (units < 4 || units > 30)
    fail_msg("%u units for %u executions", units, divided.count);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_programs),
      cmocka_unit_test(plain_programs_without_reduction),
      cmocka_unit_test(bounds_with_reduction),
      cmocka_unit_test(bounds_without_reduction),
      cmocka_unit_test(some_loops_that_wait),
      cmocka_unit_test(thrifty_searches),
      cmocka_unit_test(many_loops_that_wait),
      cmocka_unit_test(goes_on_where_it_stood),
      cmocka_unit_test(few_units),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
