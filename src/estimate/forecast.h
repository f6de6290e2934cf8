/* SPDX-License-Identifier: Apache-2.0
 *
 * The forecast of an exploration: how many executions it will have in all, and how sure that is. The default of all
 * that heddle tells and decides; the techniques it is measured against are in evaluate.h.
 *
 * Two witnesses, both with a logarithm of the total and a variance of that:
 *
 *   the probes (probes.h), made before the search: as good after 1 % of it as after 99 %
 *   the walk: two estimates made after what was explored so far, their geometric mean, averaged over the last quarter
 * of the walk. For a recorded trace these are the learnt ones (tree.h), for a running search, of which only the
 * frontier is at hand, the lazy and the eager weighted backtrack estimates. How far they are off grows with how far
 * they look ahead and with how much they differ; they are exact at the end.
 *
 * The forecast is their mean weighted by the inverse of the variances, never less than what was explored. It moves
 * slowly since probes do not move and the walk is averaged. An interval so wide that it says nothing is not told: then
 * the total is not known yet. When both estimates say that nothing is left, that is so, whatever was said before.
 *
 * Constant time and space.
 */
#ifndef HEDDLE_ESTIMATE_FORECAST_H
#define HEDDLE_ESTIMATE_FORECAST_H

#include "estimate/probes.h"
#include "estimate/scaled.h"
#include <stdbool.h>

/* All zero is a forecast that was not fed. */
struct forecast {
  struct probes probes;
  double explored; /* executions so far */
  double walk[2];  /* logarithms of the totals that the walk says, averaged */
  bool over;       /* by both, nothing is left */
};

struct forecast_answer {
  struct scaled total, low, high; /* low ≤ total ≤ high; nine of ten lie between */
  bool known;                     /* low and high are near enough to say something */
};

/* After a probe. */
void forecast_probe(struct forecast *forecast, struct scaled size);

/* After some executions: what two estimators say of the total. explored must not fall from one feed to the next. */
void forecast_feed(struct forecast *forecast, double explored, struct scaled one, struct scaled other);

/* False: nothing was fed yet. */
bool forecast_get(const struct forecast *forecast, struct forecast_answer *answer);

#endif
