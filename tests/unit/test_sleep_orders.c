/* SPDX-License-Identifier: Apache-2.0
 *
 * From a test that sleeps to its schedule: statements and marks of C texts, orders of runs that are written down here,
 * edits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "language/sleep_edits.h"
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* ---- statements ---- */

static struct c_file read_file(const char *text)
{
  struct c_file file;
  assert_true(c_file_read(&file, text, strlen(text), false));
  return file;
}

static const struct c_statement *statement_at(const struct c_file *f, const char *text, const char *begin)
{
  for (size_t i = 0; i < f->statements; i++)
    if (!strncmp(text + f->statement[i].begin, begin, strlen(begin)))
      return &f->statement[i];
  fail_msg("no statement %s", begin);
  return NULL;
}

static void test_statements(void **state)
{
  (void)state;
  const char *text = "#include <x.h>\n"
                     "#define NAP() usleep(10)\n"
                     "static void nap(int n) { usleep(n); }\n"
                     "int a[] = {1, 2};\n"
                     "void *body(void *arg)\n{\n"
                     "  int v = take(arg); /* ; } */\n"
                     "  if (v) { put(\"}\"); }\n"
                     "  for (int i = 0; i < 3; i++) usleep(5);\n"
                     "  while (!done) nap(1);\n"
                     "  NAP();\n"
                     "  CHECK(queue_take(q) == ')');\n"
                     "out:\n  return arg;\n}\n";
  struct c_file f = read_file(text);
  assert_int_equal(f.functions, 2);
  assert_true(f.function[0].only_sleeps && f.function[0].callers == 1);
  assert_string_equal(f.function[1].name, "body");
  assert_int_equal(f.after_includes, strlen("#include <x.h>\n"));
  const struct c_statement *s = statement_at(&f, text, "int v");
  assert_true(s->calls && s->in_list && s->after == C_NONE && !s->sleeps);
  assert_string_equal(s->call, "take");
  assert_true(!strncmp(text + s->end - 1, ";", 1));
  s = statement_at(&f, text, "usleep(5)");
  assert_true(s->sleeps && s->loops && s->counts && !s->in_list);
  s = statement_at(&f, text, "nap(1)");
  assert_true(s->sleeps && s->loops && !s->counts && s->alone);
  assert_true(statement_at(&f, text, "NAP()")->sleeps);
  assert_string_equal(statement_at(&f, text, "CHECK")->call, "queue_take");
  assert_int_equal(statement_at(&f, text, "return")->kind, C_JUMP);
  c_file_free(&f);
}

/* What only some builds have: an event may stand before its #if, unless that is in the middle of a statement. */
static void test_conditional_statements(void **state)
{
  (void)state;
  const char *text = "#if A\n"
                     "int main(void)\n{\n"
                     "  one();\n"
                     "# ifdef B\n"
                     "#  ifdef C\n"
                     "  two();\n"
                     "#  endif\n"
                     "  three();\n"
                     "# else\n"
                     "  usleep(4);\n"
                     "# endif\n"
                     "  if (x)\n"
                     "# ifdef D\n"
                     "    five();\n"
                     "# endif\n"
                     "    six();\n"
                     "}\n"
                     "#endif\n";
  struct c_file f = read_file(text);
  struct sleep_marks m;
  assert_false(statement_at(&f, text, "one()")->conditional);
  const struct c_statement *s = statement_at(&f, text, "two()");
  assert_true(s->conditional && s->before == (size_t)(strstr(text, "# ifdef B") - text));
  s = statement_at(&f, text, "three()");
  assert_true(s->conditional && s->before == C_NONE);
  assert_true(statement_at(&f, text, "five()")->before == C_NONE);
  s = statement_at(&f, text, "if (x)");
  assert_true(!s->conditional && s->before == s->begin);
  assert_true(sleep_marks_find(&m, &f));
  assert_int_equal(m.left_count, 1);
  assert_true(!strncmp(text + f.statement[m.left[0]].begin, "usleep(4)", 9));
  for (size_t i = 0; i < m.marks; i++)
    assert_int_not_equal(m.mark[i].kind, MARK_SLEEP);
  sleep_marks_free(&m);
  c_file_free(&f);
}

/* Lambdas of threads are functions, those of waits are not; what is made by a declaration is called by its type. */
static void test_statements_of_cxx(void **state)
{
  (void)state;
  const char *text = "namespace {\n"
                     "class Queue { void put() { std::this_thread::sleep_for(1ms); } };\n"
                     "void nap() { std::this_thread::sleep_for(std::chrono::milliseconds(1'000)); }\n"
                     "TEST(Queue, Waits)\n{\n"
                     "  int squares[]{1, 4};\n"
                     "  const char *raw = R\"x(}\"})x\";\n"
                     "  std::thread first([&](int n) mutable { queue.take(n); nap(); }, 1);\n"
                     "  auto second = [] { std::this_thread::sleep_for(5ms); };\n"
                     "  try { queue.put(); } catch (...) { ::usleep(1); }\n"
                     "  std::unique_lock<std::mutex> hold{mutex};\n"
                     "  filled.wait(hold, [&] { return queue.full(); });\n"
                     "  switch (n) { case Kind::large: nap(); }\n"
                     "}\n} // namespace\n";
  struct c_file f;
  assert_true(c_file_read(&f, text, strlen(text), true));
  assert_int_equal(f.functions, 4);
  assert_true(f.function[0].only_sleeps && f.function[1].creates);
  assert_string_equal(f.function[3].name, "second");
  const struct c_statement *s = statement_at(&f, text, "queue.take");
  assert_true(s->function == 2 && s->in_list && s->after == C_NONE && !s->last);
  assert_string_equal(statement_at(&f, text, "std::thread")->call, "thread");
  assert_true(statement_at(&f, text, "std::this_thread::sleep_for(5ms)")->sleeps);
  assert_true(statement_at(&f, text, "queue.put")->in_list && statement_at(&f, text, "::usleep")->sleeps);
  s = statement_at(&f, text, "std::unique_lock");
  assert_true(s->calls && s->function == 1);
  assert_string_equal(s->call, "unique_lock");
  assert_string_equal(statement_at(&f, text, "filled.wait")->call, "wait");
  assert_true(statement_at(&f, text, "nap(); }\n}")->sleeps);
  assert_int_equal(statement_at(&f, text, "int squares")->calls, false);
  c_file_free(&f);
}

