/* SPDX-License-Identifier: Apache-2.0
 *
 * Formats of printf and scanf: which arguments are pointers, and to what
 * (worlds/threads/libc/formats.h). */
#include "worlds/threads/libc/formats.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <wchar.h>
/* after the others */
#include <cmocka.h>

static void printf_passes_over_what_is_no_pointer(void **state)
{
  (void)state;
  struct format f;
  parse_printf(&f, "%d %5.2f %Lg %% %lc %m %-08lld %zx %p", 1);
  assert_true(f.understood);
  assert_int_equal(f.conversions, 0);
  assert_int_equal(f.arguments, 7);
  assert_int_equal(f.class[1], ARGUMENT_DOUBLE);
  assert_int_equal(f.class[2], ARGUMENT_LONG_DOUBLE);
  assert_int_equal(f.class[3], ARGUMENT_WORD);
}

static void printf_finds_texts_and_counts(void **state)
{
  (void)state;
  struct format f;
  parse_printf(&f, "%s %.3s %-*.*s %ls %hhn", 1);
  assert_true(f.understood);
  assert_int_equal(f.conversions, 5);
  assert_int_equal(f.conversion[0].most, -1);
  assert_int_equal(f.conversion[1].most, 3);
  assert_int_equal(f.conversion[2].argument, 4);
  assert_int_equal(f.conversion[2].limit_at, 3);
  assert_int_equal(f.conversion[3].size, sizeof(wchar_t));
  assert_true(f.conversion[4].counts && !f.conversion[4].text);
  assert_int_equal(f.conversion[4].size, 1);
}

static void printf_knows_places(void **state)
{
  (void)state;
  struct format f;
  parse_printf(&f, L"%2$s %1$*3$d", sizeof(wchar_t));
  assert_true(f.understood);
  assert_int_equal(f.conversions, 1);
  assert_int_equal(f.conversion[0].argument, 1);
  assert_int_equal(f.arguments, 3);
}

static void what_is_unknown_is_told(void **state)
{
  (void)state;
  struct format f;
  char many[3 * FORMAT_ARGUMENTS], out[8];
  parse_printf(&f, "%y", 1);
  assert_false(f.understood);
  parse_printf(&f, "%", 1);
  assert_false(f.understood);
  for (size_t i = 0; i + 2 < sizeof many; i += 2)
    memcpy(many + i, "%s", 3);
  parse_printf(&f, many, 1);
  assert_false(f.understood);
  parse_scanf(&f, "%s and more", 1, false, out, sizeof out);
  assert_false(f.understood);
}

static void scanf_allocates_texts(void **state)
{
  (void)state;
  struct format f;
  char out[64];
  parse_scanf(&f, "%d %*s%3s %5[^]a]%lc%n%ms", 1, false, out, sizeof out);
  assert_true(f.understood);
  assert_string_equal(out, "%d %*s%3ms %5m[^]a]%mlc%n%ms");
  assert_int_equal(f.conversions, 6);
  assert_int_equal(f.conversion[0].size, sizeof(int));
  assert_int_equal(f.conversion[1].most, 3);
  assert_true(f.conversion[3].exact);
  assert_int_equal(f.conversion[3].most, 1);
  assert_int_equal(f.conversion[3].size, sizeof(wchar_t));
  assert_true(f.conversion[4].counts);
  assert_true(f.conversion[5].allocates);
}

static void scanf_has_an_old_way_to_allocate(void **state)
{
  (void)state;
  struct format f;
  wchar_t out[16];
  parse_scanf(&f, L"%as", sizeof(wchar_t), true, out, 16);
  assert_true(f.understood && f.conversion[0].text && f.conversion[0].allocates);
  parse_scanf(&f, L"%as", sizeof(wchar_t), false, out, 16);
  assert_true(f.understood && !f.conversion[0].text);
  assert_int_equal(f.conversion[0].size, sizeof(float));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(printf_passes_over_what_is_no_pointer),
      cmocka_unit_test(printf_finds_texts_and_counts),
      cmocka_unit_test(printf_knows_places),
      cmocka_unit_test(what_is_unknown_is_told),
      cmocka_unit_test(scanf_allocates_texts),
      cmocka_unit_test(scanf_has_an_old_way_to_allocate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
