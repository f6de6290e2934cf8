/* SPDX-License-Identifier: Apache-2.0
 *
 * The SARIF log over made-up bugs: what it says whatever is in the names, and where paths lead. That it fits the schema
 * is for tests/e2e/sarif.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/document/sarif.h"
#include "report/document/sarif_parts.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct thread_info threads[] = {{.nth = 0}, {.nth = 1}, {.nth = 2}};
static const char *const words[] = {"check", "it's", "\xff"};

static json_t *load(const struct sarif_part *parts, size_t count, int status)
{
  json_error_t error;
  char *text = sarif_format(
      &(struct sarif_log){.words = words, .word_count = 3, .status = status, .parts = parts, .part_count = count});
  assert_non_null(text);
  json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
  if (!root)
    fail_msg("%s in line %d\n%s", error.text, error.line, text);
  free(text);
  return root;
}

static json_t *run_of(json_t *root)
{
  return json_array_get(json_object_get(root, "runs"), 0);
}

static json_t *result_of(json_t *root, size_t index)
{
  return json_array_get(json_object_get(run_of(root), "results"), index);
}

/* By a path of keys and indices. */
static const char *text_at(json_t *value, const char *path)
{
  char copy[256];
  snprintf(copy, sizeof copy, "%s", path);
  for (char *rest = copy, *word; (word = strsep(&rest, "/"));)
    value = json_is_array(value) ? json_array_get(value, (size_t)atoi(word)) : json_object_get(value, word);
  if (!json_is_string(value))
    fail_msg("%s is no text", path);
  return json_string_value(value);
}

static void one_result_for_each_bug_of_all_parts(void **state)
{
  (void)state;
  struct bug race = {.kind = BUG_RACE, .parties = 2, .key = 0xfeed, .execution = 4};
  race.party[0] = (struct bug_party){.thread = 1, .op = OP_WRITE, .length = 4, .holder = -1};
  race.party[1] = (struct bug_party){.thread = 2, .op = OP_READ, .length = 4, .holder = -1};
  struct bug exit = {.kind = BUG_EXIT, .text = "status {0} of \xfe"};
  const struct story stories[] = {
      {.bug = &race, .threads = threads, .thread_count = 3, .warning = true, .schedule = "out/it's-1.hd"},
      {.bug = &exit, .threads = threads, .thread_count = 3}};
  const struct json_bug bugs[] = {{.story = &stories[0], .preemptions = 3, .replayed = true},
                                  {.story = &stories[1], .replayed = true}};
  const struct json_document documents[] = {{.program = "./a b", .bugs = bugs, .bug_count = 1, .seed = UINT64_MAX},
                                            {.program = "/x/b", .bugs = bugs + 1, .bug_count = 1, .error = "no {}"}};
  const struct sarif_part parts[] = {{"first", &documents[0]}, {"second", &documents[1]}};
  json_t *root = load(parts, 2, 1), *run = run_of(root), *result = result_of(root, 0);
  assert_int_equal(json_array_size(json_object_get(run, "results")), 2);
  assert_string_equal(text_at(result, "ruleId"), "race");
  assert_string_equal(text_at(result, "level"), "warning");
  json_t *fingerprints = json_object_get(result, "partialFingerprints");
  assert_string_equal(json_string_value(json_object_get(fingerprints, "heddleBug/v1")), "000000000000feed");
  assert_string_equal(text_at(result, "properties/test"), "first");
  assert_string_equal(text_at(result, "properties/seed"), "18446744073709551615");
  assert_string_equal(text_at(result, "properties/replay"), "heddle replay 'out/it'\\''s-1.hd'");
  assert_string_equal(text_at(result, "locations/0/physicalLocation/artifactLocation/uri"), "a%20b");
  result = result_of(root, 1);
  assert_string_equal(text_at(result, "level"), "error");
  assert_string_equal(text_at(result, "message/text"), "status {{0}} of \\xfe");
  assert_string_equal(text_at(result, "locations/0/physicalLocation/artifactLocation/uri"), "file:///x/b");
  assert_string_equal(text_at(run, "invocations/0/commandLine"), "heddle check 'it'\\''s' $'\\xff'");
  assert_string_equal(text_at(run, "invocations/0/toolExecutionNotifications/0/message/text"), "second: no {{}}");
  json_decref(root);
}

