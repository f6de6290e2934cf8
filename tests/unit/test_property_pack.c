/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets of properties in files: what is packed comes out as it was; what is cut short, longer, of another version, or
 * says that there is more than there can be, is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/property_pack.h"
#include "language/property_compile.h"
#include <stdlib.h>
#include <string.h>

static struct property_set set, back;
static unsigned char *bytes;
static size_t size;

static int pack(void **unused)
{
  static const char *const functions[] = {"f", "g"};
  struct language_error error;
  (void)unused;
  assert_true(property_compile(
      "enforce P(void *x) { int n = 0; event a before(void *x) : call(f(..)) && target(x) { n = n + 1; } "
      "event b after(void *x) : call(g(..)) && target(x) && condition(n > 0) {} fsm: one [ a -> two ] two [ b -> one ] "
      "@nonfail {} }\n"
      "Q() { event a before() : call(f(..)) {} event b before() : call(g(..)) {} srs: a b -> #fail . @fail { \"no\" } "
      "}",
      functions, 2, true, &set, &error));
  size = property_pack(&set, NULL, 0);
  bytes = malloc(size + 16);
  assert_non_null(bytes);
  memset(bytes, 0xaa, size + 16);
  assert_int_equal(property_pack(&set, bytes, size - 1), size);
  assert_int_equal(bytes[0], 0xaa); /* no room: nothing is written */
  assert_int_equal(property_pack(&set, bytes, size), size);
  return 0;
}

static int release(void **unused)
{
  (void)unused;
  free(bytes);
  return 0;
}

static bool unpack(const unsigned char *from, size_t length)
{
  memset(&back, 0, sizeof back);
  return property_unpack(from, length, &back);
}

static void test_comes_back(void **unused)
{
  (void)unused;
  assert_true(unpack(bytes, size));
  assert_memory_equal(&set, &back, sizeof set);
  for (unsigned i = 0; i < 16; i++)
    assert_int_equal(bytes[size + i], 0xaa);
}

static void test_lengths(void **unused)
{
  (void)unused;
  for (size_t length = 0; length < 64; length++)
    assert_false(unpack(bytes, length));
  for (size_t length = 64; length < size; length += 97)
    assert_false(unpack(bytes, length));
  assert_false(unpack(bytes, size - 1));
  assert_false(unpack(bytes, size + 1));
}

/* The first words are sizes of structs, and then counts. */
static void test_words(void **unused)
{
  (void)unused;
  for (unsigned word = 0; word < 10; word++) {
    uint32_t was, wrong = word < 3 ? 1 : UINT32_MAX / 2;
    memcpy(&was, bytes + 4 * word, 4);
    memcpy(bytes + 4 * word, &wrong, 4);
    assert_false(unpack(bytes, size));
    memcpy(bytes + 4 * word, &was, 4);
  }
  assert_true(unpack(bytes, size));
}

/* More than there is room for, and the bytes for it. */
static void test_no_room(void **unused)
{
  const uint32_t codes = PROPERTY_CODE + 1;
  const size_t longer = size + (codes - set.codes) * sizeof *set.code;
  unsigned char *many = calloc(1, longer);
  (void)unused;
  assert_non_null(many);
  memcpy(many, bytes, 40);
  memcpy(many + 4 * 5, &codes, 4);
  assert_false(unpack(many, longer));
  free(many);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_comes_back),
      cmocka_unit_test(test_lengths),
      cmocka_unit_test(test_words),
      cmocka_unit_test(test_no_room),
  };
  return cmocka_run_group_tests(tests, pack, release);
}
