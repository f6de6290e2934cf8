/* SPDX-License-Identifier: Apache-2.0
 *
 * Moments and the stepper over made-up traces: who waits and who holds what before each event, what keys do, and that a
 * screen of any size stays within its rows and columns whatever is in the trace.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/rng.h"
#include "report/stepper/stepper.h"
#include "report/story/moment.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct thread_info threads[] = {{.nth = 0}, {.nth = 1}, {.nth = 2, .name = "\033[2Jx\n"}};

/* T1 takes a lock, T2 waits for it from step 6 to 8; then T2 waits on a condition variable for ever. */
static const struct trace_event trace[] = {
    {.step = 1, .thread = 0, .op = OP_CREATE, .arg = 1, .holder = -1},
    {.step = 2, .thread = 0, .op = OP_CREATE, .arg = 2, .holder = -1},
    {.step = 3, .thread = 1, .op = OP_START, .holder = -1, .switched = 1},
    {.step = 4, .thread = 1, .op = OP_MUTEX_LOCK, .addr = 0x10, .holder = -1},
    {.step = 5, .thread = 2, .op = OP_START, .holder = -1, .switched = 2},
    {.step = 7, .thread = 1, .op = OP_MUTEX_TRYLOCK, .addr = 0x20, .result = 16, .holder = -1, .switched = 1},
    {.step = 8, .thread = 1, .op = OP_MUTEX_UNLOCK, .addr = 0x10, .holder = 1},
    {.step = 9,
     .thread = 2,
     .op = OP_MUTEX_LOCK,
     .addr = 0x10,
     .holder = -1,
     .switched = 1,
     .waited_since = 6,
     .woken_by = 8},
    {.step = 10, .thread = 2, .op = OP_COND_WAIT, .addr = 0x30, .second = 0x10, .holder = -1},
    {.step = 11, .thread = 1, .op = OP_EXIT, .holder = -1, .switched = 1},
};
enum { EVENTS = sizeof trace / sizeof *trace };
static const struct trace_event left[] = {
    {.thread = 2, .op = OP_COND_WAKE, .addr = 0x30, .second = 0x10, .holder = -1, .marks = TRACE_BLOCKED}};

static struct story made_up(void)
{
  return (struct story){
      .events = trace, .event_count = EVENTS, .left = left, .left_count = 1, .threads = threads, .thread_count = 3};
}

static void test_threads(void **state)
{
  (void)state;
  struct story story = made_up();
  struct moment m;
  moment_find(&story, 0, &m);
  assert_int_equal(m.thread[0].state, THREAD_READY);
  assert_int_equal(m.thread[1].state, THREAD_NOT_YET);
  moment_find(&story, 2, &m);
  assert_int_equal(m.thread[1].state, THREAD_READY);
  assert_ptr_equal(m.thread[1].next, &trace[2]);
  assert_ptr_equal(m.thread[2].next, &trace[4]);
  moment_find(&story, 5, &m);
  assert_int_equal(m.thread[2].state, THREAD_WAITS);
  assert_ptr_equal(m.thread[2].next, &trace[7]);
  moment_find(&story, 7, &m);
  assert_int_equal(m.thread[2].state, THREAD_READY);
  moment_find(&story, EVENTS, &m);
  assert_int_equal(m.thread[1].state, THREAD_ENDED);
  assert_int_equal(m.thread[2].state, THREAD_WAITS);
  assert_true(m.thread[2].left);
  assert_null(m.thread[0].next);
}

static void test_locks(void **state)
{
  (void)state;
  struct story story = made_up();
  struct moment m;
  moment_find(&story, 3, &m);
  assert_int_equal(m.locks, 0);
  moment_find(&story, 6, &m); /* the lock that was only tried is not held */
  assert_int_equal(m.locks, 1);
  assert_int_equal(m.lock[0].thread, 1);
  assert_ptr_equal(m.lock[0].by, &trace[3]);
  moment_find(&story, 7, &m);
  assert_int_equal(m.locks, 0);
  moment_find(&story, 8, &m);
  assert_int_equal(m.locks, 1);
  assert_int_equal(m.lock[0].thread, 2);
  moment_find(&story, 9, &m); /* the wait let go of it */
  assert_int_equal(m.locks, 0);
}

