/* SPDX-License-Identifier: Apache-2.0
 *
 * Probes are unbiased: over many seeds their mean is the number of classes, which is counted here by another search.
 * The programs are threads of letters: a capital changes the object of that letter, a small letter looks at it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/rng.h"
#include "estimate/probes.h"
#include "explore/descent.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

enum { THREADS = 8, SEEDS = 400 };

struct game {
  const char *code[THREADS];
  unsigned threads;
  unsigned at[THREADS];
};

static struct operation next_of(const struct game *g, unsigned t)
{
  int letter = (unsigned char)g->code[t][g->at[t]];
  return (struct operation){.kind = isupper(letter) ? OP_ATOMIC_STORE : OP_ATOMIC_LOAD,
                            .length = 8,
                            .addr = 0x1000 + 8 * (uintptr_t)toupper(letter),
                            .pc = 16 * (t + 1) + g->at[t]};
}

static struct game new_game(const char *const *code)
{
  struct game g = {0};
  while (code[g.threads]) {
    g.code[g.threads] = code[g.threads];
    g.threads++;
  }
  return g;
}

static uint32_t able(const struct game *g)
{
  uint32_t set = 0;
  for (unsigned t = 0; t < g->threads; t++)
    set |= (uint32_t)(g->code[t][g->at[t]] != '\0') << t;
  return set;
}

/* Takes the step; who of the sleepers sleeps on. */
static uint32_t step(struct game *g, unsigned t, uint32_t asleep)
{
  struct operation own = next_of(g, t);
  for (unsigned u = 0; u < g->threads; u++)
    if (asleep >> u & 1) {
      struct operation other = next_of(g, u);
      if (op_steps_dependent(t, &own, u, &other))
        asleep &= ~(UINT32_C(1) << u);
    }
  g->at[t]++;
  return asleep;
}

/* By sleepers alone: the executions that do not come to nothing are one for each class. */
static double count_classes(const struct game *g, uint32_t asleep)
{
  double sum = 0;
  uint32_t set = able(g);
  if (!set)
    return 1;
  for (unsigned t = 0; t < g->threads; t++)
    if (set >> t & 1 && !(asleep >> t & 1)) {
      struct game below = *g;
      uint32_t sleepers = step(&below, t, asleep);
      sum += count_classes(&below, sleepers);
      asleep |= UINT32_C(1) << t;
    }
  return sum;
}

/* One execution, as the search makes it; true: it was a probe. */
static bool descend(struct descent *p, struct game g, struct probe_line *line)
{
  struct thread_state thread[THREADS] = {0};
  uint32_t asleep = 0, set;
  uint64_t steps = 0;
  bool anew;
  descent_begin(p);
  while ((set = able(&g)) & ~asleep) {
    struct threadset all = {{set}}, awake = {{set & ~asleep}}, passed;
    for (unsigned t = 0; t < g.threads; t++) {
      thread[t].alive = set >> t & 1;
      thread[t].pending = next_of(&g, t);
    }
    struct choice c = {.enabled = &all, .thread = thread, .threads = g.threads, .step = steps++};
    unsigned chosen = descent_pick(p, &c, &all, &awake, &passed);
    struct operation op = next_of(&g, chosen);
    asleep = step(&g, chosen, asleep | (uint32_t)passed.word[0]);
    descent_note(p, chosen, &op);
  }
  return descent_end(p, set != 0, &(struct outcome){.steps = steps}, line, &anew);
}

/* What the probes of many searches say together. */
static void probe_all(const char *const *code, struct probes *probes)
{
  static struct descent p;
  struct probe_line line;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    descent_open(&p, 20, true);
    p.stream = mix64(seed);
    while (p.left)
      if (descend(&p, new_game(code), &line))
        probes_add(probes, scaled_make(line.mantissa, line.exponent));
  }
}

static void assert_unbiased(const char *const *code)
{
  struct probes probes = {0};
  struct game g = new_game(code);
  double classes = count_classes(&g, 0), said, variance;
  probe_all(code, &probes);
  assert_true(probes.count > SEEDS * 5);
  assert_true(probes_get(&probes, &said, &variance));
  double n = (double)probes.count, mean = scaled_to_double(probes.sum) / n;
  double error = sqrt(fmax(0, scaled_to_double(probes.squares) / n - mean * mean) / n);
  if (fabs(mean - classes) > 4 * error + 1e-6 * classes)
    fail_msg("%s ...: the mean is %g with a standard error of %g, there are %g classes", code[0], mean, error, classes);
  assert_true(fabs(said - log(classes)) < 0.1);
}

#define UNBIASED(...) assert_unbiased((const char *const[]){__VA_ARGS__, NULL})

static void same_steps_say_the_same(void **unused)
{
  (void)unused;
  UNBIASED("A", "A", "A", "A", "A");      /* 5! */
  UNBIASED("A", "a", "a", "a", "a", "a"); /* 2^5 */
  UNBIASED("AAA", "AAA", "AAA");          /* 9! / 3!^3 */
  UNBIASED("AB", "AB", "AB");             /* 3!^2 */
}

/* How much is left below a child is not what the model of the program says. */
static void others_differ_but_are_right_on_average(void **unused)
{
  (void)unused;
  UNBIASED("aA", "aA", "aA");
  UNBIASED("aAbB", "bBaA");
  UNBIASED("aBcC", "AbcA", "cCBa");
  UNBIASED("AaB", "BbC", "CcA", "abc");
  UNBIASED("PqAR", "aPqb", "BApa", "bBq");
}

/* As a user meets them: after one search's probes the truth is in the interval nine times of ten, or so. */
static void intervals_hold(void **unused)
{
  (void)unused;
  static struct descent p;
  static const char *const code[] = {"aBcC", "AbcA", "cCBa", NULL};
  struct game g = new_game(code);
  double truth = log(count_classes(&g, 0)), said, variance;
  unsigned inside = 0;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    struct probes probes = {0};
    struct probe_line line;
    descent_open(&p, 60, true);
    p.stream = mix64(seed);
    while (p.left)
      if (descend(&p, new_game(code), &line))
        probes_add(&probes, scaled_make(line.mantissa, line.exponent));
    inside += probes_get(&probes, &said, &variance) && fabs(said - truth) < 1.64 * sqrt(variance);
  }
  assert_true(inside > SEEDS * 85 / 100);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_steps_say_the_same),
      cmocka_unit_test(others_differ_but_are_right_on_average),
      cmocka_unit_test(intervals_hold),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
