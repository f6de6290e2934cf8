/* SPDX-License-Identifier: Apache-2.0
 *
 * How well the techniques of estimation would have done on a recorded exploration: every strategy × estimator × fit,
 * after 1, 5 and 25 % of the branches, and what each says at the end of the trace. Beside them the forecast, which is
 * what heddle tells: it also knows what probes said, if the trace has any.
 */
#ifndef HEDDLE_ESTIMATE_EVALUATE_H
#define HEDDLE_ESTIMATE_EVALUATE_H

#include "estimate/fit.h"
#include "estimate/forecast.h"
#include "estimate/scan.h"
#include "estimate/tree.h"
#include <stdbool.h>

/* A recorded exploration is asked after so many percent of its branches, rounded up; the last is its end. */
enum { CHECKPOINT_COUNT = 4, CHECKPOINT_END = CHECKPOINT_COUNT - 1 };
extern const unsigned checkpoint_percent[CHECKPOINT_COUNT];

extern const char *const guess_names[GUESS_COUNT];
extern const char *const estimator_names[ESTIMATOR_COUNT];
extern const char *const fit_names[FIT_COUNT];

struct technique_answer {
  bool known;
  struct scaled value;
};

struct evaluation {
  uint64_t nodes, branches;
  double truth[MEASURE_COUNT]; /* the totals; of what was explored, when it is not complete */
  bool complete;
  struct technique_answer answers[MEASURE_COUNT][GUESS_COUNT][ESTIMATOR_COUNT][FIT_COUNT][CHECKPOINT_COUNT];
  struct forecast_answer forecasts[MEASURE_COUNT][CHECKPOINT_COUNT];
};

/* Feeds the forecast with what is known after a branch. */
void forecast_update(struct forecast *forecast, const struct estimates *now);

/* What the forecast says of both measures; that of time is of as many executions as there will be, each as long as
 * those before on average. False: there is none. */
bool forecast_measures(const struct forecast *forecast, const struct estimates *now,
                       struct forecast_answer answer[MEASURE_COUNT]);

/* The scan must be fresh from scan_init(). False: one line is in scan->error. */
bool evaluate(struct scan *scan, struct evaluation *evaluation);

/* 100 · smaller / larger, in percent; 0 when there is no answer. */
double accuracy(double truth, const struct technique_answer *answer);

#endif
