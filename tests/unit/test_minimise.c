/* SPDX-License-Identifier: Apache-2.0
 *
 * Making stress tests smaller: delta debugging asks what it should, threads go before calls, guided executions recover
 * where the smaller test does less or more than the larger one, and a call does the same whatever else is left
 * out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/operation.h"
#include "heddle_stress.h"
#include "schedule/subset_text.h"
#include "strategy/candidates.h"
#include "strategy/guide.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- delta debugging ---- */

/* Of eight factors, the third and the sixth are needed: the eight questions of the published example, in its order. */
static void the_published_example_takes_eight_tests(void **unused)
{
  (void)unused;
  static const struct {
    const char *left;
    bool fails;
  } wanted[] = {{"1234", false}, {"5678", false}, {"125678", false}, {"345678", true},
                {"35678", true}, {"356", true},   {"35", false},     {"36", true}};
  bool kept[8] = {true, true, true, true, true, true, true, true};
  struct reduction r;
  struct reduce_range without;
  size_t asked = 0;
  reduce_open(&r, 8);
  while (reduce_next(&r, &without)) {
    char left[9] = "";
    assert_true(asked < sizeof wanted / sizeof wanted[0]);
    for (unsigned i = 0; i < 8; i++)
      if (kept[i] && (i < without.from || i >= without.to))
        snprintf(left + strlen(left), 2, "%u", i + 1);
    assert_string_equal(left, wanted[asked].left);
    bool fails = strchr(left, '3') && strchr(left, '6');
    assert_int_equal(fails, wanted[asked++].fails);
    for (unsigned i = without.from; i < without.to && fails; i++)
      kept[i] = false;
    reduce_tell(&r, fails);
  }
  assert_int_equal(asked, 8);
}

static void few_factors_need_no_test(void **unused)
{
  (void)unused;
  struct reduction r;
  struct reduce_range without;
  for (uint32_t n = 0; n < 2; n++) {
    reduce_open(&r, n);
    assert_false(reduce_next(&r, &without));
  }
}

/* ---- threads and calls ---- */

struct needs {
  uint32_t thread, call;
};

static bool has_all(const struct subset *s, const struct needs *needs, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (!subset_has(s, needs[i].thread, needs[i].call))
      return false;
  return true;
}

static unsigned reduce_to(struct candidates *c, const struct needs *needs, size_t count)
{
  unsigned tests = 0;
  while (candidates_next(c)) {
    assert_true(subset_call_count(&c->tried) < subset_call_count(&c->kept));
    assert_true(subset_thread_count(&c->tried) > 0);
    candidates_tell(c, has_all(&c->tried, needs, count));
    assert_true(++tests < 10000);
  }
  return tests;
}

static void what_is_needed_is_left(void **unused)
{
  (void)unused;
  static const struct needs two[] = {{17, 3}, {80, 99}, {80, 4}}, one[] = {{99, 0}}, all[] = {{0, 0}, {1, 0}};
  struct candidates *c = calloc(1, sizeof *c);
  candidates_open(c, 100, 100, NULL);
  unsigned tests = reduce_to(c, two, 3);
  assert_int_equal(subset_thread_count(&c->kept), 2);
  assert_int_equal(subset_call_count(&c->kept), 3);
  assert_true(has_all(&c->kept, two, 3));
  assert_true(tests < 100);
  candidates_open(c, 100, 100, NULL);
  reduce_to(c, one, 1);
  assert_int_equal(subset_call_count(&c->kept), 1);
  candidates_open(c, 2, 1, NULL);
  reduce_to(c, all, 2);
  assert_int_equal(subset_call_count(&c->kept), 2);
  candidates_open(c, 1, 1, NULL);
  assert_false(candidates_next(c));
  free(c);
}

