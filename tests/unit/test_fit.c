/* SPDX-License-Identifier: Apache-2.0
 *
 * Fits and forecasts over made-up sequences of estimates: curves that are known give back their own answer, those
 * without one give none, and size does not matter.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "estimate/fit.h"
#include "estimate/forecast.h"
#include "estimate/growth.h"
#include "near.h"

/* Estimates slope·x + intercept, times 2^exponent, at t = 1 … n, where x is t, or ln t. */
static struct fit line_through(double slope, double intercept, bool logarithm, unsigned n, int64_t exponent)
{
  struct fit fit = {0};
  for (unsigned i = 1; i <= n; i++) {
    double x = logarithm ? scaled_ln(scaled_from_double(i)) : i;
    fit_feed(&fit, i, scaled_make(slope * x + intercept, exponent));
  }
  return fit;
}

static void assert_answer(const struct fit *fit, enum fit_kind kind, double expected)
{
  struct scaled answer;
  assert_true(fit_answer(fit, kind, &answer));
  assert_near(scaled_to_double(answer) / expected, 1, 1e-9);
}

static void assert_none(const struct fit *fit, enum fit_kind kind)
{
  struct scaled answer;
  assert_false(fit_answer(fit, kind, &answer));
}

static void nothing_fed(void **unused)
{
  (void)unused;
  struct fit fit = {0};
  for (enum fit_kind kind = 0; kind < FIT_COUNT; kind++)
    assert_none(&fit, kind);
}

static void one_point_makes_no_line(void **unused)
{
  (void)unused;
  struct fit fit = {0};
  fit_feed(&fit, 3, scaled_from_double(17));
  assert_answer(&fit, FIT_EMPTY, 17);
  assert_answer(&fit, FIT_CONSTANT, 17);
  assert_none(&fit, FIT_LINEAR);
  assert_none(&fit, FIT_LOGARITHMIC);
}

static void a_constant_is_every_fits_answer(void **unused)
{
  (void)unused;
  struct fit fit = line_through(0, 720, false, 10, 0);
  for (enum fit_kind kind = 0; kind < FIT_COUNT; kind++)
    assert_answer(&fit, kind, 720);
}

static void empty_is_the_last_and_constant_the_weighted_mean(void **unused)
{
  (void)unused;
  struct fit fit = {0};
  fit_feed(&fit, 1, scaled_from_double(10));
  fit_feed(&fit, 3, scaled_from_double(30));
  fit_feed(&fit, 4, scaled_from_double(20));
  assert_answer(&fit, FIT_EMPTY, 20);
  assert_answer(&fit, FIT_CONSTANT, (1 * 10 + 3 * 30 + 4 * 20) / 8.0);
}

/* By hand, for the points (1, 4), (2, 6), (3, 5) with the weights 1, 2, 3: slope 1/5, intercept 4.7. */
static void points_off_the_line_are_weighted(void **unused)
{
  (void)unused;
  struct fit fit = {0};
  fit_feed(&fit, 1, scaled_from_double(4));
  fit_feed(&fit, 2, scaled_from_double(6));
  fit_feed(&fit, 3, scaled_from_double(5));
  assert_answer(&fit, FIT_LINEAR, 4.7 / (1 - 0.2));
}

static void a_line_meets_the_diagonal(void **unused)
{
  (void)unused;
  struct fit half = line_through(0.5, 100, false, 20, 0), falling = line_through(-1, 100, false, 20, 0);
  assert_answer(&half, FIT_LINEAR, 200);
  assert_answer(&falling, FIT_LINEAR, 50);
  struct fit growing = line_through(0.5, 1, false, 1000, 0);
  assert_answer(&growing, FIT_LINEAR, 2);
}

static void a_steep_line_does_not(void **unused)
{
  (void)unused;
  struct fit steep = line_through(2, 100, false, 20, 0);
  assert_none(&steep, FIT_LINEAR);
}

