/* SPDX-License-Identifier: Apache-2.0
 *
 * The random numbers of the strategies: the published values of splitmix64, and bounds on how even they are. Every
 * bound is for a fixed seed, so the test cannot fail by chance; it is five standard deviations or more
 * away. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/rng.h"

static void splitmix64_as_published(void **unused)
{
  (void)unused;
  static const uint64_t seed_1234567[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                          UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                                          UINT64_C(16408922859458223821)};
  uint64_t stream = 1234567;
  for (unsigned i = 0; i < 5; i++)
    assert_true(rng_next(&stream) == seed_1234567[i]);
  stream = 0;
  assert_true(rng_next(&stream) == UINT64_C(0xe220a8397b1dcdaf));
}

static void the_same_seed_gives_the_same_numbers(void **unused)
{
  (void)unused;
  uint64_t a = 42, b = 42, c = 43;
  unsigned differ = 0;
  for (unsigned i = 0; i < 1000; i++) {
    uint64_t x = rng_next(&a);
    assert_true(x == rng_next(&b));
    differ += x != rng_next(&c);
  }
  assert_int_equal(differ, 1000);
}

/* Chi square of n cells stays below its mean plus five times its deviation. */
static void assert_even(const unsigned *count, unsigned n, unsigned samples)
{
  double expected = (double)samples / n, chi = 0;
  for (unsigned i = 0; i < n; i++)
    chi += (count[i] - expected) * (count[i] - expected) / expected;
  double freedom = n - 1;
  assert_true(chi < freedom || (chi - freedom) * (chi - freedom) < 25 * 2 * freedom);
}

static void below_n_is_even(void **unused)
{
  (void)unused;
  static const unsigned sizes[] = {2, 3, 5, 7, 8, 10, 64, 100, 255, 256};
  for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    for (uint64_t seed = 0; seed < 4; seed++) {
      unsigned n = sizes[i], count[256] = {0};
      uint64_t stream = seed;
      for (unsigned k = 0; k < 1000 * n; k++) {
        unsigned value = rng_below(&stream, n);
        assert_in_range(value, 0, n - 1);
        count[value]++;
      }
      assert_even(count, n, 1000 * n);
    }
}

static void below_one_is_zero(void **unused)
{
  (void)unused;
  uint64_t stream = 9;
  for (unsigned i = 0; i < 1000; i++)
    assert_int_equal(rng_below(&stream, 1), 0);
}

/* Executions get streams from neighbouring seeds; their first decisions must not go together. */
static void first_numbers_of_neighbouring_seeds_are_even(void **unused)
{
  (void)unused;
  unsigned count[16] = {0};
  for (uint64_t execution = 0; execution < 16000; execution++) {
    uint64_t stream = mix64(1 + execution * UINT64_C(0x9e3779b97f4a7c15)); /* as engine_run() does */
    unsigned first = rng_below(&stream, 4);
    count[first * 4 + rng_below(&stream, 4)]++;
  }
  assert_even(count, 16, 16000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(splitmix64_as_published),
      cmocka_unit_test(the_same_seed_gives_the_same_numbers),
      cmocka_unit_test(below_n_is_even),
      cmocka_unit_test(below_one_is_zero),
      cmocka_unit_test(first_numbers_of_neighbouring_seeds_are_even),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
