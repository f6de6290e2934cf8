/* SPDX-License-Identifier: Apache-2.0
 *
 * Facts of a unit as bytes: what goes in comes out, and bytes of which anything was changed are refused. And what names
 * mean to the rules.
 */
#include "lint/syntax_draft.h"
#include "lint/vocabulary.h"
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* f(): while (go) create(); */
static void *packed(size_t *count)
{
  struct syntax_draft d;
  assert_true(syntax_draft_open(&d));
  const struct syntax_symbol f = {.id = 2, .flags = SYMBOL_FUNCTION, .name = syntax_draft_text(&d, "f", 1)};
  const struct syntax_symbol go = {.id = 5, .flags = SYMBOL_LOCAL, .name = syntax_draft_text(&d, "go", 2)};
  const uint32_t function = syntax_draft_begin(&d, SYNTAX_FUNCTION, 1);
  d.node[function].symbol = syntax_draft_declare(&d, "declaration of f", f);
  const uint32_t loop = syntax_draft_begin(&d, SYNTAX_WHILE, 2);
  const uint32_t name = syntax_draft_begin(&d, SYNTAX_NAME, 2);
  d.node[name].symbol = syntax_draft_declare(&d, "declaration of go", go);
  syntax_draft_end(&d, name);
  syntax_draft_end(&d, syntax_draft_begin(&d, SYNTAX_CALL, 3));
  syntax_draft_end(&d, loop);
  syntax_draft_end(&d, function);
  syntax_draft_function(&d, (struct syntax_function){.symbol = d.node[function].symbol, .node = function, .last = 3});
  syntax_draft_override(&d,
                        (struct syntax_override){.method = d.node[function].symbol, .overridden = d.node[name].symbol});
  syntax_draft_source(&d, "f.c", 7);
  void *bytes = syntax_draft_pack(&d, count);
  syntax_draft_close(&d);
  assert_non_null(bytes);
  return bytes;
}

static void test_what_goes_in_comes_out(void **state)
{
  (void)state;
  struct syntax s;
  size_t count;
  void *bytes = packed(&count);
  assert_true(syntax_open(&s, bytes, count));
  assert_int_equal(s.nodes, 4);
  assert_int_equal(s.functions, 1);
  assert_string_equal(syntax_name(&s, s.function[0].symbol), "f");
  const uint32_t loop = syntax_child(&s, s.function[0].node, 0);
  assert_int_equal(s.node[loop].kind, SYNTAX_WHILE);
  assert_string_equal(syntax_name(&s, s.node[syntax_child(&s, loop, 0)].symbol), "go");
  assert_int_equal(s.node[syntax_child(&s, loop, 1)].line, 3);
  assert_int_equal(syntax_child(&s, loop, 2), SYNTAX_NONE);
  assert_int_equal(s.overrides, 1);
  assert_string_equal(syntax_name(&s, s.override[0].method), "f");
  assert_string_equal(syntax_name(&s, s.override[0].overridden), "go");
  assert_string_equal(syntax_text(&s, s.source[0].path), "f.c");
  syntax_close(&s);
}

static void test_texts_and_symbols_are_kept_once(void **state)
{
  (void)state;
  struct syntax_draft d;
  assert_true(syntax_draft_open(&d));
  assert_int_equal(syntax_draft_text(&d, "again", 5), syntax_draft_text(&d, "again and", 5));
  assert_int_not_equal(syntax_draft_text(&d, "again", 5), syntax_draft_text(&d, "agai", 4));
  const struct syntax_symbol one = {.id = 8};
  const uint32_t first = syntax_draft_declare(&d, "here", one);
  assert_int_equal(syntax_draft_declare(&d, "there", one), first);
  assert_int_equal(syntax_draft_declared(&d, "nowhere"), SYNTAX_NONE);
  for (uint64_t i = 0; i < 5000; i++)
    syntax_draft_declare(&d, (const void *)(uintptr_t)(4096 + 16 * i), (struct syntax_symbol){.id = 100 + 2 * i});
  assert_int_equal(d.symbols, 5001);
  syntax_draft_close(&d);
}

static void test_damaged_bytes_are_refused(void **state)
{
  (void)state;
  struct syntax s;
  size_t count;
  free(packed(&count));
  for (size_t at = 0; at < count; at++) {
    char *bytes = packed(&count);
    bytes[at] ^= 64;
    assert_false(syntax_open(&s, bytes, count));
    assert_false(syntax_open(&s, packed(&count), at));
  }
}

static void test_names_have_a_meaning(void **state)
{
  (void)state;
  struct vocabulary v;
  assert_true(vocabulary_open(&v));
  assert_int_equal(vocabulary_meaning(&v, "pthread_create", 14),
                   UINT64_C(1) << WORD_THREAD | UINT64_C(1) << WORD_INSTANTIATE | UINT64_C(1) << WORD_HANDLER_UNSAFE);
  assert_int_equal(vocabulary_argument(&v, WORD_THREAD, "pthread_create", 14), 3);
  assert_int_equal(vocabulary_argument(&v, WORD_JOIN, "pthread_create", 14), UINT_MAX);
  assert_true(vocabulary_meaning(&v, "TAILQ_INSERT_HEAD", 17) & UINT64_C(1) << WORD_ADD);
  assert_int_equal(vocabulary_meaning(&v, "unheard", 7), 0);
  vocabulary_close(&v);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_goes_in_comes_out),
      cmocka_unit_test(test_texts_and_symbols_are_kept_once),
      cmocka_unit_test(test_damaged_bytes_are_refused),
      cmocka_unit_test(test_names_have_a_meaning),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
