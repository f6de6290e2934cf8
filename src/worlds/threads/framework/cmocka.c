/* SPDX-License-Identifier: Apache-2.0
 *
 * cmocka: a group of tests is run by one function of its library, which is ours here; it hands on the one test that was
 * chosen. Failed checks come by abort() (program.c), because testing_boot() asks for it.
 */
#include "worlds/threads/framework/testing.h"
#include "worlds/threads/runtime.h"

typedef int fixture(void **state);

struct CMUnitTest { /* as in cmocka.h */
  const char *name;
  void (*test)(void **state);
  fixture *setup, *teardown;
  void *initial_state;
};

int _cmocka_run_group_tests(const char *group, const struct CMUnitTest *tests, size_t count, fixture *setup,
                            fixture *teardown);

/* Returns the number of tests that failed, or what went wrong in the fixtures, as cmocka does. */
IN_PLACE_OF(_cmocka_run_group_tests, hd__cmocka_run_group_tests);
EXPORT int hd__cmocka_run_group_tests(const char *group, const struct CMUnitTest *tests, size_t count, fixture *setup,
                                      fixture *teardown)
{
  if (testing() != FRAMEWORK_CMOCKA)
    return REAL(_cmocka_run_group_tests)(group, tests, count, setup, teardown);
  int failed = 0;
  for (size_t i = 0; i < count; i++)
    if (tests[i].name && tests[i].test && test_chosen(group, tests[i].name))
      failed += REAL(_cmocka_run_group_tests)(group, &tests[i], 1, setup, teardown);
  return failed;
}
