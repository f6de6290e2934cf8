/* SPDX-License-Identifier: Apache-2.0
 *
 * What probes say together, see the header.
 */
#include "estimate/probes.h"
#include <math.h>

#define FEWEST 3 /* that did not come to nothing */
/* The model behind them (explore/descent.h) leaves something out, however much they agree. */
#define LEAST_VARIANCE 0.01
/* Few probes have mostly not seen the largest there are, so they seem to agree more than they do: the variance that is
 * seen in them, times this, makes intervals that hold nine times of ten. */
#define UNSEEN 2

void probes_add(struct probes *probes, struct scaled size)
{
  probes->count++;
  probes->in_vain += size.mantissa == 0;
  probes->sum = scaled_add(probes->sum, size);
  probes->squares = scaled_add(probes->squares, scaled_multiply(size, size));
}

/* The mean of n has the relative variance c²/n, where c² = n Σs²/(Σs)² - 1. Few that are not 0 may all have missed the
 * large ones. */
bool probes_get(const struct probes *probes, double *ln_size, double *variance)
{
  uint64_t good = probes->count - probes->in_vain;
  if (good < FEWEST)
    return false;
  double n = (double)probes->count;
  *ln_size = scaled_ln(probes->sum) - log(n);
  double square = scaled_to_double(scaled_divide(probes->squares, scaled_multiply(probes->sum, probes->sum)));
  double relative = square * n > 1 ? square - 1 / n : 0;
  *variance = LEAST_VARIANCE + UNSEEN * (log1p(relative) + relative / (double)good);
  return true;
}
