/* SPDX-License-Identifier: Apache-2.0
 *
 * The forecast of an exploration, see the header. Must not know where the estimates come from.
 */
#include "estimate/forecast.h"
#include <math.h>

#define WALK_SPREAD 0.5 /* standard deviation of the walk's estimate, as a share of ln(total/explored) */
#define SIDES 1.64      /* standard deviations on each side that hold nine of ten */
#define WIDEST 2.31     /* more than a factor of ten on each side says nothing */

void forecast_probe(struct forecast *f, struct scaled size)
{
  probes_add(&f->probes, size);
}

/* The average of the last quarter: who is fed at x for so long as makes up a part of a quarter of it weighs that part.
 */
static void average(double *mean, double fresh, double part)
{
  *mean += part * (fresh - *mean);
}

void forecast_feed(struct forecast *f, double explored, struct scaled one, struct scaled other)
{
  double part = f->explored > 0 ? 4 * (explored - f->explored) / explored : 1;
  part = part < 1 ? part : 1;
  average(&f->walk[0], scaled_ln(one), part);
  average(&f->walk[1], scaled_ln(other), part);
  struct scaled so_far = scaled_from_double(explored);
  f->over = scaled_compare(one, so_far) <= 0 && scaled_compare(other, so_far) <= 0;
  f->explored = explored;
}

static struct scaled exponential(double x)
{
  double whole = floor(x / M_LN2);
  return scaled_make(exp(x - whole * M_LN2), (int64_t)whole);
}

/* Not less than what was explored. */
static struct scaled executions(const struct forecast *f, double ln_total)
{
  return ln_total > log(f->explored) ? exponential(ln_total) : scaled_from_double(f->explored);
}

struct opinion {
  double ln_total, variance;
};

static struct opinion walk(const struct forecast *f)
{
  double explored = log(f->explored), total = (f->walk[0] + f->walk[1]) / 2, apart = (f->walk[0] - f->walk[1]) / 2;
  total = total > explored ? total : explored;
  double spread = WALK_SPREAD * (total - explored);
  return (struct opinion){total, spread * spread + apart * apart + 1 / f->explored}; /* few tell little */
}

/* Probes that said less than there was already are wrong by that much. */
static struct opinion probed(const struct forecast *f, struct opinion other)
{
  struct opinion own;
  double explored = log(f->explored);
  if (!probes_get(&f->probes, &own.ln_total, &own.variance))
    return (struct opinion){other.ln_total, INFINITY};
  double over = explored - own.ln_total;
  own.variance += over > 0 ? over * over : 0;
  return own;
}

bool forecast_get(const struct forecast *f, struct forecast_answer *answer)
{
  if (!(f->explored > 0))
    return false;
  if (f->over) {
    struct scaled all = scaled_from_double(f->explored);
    *answer = (struct forecast_answer){all, all, all, true};
    return true;
  }
  struct opinion a = walk(f), b = probed(f, a);
  double weight = 1 / a.variance + 1 / b.variance;
  double total = (a.ln_total / a.variance + b.ln_total / b.variance) / weight, side = SIDES / sqrt(weight);
  total = fmax(total, log(f->explored));
  answer->total = executions(f, total);
  answer->low = executions(f, total - side);
  answer->high = executions(f, total + side);
  answer->known = side <= WIDEST;
  return true;
}
