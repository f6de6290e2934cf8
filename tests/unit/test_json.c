/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON document: every key of the contract is there, in its spelling and type, whatever the texts
 * hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/document/json.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct thread_info threads[] = {{.nth = 0}, {.nth = 1}, {.nth = 2}};

static struct bug deadlock(void)
{
  struct bug bug = {.kind = BUG_DEADLOCK, .parties = 3, .key = 0xfeed, .execution = 16};
  bug.party[0] = (struct bug_party){.thread = 1,
                                    .op = OP_MUTEX_LOCK,
                                    .holder = 2,
                                    .addr = 0x10,
                                    .pc = 0x1000,
                                    .depth = 1,
                                    .stack = {0x2000},
                                    .holder_pc = 0x1100};
  bug.party[1] = (struct bug_party){.thread = 2, .op = OP_MUTEX_LOCK, .holder = 1, .addr = 0x20, .pc = 0x1200};
  bug.party[2] = (struct bug_party){.thread = 0, .op = OP_JOIN, .holder = 1, .pc = 0x1300};
  return bug;
}

static struct json_document document(const struct json_bug *bugs, size_t count)
{
  return (struct json_document){.version = "0.1",
                                .command = "explore",
                                .program = "./bank",
                                .strategy = "dpor",
                                .reset = "snapshot",
                                .executions = 100,
                                .blocked_executions = 3,
                                .cut_executions = 5,
                                .complete = true,
                                .steps = 4000,
                                .seconds = 0.5,
                                .estimate = {true, 1e6, 5e5, 2e6},
                                .bugs = bugs,
                                .bug_count = count};
}

static json_t *load(const struct json_document *d)
{
  json_error_t error;
  char *text = json_format(d);
  assert_non_null(text);
  assert_int_equal(text[strlen(text) - 1], '\n');
  json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
  if (!root)
    fail_msg("%s in line %d\n%s", error.text, error.line, text);
  free(text);
  return root;
}

static const char *string_of(json_t *object, const char *key)
{
  json_t *value = json_object_get(object, key);
  if (!json_is_string(value))
    fail_msg("%s is no string", key);
  return json_string_value(value);
}

static json_int_t integer_of(json_t *object, const char *key)
{
  json_t *value = json_object_get(object, key);
  if (!json_is_integer(value))
    fail_msg("%s is no integer", key);
  return json_integer_value(value);
}

static double real_of(json_t *object, const char *key)
{
  json_t *value = json_object_get(object, key);
  if (!json_is_real(value))
    fail_msg("%s is no real number", key);
  return json_real_value(value);
}

static void has_every_key_of_a_session(void **state)
{
  (void)state;
  const struct json_document d = document(NULL, 0);
  json_t *root = load(&d);
  assert_string_equal(string_of(root, "heddle"), "0.1");
  assert_string_equal(string_of(root, "command"), "explore");
  assert_string_equal(string_of(root, "program"), "./bank");
  assert_string_equal(string_of(root, "strategy"), "dpor");
  assert_string_equal(string_of(root, "reset"), "snapshot");
  assert_int_equal(integer_of(root, "executions"), 100);
  assert_int_equal(integer_of(root, "blocked_executions"), 3);
  assert_int_equal(integer_of(root, "cut_executions"), 5);
  assert_true(json_is_true(json_object_get(root, "complete")));
  assert_int_equal(integer_of(root, "steps"), 4000);
  assert_true(fabs(real_of(root, "seconds") - 0.5) < 1e-9);
  assert_true(fabs(real_of(root, "executions_per_second") - 200) < 1e-6);
  json_t *estimate = json_object_get(root, "estimate");
  assert_int_equal(integer_of(estimate, "executions"), 1000000);
  assert_int_equal(integer_of(estimate, "low"), 500000);
  assert_int_equal(integer_of(estimate, "high"), 2000000);
  assert_true(json_is_array(json_object_get(root, "bugs")));
  assert_int_equal(json_array_size(json_object_get(root, "bugs")), 0);
  assert_null(json_object_get(root, "error"));
  json_decref(root);
}

