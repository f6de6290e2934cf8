/* SPDX-License-Identifier: Apache-2.0
 *
 * Recorded traces: what the text form means, and what is wrong with a line; what the binary form must not
 * say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "predict/trace/trace_writer.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void text_form(void **unused)
{
  (void)unused;
  static const char text[] = "heddle-trace 1 text\n"
                             "# a comment\n"
                             "origin L1 11*1 6*2 11 5\n"
                             "main create T1 @ 10\n"
                             "T1 mutex-lock L1 @ 15\n"
                             "T1 write x+4 @ bank.c:22 value=3 length=2\n"
                             "T1 cond-wait cv L1 @ 20\n"
                             "T1 mutex-trylock L2 failed\n"
                             "T1 cond-wake cv L1 @ 20 cause=4 timed\n"
                             "main join T1\n";
  char error[256];
  struct event e[8];
  struct trace_reader *r = trace_from_text(text, error, sizeof error);
  assert_non_null(r);
  unsigned n = 0;
  while (trace_next(r, &e[n], error, sizeof error))
    n++;
  assert_string_equal(error, "");
  assert_int_equal(n, 7);
  const struct trace *t = trace_tables(r);
  assert_int_equal(t->thread_count, 3);
  assert_int_equal(e[0].other, e[1].thread);
  assert_int_equal(t->threads[e[0].other].parent, e[0].thread);
  assert_string_equal(t->objects[e[1].object].text, "L1");
  assert_int_equal(t->objects[e[1].object].kind, OBJECT_MUTEX);
  assert_int_equal(t->sites[e[1].site].offset, 15);
  assert_int_equal(e[2].addr % 8, 4);
  assert_int_equal(e[2].length, 2);
  assert_int_equal(e[2].value, 3);
  assert_int_equal(e[3].second, e[1].object);
  assert_int_equal(e[4].flags, EVENT_FAILED);
  assert_int_equal(e[5].cause, 4);
  assert_int_equal(e[5].flags, EVENT_TIMED);
  const struct origin *o = &t->objects[e[1].object].origin;
  assert_int_equal(o->index_length, 2);
  assert_int_equal(o->index[1].count, 2);
  assert_int_equal(o->chain_length, 2);
  assert_int_equal(o->chain[1], 5);
  trace_close(r);
}

static void names(void **unused)
{
  (void)unused;
  struct origin a = {.index = {{11, 1}, {6, 1}}, .index_length = 2, .chain = {11, 3}, .chain_length = 2};
  struct origin b = a;
  b.index[1].count = 2;
  assert_int_equal(naming_of(&a, NAMING_INDEX, 1), naming_of(&b, NAMING_INDEX, 1));
  assert_int_not_equal(naming_of(&a, NAMING_INDEX, 2), naming_of(&b, NAMING_INDEX, 2));
  assert_int_equal(naming_of(&a, NAMING_OBJECTS, 5), naming_of(&b, NAMING_OBJECTS, 5));
  assert_int_equal(naming_of(&a, NAMING_SITE, 5), naming_of(&b, NAMING_SITE, 5));
  b.inside = 40;
  assert_int_not_equal(naming_of(&a, NAMING_SITE, 5), naming_of(&b, NAMING_SITE, 5));
  assert_int_equal(naming_of(&a, NAMING_TRIVIAL, 5), naming_of(&b, NAMING_TRIVIAL, 5));
}

static void wrong_lines(void **unused)
{
  (void)unused;
  char error[256];
  struct event e;
  struct trace_reader *r = trace_from_text("heddle-trace 1 text\nT1 mutex-lok L1\n", error, sizeof error);
  assert_non_null(r);
  assert_false(trace_next(r, &e, error, sizeof error));
  assert_string_equal(error, "line 2: no such operation: \"mutex-lok\"");
  trace_close(r);
  assert_null(trace_from_text("something else\n", error, sizeof error));
  assert_true(strlen(error) > 0);
}

/* Reads a binary trace of two threads and one event; what is wrong with it. */
static void read_binary(const struct event *event, char *error, size_t error_size)
{
  char path[] = "/tmp/heddle-trace.XXXXXX";
  FILE *file = fdopen(mkstemp(path), "w");
  struct trace_writer w = {0};
  struct event e;
  assert_non_null(file);
  trace_write_head(&w, file, "./program");
  trace_write_thread(&w, &(struct trace_thread){.text = "main"});
  trace_write_thread(&w, &(struct trace_thread){.text = "T1", .parent = 1});
  trace_write_event(&w, event);
  trace_write_end(&w);
  assert_int_equal(fclose(file), 0);
  struct trace_reader *r = trace_open(path, error, error_size);
  assert_non_null(r);
  while (trace_next(r, &e, error, error_size))
    ;
  trace_close(r);
  unlink(path);
}

static void speaks_of_what_is_there(void **unused)
{
  (void)unused;
  char error[256];
  read_binary(&(struct event){.thread = 1, .op = OP_JOIN, .other = 2}, error, sizeof error);
  assert_string_equal(error, "");
  static const struct event wrong[] = {
      {.thread = 1, .op = OP_JOIN, .other = 3},        {.thread = 3, .op = OP_EXIT},
      {.thread = 1, .op = OP_MUTEX_LOCK, .object = 1}, {.thread = 1, .op = OP_EXIT, .site = 1},
      {.thread = 1, .op = OP_CALL, .second = 1},       {.thread = 1, .op = OP_EXIT, .stack = 1}};
  for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    read_binary(&wrong[i], error, sizeof error);
    assert_string_equal(error, "the trace is damaged after 1 event");
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_form),
      cmocka_unit_test(names),
      cmocka_unit_test(wrong_lines),
      cmocka_unit_test(speaks_of_what_is_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