static void test_unbalanced(void **state)
{
  (void)state;
  struct c_file file;
  assert_false(c_file_read(&file, "int main(void) { f(", 19, false));
}

/* ---- orders ---- */

static const char *const slept = "#include <unistd.h>\n"
                                 "void *other(void *a)\n{\n  wait_for(a);\n  return a;\n}\n"
                                 "int main(void)\n{\n  begin();\n  usleep(5);\n  finish();\n  return 0;\n}\n";

/* The test above with the marks that it has: 0 before and 1 behind wait_for, 2 before begin, 3 behind it, 4 the sleep.
 */
static char *schedule_of(const struct sleep_run *run, size_t runs, char **edited)
{
  struct c_file file = read_file(slept);
  struct sleep_marks marks;
  struct sleep_orders orders;
  struct sleep_edits edits;
  struct source_patch patch;
  size_t length;
  assert_true(sleep_marks_find(&marks, &file));
  assert_int_equal(marks.mark[4].kind, MARK_SLEEP);
  assert_true(sleep_orders_find(&orders, &marks, &file, run, runs));
  assert_true(sleep_edits_open(&edits, &marks, &file, &orders, run));
  char *text = sleep_edits_schedule(&edits);
  source_patch_open(&patch, slept, strlen(slept));
  assert_true(sleep_edits_make(&edits, &patch, false));
  *edited = source_patch_apply(&patch, &length);
  source_patch_close(&patch);
  sleep_edits_free(&edits);
  sleep_orders_free(&orders);
  sleep_marks_free(&marks);
  c_file_free(&file);
  return text;
}

#define MARK(t, m)                                                                                                     \
  {                                                                                                                    \
    .thread = (t), .kind = STEP_MARK, .what = (m)                                                                      \
  }

static void expect_schedule(struct sleep_run *run, size_t runs, const char *schedule)
{
  char *edited;
  for (size_t r = 0; r < runs; r++)
    for (size_t i = 0; i < run[r].steps; i++)
      run[r].step[i].step = i + 1;
  char *text = schedule_of(run, runs, &edited);
  assert_string_equal(text, schedule);
  assert_true(!strstr(edited, "usleep") == (*schedule != 0));
  free(text);
  free(edited);
}

static void test_orders(void **state)
{
  (void)state;
  struct sleep_step waits[] = {{.kind = STEP_CREATE, .what = 1},  MARK(0, 2), MARK(0, 3), MARK(1, 0),
                               {.thread = 0, .kind = STEP_SLEPT}, MARK(0, 4)};
  struct sleep_step passes[] = {{.kind = STEP_CREATE, .what = 1},  MARK(0, 2), MARK(0, 3), MARK(1, 0), MARK(1, 1),
                                {.thread = 0, .kind = STEP_SLEPT}, MARK(0, 4)};
  struct sleep_step alone[] = {MARK(0, 2), MARK(0, 3), {.thread = 0, .kind = STEP_SLEPT}, MARK(0, 4)};
  struct sleep_step joined[] = {{.kind = STEP_CREATE, .what = 1},  MARK(1, 0), MARK(1, 1),
                                {.kind = STEP_JOIN, .what = 1},    MARK(0, 2), MARK(0, 3),
                                {.thread = 0, .kind = STEP_SLEPT}, MARK(0, 4)};
  const struct sleep_step blocked = {.thread = 1, .kind = STEP_OTHER, .blocked = true, .since = 4, .step = 100};
  struct sleep_run run_waits = {.step = waits, .steps = 6, .left = {blocked}, .left_count = 1};
  struct sleep_run run_passes = {.step = passes, .steps = 7};
  struct sleep_run run_alone = {.step = alone, .steps = 4}, run_joined = {.step = joined, .steps = 8};
  expect_schedule(&run_waits, 1, "[beforeWaitFor] -> beforeFinish");
  expect_schedule(&run_passes, 1, "afterWaitFor -> beforeFinish");
  expect_schedule((struct sleep_run[]){run_waits, run_passes}, 2, "[beforeWaitFor] || afterWaitFor -> beforeFinish");
  expect_schedule(&run_alone, 1, "");
  expect_schedule(&run_joined, 1, "");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_statements), cmocka_unit_test(test_conditional_statements),
                                     cmocka_unit_test(test_statements_of_cxx), cmocka_unit_test(test_unbalanced),
                                     cmocka_unit_test(test_orders)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