static void press(struct stepper *s, const char *keys)
{
  for (; *keys; keys++)
    assert_true(stepper_key(s, *keys == '\n' ? (int)KEY_ENTER : (unsigned char)*keys, 4));
}

static void test_keys(void **state)
{
  (void)state;
  struct story story = made_up();
  struct stepper s;
  stepper_open(&s, &story, "x.hd");
  press(&s, "jj");
  assert_int_equal(s.at, 2);
  press(&s, "n");
  assert_int_equal(s.at, 4);
  press(&s, "p");
  assert_int_equal(s.at, 2);
  press(&s, "p");
  assert_int_equal(s.at, 2);
  assert_true(s.message[0]);
  press(&s, " ");
  assert_int_equal(s.at, 6);
  press(&s, "b");
  assert_int_equal(s.at, 2);
  press(&s, "G");
  assert_int_equal(s.at, EVENTS);
  press(&s, "gtt"); /* only T1: what is current must be shown */
  assert_int_equal(s.only, 1);
  assert_int_equal(s.at, 2);
  press(&s, "jj");
  assert_int_equal(s.at, 5);
  press(&s, "tt");
  assert_int_equal(s.only, STEPPER_ALL);
  press(&s, "g/WAITS ON\n");
  assert_int_equal(s.at, 8);
  press(&s, "N");
  assert_int_equal(s.at, 8);
  assert_false(stepper_key(&s, 'q', 4));
}

/* Every row is addressed within the screen, and no text behind it is wider. */
static void check_screen(const struct stepper *s, unsigned rows, unsigned columns)
{
  char *text = NULL;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  assert_non_null(out);
  stepper_draw(out, s, rows, columns);
  assert_int_equal(fclose(out), 0);
  assert_null(strchr(text, '\n'));
  unsigned width = 0, row = 0;
  for (const char *c = text; *c; c++) {
    if (*c == '\033') {
      char letter;
      unsigned number = 0;
      const char *end = c + 2 + strspn(c + 2, "0123456789;?");
      letter = *end;
      sscanf(c + 2, "%u", &number);
      if (letter == 'H') {
        row = number;
        width = 0;
        assert_in_range(row, 1, rows);
      }
      assert_non_null(strchr("HKm", letter));
      c = end;
      continue;
    }
    width += ((unsigned char)*c & 0xc0) != 0x80;
    assert_true(width <= columns || columns < 8);
  }
  free(text);
}

static void test_screens(void **state)
{
  (void)state;
  struct trace_event wild[40];
  uint64_t random = 7;
  for (int round = 0; round < 300; round++) {
    for (size_t i = 0; i < sizeof wild; i++)
      ((unsigned char *)wild)[i] = (unsigned char)(random = mix64(random + 1));
    struct story story = made_up();
    if (round % 2) {
      story.events = wild;
      story.event_count = sizeof wild / sizeof *wild;
      for (size_t i = 0; i < story.event_count; i++) {
        wild[i].text[sizeof wild[i].text - 1] = 0;
        wild[i].depth %= BUG_STACK;
        wild[i].op %= OP_COUNT;
      }
    }
    story.colour = round % 3;
    struct stepper s;
    stepper_open(&s, &story, "a file with a long name, and \033[2J in it.hd");
    static const char keys[] = "jknpbtgGN /x?\nz";
    for (int k = 0; k < 20; k++) {
      random = mix64(random + 1);
      int key = keys[random % (sizeof keys - 1)];
      stepper_key(&s, key == '\n' ? (int)KEY_ENTER : key, 4);
      check_screen(&s, 1 + (unsigned)(random >> 8) % 60, 1 + (unsigned)(random >> 20) % 150);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads), cmocka_unit_test(test_locks),
                                     cmocka_unit_test(test_keys), cmocka_unit_test(test_screens)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
