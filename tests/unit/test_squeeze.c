/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes without their zeros come back as they were, and damaged ones do not come back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cluster/squeeze.h"
#include <stdlib.h>
#include <string.h>

#define HEAD 5

static void assert_comes_back(const char *bytes, size_t size)
{
  size_t squeezed, came;
  char *small = squeeze(bytes, size, HEAD, &squeezed);
  assert_non_null(small);
  char *all = stretch(small + HEAD, squeezed - HEAD, &came);
  assert_non_null(all);
  assert_int_equal(came, size);
  assert_memory_equal(all, bytes, size);
  for (size_t cut = 1; cut < 24 && cut <= squeezed - HEAD; cut++)
    assert_null(stretch(small + HEAD, squeezed - HEAD - cut, &came));
  free(all);
  free(small);
}

/* Runs of zeros and others, of all lengths, also where they are no whole words. */
static void of_all_shapes(void **unused)
{
  (void)unused;
  char bytes[400];
  uint32_t random = 1;
  for (size_t size = 0; size < sizeof bytes; size++) {
    for (size_t i = 0; i < size; i++) {
      random = random * 1103515245u + 12345u;
      bytes[i] = (char)((random >> 16) % 64 < (i / 40) * 8 ? random >> 24 : 0);
    }
    assert_comes_back(bytes, size);
  }
}

static void of_zeros(void **unused)
{
  (void)unused;
  enum { SIZE = 1 << 20 };
  size_t squeezed;
  char *zeros = calloc(1, SIZE);
  assert_non_null(zeros);
  void *small = squeeze(zeros, SIZE, 0, &squeezed);
  assert_non_null(small);
  assert_true(squeezed < 32);
  assert_comes_back(zeros, SIZE);
  free(small);
  free(zeros);
}

static void of_lies(void **unused)
{
  (void)unused;
  const struct {
    uint64_t size;
    uint32_t zeros, words;
    uint64_t word[2];
  } more = {8, 0, 2, {7, 7}}, never = {16, 0, 0, {7, 7}}, huge = {UINT64_MAX, 0, 2, {7, 7}};
  size_t came;
  assert_null(stretch(&more, sizeof more, &came));
  assert_null(stretch(&never, sizeof never, &came));
  assert_null(stretch(&huge, sizeof huge, &came));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(of_all_shapes), cmocka_unit_test(of_zeros),
                                     cmocka_unit_test(of_lies)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
