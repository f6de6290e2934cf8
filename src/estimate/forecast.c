/* SPDX-License-Identifier: Apache-2.0
 *
 * The forecast of a running exploration, see the header. Must not know where the estimates come
 * from. */
#include "estimate/forecast.h"

static struct scaled smaller(struct scaled a, struct scaled b)
{
  return scaled_compare(a, b) < 0 ? a : b;
}

static struct scaled larger(struct scaled a, struct scaled b)
{
  return scaled_compare(a, b) > 0 ? a : b;
}

void forecast_feed(struct forecast *f, double elapsed, struct scaled lazy, struct scaled eager)
{
  bool first = f->lazy.last.mantissa == 0;
  fit_feed(&f->lazy, elapsed, lazy);
  f->elapsed = elapsed;
  struct forecast_range given = {lazy, eager};
  if (first || elapsed >= 2 * f->since) {
    f->earlier = first ? given : f->now;
    f->now = given;
    f->since = elapsed;
  }
  f->now.low = smaller(f->now.low, lazy);
  f->now.high = larger(f->now.high, eager);
}

bool forecast_get(const struct forecast *f, struct forecast_answer *answer)
{
  if (f->lazy.last.mantissa == 0)
    return false;
  struct scaled elapsed = scaled_from_double(f->elapsed);
  if (!fit_answer(&f->lazy, FIT_LOGARITHMIC, &answer->total) || scaled_compare(answer->total, elapsed) < 0)
    answer->total = larger(f->lazy.last, elapsed);
  answer->low = larger(elapsed, smaller(answer->total, smaller(f->now.low, f->earlier.low)));
  answer->high = larger(answer->total, larger(f->now.high, f->earlier.high));
  return true;
}
