/* SPDX-License-Identifier: Apache-2.0
 *
 * Executions over time: few points however long it takes, in order, with the parts of a search one behind the
 * other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/page/pace.h"

static void few_points_of_a_long_search(void **unused)
{
  (void)unused;
  struct pace pace = {0};
  for (int i = 1; i <= 100000; i++) {
    const struct pace_point now = {.seconds = i / 10.0, .executions = (uint64_t)i * 7};
    pace_note(&pace, &now, i == 100000);
  }
  assert_in_range(pace.count, PACE_POINTS / 2, PACE_POINTS);
  for (uint32_t i = 0; i < pace.count; i++) {
    assert_int_equal(pace.point[i].executions, (uint64_t)(pace.point[i].seconds * 70 + 0.5));
    if (i) {
      double step = pace.point[i].seconds - pace.point[i - 1].seconds;
      assert_true(step > 0 && step < 4 * 10000.0 / PACE_POINTS);
    }
  }
  assert_int_equal(pace.point[pace.count - 1].executions, 700000);
}

static void parts_follow_each_other(void **unused)
{
  (void)unused;
  struct pace pace = {0};
  const struct pace_point sampled = {.seconds = 1, .executions = 10};
  const struct pace_point explored[] = {{.seconds = 0.5, .executions = 3, .estimate = 40},
                                        {.seconds = 2, .executions = 20, .estimate = 30}};
  pace_note(&pace, &sampled, true);
  pace_note(&pace, &explored[0], false);
  pace_note(&pace, &explored[1], true);
  assert_int_equal(pace.count, 3);
  assert_int_equal(pace.point[1].executions, 13);
  assert_true(pace.point[1].seconds == 1.5 && pace.point[2].seconds == 3);
  assert_int_equal(pace.point[2].executions, 30);
  assert_true(pace.point[0].estimate == 0 && pace.point[2].estimate == 30);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(few_points_of_a_long_search),
      cmocka_unit_test(parts_follow_each_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