/* t = 10·ln t + 50 at t = 95.60…, t = -5·ln t + 50 at t = 32.6…: checked by putting the answer in. */
static void a_logarithm_meets_the_diagonal(void **unused)
{
  (void)unused;
  static const double slopes[] = {10, -5, 0.001, -0.001, 40};
  for (size_t i = 0; i < sizeof slopes / sizeof slopes[0]; i++) {
    struct fit fit = line_through(slopes[i], 50, true, 100, 0);
    struct scaled answer;
    assert_true(fit_answer(&fit, FIT_LOGARITHMIC, &answer));
    double t = scaled_to_double(answer);
    assert_near(slopes[i] * scaled_ln(answer) + 50, t, 1e-6);
    assert_true(t > slopes[i]); /* the upper one of two */
  }
}

/* t - 10·ln t is never below 10 - 10·ln 10 = -13.02…, so there is a root for -13.0 and none for -13.1. */
static void a_logarithm_that_stays_below_the_diagonal(void **unused)
{
  (void)unused;
  struct fit touches = {0}, below = {0};
  for (unsigned i = 50; i <= 150; i++) {
    double ln = scaled_ln(scaled_from_double(i));
    fit_feed(&touches, i, scaled_from_double(10 * ln - 13.0));
    fit_feed(&below, i, scaled_from_double(10 * ln - 13.1));
  }
  struct scaled answer;
  assert_true(fit_answer(&touches, FIT_LOGARITHMIC, &answer));
  assert_true(scaled_to_double(answer) > 10 && scaled_to_double(answer) < 11);
  assert_none(&below, FIT_LOGARITHMIC);
}

static void points_at_time_zero_have_no_weight(void **unused)
{
  (void)unused;
  struct fit fit = {0};
  fit_feed(&fit, 0, scaled_from_double(1e6));
  assert_answer(&fit, FIT_EMPTY, 1e6);
  assert_none(&fit, FIT_CONSTANT);
  fit_feed(&fit, 1, scaled_from_double(5));
  fit_feed(&fit, 2, scaled_from_double(5));
  assert_answer(&fit, FIT_CONSTANT, 5);
  assert_answer(&fit, FIT_LOGARITHMIC, 5);
}

/* The same curve 2^40000 times as large: a falling line of such estimates meets the diagonal where it falls to 0. */
static void estimates_of_any_size(void **unused)
{
  (void)unused;
  struct fit fit = line_through(0.25, 100, true, 50, 40000);
  struct scaled answer;
  assert_true(fit_answer(&fit, FIT_CONSTANT, &answer));
  assert_near(scaled_log10(answer), 40000 * 0.30102999566398120 + 2.003, 0.01);
  assert_true(fit_answer(&fit, FIT_LOGARITHMIC, &answer));
  double s = scaled_to_double(scaled_divide(answer, scaled_make(1, 40000)));
  assert_near(0.25 * scaled_ln(answer) + 100, s, 1e-6 * s);
  struct fit falling = line_through(-1, 100, false, 20, 40000);
  assert_answer(&falling, FIT_LINEAR, 100);
}

static void growing_estimates_change_the_unit(void **unused)
{
  (void)unused;
  struct fit fit = {0};
  static const double estimates[] = {0.001, 3, 100, 5000, 4000};
  double sum = 0;
  for (unsigned i = 0; i < 5; i++) {
    fit_feed(&fit, i + 1, scaled_from_double(estimates[i]));
    sum += (i + 1) * estimates[i];
  }
  assert_answer(&fit, FIT_CONSTANT, sum / 15);
}

/* A million pairs, far from 0 and nearly level. */
static void long_sequences_stay_precise(void **unused)
{
  (void)unused;
  struct fit fit = {0};
  for (unsigned i = 1; i <= 1000000; i++)
    fit_feed(&fit, 1e6 + i, scaled_from_double(3e6 + 1e-3 * i));
  assert_answer(&fit, FIT_LINEAR, (3e6 - 1e3) / (1 - 1e-3));
}

/* ---- the forecast ---- */

