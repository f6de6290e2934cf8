/* SPDX-License-Identifier: Apache-2.0
 *
 * Dividing time between tests: the keys, and the simulator over made-up tests, for which the times can be told by
 * hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "estimate/allocate.h"
#include "near.h"
#include <math.h>

static double key(enum allocation_policy policy, uint64_t branches, double elapsed, double estimate)
{
  return allocation_key(policy, branches, elapsed, scaled_from_double(estimate));
}

static void shortest_remaining_is_estimate_less_elapsed(void **unused)
{
  (void)unused;
  const enum allocation_policy policy = POLICY_SHORTEST_REMAINING;
  assert_true(key(policy, 1, 90, 100) < key(policy, 1, 1, 12));
  assert_true(key(policy, 1, 1, 10) < key(policy, 1, 90, 100));
  assert_true(key(policy, 1, 1, 0) < key(policy, 1, 99, 100));     /* unknown first */
  assert_true(key(policy, 1, 100, 100) < key(policy, 1, 99, 100)); /* nothing left */
  assert_true(allocation_key(policy, 1, 5, scaled_make(1, 40000)) <
              allocation_key(policy, 1, 5, scaled_make(1, 40001)));
}

static void smallest_coverage_is_elapsed_by_estimate(void **unused)
{
  (void)unused;
  const enum allocation_policy policy = POLICY_SMALLEST_COVERAGE;
  assert_true(key(policy, 1, 10, 100) < key(policy, 1, 2, 10));
  assert_true(key(policy, 1, 1, 10) < key(policy, 1, 11, 100));
  assert_true(key(policy, 1, 1, 0) < key(policy, 1, 1, 1e9)); /* unknown first */
  assert_true(allocation_key(policy, 1, 5, scaled_make(1, 40001)) <
              allocation_key(policy, 1, 5, scaled_make(1, 40000)));
}

static void round_robin_counts_branches(void **unused)
{
  (void)unused;
  assert_true(key(POLICY_ROUND_ROBIN, 1, 100, 5) < key(POLICY_ROUND_ROBIN, 2, 1, 5));
  assert_true(key(POLICY_ROUND_ROBIN, 0, 0, 0) < key(POLICY_ROUND_ROBIN, 1, 1, 5));
}

/* ---- the simulator ---- */

/* A test of so many branches of one unit each; lazy estimates are right, eager ones `eager` times too large until the
 * last branch. */
static struct recorded_test make_test(size_t branches, double eager)
{
  struct recorded_test test = {0};
  for (size_t i = 1; i <= branches; i++) {
    struct estimates e = {.branches = i, .elapsed = {[MEASURE_TIME] = (double)i}};
    for (int r = 0; r < ESTIMATOR_COUNT; r++) {
      e.total[MEASURE_TIME][GUESS_LAZY][r] = scaled_from_double((double)branches);
      e.total[MEASURE_TIME][GUESS_EAGER][r] = scaled_from_double((double)branches * (i < branches ? eager : 1));
    }
    assert_true(recorded_test_add(&test, &e));
  }
  return test;
}

/* Lengths 100, 30, 10: the longest comes first. */
enum { TESTS = 3 };
struct simulated {
  double explored[TESTS], completed[TESTS];
  size_t done;
};

static struct simulated simulate(const struct allocation_rule *rule, double budget)
{
  struct recorded_test tests[TESTS] = {make_test(100, 1), make_test(30, 1), make_test(10, 50)};
  struct simulated s;
  assert_true(allocation_simulate(tests, TESTS, rule, budget, s.explored, s.completed, &s.done));
  for (size_t i = 0; i < TESTS; i++)
    recorded_test_free(&tests[i]);
  return s;
}

static const struct allocation_rule round_robin = {.policy = POLICY_ROUND_ROBIN};

static void round_robin_takes_turns(void **unused)
{
  (void)unused;
  struct simulated s = simulate(&round_robin, INFINITY);
  assert_int_equal(s.done, 3);
  assert_near(s.completed[0], 30, 0);
  assert_near(s.completed[1], 30 + 2 * 20, 0); /* 10 of each, then 20 more of the other two */
  assert_near(s.completed[2], 140, 0);
}

static void shortest_remaining_beats_round_robin(void **unused)
{
  (void)unused;
  static const struct allocation_rule lazy = {.policy = POLICY_SHORTEST_REMAINING, .guess = GUESS_LAZY};
  struct simulated turns = simulate(&round_robin, INFINITY), s = simulate(&lazy, INFINITY);
  assert_near(s.completed[0], 10 + 2, 0); /* one branch of each first, to know */
  assert_near(s.completed[1], 40 + 1, 0);
  assert_near(s.completed[2], 140, 0);
  double mean = 0;
  for (size_t k = 0; k < TESTS; k++)
    mean += s.completed[k] / turns.completed[k] / TESTS;
  assert_true(mean <= 0.7);
}

static void optimal_knows_without_a_branch(void **unused)
{
  (void)unused;
  static const struct allocation_rule optimal = {.policy = POLICY_SHORTEST_REMAINING, .knows = KNOWS_TRUTH};
  struct simulated s = simulate(&optimal, INFINITY);
  assert_near(s.completed[0], 10, 0);
  assert_near(s.completed[1], 40, 0);
  assert_near(s.completed[2], 140, 0);
}

static void wrong_estimates_mislead(void **unused)
{
  (void)unused;
  static const struct allocation_rule eager = {.policy = POLICY_SHORTEST_REMAINING, .guess = GUESS_EAGER};
  struct simulated s = simulate(&eager, INFINITY);
  assert_near(s.completed[0], 30 + 2, 0); /* the shortest is taken for the longest */
  assert_near(s.explored[2], 10, 0);
}

static void smallest_coverage_is_even(void **unused)
{
  (void)unused;
  static const struct allocation_rule lazy = {.policy = POLICY_SMALLEST_COVERAGE, .guess = GUESS_LAZY};
  static const double lengths[TESTS] = {100, 30, 10};
  struct simulated s = simulate(&lazy, 70), turns = simulate(&round_robin, 70);
  double even = 0, uneven = 0;
  for (size_t i = 0; i < TESTS; i++) {
    even += coverage_error(s.explored[i], lengths[i], 70, 140) / TESTS;
    uneven += coverage_error(turns.explored[i], lengths[i], 70, 140) / TESTS;
  }
  assert_int_equal(s.done, 0);
  assert_near(s.explored[0] + s.explored[1] + s.explored[2], 70, 0);
  assert_true(even < 1.05);
  assert_true(uneven > 1.8);
}

static void coverage_errors(void **unused)
{
  (void)unused;
  assert_near(coverage_error(10, 100, 50, 500), 1, 1e-12);
  assert_near(coverage_error(20, 100, 50, 500), 2, 1e-12);
  assert_near(coverage_error(5, 100, 50, 500), 2, 1e-12);
  assert_near(coverage_error(100, 100, 50, 500), 10, 1e-12);
  assert_true(isinf(coverage_error(0, 100, 50, 500)));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shortest_remaining_is_estimate_less_elapsed),
      cmocka_unit_test(smallest_coverage_is_elapsed_by_estimate),
      cmocka_unit_test(round_robin_counts_branches),
      cmocka_unit_test(round_robin_takes_turns),
      cmocka_unit_test(shortest_remaining_beats_round_robin),
      cmocka_unit_test(optimal_knows_without_a_branch),
      cmocka_unit_test(wrong_estimates_mislead),
      cmocka_unit_test(smallest_coverage_is_even),
      cmocka_unit_test(coverage_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
