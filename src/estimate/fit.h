/* SPDX-License-Identifier: Apache-2.0
 *
 * Fits: what a sequence of intermediate estimates says about the total.
 *
 * Fed with pairs (elapsed, estimate of the total made then), a curve f over the elapsed time is fitted by least
 * squares, each pair weighted by its elapsed time; the answer is where f(t) = t: the time at which the exploration
 * would be over. "Elapsed" is time, or the number of branches when that is what is estimated.
 *
 * All curves are linear in their coefficients, so running sums are enough: a feed and an answer take constant time and
 * there is no history. Means and centred sums are kept rather than plain sums, which cancel. Estimates are kept in
 * units of a power of two, so they may be of any size. No allocation, no libm.
 */
#ifndef HEDDLE_ESTIMATE_FIT_H
#define HEDDLE_ESTIMATE_FIT_H

#include "estimate/scaled.h"
#include <stdbool.h>
#include <stdint.h>

/* id, name, f */
#define FITS(X)                                                                                                        \
  X(EMPTY, "empty")             /* no curve: the last estimate */                                                      \
  X(CONSTANT, "constant")       /* c */                                                                                \
  X(LINEAR, "linear")           /* a·t + b */                                                                         \
  X(LOGARITHMIC, "logarithmic") /* a·ln t + b */

enum fit_kind {
#define X(id, name) FIT_##id,
  FITS(X)
#undef X
      FIT_COUNT
};

/* A straight line through the estimates over x. */
struct fit_line {
  double mean;   /* of x */
  double square; /* Σ w (x - mean)² */
  double cross;  /* Σ w (x - mean)(e - mean of e), in units */
};

/* All zero is a fit that was not fed. */
struct fit {
  struct scaled last;
  int64_t unit;  /* estimates are in units of 2^unit */
  double weight; /* Σ w */
  double mean;   /* of the estimates, in units */
  struct fit_line time, log;
};

/* elapsed must not be negative and must not fall from one feed to the next. */
void fit_feed(struct fit *fit, double elapsed, struct scaled estimate);

/* False: there is no estimate (nothing was fed, the curve meets f(t) = t nowhere above 0, or one point makes no
 * line). */
bool fit_answer(const struct fit *fit, enum fit_kind kind, struct scaled *answer);

#endif
