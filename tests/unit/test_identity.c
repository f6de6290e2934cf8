/* SPDX-License-Identifier: Apache-2.0
 *
 * The identity of a search, and text with a checksum: what differs is named, what is ignored stays ignored, what is
 * written is read again, and no byte can be changed unnoticed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "file/sealed.h"
#include "schedule/identity.h"

static struct identity example(void)
{
  struct identity i = {0};
  identity_add_hash(&i, IDENTITY_PROGRAM, "-", 1);
  identity_add_hash(&i, IDENTITY_LIBRARY, "/lib/libc.so.6", 2);
  identity_add_hash(&i, IDENTITY_ARGUMENTS, "-", 3);
  identity_add_hash(&i, IDENTITY_INPUT, "-", 4);
  identity_add(&i, IDENTITY_SETTING, "max-steps", "100000");
  identity_add(&i, IDENTITY_SETTING, "spurious", "");
  identity_add(&i, IDENTITY_FOLDER, "-", "/home/user/a folder\nwith 100 %");
  identity_add_hash(&i, IDENTITY_VARIABLE, "PATH", 5);
  identity_add_hash(&i, IDENTITY_VARIABLE, "TERM", 6);
  identity_add(&i, IDENTITY_STACK, "-", "65536");
  return i;
}

static void expect_difference(const struct identity *then, const struct identity *now, const char *words)
{
  char text[256] = "";
  assert_false(identity_is_same(then, now, text, sizeof text));
  if (!strstr(text, words))
    fail_msg("\"%s\" does not say \"%s\"", text, words);
}

static void test_the_same_is_the_same(void **state)
{
  (void)state;
  struct identity a = example(), b = example();
  char text[256];
  assert_true(identity_is_same(&a, &b, text, sizeof text));
  identity_free(&a);
  identity_free(&b);
}

static void test_each_part_counts(void **state)
{
  (void)state;
  struct identity a = example();
  for (size_t i = 0; i < a.count; i++) {
    struct identity b = example();
    char text[256];
    b.part[i].value[0] = b.part[i].value[0] == 'x' ? 'y' : 'x';
    if (!strcmp(b.part[i].name, "spurious")) {
      free(b.part[i].value);
      b.part[i].value = strdup("yes");
    }
    assert_false(identity_is_same(&a, &b, text, sizeof text));
    assert_false(identity_is_same(&b, &a, text, sizeof text));
    identity_free(&b);
  }
  identity_free(&a);
}

static void test_what_differs_is_named(void **state)
{
  (void)state;
  struct identity a = example(), b = example();
  identity_add_hash(&b, IDENTITY_VARIABLE, "LANG", 7);
  expect_difference(&a, &b, "differs in LANG (--env-ignore LANG leaves it out)");
  expect_difference(&b, &a, "differs in LANG");
  identity_add_hash(&a, IDENTITY_VARIABLE, "USER", 7);
  expect_difference(&a, &b, "differs in USER and LANG (--env-ignore USER leaves one out)");
  for (int i = 0; i < 20; i++) {
    char name[16];
    snprintf(name, sizeof name, "NEW%d", i);
    identity_add_hash(&b, IDENTITY_VARIABLE, name, 8);
  }
  expect_difference(&a, &b, "and 14 more");
  b.part[4].value[0] = '2';
  expect_difference(&a, &b, "with --max-steps 100000"); /* before the environment */
  identity_free(&a);
  identity_free(&b);
}

static void test_ignored_variables(void **state)
{
  (void)state;
  struct identity a = example(), b = example(), c = example();
  char text[256];
  identity_add_hash(&b, IDENTITY_VARIABLE, "LANG", 7);
  identity_ignore(&b, "LANG");
  identity_ignore(&b, "LANG");
  assert_true(identity_is_same(&a, &b, text, sizeof text));
  identity_add_hash(&c, IDENTITY_VARIABLE, "LANG", 8);
  expect_difference(&a, &c, "LANG");
  assert_true(identity_is_same(&b, &c, text, sizeof text));
  identity_ignore_as(&c, &b);
  assert_true(identity_is_same(&a, &c, text, sizeof text));
  identity_free(&a);
  identity_free(&b);
  identity_free(&c);
}