static void has_every_key_of_a_bug(void **state)
{
  (void)state;
  const struct bug bug = deadlock();
  const struct story story = {.bug = &bug, .threads = threads, .thread_count = 3, .schedule = "heddle-out/bank-1.hd"};
  const struct json_bug bugs[] = {{.story = &story, .preemptions = 2, .replayed = true}};
  const struct json_document d = document(bugs, 1);
  json_t *root = load(&d);
  json_t *first = json_array_get(json_object_get(root, "bugs"), 0);
  assert_string_equal(string_of(first, "kind"), "deadlock");
  assert_string_equal(string_of(first, "message"), "deadlock: T1 and T2 wait for each other");
  assert_string_equal(string_of(first, "where"), "0x1000");
  json_t *names = json_object_get(first, "threads");
  assert_int_equal(json_array_size(names), 3);
  assert_string_equal(json_string_value(json_array_get(names, 0)), "T1");
  assert_string_equal(json_string_value(json_array_get(names, 2)), "main");
  assert_int_equal(integer_of(first, "first_execution"), 17);
  assert_int_equal(integer_of(first, "preemptions"), 2);
  assert_string_equal(string_of(first, "schedule"), "heddle-out/bank-1.hd");
  assert_true(json_is_true(json_object_get(first, "replayed")));
  json_t *party = json_array_get(json_object_get(first, "parties"), 0);
  assert_string_equal(string_of(party, "operation"), "mutex-lock");
  assert_string_equal(string_of(party, "holder"), "T2");
  assert_int_equal(json_array_size(json_object_get(party, "stack")), 1);
  json_decref(root);
}

static void survives_odd_values(void **state)
{
  (void)state;
  struct bug bug = {.kind = 77, .parties = 1000, .key = UINT64_MAX};
  snprintf(bug.text, sizeof bug.text, "bad \xff\xfe \033[31m text \"quoted\"\n");
  const struct story story = {.bug = &bug};
  const struct json_bug bugs[] = {{.story = &story}};
  struct json_document d = document(bugs, 1);
  const char *const args[] = {"\xff", ""};
  d.args = args;
  d.arg_count = 2;
  d.program = "\x80";
  d.reset_reason = "it writes files";
  d.error = "no";
  d.seconds = 0;
  d.estimate.executions = INFINITY;
  d.estimate.low = NAN;
  d.estimate.high = -1;
  d.executions = UINT64_MAX;
  d.seed = UINT64_MAX;
  json_t *root = load(&d);
  assert_string_equal(string_of(root, "program"), "\\x80");
  assert_string_equal(string_of(root, "seed"), "18446744073709551615");
  assert_string_equal(string_of(root, "reset_reason"), "it writes files");
  assert_int_equal(integer_of(json_object_get(root, "estimate"), "low"), 0);
  json_t *first = json_array_get(json_object_get(root, "bugs"), 0);
  assert_string_equal(string_of(first, "message"), "bad \\xff\\xfe \\x1b[31m text \"quoted\"\\n");
  assert_true(json_is_null(json_object_get(first, "schedule")));
  json_decref(root);
}

static void writes_a_file(void **state)
{
  (void)state;
  char directory[] = "/tmp/heddle-json-XXXXXX", path[64], error[256] = "";
  const struct json_document d = document(NULL, 0);
  assert_non_null(mkdtemp(directory));
  snprintf(path, sizeof path, "%s/a.json", directory);
  assert_true(json_write(&d, path, error, sizeof error));
  json_t *root = json_load_file(path, 0, NULL);
  assert_non_null(root);
  json_decref(root);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(directory), 0);
  setenv("TMPDIR", directory, 1); /* it is not there: the document is lost, not put elsewhere */
  assert_false(json_write(&d, path, error, sizeof error));
  unsetenv("TMPDIR");
  assert_non_null(strstr(error, "cannot be written"));
  assert_true(json_write(&d, "/dev/null", error, sizeof error));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(has_every_key_of_a_session),
      cmocka_unit_test(has_every_key_of_a_bug),
      cmocka_unit_test(survives_odd_values),
      cmocka_unit_test(writes_a_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
