/* SPDX-License-Identifier: Apache-2.0
 *
 * Inferred conditions: which lines come from what is read before a wait, and what follows for
 * deadlocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plain_search.h"
#include "predict/communication/communication.h"
#include "program_of.h"

static void write_lines(const struct built *b, char *text, size_t size)
{
  size_t n = 0;
  for (uint32_t t = 1; t < b->program->threads; t++) {
    n += (size_t)snprintf(text + n, size - n, "%s:", b->tables->threads[t].text);
    for (uint32_t i = 0; i < b->program->body[t].count; i++) {
      char line[160];
      program_line_text(b->program, b->tables, &b->program->body[t].line[i], line, sizeof line);
      n += (size_t)snprintf(text + n, size - n, " %s;", line);
    }
    n += (size_t)snprintf(text + n, size - n, "\n");
  }
}

/* lines: NULL for any. */
static void assert_inferred(const char *trace, const char *lines, unsigned groups)
{
  struct guards *guards;
  struct built b = build_inferring(trace, &guards);
  struct model_result r;
  char text[4096];
  write_lines(&b, text, sizeof text);
  if (lines)
    assert_string_equal(text, lines);
  assert_true(model_explore(b.program, &(struct model_limits){0}, &r));
  struct plain s = plain_search(b.program);
  if (r.groups != groups)
    print_message("%s", text);
  assert_true(r.complete);
  assert_int_equal(r.groups, groups);
  assert_int_equal(s.groups, groups);
  model_free(&r);
  release_built(&b);
  guards_free(guards);
}

/* Who waited looks again when it wakes, and goes on. */
static void a_loop_around_a_wait(void **unused)
{
  (void)unused;
  assert_inferred(
      "main create T1\nmain create T2\nT1 mutex-lock l @ 1\nT1 read flag @ 2 value=0\nT1 cond-wait cv l @ 3\n"
      "T2 mutex-lock l @ 10\nT2 write flag @ 11 value=1\nT2 mutex-unlock l @ 12\n"
      "T2 mutex-lock l @ 13\nT2 cond-broadcast cv @ 14\nT2 mutex-unlock l @ 15\n"
      "T1 cond-wake cv l @ 3\nT1 read flag @ 2 value=1\nT1 mutex-unlock l @ 4\n",
      "main: START T1; START T2;\n"
      "T1: ACQ l; IF condition of variable-1 {; WAIT cv l; }; IF condition of variable-1 {; WAIT cv l; }; "
      "REL l;\n"
      "T2: ACQ l; SET variable-1 1; REL l; ACQ l; BCAST cv; REL l;\n",
      0);
}

static void a_flag_without_its_lock(void **unused)
{
  (void)unused;
  assert_inferred(
      "main create T1\nmain create T2\nT1 read flag @ 2 value=0\nT1 mutex-lock l @ 1\nT1 cond-wait cv l @ 3\n"
      "T2 write flag @ 11 value=1\nT2 mutex-lock l @ 13\nT2 cond-broadcast cv @ 14\nT2 mutex-unlock l @ 15\n"
      "T1 cond-wake cv l @ 3\nT1 mutex-unlock l @ 4\n",
      "main: START T1; START T2;\n"
      "T1: IF condition of variable-1 {; ACQ l; WAIT cv l; REL l; };\n"
      "T2: SET variable-1 1; ACQ l; BCAST cv; REL l;\n",
      1);
}

/* Another thread passed the same place without waiting: it could have waited, and one signal is not enough for two. */
static void a_wait_that_did_not_happen(void **unused)
{
  (void)unused;
#define WAITER_AND_SETTER(tell)                                                                                        \
  "main create T1\nmain create T2\nmain create T3\nT1 mutex-lock l @ 1\nT1 read flag @ 2 value=0\nT1 "                 \
  "cond-wait cv l @ 3\n"                                                                                               \
  "T2 mutex-lock l @ 10\nT2 write flag @ 11 value=1\nT2 " tell " cv @ 14\nT2 mutex-unlock l @ 15\n"                    \
  "T1 cond-wake cv l @ 3\nT1 read flag @ 2 value=1\nT1 mutex-unlock l @ 4\n"                                           \
  "T3 mutex-lock l @ 1\nT3 read flag @ 2 value=1\nT3 mutex-unlock l @ 4\n"
  assert_inferred(WAITER_AND_SETTER("cond-signal"), NULL, 1); /* the same statement, whoever is left there */
  assert_inferred(WAITER_AND_SETTER("cond-broadcast"), NULL, 0);
}

