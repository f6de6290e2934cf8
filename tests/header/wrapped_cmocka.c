/* SPDX-License-Identifier: Apache-2.0
 *
 * HD_CMOCKA_TEST: plain bodies of cmocka tests that are explored, with a failed check of cmocka's own in one of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <heddle.h>
#include <pthread.h>

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

HD_CMOCKA_TEST(loses_an_update)
{
  increment_twice(NULL);
  assert_int_equal(counter, 2);
}

HD_CMOCKA_TEST(adds_up, .executions = 200, .races = HD_RACES_FAIL)
{
  assert_string_equal(*state, "given");
  increment_twice(&lock);
  assert_int_equal(counter, 2);
}

int main(void)
{
  static char given[] = "given";
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loses_an_update),
      cmocka_unit_test_prestate(adds_up, given),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
