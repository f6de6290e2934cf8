/* SPDX-License-Identifier: Apache-2.0
 *
 * Dividing time between tests, see the header. Must not read files or print.
 */
#include "estimate/allocate.h"
#include "estimate/evaluate.h"
#include <math.h>
#include <stdlib.h>

static double ln(double x)
{
  return x > 0 ? scaled_ln(scaled_from_double(x)) : -INFINITY;
}

double allocation_key(enum allocation_policy policy, uint64_t branches, double elapsed, struct scaled estimate)
{
  if (policy == POLICY_ROUND_ROBIN)
    return (double)branches;
  if (estimate.mantissa == 0)
    return -INFINITY;
  double coverage = scaled_to_double(scaled_divide(scaled_from_double(elapsed), estimate));
  if (policy == POLICY_SMALLEST_COVERAGE)
    return ln(elapsed) - scaled_ln(estimate);
  return scaled_ln(estimate) + ln(1 - coverage); /* of estimate - elapsed */
}

bool recorded_test_add(void *context, const struct estimates *estimates)
{
  struct recorded_test *test = context;
  if (test->branches == test->room) {
    size_t room = test->room ? test->room * 2 : 64;
    struct recorded_branch *bigger = realloc(test->branch, room * sizeof *bigger);
    if (!bigger)
      return false;
    test->branch = bigger;
    test->room = room;
  }
  struct recorded_branch *branch = &test->branch[test->branches++];
  test->time = branch->elapsed = estimates->elapsed[MEASURE_TIME];
  for (int g = 0; g < GUESS_COUNT; g++)
    for (int r = 0; r < ESTIMATOR_COUNT; r++)
      branch->total[g][r] = estimates->total[MEASURE_TIME][g][r];
  struct forecast_answer answer[MEASURE_COUNT];
  forecast_update(&test->state, estimates);
  forecast_measures(&test->state, estimates, answer);
  branch->forecast = answer[MEASURE_TIME].total;
  return true;
}

void recorded_test_free(struct recorded_test *test)
{
  free(test->branch);
  *test = (struct recorded_test){0};
}

/* ---- the simulator ---- */

struct progress {
  size_t branches;
  double elapsed;
  double key;
};

static void update_key(struct progress *p, const struct recorded_test *test, const struct allocation_rule *rule)
{
  struct scaled estimate = {0};
  if (rule->knows == KNOWS_TRUTH)
    estimate = scaled_from_double(test->time);
  else if (p->branches && rule->knows == KNOWS_FORECAST)
    estimate = test->branch[p->branches - 1].forecast;
  else if (p->branches)
    estimate = test->branch[p->branches - 1].total[rule->guess][rule->estimator];
  p->key = allocation_key(rule->policy, p->branches, p->elapsed, estimate);
}

/* The test that goes next; count: all are complete. */
static size_t next_test(const struct progress *progress, const struct recorded_test *tests, size_t count)
{
  size_t next = count;
  for (size_t i = 0; i < count; i++)
    if (progress[i].branches < tests[i].branches && (next == count || progress[i].key < progress[next].key))
      next = i;
  return next;
}

bool allocation_simulate(const struct recorded_test *tests, size_t count, const struct allocation_rule *rule,
                         double budget, double *explored, double *completed, size_t *done)
{
  struct progress *progress = calloc(count, sizeof *progress);
  if (!progress)
    return false;
  for (size_t i = 0; i < count; i++)
    update_key(&progress[i], &tests[i], rule);
  double spent = 0;
  *done = 0;
  for (size_t i; spent < budget && (i = next_test(progress, tests, count)) < count;) {
    struct progress *p = &progress[i];
    double elapsed = tests[i].branch[p->branches++].elapsed;
    spent += elapsed - p->elapsed;
    p->elapsed = elapsed;
    update_key(p, &tests[i], rule);
    if (p->branches == tests[i].branches)
      completed[(*done)++] = spent;
  }
  for (size_t i = 0; i < count; i++)
    explored[i] = progress[i].elapsed;
  free(progress);
  return true;
}

double coverage_error(double explored, double time, double budget, double time_of_all)
{
  double realized = explored / time, even = budget / time_of_all;
  if (!(realized > 0))
    return INFINITY;
  return realized > even ? realized / even : even / realized;
}