/* Counting is counting, whatever the order: two that were put in before one was taken leave one. */
static void counters_are_counted(void **unused)
{
  (void)unused;
#define PUT(before, after)                                                                                             \
  "T1 mutex-lock l @ 11\nT1 read n @ 14 value=" before "\nT1 write n @ 14 value=" after                                \
  "\nT1 cond-signal filled @ 15\nT1 mutex-unlock l @ 16\n"
#define TAKE(before, after)                                                                                            \
  "main read n @ 2 value=" before "\nmain read n @ 4 value=" before "\nmain write n @ 4 value=" after                  \
  "\nmain mutex-unlock l @ 5\n"
  assert_inferred("main create T1\nmain mutex-lock l @ 1\nmain read n @ 2 value=0\nmain cond-wait filled l @ 3\n" PUT(
                      "0", "1") "main cond-wake filled l @ 3\n" TAKE("1", "0")
                      PUT("0", "1") "main mutex-lock l @ 1\n" TAKE("1", "0"),
                  NULL, 0);
}

/* On one line of the source. */
static void two_variables_compared(void **unused)
{
  (void)unused;
  assert_inferred(
      "main create T1\nmain create T2\nT1 mutex-lock l @ 1\nT1 read count @ 2 value=4\nT1 read room @ 2 "
      "value=4\n"
      "T1 cond-wait cv l @ 3\nT2 mutex-lock l @ 10\nT2 write room @ 11 value=9\nT2 mutex-unlock l @ 12\n"
      "T2 read count @ 13 value=4\nT2 cond-signal cv @ 14\nT1 cond-wake cv l @ 3\nT1 read count @ 2 value=4\n"
      "T1 read room @ 2 value=9\nT1 write count @ 5 value=5\nT1 mutex-unlock l @ 6\n",
      "main: START T1; START T2;\n"
      "T1: ACQ l; IF condition of variable-1 and variable-2 {; WAIT cv l; }; "
      "IF condition of variable-1 and variable-2 {; WAIT cv l; }; SET variable-2 5; REL l;\n"
      "T2: ACQ l; SET variable-1 9; REL l; SIG cv;\n",
      0);
}

/* What nobody changes after it was looked at is no condition: the pointer that leads to it. */
static void pointers_are_not_conditions(void **unused)
{
  (void)unused;
  assert_inferred(
      "main write queue @ 1 value=77\nmain create T1\nmain create T2\nT1 mutex-lock l @ 2\nT1 read queue @ 3 "
      "value=77\n"
      "T1 read flag @ 3 value=0\nT1 read queue @ 4 value=77\nT1 cond-wait cv l @ 4\n"
      "T2 mutex-lock l @ 10\nT2 write flag @ 11 value=1\nT2 cond-signal cv @ 14\nT2 mutex-unlock l @ 15\n"
      "T1 cond-wake cv l @ 4\nT1 read queue @ 3 value=77\nT1 read flag @ 3 value=1\nT1 mutex-unlock l @ 5\n",
      "main: START T1; START T2;\n"
      "T1: ACQ l; IF condition of variable-1 {; WAIT cv l; }; IF condition of variable-1 {; WAIT cv l; }; "
      "REL l;\n"
      "T2: ACQ l; SET variable-1 1; SIG cv; REL l;\n",
      0);
}