static void a_forecast_needs_one_branch(void **unused)
{
  (void)unused;
  struct forecast forecast = {0};
  struct forecast_answer answer;
  assert_false(forecast_get(&forecast, &answer));
  forecast_feed(&forecast, 1, scaled_from_double(8), scaled_from_double(8));
  assert_true(forecast_get(&forecast, &answer));
  assert_near(scaled_to_double(answer.total), 8, 1e-9);
}

static void the_walk_is_exact_towards_its_end(void **unused)
{
  (void)unused;
  struct forecast forecast = {0};
  struct forecast_answer answer;
  for (unsigned i = 1; i < 100; i++)
    forecast_feed(&forecast, i, scaled_from_double(i < 20 ? 9e9 : 100), scaled_from_double(i < 20 ? 30 : 100));
  assert_true(forecast_get(&forecast, &answer));
  assert_true(answer.known);
  assert_near(scaled_to_double(answer.total), 100, 2); /* the noise of the first fifth has all but gone */
  assert_true(scaled_to_double(answer.high) < 130);
}

/* Whatever probes said, and wherever the average of the walk stands. */
static void a_search_that_is_over_is_known(void **unused)
{
  (void)unused;
  struct forecast forecast = {0};
  struct forecast_answer answer;
  for (unsigned i = 0; i < 10; i++)
    forecast_probe(&forecast, scaled_from_double(5000));
  forecast_feed(&forecast, 100, scaled_from_double(70000), scaled_from_double(900));
  forecast_feed(&forecast, 700, scaled_from_double(700), scaled_from_double(700));
  assert_true(forecast_get(&forecast, &answer));
  assert_true(answer.known);
  assert_true(scaled_to_double(answer.total) == 700);
  assert_true(scaled_to_double(answer.low) == 700 && scaled_to_double(answer.high) == 700);
  forecast_feed(&forecast, 701, scaled_from_double(1402), scaled_from_double(1402)); /* it was not, after all */
  assert_true(forecast_get(&forecast, &answer));
  assert_true(scaled_to_double(answer.total) > 702);
}

/* The walk's estimates jump by four orders of magnitude from one execution to the next, and back. */
static void a_forecast_does_not_jump(void **unused)
{
  (void)unused;
  struct forecast forecast[2] = {0};
  struct forecast_answer answer;
  double before[2] = {0};
  for (unsigned i = 0; i < 10; i++)
    forecast_probe(&forecast[0], scaled_from_double(40000));
  for (unsigned n = 1000; n < 2000; n += 10)
    for (unsigned i = 0; i < 2; i++) {
      struct scaled said = scaled_from_double(n / 100 % 2 ? 2e4 : 2e8);
      forecast_feed(&forecast[i], n, said, said);
      assert_true(forecast_get(&forecast[i], &answer));
      double now = scaled_to_double(answer.total);
      assert_true(n == 1000 || (now < 2 * before[i] && before[i] < 2 * now));
      before[i] = now;
    }
}

/* Two that differ by orders of magnitude say nothing, nor does a look too far ahead. */
static void an_interval_that_says_nothing_is_not_known(void **unused)
{
  (void)unused;
  struct forecast apart = {0}, far = {0};
  struct forecast_answer answer;
  forecast_feed(&apart, 1000, scaled_from_double(2e3), scaled_make(1, 1000));
  assert_true(forecast_get(&apart, &answer));
  assert_false(answer.known);
  forecast_feed(&far, 10, scaled_from_double(1e6), scaled_from_double(1e6));
  assert_true(forecast_get(&far, &answer));
  assert_false(answer.known);
}

static void what_was_explored_bounds_the_forecast(void **unused)
{
  (void)unused;
  struct forecast forecast = {0};
  struct forecast_answer answer;
  for (unsigned i = 0; i < 10; i++)
    forecast_probe(&forecast, scaled_from_double(40));
  forecast_feed(&forecast, 60, scaled_from_double(50), scaled_from_double(70));
  assert_true(forecast_get(&forecast, &answer));
  assert_true(scaled_to_double(answer.low) >= 60 - 1e-9);
  assert_true(scaled_compare(answer.total, answer.low) >= 0);
  assert_true(scaled_compare(answer.high, answer.total) >= 0);
}

