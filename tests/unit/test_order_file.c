/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedule files: what is read from them, what is wrong with those that are none, and what the compiler is given.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "language/order_file.h"
#include "language/side_edits.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void a_file_is_read(void **unused)
{
  (void)unused;
  char text[] = "# of the queue\n"
                "schedule waits: a -> b, # first\n"
                "  [c] -> d\n"
                "\n"
                "q.c:12 a\n"
                "  ../src/my-q.c:7\tq.d # here\n"
                "pin lost :\n"
                "schedule -> b\n"
                "formula rich: !([t] -> a)\n"
                "/abs/q.c:3 b";
  struct order_file f;
  struct order_error error = {0};
  if (!order_file_read(text, &f, &error))
    fail_msg("%u:%u: %s", error.line, error.column, error.text);
  assert_int_equal(f.schedules, 3);
  assert_string_equal(f.schedule[0].name, "waits");
  assert_string_equal(f.schedule[0].text, " a -> b, # first\n  [c] -> d\n");
  assert_int_equal(f.schedule[0].kind, ORDER_SCHEDULE);
  assert_string_equal(f.schedule[1].name, "lost");
  assert_string_equal(f.schedule[1].text, "\nschedule -> b");
  assert_int_equal(f.schedule[1].kind, ORDER_PIN);
  assert_int_equal(f.schedule[2].kind, ORDER_FORMULA);
  assert_int_equal(f.places, 3);
  assert_string_equal(f.place[0].file, "q.c");
  assert_int_equal(f.place[0].line, 12);
  assert_string_equal(f.place[0].event, "a");
  assert_string_equal(f.place[1].file, "../src/my-q.c");
  assert_string_equal(f.place[1].event, "q.d");
  assert_int_equal(f.place[1].from, 6);
  assert_string_equal(f.place[2].file, "/abs/q.c");
  assert_string_equal(f.place[2].event, "b");
}

static const struct {
  const char *text;
  unsigned line, column;
  const char *why;
} wrong[] = {
    {"a -> b\n", 1, 1, "expected `schedule NAME:`, `pin NAME:`, `formula NAME:` or `FILE:LINE EVENT`, found `a`"},
    {"schedule waits\n  a -> b", 1, 15, "expected `:` after the name of the schedule, found the end of the line"},
    {"schedule my waits: a -> b", 1, 13, "expected `:` after the name of the schedule, found `waits:`"},
    {"schedule s:\n  a -> b\nschedule s: b -> c", 3, 10, "there is another schedule of that name"},
    {"schedule s: a -> b\n  c ->\n", 3, 1, "expected an event after `->`, found the end"},
    {"\nschedule s: a ->> b", 2, 17, "expected an event after `->`, found `>`"},
    {"schedule s:\n a -> b,\n b -> a", 2, 2, "b would have to happen before itself: it waits for a, and a for it"},
    {"formula f: a -> b -> c", 1, 19, "`->` of what has `->` itself: write parentheses"},
    {"q.c:0 a", 1, 5, "there is no such line: they count from 1"},
    {"q.c:99999999999 a", 1, 5, "there is no such line: they count from 1"},
    {"# c\nq.c:7", 2, 6, "expected the name of an event after the line, found the end of the line"},
    {"q.c:7 7up", 1, 7, "expected the name of an event after the line, found `7up`"},
    {"q.c:7 a@main", 1, 8, "expected the end of the line: a place has one event, and no thread, found `@main`"},
    {"q.c:7 a b", 1, 9, "expected the end of the line: a place has one event, and no thread, found `b`"},
    {"schedule s: a -> b\nq.c:7 a\n c -> d", 3, 2,
     "expected `schedule NAME:`, `pin NAME:`, `formula NAME:` or `FILE:LINE EVENT`, found `c`"},
    {"schedule a_name_that_is_longer_than_any_schedule_has_a_right_to_be: a -> b", 1, 10, "this name is too long"},
};

static void errors_say_where_and_why(void **unused)
{
  (void)unused;
  print_message("%zu wrong texts\n", sizeof wrong / sizeof wrong[0]);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    struct order_file f;
    struct order_error error = {0};
    char *text = strdup(wrong[i].text);
    if (order_file_read(text, &f, &error))
      fail_msg("\"%s\" was understood", wrong[i].text);
    if (error.line != wrong[i].line || error.column != wrong[i].column || strcmp(error.text, wrong[i].why) != 0)
      fail_msg("\"%s\": %u:%u: %s, not %u:%u: %s", wrong[i].text, error.line, error.column, error.text, wrong[i].line,
               wrong[i].column, wrong[i].why);
    free(text);
  }
}