static void knows_whether_it_went_well(void **state)
{
  (void)state;
  static const bool well[] = {true, true, false, false};
  const struct json_document document = {.program = "./x"};
  const struct sarif_part part = {NULL, &document};
  for (int status = 0; status < 4; status++) {
    json_t *root = load(&part, 1, status);
    json_t *invocation = json_array_get(json_object_get(run_of(root), "invocations"), 0);
    assert_int_equal(json_is_true(json_object_get(invocation, "executionSuccessful")), well[status]);
    assert_int_equal(json_integer_value(json_object_get(invocation, "exitCode")), status);
    assert_int_equal(json_array_size(json_object_get(run_of(root), "results")), 0);
    json_decref(root);
  }
}

/* The steps of two threads by turns: one flow each, numbered through. */
static void one_flow_a_thread(void **state)
{
  (void)state;
  const struct story_step steps[] = {{.step = 5, .thread = 2, .text = "reads x"},
                                     {.step = 6, .thread = 1, .marked = true, .text = "writes {x}"},
                                     {.step = 9, .thread = 2, .marked = true, .text = "writes x"}};
  const struct bug bug = {.kind = BUG_ASSERTION, .text = "x == 2", .where = "some dir/a.c:12"};
  const struct story story = {.bug = &bug, .threads = threads, .thread_count = 3, .steps = steps, .step_count = 3};
  const struct json_bug json_bug = {.story = &story, .replayed = true};
  const struct json_document document = {.program = "./x", .bugs = &json_bug, .bug_count = 1};
  const struct sarif_part part = {NULL, &document};
  json_t *root = load(&part, 1, 1), *result = result_of(root, 0);
  json_t *flow = json_array_get(json_object_get(result, "codeFlows"), 0);
  json_t *flows = json_object_get(flow, "threadFlows");
  assert_int_equal(json_array_size(flows), 2);
  assert_string_equal(text_at(flows, "0/id"), "T2");
  assert_string_equal(text_at(flows, "0/locations/1/location/message/text"), "T2 writes x");
  assert_string_equal(text_at(flows, "0/locations/1/importance"), "essential");
  assert_string_equal(text_at(flows, "1/locations/0/location/message/text"), "T1 writes {{x}}");
  json_t *last = json_array_get(json_object_get(json_array_get(flows, 0), "locations"), 1);
  assert_int_equal(json_integer_value(json_object_get(last, "executionOrder")), 3);
  assert_string_equal(text_at(result, "locations/0/physicalLocation/artifactLocation/uri"), "some%20dir/a.c");
  json_decref(root);
}

static void expect_uri(const char *path, const char *uri, bool below)
{
  bool good = true;
  json_t *artifact = sarif_artifact(path, &good);
  assert_true(good);
  assert_string_equal(text_at(artifact, "uri"), uri);
  assert_int_equal(json_object_get(artifact, "uriBaseId") != NULL, below);
  json_decref(artifact);
}

static void paths_become_uris(void **state)
{
  (void)state;
  char here[4096], path[4200];
  assert_non_null(getcwd(here, sizeof here));
  expect_uri("a.c", "a.c", true);
  expect_uri("./a.c", "a.c", true);
  expect_uri("1:#?.c", "1%3A%23%3F.c", true);
  expect_uri("\xc3\xa9%.c", "%C3%A9%25.c", true);
  expect_uri("/no/such/a.c", "file:///no/such/a.c", false);
  snprintf(path, sizeof path, "%s/src/a.c", here);
  expect_uri(path, "src/a.c", true);
  snprintf(path, sizeof path, "%s-other/a.c", here);
  bool good = true;
  json_t *artifact = sarif_artifact(path, &good);
  assert_null(json_object_get(artifact, "uriBaseId"));
  json_decref(artifact);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_result_for_each_bug_of_all_parts),
      cmocka_unit_test(knows_whether_it_went_well),
      cmocka_unit_test(one_flow_a_thread),
      cmocka_unit_test(paths_become_uris),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