static void probes_that_agree_outweigh_a_young_walk(void **unused)
{
  (void)unused;
  struct forecast forecast = {0};
  struct forecast_answer answer;
  for (unsigned i = 0; i < 10; i++)
    forecast_probe(&forecast, scaled_from_double(5040));
  forecast_feed(&forecast, 50, scaled_from_double(300), scaled_from_double(300));
  assert_true(forecast_get(&forecast, &answer));
  assert_true(answer.known);
  assert_near(scaled_to_double(answer.total), 5040, 400);
}

static void the_mean_of_probes_counts_those_in_vain(void **unused)
{
  (void)unused;
  struct probes probes = {0};
  double ln_size, variance;
  for (unsigned i = 0; i < 100; i++)
    probes_add(&probes, scaled_from_double(0));
  assert_false(probes_get(&probes, &ln_size, &variance));
  for (unsigned i = 0; i < 100; i++)
    probes_add(&probes, scaled_make(1, 5000));
  assert_true(probes_get(&probes, &ln_size, &variance));
  assert_near(ln_size, scaled_ln(scaled_make(1, 4999)), 1e-6);
  assert_true(variance < 0.1);
}

/* ---- what finished nodes teach ---- */

static void nodes_grow_as_those_before(void **unused)
{
  (void)unused;
  static struct tree_growth growth;
  assert_near(growth_more(&growth, 4, 2, 10), 0, 1e-12);
  struct grown_node full = {.width = 3, .children = 3, .alone = 1, .upto = {0, 4, 6, 7}, .size = 7};
  struct grown_node alone = {.width = 5, .children = 1, .alone = 64, .upto = {0, 64}, .size = 64};
  for (unsigned i = 0; i < 5; i++) {
    growth_learn(&growth, &full);
    growth_learn(&growth, &alone);
  }
  assert_near(growth_more(&growth, 3, 2, 10), 1, 1e-12);
  assert_near(growth_more(&growth, 7, 3, 10), 4, 1e-12); /* as a share of the possible ones */
  assert_near(growth_more(&growth, 5, 1, 1000), 0, 1e-12);
  assert_near(growth_more(&growth, 3, 1, 1), 2, 1e-12);
  assert_near(growth_later(&growth, 1), 1.5 / 4, 1e-12);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_fed),
      cmocka_unit_test(one_point_makes_no_line),
      cmocka_unit_test(a_constant_is_every_fits_answer),
      cmocka_unit_test(empty_is_the_last_and_constant_the_weighted_mean),
      cmocka_unit_test(points_off_the_line_are_weighted),
      cmocka_unit_test(a_line_meets_the_diagonal),
      cmocka_unit_test(a_steep_line_does_not),
      cmocka_unit_test(a_logarithm_meets_the_diagonal),
      cmocka_unit_test(a_logarithm_that_stays_below_the_diagonal),
      cmocka_unit_test(points_at_time_zero_have_no_weight),
      cmocka_unit_test(estimates_of_any_size),
      cmocka_unit_test(growing_estimates_change_the_unit),
      cmocka_unit_test(long_sequences_stay_precise),
      cmocka_unit_test(a_forecast_needs_one_branch),
      cmocka_unit_test(the_walk_is_exact_towards_its_end),
      cmocka_unit_test(a_search_that_is_over_is_known),
      cmocka_unit_test(a_forecast_does_not_jump),
      cmocka_unit_test(an_interval_that_says_nothing_is_not_known),
      cmocka_unit_test(what_was_explored_bounds_the_forecast),
      cmocka_unit_test(probes_that_agree_outweigh_a_young_walk),
      cmocka_unit_test(the_mean_of_probes_counts_those_in_vain),
      cmocka_unit_test(nodes_grow_as_those_before),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
