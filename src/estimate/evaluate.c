/* SPDX-License-Identifier: Apache-2.0
 *
 * The techniques of estimation side by side, see the header. Must not print.
 */
#include "estimate/evaluate.h"
#include <stddef.h>

const unsigned checkpoint_percent[CHECKPOINT_COUNT] = {1, 5, 25, 100};

#define X(id, name) name,
const char *const guess_names[GUESS_COUNT] = {GUESSES(X)};
const char *const estimator_names[ESTIMATOR_COUNT] = {ESTIMATORS(X)};
const char *const fit_names[FIT_COUNT] = {FITS(X)};
#undef X

struct evaluator {
  struct evaluation *evaluation;
  struct fit fits[MEASURE_COUNT][GUESS_COUNT][ESTIMATOR_COUNT];
  struct forecast forecast;
};

static void feed(struct evaluator *e, const struct estimates *now)
{
  for (int m = 0; m < MEASURE_COUNT; m++)
    for (int g = 0; g < GUESS_COUNT; g++)
      for (int r = 0; r < ESTIMATOR_COUNT; r++)
        fit_feed(&e->fits[m][g][r], now->elapsed[m], now->total[m][g][r]);
  forecast_update(&e->forecast, now);
}

void forecast_update(struct forecast *forecast, const struct estimates *now)
{
  forecast->probes = now->probes;
  forecast_feed(forecast, now->elapsed[MEASURE_BRANCHES], now->learnt[ESTIMATOR_WBE], now->learnt[ESTIMATOR_RE]);
}

bool forecast_measures(const struct forecast *forecast, const struct estimates *now,
                       struct forecast_answer answer[MEASURE_COUNT])
{
  struct forecast_answer *time = &answer[MEASURE_TIME];
  if (!forecast_get(forecast, &answer[MEASURE_BRANCHES]))
    return false;
  struct scaled pace = scaled_from_double(now->elapsed[MEASURE_TIME] / now->elapsed[MEASURE_BRANCHES]);
  *time = answer[MEASURE_BRANCHES];
  time->total = scaled_multiply(time->total, pace);
  time->low = scaled_multiply(time->low, pace);
  time->high = scaled_multiply(time->high, pace);
  return true;
}

static void ask(struct evaluator *e, const struct estimates *now, size_t checkpoint)
{
  struct forecast_answer forecasts[MEASURE_COUNT];
  forecast_measures(&e->forecast, now, forecasts);
  for (int m = 0; m < MEASURE_COUNT; m++) {
    for (int g = 0; g < GUESS_COUNT; g++)
      for (int r = 0; r < ESTIMATOR_COUNT; r++)
        for (int f = 0; f < FIT_COUNT; f++) {
          struct technique_answer *answer = &e->evaluation->answers[m][g][r][f][checkpoint];
          answer->known = fit_answer(&e->fits[m][g][r], f, &answer->value);
        }
    e->evaluation->forecasts[m][checkpoint] = forecasts[m];
  }
}

static bool after_branch(void *context, const struct estimates *now)
{
  struct evaluator *e = context;
  feed(e, now);
  for (size_t c = 0; c < CHECKPOINT_COUNT; c++)
    if (now->branches == (e->evaluation->branches * checkpoint_percent[c] + 99) / 100)
      ask(e, now, c);
  return true;
}

bool evaluate(struct scan *scan, struct evaluation *evaluation)
{
  struct evaluator evaluator = {.evaluation = evaluation};
  *evaluation = (struct evaluation){0};
  if (!scan_learn(scan))
    return false;
  evaluation->nodes = scan->nodes;
  evaluation->branches = scan->branches;
  evaluation->truth[MEASURE_TIME] = scan->time;
  evaluation->truth[MEASURE_BRANCHES] = (double)scan->branches;
  evaluation->complete = scan->complete;
  return scan_replay(scan, after_branch, &evaluator);
}

double accuracy(double truth, const struct technique_answer *answer)
{
  if (!answer->known)
    return 0;
  struct scaled correct = scaled_from_double(truth);
  bool over = scaled_compare(answer->value, correct) > 0;
  struct scaled larger = over ? answer->value : correct, smaller = over ? correct : answer->value;
  return larger.mantissa > 0 ? 100 * scaled_to_double(scaled_divide(smaller, larger)) : 100;
}
