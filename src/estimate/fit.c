/* SPDX-License-Identifier: Apache-2.0
 *
 * Fits, see the header. Must not keep the sequence: a live exploration feeds millions of pairs.
 */
#include "estimate/fit.h"

#define LN_2 0.69314718055994530942

static double ln(double x)
{
  return scaled_ln(scaled_from_double(x));
}

static double in_units(const struct fit *fit, struct scaled e)
{
  e.exponent -= e.mantissa > 0 ? fit->unit : 0;
  return scaled_to_double(e);
}

/* Makes the unit so large that the estimate is below 2: older ones shrink, and may vanish beside it. */
static void grow_unit(struct fit *fit, struct scaled estimate)
{
  double factor = scaled_to_double(scaled_make(1, fit->unit - estimate.exponent));
  fit->unit = estimate.exponent;
  fit->mean *= factor;
  fit->time.cross *= factor;
  fit->log.cross *= factor;
}

static void line_feed(struct fit_line *line, double weight, double share, double x, double off_mean)
{
  double off = x - line->mean;
  line->mean += share * off;
  line->square += weight * off * (x - line->mean);
  line->cross += weight * off * off_mean;
}

void fit_feed(struct fit *fit, double elapsed, struct scaled estimate)
{
  fit->last = estimate;
  if (!(elapsed > 0))
    return; /* of no weight */
  if (fit->weight == 0)
    fit->unit = estimate.exponent;
  else if (estimate.mantissa > 0 && estimate.exponent > fit->unit)
    grow_unit(fit, estimate);
  double e = in_units(fit, estimate);
  fit->weight += elapsed;
  double share = elapsed / fit->weight;
  fit->mean += share * (e - fit->mean);
  line_feed(&fit->time, elapsed, share, elapsed, e - fit->mean);
  line_feed(&fit->log, elapsed, share, ln(elapsed), e - fit->mean);
}

static bool give(double x, int64_t exponent, struct scaled *answer)
{
  if (!(x > 0) || x > 1e300)
    return false;
  *answer = scaled_make(x, exponent);
  return true;
}

/* t = b/(1 - a). Slope and intercept are in units, so 1 is not, and is nothing beside a slope of many units. */
static bool answer_linear(const struct fit *fit, struct scaled *answer)
{
  if (!(fit->time.square > 0))
    return false;
  double slope = fit->time.cross / fit->time.square;
  double intercept = fit->mean - slope * fit->time.mean;
  struct scaled steep = scaled_make(slope < 0 ? -slope : slope, fit->unit);
  if (steep.mantissa > 0 && steep.exponent > 60)
    return give(-intercept / slope, 0, answer);
  double a = slope < 0 ? -scaled_to_double(steep) : scaled_to_double(steep);
  return a != 1 && give(intercept / (1 - a), fit->unit, answer);
}

/* g(s) = s - a·ln s - b */
static double gap(double s, double a, double b)
{
  return s - a * ln(s) - b;
}

/* The root of g for a ≤ 0, where g only rises: by bisection. 0: it is smaller than any number. */
static double rising_root(double a, double b)
{
  double high = 1, low = 1;
  while (high < 1e300 && gap(high, a, b) < 0)
    high *= 2;
  while (low > 1e-300 && gap(low, a, b) > 0)
    low /= 2;
  if (low <= 1e-300)
    return 0;
  for (int i = 0; i < 200 && high - low > low * 1e-13; i++) {
    double middle = low + (high - low) / 2;
    if (gap(middle, a, b) < 0)
      low = middle;
    else
      high = middle;
  }
  return high;
}

/* The root of g above s = a for a > 0, by Newton's method: g is convex there, so after one step every other comes from
 * the right and cannot jump over the root. 0: there is none. */
static double upper_root(double a, double b, double last)
{
  if (gap(a, a, b) > 0)
    return 0;
  double s = last > 2 * a ? last : 2 * a;
  for (int i = 0; i < 200; i++) {
    double next = s - gap(s, a, b) / (1 - a / s);
    double step = next > s ? next - s : s - next;
    s = next > a ? next : a * (1 + 1e-12); /* rounding, at a double root */
    if (step < s * 1e-13)
      break;
  }
  return s;
}

/* t = a·ln t + b with t = s·2^unit is s = a·ln s + (b + a·unit·ln 2), all in units. */
static bool answer_logarithmic(const struct fit *fit, struct scaled *answer)
{
  if (!(fit->log.square > 0))
    return false;
  double a = fit->log.cross / fit->log.square;
  double b = fit->mean - a * fit->log.mean + a * (double)fit->unit * LN_2;
  double s = a > 0 ? upper_root(a, b, in_units(fit, fit->last)) : rising_root(a, b);
  return give(s, fit->unit, answer);
}

bool fit_answer(const struct fit *fit, enum fit_kind kind, struct scaled *answer)
{
  switch (kind) {
  case FIT_EMPTY:
    *answer = fit->last;
    return fit->last.mantissa > 0;
  case FIT_CONSTANT:
    return give(fit->mean, fit->unit, answer);
  case FIT_LINEAR:
    return answer_linear(fit, answer);
  case FIT_LOGARITHMIC:
    return answer_logarithmic(fit, answer);
  case FIT_COUNT:
    break;
  }
  return false;
}
