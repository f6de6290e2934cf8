/* SPDX-License-Identifier: Apache-2.0
 *
 * Free runs, as they are counted and told: which are the same bug, what stands first, and that nothing grows without
 * end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/document/stress_document.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *const args[] = {"4", "\xff"};

static struct stress_report fresh(unsigned yields)
{
  return (struct stress_report){.program = "bank", .args = args, .arg_count = 2, .yields = yields};
}

static struct stress_outcome bug(enum bug_kind kind, const char *text, const char *where)
{
  struct stress_outcome outcome = {.bug = true, .kind = kind, .seconds = 0.5};
  snprintf(outcome.text, sizeof outcome.text, "%s", text);
  snprintf(outcome.where, sizeof outcome.where, "%s", where);
  return outcome;
}

static void the_same_bug_is_counted_once(void **unused)
{
  (void)unused;
  struct stress_report r = fresh(5);
  struct stress_outcome here = bug(BUG_ASSERTION, "x", "a.c:1"), there = bug(BUG_ASSERTION, "x", "a.c:2"),
                        passed = {.seconds = 1};
  stress_count(&r, STRESS_PLAIN, 0, &passed);
  stress_count(&r, STRESS_PLAIN, 9, &here);
  stress_count(&r, STRESS_PLAIN, 7, &here); /* runs side by side end in any order */
  stress_count(&r, STRESS_YIELDS, 3, &here);
  stress_count(&r, STRESS_YIELDS, 4, &there);
  assert_int_equal(r.bug_count, 2);
  assert_int_equal(r.bugs[0].in[STRESS_PLAIN].count, 2);
  assert_int_equal(r.bugs[0].in[STRESS_PLAIN].first, 7);
  assert_int_equal(r.bugs[0].in[STRESS_YIELDS].first, 3);
  assert_int_equal(r.bugs[1].in[STRESS_PLAIN].count, 0);
  assert_int_equal(r.in[STRESS_PLAIN].runs, 3);
  assert_int_equal(r.in[STRESS_PLAIN].failed, 2);
  assert_true(r.in[STRESS_PLAIN].seconds == 2);
}

static void too_many_ways_to_fail_are_counted_together(void **unused)
{
  (void)unused;
  struct stress_report r = fresh(0);
  uint64_t sum = 0;
  for (unsigned i = 0; i < 3 * STRESS_BUGS; i++) {
    char text[16];
    snprintf(text, sizeof text, "exit %u", i);
    struct stress_outcome outcome = bug(BUG_EXIT, text, "");
    stress_count(&r, STRESS_PLAIN, i, &outcome);
  }
  assert_int_equal(r.bug_count, STRESS_BUGS);
  for (size_t i = 0; i < r.bug_count; i++)
    sum += r.bugs[i].in[STRESS_PLAIN].count;
  assert_int_equal(sum, 3 * STRESS_BUGS);
  assert_string_equal(r.bugs[0].outcome.text, "exit 0");
  assert_string_equal(r.bugs[STRESS_BUGS - 1].outcome.text, "in other ways");
}

static void the_document_has_its_keys(void **unused)
{
  (void)unused;
  struct stress_report r = fresh(5);
  struct stress_outcome outcome = bug(BUG_DEADLOCK, "all wait", "");
  stress_count(&r, STRESS_YIELDS, 2, &outcome);
  char *text = stress_json(&r);
  json_t *root = json_loads(text, 0, NULL);
  const char *command, *kind, *arg;
  json_int_t runs, count, first;
  json_t *never;
  assert_non_null(root);
  assert_int_equal(text[strlen(text) - 1], '\n');
  assert_int_equal(json_unpack(root, "{s:s, s:[s,s], s:{s:I}, s:[{s:s, s:{s:o}, s:{s:I, s:I}}]}", "command", &command,
                               "args", &arg, &arg, "yields", "runs", &runs, "bugs", "kind", &kind, "plain", "first_run",
                               &never, "yields", "count", &count, "first_run", &first),
                   0);
  assert_string_equal(command, "stress");
  assert_string_equal(kind, "deadlock");
  assert_string_equal(arg, "\\xff");
  assert_true(runs == 1 && count == 1 && first == 2 && json_is_null(never));
  json_decref(root);
  free(text);
}

static void only_what_was_run_has_a_column(void **unused)
{
  (void)unused;
  struct stress_report r = fresh(0);
  struct stress_outcome outcome = bug(BUG_CRASH, "crash: SIGSEGV", "");
  char *text = NULL;
  size_t size = 0;
  stress_count(&r, STRESS_PLAIN, 0, &outcome);
  FILE *out = open_memstream(&text, &size);
  stress_table(out, &r);
  fclose(out);
  assert_non_null(strstr(text, "crash: SIGSEGV"));
  assert_non_null(strstr(text, "1 (100 %), first 1\n"));
  assert_null(strstr(text, "yields"));
  free(text);
  text = stress_json(&r);
  assert_null(strstr(text, "\"yields\""));
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_bug_is_counted_once),
      cmocka_unit_test(too_many_ways_to_fail_are_counted_together),
      cmocka_unit_test(the_document_has_its_keys),
      cmocka_unit_test(only_what_was_run_has_a_column),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
