/* SPDX-License-Identifier: Apache-2.0
 *
 * The lattice of orders: golden states and errors, what the bounds lose, and on random runs the same errors as trying
 * all orders one by one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/rng.h"
#include "predict/protocol/lattice.h"
#include <string.h>

#define CALLS 32

struct found {
  uint32_t levels, size[CALLS];
  uint32_t errors;
  struct {
    uint32_t from[4], thread, state, object;
    struct lattice_call way[CALLS], last, missing;
    size_t length;
  } error[CALLS];
};

static void on_level(void *arg, uint32_t states)
{
  struct found *f = arg;
  f->size[f->levels++] = states;
}

static void on_error(void *arg, const struct lattice_error *error)
{
  struct found *f = arg;
  assert_true(f->errors < CALLS);
  memcpy(f->error[f->errors].from, error->from, sizeof f->error[0].from);
  f->error[f->errors].thread = error->call->thread;
  f->error[f->errors].object = error->call->object;
  f->error[f->errors].state = error->state;
  f->error[f->errors].last = error->last ? *error->last : (struct lattice_call){0};
  f->error[f->errors].missing = error->missing ? *error->missing : (struct lattice_call){0};
  f->error[f->errors].length = lattice_way(error, f->error[f->errors].way, CALLS);
  f->errors++;
}

/* s1 –c→ s2 –{o,i}→ s3 (loops on o, i) –x→ s4 */
enum { C, O, I, X };
static struct automaton *connection(void)
{
  struct automaton *a = automaton_new("conn", 4, 4);
  assert_non_null(a);
  a->next[0 * 4 + C] = 1;
  a->next[1 * 4 + O] = a->next[1 * 4 + I] = a->next[2 * 4 + O] = a->next[2 * 4 + I] = 2;
  a->next[2 * 4 + X] = 3;
  return a;
}

enum { SIZE, GET };
static struct automaton *queue(void)
{
  struct automaton *a = automaton_new("queue", 2, 2);
  assert_non_null(a);
  a->next[0 * 2 + SIZE] = a->next[1 * 2 + SIZE] = 1;
  a->next[1 * 2 + GET] = 0;
  return a;
}

struct run {
  uint32_t thread, method, object;
  uint32_t known[3]; /* of each thread, itself included */
};

static struct lattice_figures check(const struct automaton *a, const struct run *run, size_t count, uint32_t width,
                                    uint32_t length, struct found *f)
{
  *f = (struct found){0};
  struct lattice *l = lattice_new(
      a, (struct lattice_options){.width = width, .queue = length, .error = on_error, .level = on_level, .arg = f});
  assert_non_null(l);
  for (size_t i = 0; i < count; i++)
    lattice_add(l,
                &(struct lattice_call){
                    .number = i + 1, .thread = run[i].thread, .method = run[i].method, .object = run[i].object},
                run[i].known[run[i].thread] - 1, run[i].known, 3);
  assert_true(lattice_finish(l));
  struct lattice_figures figures = *lattice_figures(l);
  lattice_free(l);
  return figures;
}

/* main connects and creates the child, which goes first */
static const struct run connections[] = {
    {0, C, 1, {1, 0, 0}}, {1, O, 1, {1, 1, 0}}, {0, I, 1, {2, 0, 0}}, {0, X, 1, {3, 0, 0}}};

static void closed_too_early(void **unused)
{
  (void)unused;
  struct automaton *a = connection();
  struct found f;
  struct lattice_figures figures = check(a, connections, 4, 0, 100, &f);
  assert_int_equal(figures.states, 7);
  static const uint32_t sizes[] = {1, 1, 2, 2, 1};
  assert_int_equal(f.levels, 5);
  assert_memory_equal(f.size, sizes, sizeof sizes);
  assert_int_equal(f.errors, 1);
  assert_int_equal(f.error[0].from[0], 3);
  assert_int_equal(f.error[0].from[1], 0);
  assert_int_equal(f.error[0].thread, 1);
  assert_int_equal(f.error[0].state, 3);
  static const uint64_t way[] = {1, 3, 4, 2};
  assert_int_equal(f.error[0].length, 4);
  for (unsigned i = 0; i < 4; i++)
    assert_int_equal(f.error[0].way[i].number, way[i]);
  assert_int_equal(f.error[0].last.number, 4);
  assert_int_equal(f.error[0].missing.number, 0);
  automaton_free(a);
}

/* Sweep: what each pair of bounds sees. */
static void bounds(void **unused)
{
  (void)unused;
  static const struct {
    uint32_t width, queue, states, errors;
  } table[] = {{1, 1, 5, 0}, {0, 1, 5, 0}, {2, 2, 6, 0}, {2, 4, 7, 1}, {0, 4, 7, 1}, {0, 0, 5, 0}};
  struct automaton *a = connection();
  for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++) {
    struct found f;
    struct lattice_figures figures = check(a, connections, 4, table[i].width, table[i].queue, &f);
    assert_int_equal(figures.states, table[i].states);
    assert_int_equal(f.errors, table[i].errors);
  }
  automaton_free(a);
}

