/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of the cache, with cmocka. They pass when they are run as usual, thousands of times.
 */
#include "cache.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static atomic_int loads;

static int square(int key)
{
  loads++;
  return key * key;
}

static int open_cache(void **state)
{
  loads = 0;
  *state = cache_create(square);
  return *state ? 0 : -1;
}

static int close_cache(void **state)
{
  cache_destroy(*state);
  return 0;
}

static void keeps_what_is_used(void **state)
{
  struct entry *first = cache_get(*state, 7), *second = cache_get(*state, 7);
  assert_ptr_equal(first, second);
  assert_int_equal(entry_value(first), 49);
  assert_int_equal(loads, 1);
  cache_release(*state, first);
  cache_release(*state, second);
}

static void drops_what_is_not(void **state)
{
  cache_release(*state, cache_get(*state, 7));
  assert_int_equal(cache_count(*state), 0);
}

static void *use(void *cache)
{
  return cache_get(cache, 7);
}

static void loads_once_for_two_users(void **state)
{
  pthread_t user[2];
  void *entry[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&user[i], NULL, use, *state);
  for (int i = 0; i < 2; i++)
    pthread_join(user[i], &entry[i]);
  assert_int_equal(loads, 1);
  assert_ptr_equal(entry[0], entry[1]);
  for (int i = 0; i < 2; i++)
    cache_release(*state, entry[i]);
}

int main(void)
{
  const struct CMUnitTest cache[] = {
      cmocka_unit_test_setup_teardown(keeps_what_is_used, open_cache, close_cache),
      cmocka_unit_test_setup_teardown(drops_what_is_not, open_cache, close_cache),
      cmocka_unit_test_setup_teardown(loads_once_for_two_users, open_cache, close_cache),
  };
  return cmocka_run_group_tests(cache, NULL, NULL);
}
