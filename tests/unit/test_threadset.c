/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets of threads, against a plain array of bools.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/rng.h"
#include "core/threadset.h"
#include <string.h>

/* Numbers around which words begin and end. */
static const unsigned edges[] = {0, 1, 62, 63, 64, 65, 127, 128, 191, 192, 254, 255};
#define EDGES (sizeof edges / sizeof edges[0])

static void assert_same(const struct threadset *set, const bool *member)
{
  unsigned count = 0;
  for (unsigned t = 0; t < MAX_THREADS; t++) {
    assert_int_equal(threadset_has(set, t), member[t]);
    if (member[t])
      assert_int_equal(threadset_nth(set, count), t);
    count += member[t];
  }
  assert_int_equal(threadset_count(set), count);
  assert_int_equal(threadset_empty(set), count == 0);
  unsigned next = MAX_THREADS;
  for (unsigned t = MAX_THREADS; t-- > 0;) {
    if (member[t])
      next = t;
    assert_int_equal(threadset_next(set, t), next);
  }
  unsigned seen = 0, last = 0;
  THREADSET_EACH(t, set)
  {
    assert_true(member[t]);
    assert_true(seen == 0 || t > last);
    last = t;
    seen++;
  }
  assert_int_equal(seen, count);
}

static void starts_empty(void **unused)
{
  (void)unused;
  struct threadset set = {{0}};
  bool member[MAX_THREADS] = {false};
  assert_same(&set, member);
}

static void single_members_at_the_edges(void **unused)
{
  (void)unused;
  for (unsigned i = 0; i < EDGES; i++) {
    struct threadset set = {{0}};
    bool member[MAX_THREADS] = {false};
    threadset_add(&set, edges[i]);
    member[edges[i]] = true;
    assert_same(&set, member);
    threadset_remove(&set, edges[i]);
    member[edges[i]] = false;
    assert_same(&set, member);
  }
}

static void a_full_set(void **unused)
{
  (void)unused;
  struct threadset set = {{0}};
  bool member[MAX_THREADS];
  memset(member, true, sizeof member);
  for (unsigned t = 0; t < MAX_THREADS; t++)
    threadset_add(&set, t);
  assert_same(&set, member);
}

static void random_additions_and_removals(void **unused)
{
  (void)unused;
  uint64_t stream = 5;
  struct threadset set = {{0}};
  bool member[MAX_THREADS] = {false};
  for (unsigned i = 0; i < 3000; i++) {
    unsigned t = rng_below(&stream, MAX_THREADS);
    bool add = rng_below(&stream, 5) < (i / 1000 % 2 ? 2 : 3);
    if (add)
      threadset_add(&set, t);
    else
      threadset_remove(&set, t);
    member[t] = add;
    assert_same(&set, member);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(starts_empty),
      cmocka_unit_test(single_members_at_the_edges),
      cmocka_unit_test(a_full_set),
      cmocka_unit_test(random_additions_and_removals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
