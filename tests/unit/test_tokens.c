/* SPDX-License-Identifier: Apache-2.0
 *
 * Tokens: where each one stands, and what is said of what is none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "language/tokens.h"
#include <string.h>

static void expect_token(struct tokens *t, enum token_kind kind, const char *text, unsigned line, unsigned column)
{
  char copy[64];
  struct token token = tokens_take(t);
  assert_int_equal(token.kind, kind);
  assert_string_equal(token_copy(&token, copy, sizeof copy), text);
  assert_int_equal(token.line, line);
  assert_int_equal(token.column, column);
}

static void places(void **unused)
{
  (void)unused;
  struct tokens t;
  tokens_begin(&t, "a1 -> b, /* over\nlines */ [*]x // rest\n\"two words\" 0x1f", COMMENTS_LIKE_C);
  expect_token(&t, TOKEN_NAME, "a1", 1, 1);
  expect_token(&t, TOKEN_SIGN, "->", 1, 4);
  expect_token(&t, TOKEN_NAME, "b", 1, 7);
  expect_token(&t, TOKEN_SIGN, ",", 1, 8);
  expect_token(&t, TOKEN_SIGN, "[*]", 2, 10);
  expect_token(&t, TOKEN_NAME, "x", 2, 13);
  expect_token(&t, TOKEN_STRING, "two words", 3, 1);
  expect_token(&t, TOKEN_NUMBER, "0x1f", 3, 13);
  expect_token(&t, TOKEN_END, "", 3, 17);
  expect_token(&t, TOKEN_END, "", 3, 17);
  assert_false(tokens_failed(&t));
}

static void comments_after_hash(void **unused)
{
  (void)unused;
  struct tokens t;
  tokens_begin(&t, "# first\na#second\n/ b", COMMENTS_AFTER_HASH);
  expect_token(&t, TOKEN_NAME, "a", 2, 1);
  expect_token(&t, TOKEN_SIGN, "/", 3, 1);
  expect_token(&t, TOKEN_NAME, "b", 3, 3);
}

static void raw_text(void **unused)
{
  (void)unused;
  struct tokens t;
  char copy[64];
  tokens_begin(&t, "list_*::add ( x", COMMENTS_LIKE_C);
  struct token raw = tokens_raw(&t, '(');
  assert_string_equal(token_copy(&raw, copy, sizeof copy), "list_*::add");
  expect_token(&t, TOKEN_SIGN, "(", 1, 13);
  expect_token(&t, TOKEN_NAME, "x", 1, 15);
}

static void errors(void **unused)
{
  (void)unused;
  static const struct {
    const char *text, *error;
    unsigned line, column;
  } wrong[] = {{"a\n  \"b", "this string has no end on its line", 2, 3},
               {"a /* b", "this comment has no end", 1, 3},
               {"a `", "the character '`' means nothing here", 1, 3},
               {"a \x01", "the byte 0x01 means nothing here", 1, 3},
               {"a b", "expected \"(\", found \"b\"", 1, 3},
               {"a", "expected \"(\", found the end of the text", 1, 2}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct tokens t;
    tokens_begin(&t, wrong[i].text, COMMENTS_LIKE_C);
    tokens_take(&t);
    assert_false(tokens_expect(&t, "("));
    assert_string_equal(t.error.text, wrong[i].error);
    assert_int_equal(t.error.line, wrong[i].line);
    assert_int_equal(t.error.column, wrong[i].column);
    tokens_fail(&t, &t.next, "a second error");
    assert_string_equal(t.error.text, wrong[i].error);
    assert_int_equal(tokens_take(&t).kind, TOKEN_END);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(places), cmocka_unit_test(comments_after_hash),
                                     cmocka_unit_test(raw_text), cmocka_unit_test(errors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
