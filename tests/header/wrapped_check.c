/* SPDX-License-Identifier: Apache-2.0
 *
 * HD_CHECK_TEST: plain bodies of Check tests that are explored, with a failed check of Check's own in one of them.
 */
#include <check.h>
#include <heddle.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *increment(void *careful)
{
  if (careful)
    pthread_mutex_lock(&lock);
  counter++;
  if (careful)
    pthread_mutex_unlock(&lock);
  return NULL;
}

static void increment_twice(void *careful)
{
  pthread_t thread[2];
  counter = 0;
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, increment, careful);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
}

HD_CHECK_TEST(loses_an_update)
{
  increment_twice(NULL);
  ck_assert_int_eq(counter, 2);
}

HD_CHECK_TEST(adds_up, .executions = 200, .races = HD_RACES_FAIL)
{
  increment_twice(&lock);
  ck_assert_int_eq(counter, 2);
  ck_assert_int_eq(_i, 3);
}

int main(void)
{
  Suite *suite = suite_create("wrapped");
  TCase *tests = tcase_create("counter");
  tcase_add_test(tests, loses_an_update);
  tcase_add_loop_test(tests, adds_up, 3, 4);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed;
}
