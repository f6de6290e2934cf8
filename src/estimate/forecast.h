/* SPDX-License-Identifier: Apache-2.0
 *
 * The forecast of a running exploration, for the live line: how much it will be in all, and between what bounds.
 *
 * Fed after each branch with the elapsed amount (time, or branches explored) and the lazy and the eager weighted
 * backtrack estimate of the total. The total told is the logarithmic fit of the lazy ones, or the last lazy one while
 * that fit has no answer or one that has already passed.
 *
 * The bounds: lazy estimates leave out what will be scheduled later and tend to be too low, eager ones take all that
 * could be for scheduled and tend to be too high. So low is the smallest lazy and high the largest eager estimate made
 * recently, widened to hold the total told; low is never less than what has elapsed. Recently: since the elapsed amount
 * was between a quarter and a half of what it is now, so that the noise of the first branches is forgotten. It is the
 * spread of what the estimators say, not a confidence interval: a tree whose late part is unlike its early part can end
 * outside.
 *
 * Constant time and space, no allocation, no libm.
 */
#ifndef HEDDLE_ESTIMATE_FORECAST_H
#define HEDDLE_ESTIMATE_FORECAST_H

#include "estimate/fit.h"
#include "estimate/scaled.h"
#include <stdbool.h>

struct forecast_range {
  struct scaled low, high;
};

/* All zero is a forecast that was not fed. */
struct forecast {
  struct fit lazy;
  double elapsed;
  double since;                       /* elapsed when `now` began */
  struct forecast_range now, earlier; /* of the estimates since then, and of the period of half its start before */
};

struct forecast_answer {
  struct scaled total, low, high; /* low ≤ total ≤ high */
};

/* elapsed must not fall from one feed to the next. */
void forecast_feed(struct forecast *forecast, double elapsed, struct scaled lazy, struct scaled eager);

/* False: nothing was fed yet. */
bool forecast_get(const struct forecast *forecast, struct forecast_answer *answer);

#endif
