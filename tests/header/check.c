/* SPDX-License-Identifier: Apache-2.0
 *
 * hd_explore() in tests of the Check framework, which runs each test in a forked process of its own.
 */
#include <assert.h>
#include <check.h>
#include <heddle.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *b_then_a(void *arg)
{
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return arg;
}

static void *a_then_b(void *arg)
{
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return arg;
}

static void two_orders(void *other)
{
  pthread_t thread;
  pthread_create(&thread, NULL, other ? b_then_a : a_then_b, NULL);
  a_then_b(NULL);
  pthread_join(thread, NULL);
}

START_TEST(two_orders_deadlock)
{
  struct hd_verdict v = hd_explore(NULL, two_orders, "other");
  ck_assert(!v.ok);
  ck_assert_str_eq(v.kind, "deadlock");
}
END_TEST

START_TEST(one_order_does_not)
{
  struct hd_options options = {.executions = 300};
  struct hd_verdict v = hd_explore(&options, two_orders, NULL);
  ck_assert(v.ok);
  ck_assert_uint_eq(v.executions, 300);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("heddle");
  TCase *tests = tcase_create("locks");
  tcase_add_test(tests, two_orders_deadlock);
  tcase_add_test(tests, one_order_does_not);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
