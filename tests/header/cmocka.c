/* SPDX-License-Identifier: Apache-2.0
 *
 * hd_explore() in cmocka tests: several in one process, a failing body, a passing one, data choices. The bodies are
 * abandoned in mid-air by the exploration, and cmocka must not notice.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <assert.h>
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

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

static void two_increments(void *careful)
{
  pthread_t thread[2];
  char *block = malloc(100); /* freed before the end, so that no execution leaves it behind */
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, increment, careful);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  free(block);
  assert(counter == 2);
}

static void finds_the_lost_update(void **state)
{
  (void)state;
  struct hd_verdict v = hd_explore(NULL, two_increments, NULL);
  assert_false(v.ok);
  assert_false(v.error);
  assert_string_equal(v.kind, "assertion");
  assert_string_equal(v.message, "assertion failed: counter == 2");
  assert_true(v.races > 0);
  assert_true(v.executions >= v.execution);
}

static void passes_with_the_lock(void **state)
{
  (void)state;
  struct hd_options options = {.strategy = "pos", .seed = 7, .executions = 500, .races = HD_RACES_FAIL};
  struct hd_verdict v = hd_explore(&options, two_increments, "careful");
  assert_true(v.ok);
  assert_int_equal(v.executions, 500);
  assert_int_equal(v.races, 0);
}

static void leaves_the_process_as_it_was(void **state)
{
  (void)state;
  assert_int_equal(counter, 0);
}

static void the_same_seed_finds_it_in_the_same_execution(void **state)
{
  (void)state;
  struct hd_options options = {.strategy = "random", .seed = 11};
  struct hd_verdict a = hd_explore(&options, two_increments, NULL);
  struct hd_verdict b = hd_explore(&options, two_increments, NULL);
  assert_false(a.ok);
  assert_int_equal(a.execution, b.execution);
}

static void choices(void *arg)
{
  (void)arg;
  unsigned a = hd_choose(4), b = hd_choose(4);
  hd_assume(a != b);
  hd_event("chosen");
  hd_yield();
  assert(a + b != 5);
}

static void every_choice_is_tried(void **state)
{
  (void)state;
  struct hd_verdict v = hd_explore(NULL, choices, NULL);
  assert_false(v.ok);
  assert_string_equal(v.message, "assertion failed: a + b != 5");
}

static void nothing(void *arg)
{
  (void)arg;
}

static void an_unknown_strategy_is_an_error(void **state)
{
  (void)state;
  struct hd_options options = {.strategy = "luck"};
  struct hd_verdict v = hd_explore(&options, nothing, NULL);
  assert_false(v.ok);
  assert_true(v.error);
}

static void lock_twice(void *arg)
{
  (void)arg;
  pthread_mutex_lock(&lock);
  pthread_mutex_lock(&lock);
}

static void a_body_without_threads_is_one_execution(void **state)
{
  (void)state;
  struct hd_verdict v = hd_explore(NULL, nothing, NULL);
  assert_true(v.ok);
  assert_int_equal(v.executions, 1);
  v = hd_explore(NULL, lock_twice, NULL);
  assert_string_equal(v.kind, "deadlock");
}

static void *idle(void *arg)
{
  return arg;
}

static void forty_threads(void *arg)
{
  (void)arg;
  pthread_t thread[40];
  for (int i = 0; i < 40; i++)
    pthread_create(&thread[i], NULL, idle, NULL);
  for (int i = 0; i < 40; i++)
    pthread_join(thread[i], NULL);
}

static void the_pool_of_threads_grows(void **state)
{
  (void)state;
  struct hd_options options = {.executions = 50};
  struct hd_verdict v = hd_explore(&options, forty_threads, NULL);
  assert_true(v.ok);
  assert_int_equal(v.executions, 50);
}

static void one_thread(void *arg)
{
  (void)arg;
  pthread_t thread;
  pthread_create(&thread, NULL, idle, NULL);
  pthread_join(thread, NULL);
}

static void draws(void *arg)
{
  unsigned char number;
  assert(getrandom(&number, 1, 0) == 1);
  one_thread(arg);
}

static void forks(void *arg)
{
  pid_t child = fork();
  if (child == 0)
    _exit(0);
  waitpid(child, NULL, 0);
  one_thread(arg);
}

static void what_is_not_seen_is_not_complete(void **state)
{
  (void)state;
  struct hd_options options = {.strategy = "dpor"};
  assert_true(hd_explore(&options, one_thread, NULL).complete);
  assert_false(hd_explore(&options, draws, NULL).complete);
  assert_false(hd_explore(&options, forks, NULL).complete);
}

static void never_assumed(void *arg)
{
  one_thread(arg);
  hd_assume(false);
}

static void what_tests_nothing_is_an_error(void **state)
{
  (void)state;
  struct hd_options options = {.strategy = "dpor"};
  struct hd_verdict v = hd_explore(&options, never_assumed, NULL);
  assert_true(v.error && !v.ok && !v.complete && v.executions == 0);
  assert_non_null(strstr(v.message, "assumptions"));
}

static atomic_int told;

static void *too_late(void *arg)
{
  assert(!told);
  return arg;
}

static void left_behind(void *arg)
{
  (void)arg;
  pthread_t thread;
  pthread_create(&thread, NULL, too_late, NULL);
  pthread_detach(thread);
  told = 1;
}

static void a_thread_runs_until_the_end(void **state)
{
  (void)state;
  struct hd_options options = {.strategy = "dpor"};
  assert_string_equal(hd_explore(&options, left_behind, NULL).kind, "assertion");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_the_lost_update),
      cmocka_unit_test(leaves_the_process_as_it_was),
      cmocka_unit_test(passes_with_the_lock),
      cmocka_unit_test(the_same_seed_finds_it_in_the_same_execution),
      cmocka_unit_test(every_choice_is_tried),
      cmocka_unit_test(an_unknown_strategy_is_an_error),
      cmocka_unit_test(a_body_without_threads_is_one_execution),
      cmocka_unit_test(the_pool_of_threads_grows),
      cmocka_unit_test(what_is_not_seen_is_not_complete),
      cmocka_unit_test(what_tests_nothing_is_an_error),
      cmocka_unit_test(a_thread_runs_until_the_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
