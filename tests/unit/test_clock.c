/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector clocks: entries beyond the count are zero whatever lies in the memory, and join is the least upper
 * bound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/rng.h"
#include "core/vclock.h"
#include <string.h>

/* An empty clock in memory full of garbage. */
static struct vclock dirty(void)
{
  struct vclock c;
  memset(&c, 0xa5, sizeof c);
  vclock_clear(&c);
  return c;
}

static bool equal(const struct vclock *a, const struct vclock *b)
{
  for (unsigned t = 0; t < MAX_THREADS; t++)
    if (vclock_get(a, t) != vclock_get(b, t))
      return false;
  return true;
}

static bool below(const struct vclock *a, const struct vclock *b)
{
  for (unsigned t = 0; t < MAX_THREADS; t++)
    if (vclock_get(a, t) > vclock_get(b, t))
      return false;
  return true;
}

static struct vclock some_clock(uint64_t *stream)
{
  struct vclock c = dirty();
  for (unsigned n = rng_below(stream, 6); n > 0; n--)
    vclock_set(&c, rng_below(stream, 2) ? rng_below(stream, 8) : rng_below(stream, MAX_THREADS), rng_below(stream, 4));
  return c;
}

static void a_cleared_clock_is_zero(void **unused)
{
  (void)unused;
  struct vclock c = dirty();
  for (unsigned t = 0; t < MAX_THREADS; t++)
    assert_int_equal(vclock_get(&c, t), 0);
}

static void setting_one_entry_leaves_the_others(void **unused)
{
  (void)unused;
  struct vclock c = dirty();
  vclock_set(&c, MAX_THREADS - 1, 9);
  vclock_set(&c, 3, 7);
  for (unsigned t = 0; t < MAX_THREADS; t++)
    assert_int_equal(vclock_get(&c, t), t == 3 ? 7 : t == MAX_THREADS - 1 ? 9 : 0);
  vclock_set(&c, 3, 2);
  assert_int_equal(vclock_get(&c, 3), 2);
  assert_int_equal(c.count, MAX_THREADS);
}

static void growing_never_shrinks(void **unused)
{
  (void)unused;
  struct vclock c = dirty();
  vclock_set(&c, 5, 1);
  vclock_grow(&c, 2);
  assert_int_equal(c.count, 6);
  assert_int_equal(vclock_get(&c, 5), 1);
  vclock_grow(&c, 9);
  assert_int_equal(c.count, 9);
  assert_int_equal(vclock_get(&c, 8), 0);
}

static void join_is_the_least_upper_bound(void **unused)
{
  (void)unused;
  uint64_t stream = 1;
  for (unsigned i = 0; i < 5000; i++) {
    struct vclock a = some_clock(&stream), b = some_clock(&stream), joined = a, other = b;
    vclock_join(&joined, &b);
    for (unsigned t = 0; t < MAX_THREADS; t++) {
      uint32_t x = vclock_get(&a, t), y = vclock_get(&b, t);
      assert_int_equal(vclock_get(&joined, t), x > y ? x : y);
    }
    vclock_join(&other, &a);
    assert_true(equal(&joined, &other));
    assert_true(below(&a, &joined) && below(&b, &joined));
    vclock_join(&other, &joined);
    assert_true(equal(&joined, &other));
  }
}

static void a_copy_is_equal_and_its_own(void **unused)
{
  (void)unused;
  uint64_t stream = 2;
  for (unsigned i = 0; i < 1000; i++) {
    struct vclock a = some_clock(&stream), b = some_clock(&stream);
    vclock_copy(&b, &a);
    assert_true(equal(&a, &b));
    vclock_set(&b, 0, vclock_get(&a, 0) + 1);
    assert_false(equal(&a, &b));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cleared_clock_is_zero),     cmocka_unit_test(setting_one_entry_leaves_the_others),
      cmocka_unit_test(growing_never_shrinks),       cmocka_unit_test(join_is_the_least_upper_bound),
      cmocka_unit_test(a_copy_is_equal_and_its_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
