/* SPDX-License-Identifier: Apache-2.0
 *
 * Non-negative numbers of vast range. The probability of one schedule of a real program reaches 10^-13863, the number
 * of schedules its inverse; a double ends at 10^308.
 *
 * value = mantissa × 2^exponent with 1 ≤ mantissa < 2, or all zero bytes for zero. Precise to a double's 53 bits;
 * counts up to 2^53 are exact. Nothing here allocates, sets errno, or needs libm or a locale, so it may run in the
 * tested process. Exponents beyond int64_t are not looked after.
 */
#ifndef HEDDLE_ESTIMATE_SCALED_H
#define HEDDLE_ESTIMATE_SCALED_H

#include <stdint.h>

struct scaled {
  double mantissa;
  int64_t exponent;
};

/* x must be finite and not negative. */
struct scaled scaled_from_double(double x);

/* x × 2^exponent */
struct scaled scaled_make(double x, int64_t exponent);

/* Infinity when it is too large, 0 when it is too small. */
double scaled_to_double(struct scaled a);

struct scaled scaled_add(struct scaled a, struct scaled b);
struct scaled scaled_multiply(struct scaled a, struct scaled b);
struct scaled scaled_divide(struct scaled a, struct scaled b); /* b must not be 0 */

/* Negative, 0 or positive, as a is less than, equal to or greater than b. */
int scaled_compare(struct scaled a, struct scaled b);

/* The logarithms; a must not be 0. */
double scaled_ln(struct scaled a);
double scaled_log10(struct scaled a);

/* As text: whole numbers below ten million as they are ("40320"), others with three digits ("0.84", "4.56e17",
 * "1.08e13863"). Returns out. */
#define SCALED_TEXT_SIZE 32
const char *scaled_text(struct scaled a, char out[SCALED_TEXT_SIZE]);

#endif
