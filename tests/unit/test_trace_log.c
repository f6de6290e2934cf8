/* SPDX-License-Identifier: Apache-2.0
 *
 * The trace log over made-up traces: JSON that parses whatever is in the names, slices and arrows that belong together
 * whatever is in the trace, since the tested program may have written over it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/rng.h"
#include "report/document/trace_log.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct thread_info threads[] = {
    {.nth = 0}, {.nth = 1, .name = "\"<\n\xff\xc3\xa9"}, {.nth = 2, .name = "sixteen bytes!!!"}};
static const char *const args[] = {"-x", "a b\xfe\n"};
static const struct trace_origin origin = {
    .program = "./pro\"gram\x80", .args = args, .arg_count = 2, .schedule = "out/x-1.hd"};

static struct story story_of(const struct trace_event *events, size_t count)
{
  return (struct story){
      .events = events, .event_count = count, .threads = threads, .thread_count = sizeof threads / sizeof *threads};
}

static char *text_of(const struct story *story, enum trace_format format)
{
  char *text = NULL;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  assert_non_null(out);
  assert_true(trace_write(out, format, story, &origin));
  assert_int_equal(fclose(out), 0);
  return text;
}

static json_t *load(const struct story *story, enum trace_format format)
{
  json_error_t error;
  char *text = text_of(story, format);
  json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
  if (!root)
    fail_msg("%s in line %d\n%s", error.text, error.line, text);
  free(text);
  return root;
}

static const char *string_of(json_t *object, const char *key)
{
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

static size_t count_phase(json_t *root, const char *phase)
{
  size_t i, n = 0;
  json_t *event;
  json_array_foreach(json_object_get(root, "traceEvents"), i, event) n += !strcmp(string_of(event, "ph"), phase);
  return n;
}

/* T1 takes the lock, T2 waits for it; T1 holds it again at the end. */
static const struct trace_event contended[] = {
    {.step = 1, .thread = 0, .op = OP_CREATE, .arg = 1, .holder = -1},
    {.step = 2, .thread = 0, .op = OP_CREATE, .arg = 2, .holder = -1},
    {.step = 3, .thread = 1, .op = OP_START, .holder = -1, .switched = 1},
    {.step = 4, .thread = 1, .op = OP_MUTEX_LOCK, .addr = 0x10, .holder = -1},
    {.step = 5, .thread = 2, .op = OP_START, .holder = -1, .switched = 2},
    {.step = 6, .thread = 1, .op = OP_MUTEX_UNLOCK, .addr = 0x10, .holder = 1, .switched = 2},
    {.step = 7,
     .thread = 2,
     .op = OP_MUTEX_LOCK,
     .addr = 0x10,
     .holder = -1,
     .switched = 1,
     .waited_since = 6,
     .woken_by = 6},
    {.step = 8, .thread = 2, .op = OP_MUTEX_UNLOCK, .addr = 0x10, .holder = 2},
    {.step = 9, .thread = 1, .op = OP_MUTEX_TRYLOCK, .addr = 0x10, .holder = -1, .switched = 1},
};
#define CONTENDED (sizeof contended / sizeof *contended)

static void draws_locks_waits_and_arrows(void **state)
{
  (void)state;
  const struct story story = story_of(contended, CONTENDED);
  json_t *root = load(&story, TRACE_CHROME);
  assert_int_equal(count_phase(root, "X"), CONTENDED + 1); /* and a wait */
  assert_int_equal(count_phase(root, "b"), 3);
  assert_int_equal(count_phase(root, "e"), 3); /* the last one because the trace ends */
  assert_int_equal(count_phase(root, "s"), 3); /* two creates, one unlock */
  assert_int_equal(count_phase(root, "f"), 3);
  assert_int_equal(count_phase(root, "i"), 0);
  json_decref(root);
}

static void does_not_take_what_was_refused(void **state)
{
  (void)state;
  const struct trace_event events[] = {
      {.step = 1, .thread = 0, .op = OP_MUTEX_TRYLOCK, .addr = 0x10, .result = 16, .holder = 1},
      {.step = 2, .thread = 0, .op = OP_MUTEX_UNLOCK, .addr = 0x10, .result = 1, .holder = 1}};
  const struct story story = story_of(events, 2);
  json_t *root = load(&story, TRACE_CHROME);
  assert_int_equal(count_phase(root, "b"), 0);
  assert_int_equal(count_phase(root, "e"), 0);
  json_decref(root);
  root = load(&story, TRACE_JSON);
  json_t *step = json_array_get(json_object_get(root, "steps"), 0);
  assert_string_equal(string_of(step, "holder"), "T1"); /* not the name that the program gave it, which is elsewhere */
  assert_string_equal(string_of(step, "result"), "EBUSY");
  json_decref(root);
}

