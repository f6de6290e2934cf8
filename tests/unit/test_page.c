/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages as text: what is put into templates stays data, whatever it is made of. How they look and act is tested in a
 * browser (tests/e2e/page.py).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/page/page_parts.h"

static char *written(const struct story *story, const struct trace_origin *origin)
{
  char *text = NULL;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  assert_non_null(out);
  assert_true(page_write(out, story, origin));
  assert_int_equal(fclose(out), 0);
  return text;
}

/* The data of a page, read as the browser would. */
static json_t *data_of(const char *page)
{
  static const char begin[] = "<script id=\"data\" type=\"application/json\">";
  const char *start = strstr(page, begin);
  assert_non_null(start);
  start += sizeof begin - 1;
  const char *end = strstr(start, "</script>");
  assert_non_null(end);
  json_t *data = json_loadb(start, (size_t)(end - start), 0, NULL);
  assert_non_null(data);
  return data;
}

static void fills_in_by_whole_names(void **state)
{
  (void)state;
  char *text = NULL;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  page_fill(out, "{{a}}-{{a.js}}-{{none}}-{{a}}", (const struct page_part[]){{"a", "1{{a}}"}, {"a.js", "2"}}, 2);
  fclose(out);
  assert_string_equal(text, "1{{a}}-2--1{{a}}");
  free(text);
}

static void markup_is_text(void **state)
{
  (void)state;
  char *text = page_markup("<b>\"x\"&é\n\xff>");
  assert_string_equal(text, "&lt;b&gt;&quot;x&quot;&amp;é\n\\xff&gt;");
  free(text);
}

static void no_script_ends_early(void **state)
{
  (void)state;
  char *text = page_json(strdup("{\"a\":\"</script><!--\"}"));
  assert_null(strchr(text, '<'));
  json_t *value = json_loads(text, 0, NULL);
  assert_string_equal(json_string_value(json_object_get(value, "a")), "</script><!--");
  json_decref(value);
  free(text);
}

/* Two threads, one event with a hostile name, and no symbols at all. */
static const struct thread_info threads[] = {{0}, {.nth = 1, .name = "<i>\xff"}};
static const struct trace_event events[] = {
    {.step = 1, .thread = 0, .op = OP_CREATE, .arg = 1, .holder = -1},
    {.step = 3, .thread = 1, .op = OP_EVENT, .text = "</script>\xff", .holder = -1, .switched = 2},
    {.step = 4,
     .thread = 1,
     .op = OP_WRITE,
     .addr = 0x1000,
     .length = 4,
     .has_value = 1,
     .value = 7,
     .before = 5,
     .holder = -1},
    {.step = 5, .thread = 1, .op = OP_WRITE, .addr = 0x2000, .length = 4, .holder = -1}};

static struct story made_up(void)
{
  return (struct story){
      .events = events, .event_count = sizeof events / sizeof *events, .threads = threads, .thread_count = 2};
}

static void data_survives_hostile_names(void **state)
{
  (void)state;
  const char *const args[] = {"</script>", "\xfe"};
  const struct story story = made_up();
  const struct trace_origin origin = {.program = "a<b>", .args = args, .arg_count = 2};
  char *page = written(&story, &origin);
  json_t *data = data_of(page), *texts = json_object_get(data, "texts");
  assert_non_null(strstr(page, "<title>a&lt;b&gt;: an execution</title>"));
  assert_string_equal(json_string_value(json_array_get(json_object_get(data, "args"), 0)), "</script>");
  assert_string_equal(json_string_value(json_array_get(json_object_get(data, "given_names"), 1)), "<i>\\xff");
  assert_string_equal(json_string_value(json_array_get(json_object_get(data, "threads"), 1)), "T1:<i>\\xff");
  json_t *row = json_array_get(json_object_get(data, "events"), 1);
  json_t *object = json_array_get(json_object_get(data, "objects"), (size_t)json_integer_value(json_array_get(row, 5)));
  const size_t name = (size_t)json_integer_value(json_array_get(object, 0));
  assert_string_equal(json_string_value(json_array_get(texts, name)), "</script>\\xff");
  assert_true(json_is_null(json_object_get(data, "bug")));
  json_decref(data);
  free(page);
}

static void rows_have_what_happened(void **state)
{
  (void)state;
  const struct story story = made_up();
  const struct trace_origin origin = {.program = "p"};
  char *page = written(&story, &origin);
  json_t *data = data_of(page), *rows = json_object_get(data, "events"), *texts = json_object_get(data, "texts");
  assert_int_equal(json_array_size(rows), 4);
  json_t *write = json_array_get(rows, 2);
  const size_t value = (size_t)json_integer_value(json_array_get(write, 6));
  const size_t before = (size_t)json_integer_value(json_array_get(write, 8));
  assert_string_equal(json_string_value(json_array_get(texts, value)), "7");
  assert_string_equal(json_string_value(json_array_get(texts, before)), "5");
  assert_int_equal(json_integer_value(json_array_get(json_array_get(rows, 1), 7)), 2);
  assert_int_not_equal(json_integer_value(json_array_get(write, 5)),
                       json_integer_value(json_array_get(json_array_get(rows, 3), 5))); /* two cells */
  json_decref(data);
  free(page);
}

static void has_the_switch_to_blame(void **state)
{
  (void)state;
  const struct bug bug = {.kind = BUG_ASSERTION, .step = 5, .text = "no"};
  struct story story = made_up();
  story.bug = &bug;
  story.blame = "{\"switch\":{\"then\":{\"step\":3}}}";
  char *text = page_data(&story, &(struct trace_origin){.program = "p"});
  json_t *data = json_loads(text, 0, NULL), *blame = json_object_get(json_object_get(data, "bug"), "blame");
  json_t *then = json_object_get(json_object_get(blame, "switch"), "then");
  assert_int_equal(json_integer_value(json_object_get(then, "step")), 3);
  json_decref(data);
  free(text);
}

static void leaves_out_the_first_of_too_many(void **state)
{
  (void)state;
  struct story story = made_up();
  struct trace_event *many = calloc(PAGE_EVENTS + 3, sizeof *many);
  assert_non_null(many);
  for (size_t i = 0; i < PAGE_EVENTS + 3; i++)
    many[i] = (struct trace_event){.step = i + 1, .op = OP_YIELD, .holder = -1};
  story.events = many;
  story.event_count = PAGE_EVENTS + 3;
  char *text = page_data(&story, &(struct trace_origin){.program = "p"});
  json_t *data = json_loads(text, 0, NULL), *rows = json_object_get(data, "events");
  assert_int_equal(json_integer_value(json_object_get(data, "left_out")), 3);
  assert_int_equal(json_array_size(rows), PAGE_EVENTS);
  assert_int_equal(json_integer_value(json_array_get(json_array_get(rows, 0), 0)), 4);
  json_decref(data);
  free(text);
  free(many);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fills_in_by_whole_names),
      cmocka_unit_test(markup_is_text),
      cmocka_unit_test(no_script_ends_early),
      cmocka_unit_test(data_survives_hostile_names),
      cmocka_unit_test(has_the_switch_to_blame),
      cmocka_unit_test(rows_have_what_happened),
      cmocka_unit_test(leaves_out_the_first_of_too_many),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