static void two_takers(void **unused)
{
  (void)unused;
  static const struct run run[] = {{0, SIZE, 1, {1, 0, 0}}, {0, SIZE, 1, {2, 0, 0}}, {0, GET, 1, {3, 0, 0}},
                                   {1, SIZE, 1, {0, 1, 0}}, {1, SIZE, 1, {0, 2, 0}}, {1, GET, 1, {0, 3, 0}}};
  struct automaton *a = queue();
  struct found f;
  struct lattice_figures figures = check(a, run, 6, 0, 100, &f);
  assert_int_equal(figures.states, 16);
  assert_int_equal(figures.widest, 4);
  assert_int_equal(f.errors, 2);
  uint32_t first = f.error[0].from[0] == 2 ? 0 : 1;
  assert_int_equal(f.error[first].from[0], 2);
  assert_int_equal(f.error[first].from[1], 3);
  assert_int_equal(f.error[first].thread, 0);
  assert_int_equal(f.error[1 - first].from[0], 3);
  assert_int_equal(f.error[1 - first].from[1], 2);
  assert_int_equal(f.error[1 - first].thread, 1);
  automaton_free(a);
}

/* A call that nothing keeps from coming before the one that makes it legal. */
static void too_early(void **unused)
{
  (void)unused;
  static const struct run run[] = {{0, C, 1, {1, 0, 0}}, {1, O, 1, {0, 1, 0}}, {0, I, 1, {2, 0, 0}}};
  struct automaton *a = connection();
  struct found f;
  check(a, run, 3, 0, 100, &f);
  assert_int_equal(f.errors, 1);
  assert_int_equal(f.error[0].thread, 1);
  assert_int_equal(f.error[0].state, 0);
  assert_int_equal(f.error[0].last.number, 0);
  assert_int_equal(f.error[0].missing.number, 1);
  automaton_free(a);
}

/* Objects do not mix: the error is about the second one alone, whatever state the first is in. */
static void objects(void **unused)
{
  (void)unused;
  static const struct run run[] = {{0, C, 1, {1, 0, 0}}, {0, C, 2, {2, 0, 0}}, {1, O, 2, {2, 1, 0}},
                                   {0, O, 1, {3, 0, 0}}, {0, X, 1, {4, 0, 0}}, {0, I, 2, {5, 0, 0}},
                                   {0, X, 2, {6, 0, 0}}};
  struct automaton *a = connection();
  struct found f;
  check(a, run, 7, 0, 100, &f);
  assert_int_equal(f.errors, 1);
  assert_int_equal(f.error[0].object, 2);
  automaton_free(a);
}

/* ---- against all orders, one by one ---- */

struct orders {
  const struct automaton *a;
  const struct run *run;
  uint32_t count, states;
  uint32_t own[CALLS]; /* of each call, which of its thread's it is */
  bool visited[8][8][8];
  bool bad[CALLS][8]; /* call, in that protocol state */
};

static void try_orders(struct orders *o, uint32_t made[3], uint32_t state)
{
  o->states += !o->visited[made[0]][made[1]][made[2]];
  o->visited[made[0]][made[1]][made[2]] = true;
  for (uint32_t i = 0; i < o->count; i++) {
    const struct run *r = &o->run[i];
    bool ready = o->own[i] == made[r->thread] + 1;
    for (uint32_t t = 0; t < 3; t++)
      ready &= t == r->thread || made[t] >= r->known[t];
    if (!ready)
      continue;
    uint32_t next = automaton_next(o->a, state, r->method);
    if (next == AUTOMATON_BAD && state != AUTOMATON_BAD)
      o->bad[i][state] = true;
    made[r->thread]++;
    try_orders(o, made, next);
    made[r->thread]--;
  }
}

static void make_run(struct run *run, uint32_t count, uint32_t methods, uint64_t seed)
{
  uint32_t known[3][3] = {{0}};
  for (uint32_t i = 0; i < count; i++) {
    uint32_t t = (uint32_t)(mix64(seed + 5 * i) % 3), u = (uint32_t)(mix64(seed + 5 * i + 1) % 3);
    if (mix64(seed + 5 * i + 2) % 4 == 0) /* it hears of another one */
      for (uint32_t k = 0; k < 3; k++)
        if (k != t && known[u][k] > known[t][k])
          known[t][k] = known[u][k];
    known[t][t]++;
    run[i] = (struct run){.thread = t, .method = (uint32_t)(mix64(seed + 5 * i + 3) % methods), .object = 1};
    memcpy(run[i].known, known[t], sizeof run[i].known);
  }
}

static void compare(const struct automaton *a, uint64_t seed)
{
  struct run run[8];
  struct found f = {0};
  struct orders o = {.a = a, .run = run, .count = 7};
  bool bad[CALLS][8] = {{0}};
  make_run(run, o.count, a->methods, seed);
  for (uint32_t i = 0; i < o.count; i++)
    o.own[i] = run[i].known[run[i].thread];
  try_orders(&o, (uint32_t[3]){0}, 0);
  struct lattice_figures figures = check(a, run, o.count, 0, 100, &f);
  assert_int_equal(figures.states, o.states);
  for (uint32_t i = 0; i < f.errors; i++)
    bad[f.error[i].way[f.error[i].length - 1].number - 1][f.error[i].state] = true;
  assert_memory_equal(bad, o.bad, sizeof bad);
}

static void all_orders(void **unused)
{
  (void)unused;
  struct automaton *c = connection(), *q = queue();
  for (uint64_t seed = 1; seed <= 300; seed++) {
    compare(c, seed * 1000);
    compare(q, seed * 1000);
  }
  automaton_free(c);
  automaton_free(q);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_too_early), cmocka_unit_test(bounds),  cmocka_unit_test(two_takers),
      cmocka_unit_test(too_early),        cmocka_unit_test(objects), cmocka_unit_test(all_orders),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