static void follows_recursion_and_conditions(void **state)
{
  (void)state;
  const struct trace_event events[] = {
      {.step = 1, .thread = 1, .op = OP_MUTEX_LOCK, .addr = 0x10, .holder = -1},
      {.step = 2, .thread = 1, .op = OP_MUTEX_LOCK, .addr = 0x10, .holder = 1},
      {.step = 3, .thread = 1, .op = OP_MUTEX_UNLOCK, .addr = 0x10, .holder = 1},
      {.step = 4, .thread = 1, .op = OP_COND_WAIT, .addr = 0x20, .second = 0x10, .holder = -1},
      {.step = 7, .thread = 1, .op = OP_COND_WAKE, .addr = 0x20, .second = 0x10, .holder = -1, .waited_since = 5},
      {.step = 8, .thread = 1, .op = OP_MUTEX_UNLOCK, .addr = 0x10, .holder = 1}};
  const struct story story = story_of(events, sizeof events / sizeof *events);
  json_t *root = load(&story, TRACE_CHROME);
  assert_int_equal(count_phase(root, "b"), 2);
  assert_int_equal(count_phase(root, "e"), 2);
  json_decref(root);
}

static void escapes_all_names(void **state)
{
  (void)state;
  struct trace_event event = {.step = 1, .thread = 1, .op = OP_EVENT, .holder = -1};
  static const char begin[] = "\"<&>\n\xc3\xa9\xff\t\\ and no end: ";
  memset(event.text, '.', sizeof event.text);
  memcpy(event.text, begin, sizeof begin - 1);
  event.text[sizeof event.text - 1] = '\xc3';
  struct story story = story_of(&event, 1);
  struct bug bug = {.kind = BUG_ASSERTION, .text = "x == \"\xfe\"\n"};
  story.bug = &bug;
  for (enum trace_format format = TRACE_JSON; format <= TRACE_CHROME; format++)
    json_decref(load(&story, format));
  char *text = text_of(&story, TRACE_TEXT);
  for (const char *c = text; *c; c++)
    if ((unsigned char)*c < ' ' && *c != '\n')
      fail_msg("a control character in\n%s", text);
  assert_int_equal(strncmp(text, "# heddle-trace 1\n", 17), 0);
  assert_non_null(strstr(text, "\\xff"));
  free(text);
}

static void marks_what_is_left(void **state)
{
  (void)state;
  const struct trace_event left[] = {
      {.step = 10,
       .thread = 1,
       .op = OP_MUTEX_LOCK,
       .addr = 0x10,
       .holder = 2,
       .marks = TRACE_BLOCKED | TRACE_DEADLOCK},
      {.step = 10, .thread = 2, .op = OP_WRITE, .addr = 0x20, .length = 4, .holder = -1, .readers = 2, .writers = 1}};
  struct story story = story_of(contended, CONTENDED);
  story.left = left;
  story.left_count = 2;
  char *text = text_of(&story, TRACE_TEXT);
  assert_non_null(strstr(text, "waits to lock"));
  assert_non_null(strstr(text, "# [deadlock] held by T2"));
  assert_non_null(strstr(text, "about to write"));
  assert_non_null(strstr(text, "# 2/1"));
  free(text);
}

static void takes_the_format_from_the_name(void **state)
{
  (void)state;
  assert_int_equal(trace_format_of("x.perfetto.json"), TRACE_CHROME);
  assert_int_equal(trace_format_of("x.chrome.json"), TRACE_CHROME);
  assert_int_equal(trace_format_of("x.json"), TRACE_JSON);
  assert_int_equal(trace_format_of("json"), TRACE_TEXT);
  assert_int_equal(trace_format_of("-"), TRACE_TEXT);
  assert_int_equal(trace_format_of("perfetto.json"), TRACE_JSON);
}

/* Any bytes at all. */
static void survives_any_trace(void **state)
{
  (void)state;
  uint64_t seed = 7;
  for (unsigned round = 0; round < 200; round++) {
    struct trace_event events[20];
    unsigned char *bytes = (unsigned char *)events;
    for (size_t i = 0; i < sizeof events; i++)
      bytes[i] = (unsigned char)mix64(seed++);
    for (size_t i = 0; i < 20 && round % 2; i++) { /* half of them nearly right */
      events[i].step = i + 1;
      events[i].op %= OP_COUNT + 1;
      events[i].thread %= 4;
      events[i].addr %= 4;
      events[i].result %= 2;
      events[i].waited_since %= 20;
      events[i].woken_by %= 20;
    }
    struct story story = story_of(events, 18);
    story.left = events + 18;
    story.left_count = 2;
    free(text_of(&story, TRACE_TEXT));
    json_decref(load(&story, TRACE_JSON));
    json_t *root = load(&story, TRACE_CHROME);
    assert_int_equal(count_phase(root, "b"), count_phase(root, "e"));
    assert_int_equal(count_phase(root, "s"), count_phase(root, "f"));
    json_decref(root);
  }
}

static void takes_no_trace_at_all(void **state)
{
  (void)state;
  const struct story story = story_of(NULL, 0);
  free(text_of(&story, TRACE_TEXT));
  json_decref(load(&story, TRACE_JSON));
  json_decref(load(&story, TRACE_CHROME));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(draws_locks_waits_and_arrows),
      cmocka_unit_test(does_not_take_what_was_refused),
      cmocka_unit_test(follows_recursion_and_conditions),
      cmocka_unit_test(escapes_all_names),
      cmocka_unit_test(marks_what_is_left),
      cmocka_unit_test(takes_the_format_from_the_name),
      cmocka_unit_test(survives_any_trace),
      cmocka_unit_test(takes_no_trace_at_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
