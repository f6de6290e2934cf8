/* SPDX-License-Identifier: Apache-2.0
 *
 * Which classes have all keys of a question (causal/class_index.c), against a table of who has which: all that have
 * them are told, the newest first, each once, and of the others only some that lack a key that very many have.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "causal/causal.h"
#include "core/rng.h"

enum { CLASSES = 3000, KEYS = 12 };

static struct causal_index *own; /* little of it is touched */
static bool has[CLASSES][KEYS];

static uint64_t key(unsigned k)
{
  return mix64(k + 1) | 1;
}

/* The rarer, the higher its number. */
static void fill(uint64_t seed)
{
  causal_index_clear(own);
  memset(has, 0, sizeof has);
  for (uint32_t class = 0; class < CLASSES; class ++)
    for (unsigned k = 0; k < KEYS; k++)
      if (mix64(seed + class * KEYS + k) % (1 + k * k) == 0) {
        has[class][k] = true;
        assert_true(causal_index_add(own, key(k), class));
        assert_true(causal_index_add(own, key(k), class)); /* two threads may have it */
      }
}

/* Those that are told and lack a key of the question. */
static unsigned compare(unsigned question)
{
  struct causal_common common = {0};
  bool told[CLASSES] = {false};
  unsigned lacking = 0;
  uint32_t before = CLASSES;
  for (unsigned k = 0; k < KEYS; k++)
    if (question >> k & 1)
      causal_common_add(&common, own, key(k));
  for (uint32_t class; (class = causal_common_next(&common, own)) != UINT32_MAX; before = class) {
    assert_true(class < before);
    told[class] = true;
  }
  for (uint32_t class = 0; class < CLASSES; class ++) {
    bool all = true;
    for (unsigned k = 0; k < KEYS; k++)
      all &= has[class][k] || !(question >> k & 1);
    assert_true(told[class] || !all);
    lacking += told[class] && !all;
  }
  return lacking;
}

static void test_common_classes(void **state)
{
  (void)state;
  unsigned few = 0;
  for (uint64_t seed = 0; seed < 4; seed++) {
    fill(seed << 32);
    for (unsigned question = 1; question < 1u << KEYS; question += 7)
      few += compare(question) < CLASSES / 16;
    assert_int_equal(compare(1u << 2 | 1u << 3), 0); /* chains of like lengths are all looked at */
  }
  assert_true(few > 4 * (1u << KEYS) / 7 * 9 / 10);
}

static void test_unknown_key(void **state)
{
  (void)state;
  struct causal_common common = {0};
  fill(1);
  causal_common_add(&common, own, key(0));
  causal_common_add(&common, own, key(KEYS));
  assert_int_equal(causal_common_next(&common, own), UINT32_MAX);
}

int main(void)
{
  own = calloc(1, sizeof *own);
  if (!own)
    return 1;
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_common_classes), cmocka_unit_test(test_unknown_key)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  free(own);
  return failed;
}
