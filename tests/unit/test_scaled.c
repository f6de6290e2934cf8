/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of vast range: arithmetic at and beyond the ends of a double, order, logarithms, and their
 * text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "estimate/scaled.h"
#include "near.h"
#include <float.h>
#include <math.h>

static struct scaled of(double x)
{
  return scaled_from_double(x);
}

static struct scaled power(double base, unsigned n)
{
  struct scaled result = of(1);
  for (unsigned i = 0; i < n; i++)
    result = scaled_multiply(result, of(base));
  return result;
}

static void assert_text(struct scaled a, const char *expected)
{
  char text[SCALED_TEXT_SIZE];
  assert_string_equal(scaled_text(a, text), expected);
}

static void doubles_survive(void **unused)
{
  (void)unused;
  static const double values[] = {0,     1,       2,      3,       0.1,    1e-9,      12345678,
                                  1e300, DBL_MAX, 1e-300, DBL_MIN, 5e-324, 4.94e-320, 9007199254740991};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    struct scaled a = of(values[i]);
    assert_true(scaled_to_double(a) == values[i]);
    assert_true(a.mantissa == 0 || (a.mantissa >= 1 && a.mantissa < 2));
  }
}

static void arithmetic_is_that_of_doubles(void **unused)
{
  (void)unused;
  static const double values[] = {0.001, 0.3, 1, 2, 7, 123.5, 1e9, 3e15};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
      double a = values[i], b = values[k];
      assert_true(scaled_to_double(scaled_add(of(a), of(b))) == a + b);
      assert_true(scaled_to_double(scaled_multiply(of(a), of(b))) == a * b);
      assert_true(scaled_to_double(scaled_divide(of(a), of(b))) == a / b);
      assert_int_equal(scaled_compare(of(a), of(b)), (a > b) - (a < b));
    }
}

static void zero_is_a_number(void **unused)
{
  (void)unused;
  struct scaled zero = {0}, huge = power(10, 1000);
  assert_int_equal(scaled_compare(zero, of(0)), 0);
  assert_true(scaled_compare(zero, scaled_divide(of(1), huge)) < 0);
  assert_true(scaled_compare(huge, zero) > 0);
  assert_int_equal(scaled_compare(scaled_add(zero, huge), huge), 0);
  assert_int_equal(scaled_compare(scaled_add(huge, zero), huge), 0);
  assert_int_equal(scaled_compare(scaled_multiply(zero, huge), zero), 0);
  assert_int_equal(scaled_compare(scaled_divide(zero, huge), zero), 0);
}

static void beyond_the_range_of_doubles(void **unused)
{
  (void)unused;
  struct scaled huge = power(10, 1000), tiny = scaled_divide(of(1), huge);
  assert_true(isinf(scaled_to_double(huge)));
  assert_true(scaled_to_double(tiny) == 0);
  assert_near(scaled_to_double(scaled_multiply(huge, tiny)), 1, 1e-12);
  assert_int_equal(scaled_compare(scaled_add(huge, of(1)), huge), 0);
  assert_true(scaled_compare(scaled_add(huge, huge), huge) > 0);
  assert_true(scaled_compare(tiny, of(5e-324)) < 0);
}

static void logarithms(void **unused)
{
  (void)unused;
  assert_near(scaled_ln(of(1)), 0, 0);
  assert_near(scaled_ln(of(2.718281828459045)), 1, 1e-15);
  assert_near(scaled_ln(of(1.9999999)), 0.6931471305599453, 1e-13);
  assert_near(scaled_ln(of(1e-5)), -11.512925464970229, 1e-13);
  assert_near(scaled_log10(of(1000)), 3, 1e-14);
  assert_near(scaled_log10(power(10, 13863)), 13863, 1e-8);
}

static void text_of_everyday_numbers(void **unused)
{
  (void)unused;
  assert_text(of(0), "0");
  assert_text(of(1), "1");
  assert_text(of(123), "123");
  assert_text(of(40320), "40320");
  assert_text(of(9999999), "9999999");
  assert_text(of(0.84), "0.84");
  assert_text(of(0.71), "0.71");
  assert_text(of(2.0 / 3), "0.667");
  assert_text(of(1.26), "1.26");
  assert_text(of(24.04), "24");
  assert_text(of(24.06), "24.1");
  assert_text(of(99.99), "100");
  assert_text(of(250.8), "251");
  assert_text(of(0.00123), "0.00123");
}

static void text_of_vast_numbers(void **unused)
{
  (void)unused;
  assert_text(of(1e7), "1.00e7");
  assert_text(of(9999999.9), "1.00e7");
  assert_text(of(1.37e7), "1.37e7");
  assert_text(of(4.56e17), "4.56e17");
  assert_text(of(9.999e17), "1.00e18");
  assert_text(of(1e22), "1.00e22");
  assert_text(of(1e23), "1.00e23");
  assert_text(of(4.5e-7), "4.50e-7");
  assert_text(power(10, 1000), "1.00e1000");
  assert_text(scaled_divide(of(1), power(10, 1000)), "1.00e-1000");
  assert_text(scaled_multiply(of(1.08), power(10, 13863)), "1.08e13863");
  assert_text(scaled_divide(of(3.68), power(10, 13755)), "3.68e-13755");
  assert_text(scaled_make(1, 300000), "9.97e90308");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(doubles_survive),      cmocka_unit_test(arithmetic_is_that_of_doubles),
      cmocka_unit_test(zero_is_a_number),     cmocka_unit_test(beyond_the_range_of_doubles),
      cmocka_unit_test(logarithms),           cmocka_unit_test(text_of_everyday_numbers),
      cmocka_unit_test(text_of_vast_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
