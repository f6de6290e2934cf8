/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of the pool, with Check.
 */
#include "pool.h"
#include <check.h>
#include <stdatomic.h>

static atomic_int done;

static void count(void *arg)
{
  atomic_fetch_add(&done, *(int *)arg);
}

static struct pool *pool;
static int one = 1;

static void open_pool(void)
{
  done = 0;
  pool = pool_create(2);
  ck_assert_ptr_nonnull(pool);
}

static void close_pool(void)
{
  pool_destroy(pool);
}

START_TEST(waits_for_nothing)
{
  pool_wait(pool);
  ck_assert_int_eq(done, 0);
}
END_TEST

START_TEST(waits_for_all_jobs)
{
  for (int i = 0; i < 2; i++)
    ck_assert(pool_submit(pool, count, &one));
  pool_wait(pool);
  ck_assert_int_eq(done, 2);
}
END_TEST

START_TEST(does_all_before_it_ends)
{
  struct pool *other = pool_create(1);
  ck_assert_ptr_nonnull(other);
  ck_assert(pool_submit(other, count, &one));
  pool_destroy(other);
  ck_assert_int_eq(done, 1);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("pool");
  TCase *jobs = tcase_create("jobs");
  tcase_add_checked_fixture(jobs, open_pool, close_pool);
  tcase_add_test(jobs, waits_for_nothing);
  tcase_add_test(jobs, waits_for_all_jobs);
  tcase_add_test(jobs, does_all_before_it_ends);
  suite_add_tcase(suite, jobs);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? 1 : 0;
}