/* A name that is there twice is one part: the order counts. */
static void test_a_variable_twice(void **state)
{
  (void)state;
  struct identity a = {0}, b = {0};
  identity_add_hash(&a, IDENTITY_VARIABLE, "X", 1);
  identity_add_hash(&a, IDENTITY_VARIABLE, "X", 2);
  identity_add_hash(&b, IDENTITY_VARIABLE, "X", 2);
  identity_add_hash(&b, IDENTITY_VARIABLE, "X", 1);
  expect_difference(&a, &b, "X");
  identity_free(&a);
  identity_free(&b);
}

static char *text_of(const struct identity *identity, size_t *bytes)
{
  char *text = NULL;
  FILE *f = open_memstream(&text, bytes);
  assert_non_null(f);
  seal_begin(f, "a title 1");
  assert_true(identity_write(identity, f));
  fputs("rest 17\n", f);
  assert_int_equal(fclose(f), 0);
  seal(text, *bytes);
  return text;
}

static void test_written_and_read(void **state)
{
  (void)state;
  struct identity a = example(), b = {0};
  size_t bytes, rest;
  int number = 0;
  char difference[256];
  char *text = text_of(&a, &bytes);
  assert_int_equal(seal_check(text, bytes, "a title 1", &rest), SEAL_HOLDS);
  FILE *f = fmemopen(text + rest, bytes - rest, "r");
  assert_true(identity_read(&b, f));
  assert_int_equal(fscanf(f, " rest %d", &number), 1);
  assert_int_equal(number, 17);
  fclose(f);
  assert_true(identity_is_same(&a, &b, difference, sizeof difference));
  assert_int_equal(a.count, b.count);
  free(text);
  identity_free(&a);
  identity_free(&b);
}

static void test_no_byte_can_be_changed(void **state)
{
  (void)state;
  struct identity a = example();
  size_t bytes, rest;
  char *text = text_of(&a, &bytes);
  for (size_t i = 0; i < bytes; i++)
    for (int change = 1; change < 256; change++) {
      text[i] = (char)(text[i] ^ change);
      assert_int_not_equal(seal_check(text, bytes, "a title 1", &rest), SEAL_HOLDS);
      text[i] = (char)(text[i] ^ change);
    }
  for (size_t i = 0; i < bytes; i++)
    assert_int_not_equal(seal_check(text, i, "a title 1", &rest), SEAL_HOLDS);
  assert_int_equal(seal_check(text, bytes, "a title 2", &rest), SEAL_OF_ANOTHER);
  assert_int_equal(seal_check(text, bytes, "a title", &rest), SEAL_OF_ANOTHER);
  assert_int_equal(seal_check(text, bytes, "a title 1", &rest), SEAL_HOLDS);
  free(text);
  identity_free(&a);
}

/* Text that nobody wrote is refused, or read as far as it makes sense; never more. */
static void test_odd_texts(void **state)
{
  (void)state;
  static const char *const bad[] = {" ",
                                    "parts",
                                    "parts x\n",
                                    "parts 1\n",
                                    "parts 1\nnothing - -\n",
                                    "parts 1\nprogram -\n",
                                    "parts 1\nprogram - %2\n",
                                    "parts 1\nprogram - %zz\n",
                                    "parts 2\nprogram - 1\n",
                                    "parts 99999999999999999\nprogram - 1\n"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    struct identity read = {0};
    FILE *f = fmemopen((char *)bad[i], strlen(bad[i]), "r");
    if (identity_read(&read, f))
      fail_msg("%s", bad[i]);
    fclose(f);
    identity_free(&read);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_same_is_the_same),   cmocka_unit_test(test_each_part_counts),
      cmocka_unit_test(test_what_differs_is_named),  cmocka_unit_test(test_ignored_variables),
      cmocka_unit_test(test_a_variable_twice),       cmocka_unit_test(test_written_and_read),
      cmocka_unit_test(test_no_byte_can_be_changed), cmocka_unit_test(test_odd_texts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
