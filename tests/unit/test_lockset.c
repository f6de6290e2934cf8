/* SPDX-License-Identifier: Apache-2.0
 *
 * Locks held, as recorded events tell of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "predict/locks/dependency.h"
#include "predict_script.h"

/* What T1 holds at the end, "B@2 C@3r". */
static const char *held_after(const char *const lines[], unsigned count)
{
  static char text[256];
  struct script s = {0};
  struct locksets sets = {0};
  struct event e;
  for (unsigned i = 0; i < count; i++)
    script_line(&s, "%s", lines[i]);
  struct trace_reader *r = script_open(&s);
  while (script_next(r, &e))
    locksets_event(&sets, &e);
  const struct trace *t = trace_tables(r);
  const struct lockset *mine = locksets_of(&sets, 1);
  text[0] = 0;
  for (uint32_t i = 0; i < mine->count; i++)
    sprintf(text + strlen(text), "%s%s@%s%s", i ? " " : "", t->objects[mine->held[i].lock].text,
            t->sites[mine->held[i].site].text, mine->held[i].shared ? "r" : "");
  assert_false(sets.failed);
  locksets_free(&sets);
  trace_close(r);
  script_free(&s);
  return text;
}

#define HELD_AFTER(...)                                                                                                \
  held_after((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void any_order(void **unused)
{
  (void)unused;
  assert_string_equal(
      HELD_AFTER("T1 mutex-lock A @ 1", "T1 mutex-lock B @ 2", "T1 mutex-unlock A @ 3", "T1 spin-lock C @ 4"),
      "B@2 C@4");
  assert_string_equal(HELD_AFTER("T1 mutex-lock A @ 1", "T1 mutex-unlock B @ 2"), "A@1");
  assert_string_equal(HELD_AFTER("T1 mutex-lock A @ 1", "T2 mutex-unlock A @ 2"), "A@1");
}

static void attempts(void **unused)
{
  (void)unused;
  assert_string_equal(HELD_AFTER("T1 mutex-trylock A @ 1", "T1 mutex-trylock B @ 2 failed", "T1 mutex-timedlock C @ 3",
                                 "T1 mutex-lock D @ 4 pending"),
                      "A@1 C@3");
}

static void read_write(void **unused)
{
  (void)unused;
  assert_string_equal(HELD_AFTER("T1 rwlock-rdlock A @ 1", "T1 rwlock-wrlock B @ 2", "T1 rwlock-tryrdlock C @ 3",
                                 "T1 rwlock-unlock B @ 4"),
                      "A@1r C@3r");
}

/* Thrice locked is one taking and one release, with the flag of recorded traces and without. */
static void recursive(void **unused)
{
  (void)unused;
  assert_string_equal(HELD_AFTER("T1 mutex-lock A @ 1", "T1 mutex-lock A @ 2 nested", "T1 mutex-lock A @ 3 nested",
                                 "T1 mutex-unlock A @ 4 nested", "T1 mutex-unlock A @ 5 nested"),
                      "A@1");
  assert_string_equal(HELD_AFTER("T1 mutex-lock A @ 1", "T1 mutex-lock A @ 2", "T1 mutex-lock A @ 3",
                                 "T1 mutex-unlock A @ 4", "T1 mutex-unlock A @ 5"),
                      "A@1");
  assert_string_equal(
      HELD_AFTER("T1 mutex-lock A @ 1", "T1 mutex-lock A @ 2", "T1 mutex-unlock A @ 4", "T1 mutex-unlock A @ 5"), "");
}

static void condition_waits(void **unused)
{
  (void)unused;
  assert_string_equal(HELD_AFTER("T1 mutex-lock A @ 1", "T1 mutex-lock B @ 2", "T1 cond-wait c A @ 3"), "B@2");
  assert_string_equal(HELD_AFTER("T1 mutex-lock A @ 1", "T1 mutex-lock B @ 2", "T1 cond-wait c A @ 3",
                                 "T1 cond-timedwake c A @ 3 timed failed"),
                      "B@2 A@3");
  /* the wake-up and what it takes as two events */
  assert_string_equal(HELD_AFTER("T1 mutex-lock A @ 1", "T1 cond-wait c A @ 3", "T1 cond-wake c A @ 3",
                                 "T1 mutex-lock A @ 3 hidden", "T1 mutex-unlock A @ 4"),
                      "");
  /* a recursive mutex is given up by one level only */
  assert_string_equal(HELD_AFTER("T1 mutex-lock A @ 1", "T1 mutex-lock A @ 2 nested", "T1 cond-wait c A @ 3 nested",
                                 "T1 cond-wake c A @ 3 nested"),
                      "A@1");
}

static void exclusion(void **unused)
{
  (void)unused;
  const uint32_t writer[] = {2, 6}, reader[] = {3, 9}, other[] = {5, 9, 12};
  assert_true(lockset_words_exclude(writer, 2, reader, 2));
  assert_true(lockset_words_exclude(reader, 2, writer, 2));
  assert_true(lockset_words_exclude(writer, 2, writer, 2));
  assert_false(lockset_words_exclude(reader, 2, reader, 2));
  assert_false(lockset_words_exclude(reader, 2, other, 3));
  assert_false(lockset_words_exclude(writer, 2, other, 3));
}

/* The dependency of the last lock asked for: "{B} C [2 4]". */
static void dependency_context(void **unused)
{
  (void)unused;
  struct script s = {0};
  struct dependencies d = {0};
  struct event e;
  uint32_t length;
  script_line(&s, "T1 mutex-lock A @ 1");
  script_line(&s, "T1 mutex-lock B @ 2");
  script_line(&s, "T1 mutex-unlock A");
  script_line(&s, "T1 mutex-lock C @ 4");
  struct trace_reader *r = script_open(&s);
  while (script_next(r, &e))
    dependencies_event(&d, &e);
  assert_false(d.failed);
  assert_int_equal(dependencies_count(&d), 3);
  const struct dependency *last = &d.list[2];
  const uint32_t *held = intern_words(&d.locksets, last->held, &length);
  assert_int_equal(length, 1);
  assert_string_equal(trace_tables(r)->objects[held[0] / 2].text, "B");
  const uint32_t *sites = intern_words(&d.contexts, last->context, &length);
  assert_int_equal(length, 2);
  assert_string_equal(trace_tables(r)->sites[sites[0]].text, "2");
  assert_string_equal(trace_tables(r)->sites[sites[1]].text, "4");
  dependencies_free(&d);
  trace_close(r);
  script_free(&s);
}

/* Numbers are given once and stay, while the table grows. */
static void interning(void **unused)
{
  (void)unused;
  struct intern t = {0};
  uint32_t words[3], length, empty = intern_number(&t, NULL, 0);
  for (uint32_t round = 0; round < 2; round++)
    for (uint32_t i = 0; i < 5000; i++) {
      words[0] = i % 7, words[1] = i, words[2] = 1;
      assert_int_equal(intern_number(&t, words, 2 + i % 2), i + 2);
    }
  assert_int_equal(intern_number(&t, NULL, 0), empty);
  assert_int_equal(t.count, 5001);
  assert_int_equal(intern_words(&t, 4001, &length)[1], 3999);
  assert_int_equal(length, 3);
  intern_free(&t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_order), cmocka_unit_test(attempts),           cmocka_unit_test(read_write),
      cmocka_unit_test(recursive), cmocka_unit_test(condition_waits),    cmocka_unit_test(exclusion),
      cmocka_unit_test(interning), cmocka_unit_test(dependency_context),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
