/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of vast range, see the header. Must not call libc but memcpy: it is linked into the tested
 * process. */
#include "estimate/scaled.h"
#include <string.h>

#define FRACTION_BITS 52
#define BIAS 1023
#define LN_2 0.69314718055994530942
#define LN_10 2.30258509299404568402

/* 2^e for -1022 ≤ e ≤ 1023 */
static double power_of_two(int64_t e)
{
  uint64_t bits = (uint64_t)(e + BIAS) << FRACTION_BITS;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

struct scaled scaled_make(double x, int64_t exponent)
{
  if (!(x > 0))
    return (struct scaled){0, 0};
  if (x < power_of_two(-1022)) { /* subnormal: its bits do not tell the exponent */
    x *= power_of_two(64);
    exponent -= 64;
  }
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  int64_t e = (int64_t)(bits >> FRACTION_BITS) - BIAS;
  return (struct scaled){x * power_of_two(-(e / 2)) * power_of_two(-(e - e / 2)), exponent + e};
}

struct scaled scaled_from_double(double x)
{
  return scaled_make(x, 0);
}

double scaled_to_double(struct scaled a)
{
  if (a.exponent > BIAS)
    return __builtin_inf();
  if (a.exponent < -1100)
    return 0;
  int64_t half = a.exponent / 2;
  return a.mantissa * power_of_two(half) * power_of_two(a.exponent - half);
}

struct scaled scaled_add(struct scaled a, struct scaled b)
{
  if (scaled_compare(a, b) < 0)
    return scaled_add(b, a);
  if (b.mantissa == 0 || a.exponent - b.exponent > 64)
    return a;
  return scaled_make(a.mantissa + b.mantissa * power_of_two(b.exponent - a.exponent), a.exponent);
}

struct scaled scaled_multiply(struct scaled a, struct scaled b)
{
  return scaled_make(a.mantissa * b.mantissa, a.exponent + b.exponent);
}

struct scaled scaled_divide(struct scaled a, struct scaled b)
{
  return scaled_make(a.mantissa / b.mantissa, a.exponent - b.exponent);
}

int scaled_compare(struct scaled a, struct scaled b)
{
  if (a.mantissa == 0 || b.mantissa == 0 || a.exponent == b.exponent)
    return (a.mantissa > b.mantissa) - (a.mantissa < b.mantissa);
  return a.exponent > b.exponent ? 1 : -1;
}

/* For 1 ≤ m < 2, by 2·artanh((m - 1)/(m + 1)): the argument is below 1/3, so 18 terms are all a double can hold. */
static double ln_mantissa(double m)
{
  double z = (m - 1) / (m + 1), power = z, sum = 0;
  for (int k = 1; k < 36; k += 2, power *= z * z)
    sum += power / k;
  return 2 * sum;
}

double scaled_ln(struct scaled a)
{
  return (double)a.exponent * LN_2 + ln_mantissa(a.mantissa);
}

double scaled_log10(struct scaled a)
{
  return scaled_ln(a) / LN_10;
}

/* ---- text ---- */

static struct scaled power_of_ten(uint64_t n)
{
  struct scaled result = scaled_from_double(1), square = scaled_from_double(10);
  for (; n; n >>= 1) {
    if (n & 1)
      result = scaled_multiply(result, square);
    square = scaled_multiply(square, square);
  }
  return result;
}

/* Writes n with at least `width` digits; returns the end. */
static char *put_number(char *to, uint64_t n, int width)
{
  char digits[20];
  int count = 0;
  for (; n || count < width; n /= 10)
    digits[count++] = (char)('0' + n % 10);
  while (count)
    *to++ = digits[--count];
  return to;
}

/* A number below ten million, with so many decimals that there are three digits that count. */
static void put_plain(char *to, double x)
{
  double nearest = (double)(uint64_t)(x + 0.5);
  double off = x > nearest ? x - nearest : nearest - x;
  uint64_t unit = 1;
  int decimals = 0;
  if (off > x * 1e-9)
    for (; x * (double)unit < 99.95 && decimals < 5; decimals++)
      unit *= 10;
  uint64_t n = (uint64_t)(x * (double)unit + 0.5);
  for (; decimals && n % 10 == 0; decimals--, unit /= 10)
    n /= 10;
  to = put_number(to, n / unit, 1);
  if (decimals) {
    *to++ = '.';
    to = put_number(to, n % unit, decimals);
  }
  *to = 0;
}

static void put_scientific(char *to, struct scaled a)
{
  double log10 = scaled_log10(a);
  int64_t k = (int64_t)log10 - (log10 < 0);
  struct scaled ten = power_of_ten((uint64_t)(k < 0 ? -k : k));
  double q = scaled_to_double(k < 0 ? scaled_multiply(a, ten) : scaled_divide(a, ten));
  uint64_t n = (uint64_t)(q * 100 + 0.5);
  if (n >= 1000) { /* 9.995 and more */
    n /= 10;
    k++;
  }
  to = put_number(to, n / 100, 1);
  *to++ = '.';
  to = put_number(to, n % 100, 2);
  *to++ = 'e';
  if (k < 0)
    *to++ = '-';
  *put_number(to, (uint64_t)(k < 0 ? -k : k), 1) = 0;
}

const char *scaled_text(struct scaled a, char out[SCALED_TEXT_SIZE])
{
  double x = scaled_to_double(a);
  if (a.mantissa == 0 || (x >= 1e-3 && x < 1e7 - 0.5))
    put_plain(out, x);
  else
    put_scientific(out, a);
  return out;
}