/* A thread that was needed only while another had more calls is left out in the end: again until nothing changes. */
static void passes_repeat_until_nothing_changes(void **unused)
{
  (void)unused;
  struct candidates *c = calloc(1, sizeof *c);
  candidates_open(c, 3, 4, NULL);
  while (candidates_next(c)) {
    const struct subset *s = &c->tried;
    bool helped = subset_has_thread(s, 0) || !subset_has(s, 1, 0); /* as long as call 1.0 is there, thread 0 must be */
    candidates_tell(c, subset_has(s, 1, 3) && subset_has(s, 2, 2) && helped);
  }
  assert_int_equal(subset_thread_count(&c->kept), 2);
  assert_int_equal(subset_call_count(&c->kept), 2);
  free(c);
}

/* Calls that are fixed are never left out alone; their thread is, unless call 0 is fixed. */
static void what_is_fixed_stays(void **unused)
{
  (void)unused;
  struct candidates *c = calloc(1, sizeof *c);
  struct subset fixed = {.threads = 3, .calls = 5};
  subset_add(&fixed, 0, 0);
  subset_add(&fixed, 0, 2);
  subset_add(&fixed, 1, 3);
  candidates_open(c, 3, 5, &fixed);
  while (candidates_next(c)) {
    assert_true(subset_call_count(&c->tried) < subset_call_count(&c->kept));
    assert_true(subset_has(&c->tried, 0, 0) && subset_has(&c->tried, 0, 2));
    assert_int_equal(subset_has_thread(&c->tried, 1), subset_has(&c->tried, 1, 0));
    assert_int_equal(subset_has_thread(&c->tried, 1), subset_has(&c->tried, 1, 3));
    candidates_tell(c, subset_has_thread(&c->tried, 2));
  }
  assert_true(subset_has(&c->kept, 0, 0) && subset_has(&c->kept, 0, 2) && subset_has(&c->kept, 2, 0));
  assert_int_equal(subset_call_count(&c->kept), 3); /* of thread 2 nothing but that it runs */
  free(c);
}

static void parts_are_read_as_they_are_printed(void **unused)
{
  (void)unused;
  static const char *const wrong[] = {"", "1", "1:", "1:2,", "1:2-", "1:2;", ":2", "8:1", "1:9", "1:2 ", "1:-2", "x"};
  struct subset s = {.threads = 8, .calls = 9}, again = s;
  char text[64] = "";
  FILE *out = fmemopen(text, sizeof text, "w");
  for (uint32_t call = 0; call < 9; call++)
    subset_add(&s, 3, call);
  subset_remove(&s, 3, 5);
  subset_add(&s, 7, 8);
  subset_print(out, &s);
  fclose(out);
  assert_string_equal(text, "3:0-4,6-8;7:8");
  assert_true(subset_read(&again, text));
  assert_memory_equal(&s, &again, sizeof s);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_false(subset_read(&again, wrong[i]));
}

/* ---- guided execution ---- */

/* Events are letters: l lock, r read, w write, u unlock, each at a place of its own unless it is a loop. */
static struct guide_event event(unsigned thread, unsigned call, char what, uintptr_t pc)
{
  enum op_kind kind = what == 'l' ? OP_MUTEX_LOCK : what == 'u' ? OP_MUTEX_UNLOCK : what == 'r' ? OP_READ : OP_WRITE;
  return (struct guide_event){.thread = (uint16_t)(thread + 1),
                              .kind = (uint16_t)kind,
                              .of = (uint16_t)thread,
                              .call = (uint16_t)call,
                              .pc = pc};
}

static void add_call(struct guide_trace *trace, unsigned thread, unsigned call, const char *events)
{
  for (uintptr_t i = 0; events[i]; i++) {
    struct guide_event e = event(thread, call, events[i], 100 + i);
    guide_note(trace, &e);
  }
}

struct bench {
  struct guide guide;
  struct guide_trace failed;
  struct subset kept;
  char log[64];
};

static struct bench *new_bench(uint32_t lookahead, bool whole)
{
  struct bench *b = calloc(1, sizeof *b);
  subset_fill(&b->kept, 2, 3);
  b->guide.lookahead = lookahead;
  b->guide.whole = whole;
  return b;
}

static void perform(struct bench *b, unsigned thread, unsigned call, char what, uintptr_t pc)
{
  struct guide_event e = event(thread, call, what, pc);
  static const char letter[] = {[GUIDE_MATCHED] = '=', [GUIDE_SKIPPED] = '>', [GUIDE_NEW] = '+'};
  size_t n = strlen(b->log);
  b->log[n] = letter[guide_perform(&b->guide, &e)];
  b->log[n + 1] = 0;
}