/* The same values, and once it waited and once it did not: there is more to it than is known. */
static void what_is_not_understood_is_left_alone(void **unused)
{
  (void)unused;
  assert_inferred("main create T1\nmain create T2\nT1 mutex-lock l @ 1\nT1 read x @ 2 value=0\nT1 mutex-unlock l @ 4\n"
                  "T1 mutex-lock l @ 1\nT1 read x @ 2 value=0\nT1 cond-wait cv l @ 3\n"
                  "T2 mutex-lock l @ 10\nT2 write x @ 11 value=1\nT2 cond-signal cv @ 14\nT2 mutex-unlock l @ 15\n"
                  "T1 cond-wake cv l @ 3\nT1 mutex-unlock l @ 4\n",
                  "main: START T1; START T2;\n"
                  "T1: ACQ l; REL l; ACQ l; WAIT cv l; REL l;\n"
                  "T2: ACQ l; SIG cv; REL l;\n",
                  1);
}

/* What the program says about a condition variable comes first. */
static void annotations_come_first(void **unused)
{
  (void)unused;
  assert_inferred("main predicate P value=1\nmain create T1\nmain create T2\nT1 mutex-lock l @ 1\nT1 "
                  "cond-guard-wait cv l @ 2\n"
                  "T1 predicate P value=1\nT1 read flag @ 2 value=0\nT1 cond-wait cv l @ 3\n"
                  "T2 mutex-lock l @ 10\nT2 write flag @ 11 value=1\nT2 predicate P value=0\nT2 cond-signal "
                  "cv @ 14\nT2 mutex-unlock l @ 15\n"
                  "T1 cond-wake cv l @ 3\nT1 read flag @ 2 value=1\nT1 guard-end\nT1 mutex-unlock l @ 4\n",
                  "main: SET P 1; START T1; START T2;\n"
                  "T1: ACQ l; IF P {; WAIT cv l; }; REL l;\n"
                  "T2: ACQ l; SET P 0; SIG cv; REL l;\n",
                  0);
}

/* From a file, with both ways to take a guard. A signal that changes nothing satisfies an if, not a while. */
static void all_of_it(void **unused)
{
  (void)unused;
  static const char trace[] = TRACE_HEADER
      "main create T1\nT1 mutex-lock l @ 1\nT1 sem-post s @ 2\nT1 read flag @ 3 value=0\nT1 cond-wait cv l @ "
      "4\n"
      "main sem-wait s @ 9\nmain mutex-lock l @ 10\nmain cond-signal cv @ 11\nmain mutex-unlock l @ 12\n"
      "T1 cond-wake cv l @ 4\nT1 mutex-unlock l @ 5\nmain write flag @ 13 value=1\n";
  char path[64], error[256] = "";
  FILE *file = tmpfile();
  assert_non_null(file);
  assert_int_equal(fwrite(trace, 1, sizeof trace - 1, file), sizeof trace - 1);
  fflush(file);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
  struct trace_reader *reader = trace_open(path, error, sizeof error);
  assert_non_null(reader);
  struct communication c;
  struct event e;
  while (trace_next(reader, &e, error, sizeof error)) /* as others do before */
    ;
  assert_true(
      communication_analyse(&c, reader, &(struct communication_options){.loop_guards = true}, error, sizeof error));
  assert_int_equal(c.groups_once, 0);
  assert_int_equal(c.groups_looping, 1);
  struct predictions predictions = {0};
  model_predict(&c.result, false, &predictions);
  assert_int_equal(predictions.count, 1);
  assert_int_equal(predictions.list[0].kind, PREDICT_COMMUNICATION);
  assert_int_equal(predictions.list[0].party[0].op, OP_COND_WAKE);
  assert_string_equal(trace_tables(reader)->sites[predictions.list[0].party[0].site].text, "4");
  predictions_free(&predictions);
  communication_free(&c);
  trace_close(reader);
  fclose(file);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_loop_around_a_wait),
      cmocka_unit_test(a_flag_without_its_lock),
      cmocka_unit_test(a_wait_that_did_not_happen),
      cmocka_unit_test(counters_are_counted),
      cmocka_unit_test(two_variables_compared),
      cmocka_unit_test(pointers_are_not_conditions),
      cmocka_unit_test(what_is_not_understood_is_left_alone),
      cmocka_unit_test(annotations_come_first),
      cmocka_unit_test(all_of_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