/* As many lines as there may be are read; one more is told on its own line. */
static void expect_at_most(const char *line, unsigned most, const char *why)
{
  char text[8192];
  struct order_file f;
  struct order_error error = {0};
  for (unsigned lines = most; lines <= most + 1; lines++) {
    size_t n = 0;
    for (unsigned i = 1; i <= lines; i++)
      n += (size_t)snprintf(text + n, sizeof text - n, line, i);
    assert_int_equal(order_file_read(text, &f, &error), lines == most);
  }
  assert_int_equal(error.line, most + 1);
  assert_string_equal(error.text, why);
}

static void too_many_are_told(void **unused)
{
  (void)unused;
  expect_at_most("schedule s%u: a -> b\n", ORDERINGS_MOST, "there are more than 16 schedules");
  expect_at_most("q.c:%u a\n", ORDER_PLACES, "there are more than 64 places");
}

static const char *const source = "#include <q.h>\n"
                                  "int main(void)\n"
                                  "{\n"
                                  "  int x = take();\n"
                                  "  if (x)\n"
                                  "    add(x);\n"
                                  "  return x; /* done */\n"
                                  "}\n"
                                  "void f(void) {\n"
                                  "g();\n"
                                  "}\n";

static void no_line_moves(void **unused)
{
  (void)unused;
  struct side_edits e;
  char problem[128];
  size_t length;
  assert_true(side_edits_open(&e, "dir/q.c", false, source, strlen(source)));
  assert_true(side_edits_place(&e, 6, "beforeAdd", problem, sizeof problem));
  assert_true(side_edits_place(&e, 7, "q.done", problem, sizeof problem));
  assert_false(side_edits_place(&e, 3, "x", problem, sizeof problem));
  assert_string_equal(problem, "no statement begins there; the next one does on line 4");
  assert_true(side_edits_place(&e, 10, "g", problem, sizeof problem));
  assert_false(side_edits_place(&e, 11, "x", problem, sizeof problem));
  assert_string_equal(problem, "no statement begins there, nor behind it");
  char *text = side_edits_text(&e, &length);
  assert_string_equal(text, "void hd__event(const char *) __attribute__((weak));\n"
                            "#line 1 \"dir/q.c\"\n"
                            "#include <q.h>\n"
                            "int main(void)\n"
                            "{\n"
                            "  int x = take();\n"
                            "  if (x)\n"
                            "    { { if (hd__event) hd__event(\"beforeAdd\"); } add(x); }\n"
                            "  { if (hd__event) hd__event(\"q.done\"); } return x; /* done */\n"
                            "}\n"
                            "void f(void) {\n"
                            "{ if (hd__event) hd__event(\"g\"); } g();\n"
                            "}\n");
  free(text);
  side_edits_close(&e);
}

static void schedules_keep_their_lines(void **unused)
{
  (void)unused;
  struct side_edits e;
  struct order_file f;
  struct order_error error;
  size_t length;
  char side[] = "# q\nschedule s:\n a -> b\npin p: a -> b\nformula f: a";
  assert_true(order_file_read(side, &f, &error));
  assert_true(side_edits_open(&e, "q.c", true, "int x;\n", 7));
  assert_true(side_edits_declare(&e, &f, "q.schedule"));
  char *text = side_edits_text(&e, &length);
  assert_string_equal(text, "extern \"C\" void hd__event(const char *) __attribute__((weak));\n"
                            "#line 1 \"q.c\"\n"
                            "int x;\n"
                            "\n#include <heddle_schedule.h>\n"
                            "#line 2 \"q.schedule\"\n"
                            "HD_SCHEDULE(s, \"\\n a -> b\");\n"
                            "#line 4 \"q.schedule\"\n"
                            "HD_PIN(p, \" a -> b\");\n"
                            "#line 5 \"q.schedule\"\n"
                            "HD_FORMULA(f, \" a\");\n");
  free(text);
  side_edits_close(&e);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_is_read),
      cmocka_unit_test(errors_say_where_and_why),
      cmocka_unit_test(too_many_are_told),
      cmocka_unit_test(no_line_moves),
      cmocka_unit_test(schedules_keep_their_lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