/* A deposit was removed: the withdrawal finds too little, its second read and its write do not happen. */
static void what_cannot_happen_is_skipped(void **unused)
{
  (void)unused;
  struct bench *b = new_bench(5, false);
  add_call(&b->failed, 0, 0, "lrwu");
  add_call(&b->failed, 0, 1, "lrrwu");
  add_call(&b->failed, 0, 2, "lru");
  subset_remove(&b->kept, 0, 0);
  guide_begin(&b->guide, &b->failed, &b->kept);
  assert_int_equal(b->guide.retained.count, 8);
  perform(b, 0, 1, 'l', 100);
  perform(b, 0, 1, 'r', 101);
  perform(b, 0, 1, 'u', 104);
  perform(b, 0, 2, 'l', 100);
  assert_string_equal(b->log, "==>=");
  free(b);
}

/* A withdrawal was removed: the next one succeeds now, its read and its write are new; at the unlock all is as
 * before. */
static void what_newly_happens_is_let_through(void **unused)
{
  (void)unused;
  struct bench *b = new_bench(5, false);
  add_call(&b->failed, 0, 0, "lrrwu");
  for (unsigned i = 0; i < 3; i++) { /* l r . . u: too little money */
    struct guide_event e = event(
        0, 1, "lru" [i], (uintptr_t[]) { 100, 101, 104 }[i]);
    guide_note(&b->failed, &e);
  }
  add_call(&b->failed, 0, 2, "lru");
  subset_remove(&b->kept, 0, 0);
  guide_begin(&b->guide, &b->failed, &b->kept);
  perform(b, 0, 1, 'l', 100);
  perform(b, 0, 1, 'r', 101);
  perform(b, 0, 1, 'r', 102);
  perform(b, 0, 1, 'w', 103);
  perform(b, 0, 1, 'u', 104);
  perform(b, 0, 2, 'l', 100);
  assert_string_equal(b->log, "==++==");
  free(b);
}

static void the_window_ends_somewhere(void **unused)
{
  (void)unused;
  for (uint32_t lookahead = 0; lookahead < 4; lookahead++) {
    struct bench *b = new_bench(lookahead, false);
    add_call(&b->failed, 0, 0, "lrwu");
    guide_begin(&b->guide, &b->failed, &b->kept);
    perform(b, 0, 0, 'u', 103);
    assert_string_equal(b->log, lookahead == 3 ? ">" : "+");
    free(b);
  }
}

/* Skipping in the whole trace takes the events of others along; they count in the window, too. */
static void the_whole_trace_is_skipped_on_demand(void **unused)
{
  (void)unused;
  for (int whole = 0; whole < 2; whole++) {
    struct bench *b = new_bench(3, whole);
    struct guide_event last = event(0, 0, 'w', 200);
    add_call(&b->failed, 0, 0, "r");
    add_call(&b->failed, 1, 0, "rw");
    guide_note(&b->failed, &last);
    guide_begin(&b->guide, &b->failed, &b->kept);
    perform(b, 0, 0, 'w', 200);
    assert_string_equal(b->log, ">");
    assert_int_equal(guide_place(&b->guide, 2), whole ? GUIDE_NONE : 1);
    free(b);
  }
}

/* A compare-and-swap that failed many times succeeds at once now: the next call says that the rest will not happen,
 * however small the window is. Others are not touched. */
static void a_call_that_is_over_is_skipped(void **unused)
{
  (void)unused;
  for (int whole = 0; whole < 2; whole++) {
    struct bench *b = new_bench(0, whole);
    add_call(&b->failed, 0, 0, "rwwwwwww");
    add_call(&b->failed, 1, 0, "rw");
    add_call(&b->failed, 0, 1, "rw");
    guide_begin(&b->guide, &b->failed, &b->kept);
    perform(b, 0, 0, 'r', 100);
    perform(b, 0, 1, 'r', 100);
    perform(b, 0, 1, 'w', 101);
    assert_string_equal(b->log, "=>=");
    assert_int_equal(guide_place(&b->guide, 2), 8);
    free(b);
  }
}

static void threads_of_removed_calls_leave_the_trace(void **unused)
{
  (void)unused;
  struct bench *b = new_bench(5, false);
  struct guide_event start = {.thread = 0, .kind = OP_CREATE, .of = 1, .call = CALL_STARTS, .pc = 7},
                     own = {.thread = 0, .kind = OP_READ, .of = CALL_NONE, .call = CALL_NONE, .pc = 8};
  guide_note(&b->failed, &start);
  guide_note(&b->failed, &own);
  add_call(&b->failed, 1, 0, "rw");
  subset_remove_thread(&b->kept, 1);
  guide_begin(&b->guide, &b->failed, &b->kept);
  assert_int_equal(b->guide.retained.count, 1);
  assert_int_equal(b->guide.retained.event[0].pc, 8);
  assert_int_equal(guide_place(&b->guide, 2), GUIDE_NONE);
  free(b);
}

static void a_thread_that_only_spins_is_let_go(void **unused)
{
  (void)unused;
  struct bench *b = new_bench(5, false);
  struct guide_event spin = event(0, 0, 'r', 999);
  add_call(&b->failed, 0, 0, "w");
  guide_begin(&b->guide, &b->failed, &b->kept);
  for (unsigned i = 0; i <= GUIDE_EXTRA; i++) {
    assert_int_equal(guide_place(&b->guide, 1), 0);
    assert_int_equal(guide_perform(&b->guide, &spin), GUIDE_NEW);
  }
  assert_int_equal(guide_place(&b->guide, 1), GUIDE_NONE);
  free(b);
}

/* ---- the header ---- */

static void draws_depend_on_their_key_alone(void **unused)
{
  (void)unused;
  unsigned seen[10] = {0};
  for (unsigned t = 0; t < 100; t++)
    for (unsigned c = 0; c < 100; c++) {
      unsigned n = hd_stress_draw(7, t, c, 1, 10);
      assert_true(n < 10);
      assert_int_equal(n, hd_stress_draw(7, t, c, 1, 10));
      seen[n]++;
    }
  for (unsigned i = 0; i < 10; i++)
    assert_in_range(seen[i], 850, 1150);
  assert_int_equal(hd_stress_draw(7, 1, 1, 1, 0), 0);
}

static void the_environment_names_calls(void **unused)
{
  (void)unused;
  hd__stress = (struct hd__stress_state){.threads = 20, .calls = 10, .keep = "3:0-4,7;12:2"};
  for (unsigned c = 0; c < 10; c++) {
    assert_int_equal(hd_stress_keeps_call(3, c), c < 5 || c == 7);
    assert_int_equal(hd_stress_keeps_call(12, c), c == 2);
    assert_int_equal(hd_stress_keeps_call(2, c), 0);
  }
  assert_true(hd_stress_keeps_thread(12));
  assert_false(hd_stress_keeps_thread(1));
  hd__stress.keep = NULL;
  assert_true(hd_stress_keeps_call(1, 9));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_published_example_takes_eight_tests),
      cmocka_unit_test(few_factors_need_no_test),
      cmocka_unit_test(what_is_needed_is_left),
      cmocka_unit_test(passes_repeat_until_nothing_changes),
      cmocka_unit_test(what_is_fixed_stays),
      cmocka_unit_test(parts_are_read_as_they_are_printed),
      cmocka_unit_test(what_cannot_happen_is_skipped),
      cmocka_unit_test(what_newly_happens_is_let_through),
      cmocka_unit_test(the_window_ends_somewhere),
      cmocka_unit_test(the_whole_trace_is_skipped_on_demand),
      cmocka_unit_test(a_call_that_is_over_is_skipped),
      cmocka_unit_test(threads_of_removed_calls_leave_the_trace),
      cmocka_unit_test(a_thread_that_only_spins_is_let_go),
      cmocka_unit_test(draws_depend_on_their_key_alone),
      cmocka_unit_test(the_environment_names_calls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
