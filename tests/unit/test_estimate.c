/* SPDX-License-Identifier: Apache-2.0
 *
 * Estimates of the size of an exploration from its trace: the published example, uniform trees, orders other than depth
 * first, sizes beyond any double, what is kept in memory, and every way a trace can be wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "estimate/evaluate.h"
#include "estimate/scan.h"
#include "near.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The figure 4.2 of Simsa's thesis. Nodes 2, 5 and 8 are never explored. */
static const char published[] =
    "AddNode 0 -\nExplore 0\nStart\nAddNode 1 0\nAddNode 2 0\nAddNode 3 0\nExplore 1\nTransition 1\n"
    "AddNode 4 1\nAddNode 5 1\nExplore 4\nTransition 4\nAddNode 6 4\nExplore 6\nTransition 6\nExplore 3\n"
    "End 0.42\n"
    "Start\nTransition 3\nAddNode 7 3\nAddNode 8 3\nExplore 7\nTransition 7\nAddNode 9 7\nExplore 9\n"
    "Transition 9\nEnd 0.29\n";

/* ---- replaying a text ---- */

#define KEPT 1024

struct kept {
  struct estimates after[KEPT];
  size_t count;
};

static bool keep(void *context, const struct estimates *estimates)
{
  struct kept *kept = context;
  if (kept->count < KEPT)
    kept->after[kept->count] = *estimates;
  kept->count++;
  return true;
}

/* The estimates after each branch. Static, as it is too large for a stack. */
static const struct kept *replay(const char *text)
{
  static struct kept kept;
  struct scan scan;
  FILE *in = fmemopen((void *)text, strlen(text), "r");
  assert_non_null(in);
  kept.count = 0;
  scan_init(&scan, in, "text");
  assert_true(scan_learn(&scan));
  assert_true(scan_replay(&scan, keep, &kept));
  assert_int_equal(kept.count, scan.branches);
  scan_free(&scan);
  fclose(in);
  return &kept;
}

static double total(const struct kept *kept, size_t branch, enum measure m, enum guess g, enum estimator r)
{
  return scaled_to_double(kept->after[branch - 1].total[m][g][r]);
}

/* What every estimator says of the time after a branch. */
static void assert_times(const struct kept *kept, size_t branch, enum guess guess, double expected)
{
  for (enum estimator r = 0; r < ESTIMATOR_COUNT; r++)
    assert_near(total(kept, branch, MEASURE_TIME, guess, r), expected, 1e-12);
}

/* ---- the published example ---- */

static void published_example(void **unused)
{
  (void)unused;
  const struct kept *kept = replay(published);
  assert_int_equal(kept->count, 2);
  assert_times(kept, 1, GUESS_ORACLE, 0.84);
  assert_times(kept, 1, GUESS_LAZY, 0.84);
  assert_times(kept, 1, GUESS_EAGER, 1.26);
  for (enum guess guess = 0; guess < GUESS_COUNT; guess++)
    assert_times(kept, 2, guess, 0.71);
}

static void published_example_in_branches(void **unused)
{
  (void)unused;
  const struct kept *kept = replay(published);
  static const double after_one[GUESS_COUNT] = {[GUESS_ORACLE] = 2, [GUESS_LAZY] = 2, [GUESS_EAGER] = 3};
  for (enum guess g = 0; g < GUESS_COUNT; g++)
    for (enum estimator r = 0; r < ESTIMATOR_COUNT; r++) {
      assert_near(total(kept, 1, MEASURE_BRANCHES, g, r), after_one[g], 1e-12);
      assert_true(total(kept, 2, MEASURE_BRANCHES, g, r) == 2);
    }
}

static void the_version_line_may_be_there(void **unused)
{
  (void)unused;
  char text[sizeof published + sizeof EXPLORATION_TRACE_HEADER + 1];
  snprintf(text, sizeof text, "%s\n%s", EXPLORATION_TRACE_HEADER, published);
  assert_times(replay(text), 1, GUESS_EAGER, 1.26);
}

/* Of the four children of the root, 3 is scheduled late: the oracle knows, lazy does not; eager expects 4 too. */
static void strategies_differ_in_what_they_foresee(void **unused)
{
  (void)unused;
  static const char text[] = "AddNode 0 -\nExplore 0\n"
                             "Start\nAddNode 1 0\nAddNode 2 0\nAddNode 3 0\nAddNode 4 0\nExplore 1\nExplore 2\n"
                             "Transition 1\nEnd 1\n"
                             "Start\nTransition 2\nExplore 3\nEnd 2\n"
                             "Start\nTransition 3\nEnd 3\n";
  const struct kept *kept = replay(text);
  assert_times(kept, 1, GUESS_ORACLE, 3 * 1);
  assert_times(kept, 1, GUESS_LAZY, 2 * 1);
  assert_times(kept, 1, GUESS_EAGER, 4 * 1);
  assert_times(kept, 2, GUESS_ORACLE, 3 * 1.5);
  assert_times(kept, 2, GUESS_LAZY, 3 * 1.5);
  assert_times(kept, 2, GUESS_EAGER, 4 * 1.5);
  for (enum guess guess = 0; guess < GUESS_COUNT; guess++)
    assert_times(kept, 3, guess, 6);
}

/* A root with 200 children, of which every third is scheduled, each by the execution before it. */
static void the_oracle_knows_every_node(void **unused)
{
  (void)unused;
  char *text;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  fputs("AddNode 0 -\nExplore 0\nStart\n", out);
  for (unsigned i = 1; i <= 200; i++)
    fprintf(out, "AddNode %u 0\n", i);
  fputs("Explore 3\nTransition 3\n", out);
  for (unsigned i = 6; i <= 200; i += 3)
    fprintf(out, "Explore %u\nEnd 1\nStart\nTransition %u\n", i, i);
  fputs("End 1\n", out);
  fclose(out);
  const struct kept *kept = replay(text);
  assert_int_equal(kept->count, 66);
  for (size_t branch = 1; branch < 66; branch++) {
    assert_times(kept, branch, GUESS_ORACLE, 66);
    assert_times(kept, branch, GUESS_LAZY, (double)branch + 1);
    assert_times(kept, branch, GUESS_EAGER, 200);
  }
  free(text);
}

/* Not depth first: after 4 below 1 comes 2, then 5 below 1; and 6, below 1, is scheduled while the execution is
 * elsewhere, which changes the estimates of all nodes above it. */
static void any_order_of_branches(void **unused)
{
  (void)unused;
  static const char text[] = "AddNode 0 -\nExplore 0\n"
                             "Start\nAddNode 1 0\nAddNode 2 0\nExplore 1\nExplore 2\nTransition 1\n"
                             "AddNode 4 1\nAddNode 5 1\nAddNode 6 1\nExplore 4\nExplore 5\nTransition 4\nEnd 1\n"
                             "Start\nTransition 2\nExplore 6\nEnd 10\n"
                             "Start\nTransition 1\nTransition 5\nEnd 1\n"
                             "Start\nTransition 1\nTransition 6\nEnd 1\n";
  const struct kept *kept = replay(text);
  assert_times(kept, 1, GUESS_LAZY, 4);
  assert_times(kept, 1, GUESS_EAGER, 6);
  assert_near(total(kept, 2, MEASURE_TIME, GUESS_LAZY, ESTIMATOR_WBE), 11 / (1.0 / 6 + 1.0 / 2), 1e-12);
  assert_near(total(kept, 2, MEASURE_TIME, GUESS_LAZY, ESTIMATOR_RE), 3 * 1 + 10, 1e-12);
  assert_near(total(kept, 3, MEASURE_TIME, GUESS_LAZY, ESTIMATOR_WBE), 12 / (2.0 / 6 + 1.0 / 2), 1e-12);
  assert_times(kept, 4, GUESS_LAZY, 13);
}

/* Three children are scheduled, the last is dropped before its turn: two executions are all, the oracle knew it from
 * the first one on, and one that is dropped may be scheduled again. */
static void what_is_dropped_is_not_expected(void **unused)
{
  (void)unused;
  static const char text[] = "AddNode 0 -\nExplore 0\n"
                             "Start\nAddNode 1 0\nAddNode 2 0\nAddNode 3 0\nExplore 1\nExplore 2\nExplore 3\n"
                             "Transition 1\nEnd 1\n"
                             "Start\nTransition 2\nDrop 3\nEnd 1\n";
  const struct kept *kept = replay(text);
  assert_int_equal(kept->count, 2);
  assert_times(kept, 1, GUESS_LAZY, 3);
  for (enum guess guess = 0; guess < GUESS_COUNT; guess++)
    assert_times(kept, 2, guess, 2);
  static const char again[] = "AddNode 0 -\nExplore 0\n"
                              "Start\nAddNode 1 0\nAddNode 2 0\nExplore 1\nExplore 2\nTransition 1\nDrop 2\n"
                              "Explore 2\nEnd 1\n"
                              "Start\nTransition 2\nEnd 1\n";
  assert_int_equal(replay(again)->count, 2);
}

/* ---- made-up explorations ---- */

struct writer {
  FILE *out;
  uint64_t next_node, branches;
  uint64_t path[16];
};

static void write_start(struct writer *w, unsigned depth)
{
  fputs("Start\n", w->out);
  for (unsigned i = 1; i <= depth; i++)
    fprintf(w->out, "Transition %" PRIu64 "\n", w->path[i]);
}

/* Explores a node with `children` children, each of which has one fewer, depth first; all are scheduled at once. The
 * execution stands at the node. */
static void write_uniform(struct writer *w, unsigned depth, unsigned children)
{
  uint64_t first = w->next_node;
  if (children == 0) {
    w->branches++;
    fputs("End 2\n", w->out);
    return;
  }
  for (unsigned i = 0; i < children; i++)
    fprintf(w->out, "AddNode %" PRIu64 " %" PRIu64 "\nExplore %" PRIu64 "\n", w->next_node + i, w->path[depth],
            w->next_node + i);
  w->next_node += children;
  for (unsigned i = 0; i < children; i++) {
    if (i)
      write_start(w, depth);
    w->path[depth + 1] = first + i;
    fprintf(w->out, "Transition %" PRIu64 "\n", first + i);
    write_uniform(w, depth + 1, children - 1);
  }
}

/* The trace of n! orders; free it. */
static char *uniform_trace(unsigned n)
{
  char *text;
  size_t size;
  struct writer w = {.out = open_memstream(&text, &size), .next_node = 1};
  assert_non_null(w.out);
  fputs("heddle exploration trace 1\nAddNode 0 -\nExplore 0\nStart\n", w.out);
  write_uniform(&w, 0, n);
  fclose(w.out);
  return text;
}

/* All branches are alike, so every estimate is right from the first branch on. */
static void uniform_trees_are_known_at_once(void **unused)
{
  (void)unused;
  char *text = uniform_trace(6);
  const struct kept *kept = replay(text);
  assert_int_equal(kept->count, 720);
  for (size_t branch = 1; branch <= 720; branch++)
    for (enum guess g = 0; g < GUESS_COUNT; g++)
      for (enum estimator r = 0; r < ESTIMATOR_COUNT; r++) {
        assert_near(total(kept, branch, MEASURE_BRANCHES, g, r), 720, 1e-9);
        assert_near(total(kept, branch, MEASURE_TIME, g, r), 1440, 1e-9);
      }
  for (enum guess g = 0; g < GUESS_COUNT; g++)
    assert_true(total(kept, 720, MEASURE_BRANCHES, g, ESTIMATOR_WBE) == 720);
  free(text);
}

static void evaluate_text(const char *text, struct evaluation *evaluation)
{
  struct scan scan;
  FILE *in = fmemopen((void *)text, strlen(text), "r");
  assert_non_null(in);
  scan_init(&scan, in, "text");
  assert_true(evaluate(&scan, evaluation));
  scan_free(&scan);
  fclose(in);
}

static void all_techniques_are_right_on_a_uniform_tree(void **unused)
{
  (void)unused;
  static struct evaluation e;
  char *text = uniform_trace(6);
  evaluate_text(text, &e);
  assert_int_equal(e.branches, 720);
  assert_int_equal(e.nodes, 1957);
  assert_true(e.complete);
  for (int g = 0; g < GUESS_COUNT; g++)
    for (int r = 0; r < ESTIMATOR_COUNT; r++)
      for (int f = 0; f < FIT_COUNT; f++)
        for (int c = 0; c < CHECKPOINT_COUNT; c++)
          for (int m = 0; m < MEASURE_COUNT; m++)
            assert_near(accuracy(e.truth[m], &e.answers[m][g][r][f][c]), 100, 1e-6);
  free(text);
}

static void accuracy_is_smaller_by_larger(void **unused)
{
  (void)unused;
  struct technique_answer half = {true, scaled_from_double(50)}, twice = {true, scaled_from_double(200)};
  struct technique_answer vast = {true, scaled_make(1, 40000)}, none = {0};
  assert_near(accuracy(100, &half), 50, 1e-12);
  assert_near(accuracy(100, &twice), 50, 1e-12);
  assert_true(accuracy(100, &vast) == 0);
  assert_true(accuracy(100, &none) == 0);
}

/* Checkpoints: 1 % of two branches is the first. */
static void checkpoints_are_rounded_up(void **unused)
{
  (void)unused;
  static struct evaluation e;
  evaluate_text(published, &e);
  const struct technique_answer *eager = e.answers[MEASURE_TIME][GUESS_EAGER][ESTIMATOR_WBE][FIT_EMPTY];
  for (int c = 0; c < CHECKPOINT_END; c++)
    assert_near(accuracy(e.truth[MEASURE_TIME], &eager[c]), 100 * 0.71 / 1.26, 1e-9);
  assert_near(accuracy(e.truth[MEASURE_TIME], &eager[CHECKPOINT_END]), 100, 1e-9);
}

/* One branch through 4000 nodes of ten children each: 10^4000 branches, and the exploration is not complete. */
static void counts_beyond_any_double(void **unused)
{
  (void)unused;
  enum { DEPTH = 4000 };
  static struct evaluation e;
  char *text, shown[SCALED_TEXT_SIZE];
  size_t size;
  FILE *out = open_memstream(&text, &size);
  fputs("AddNode 0 -\nExplore 0\nStart\n", out);
  for (unsigned depth = 0; depth < DEPTH; depth++) {
    for (unsigned i = 1; i <= 10; i++)
      fprintf(out, "AddNode %u %u\nExplore %u\n", depth * 10 + i, depth ? depth * 10 - 9 : 0, depth * 10 + i);
    fprintf(out, "Transition %u\n", depth * 10 + 1);
  }
  fputs("End 3\n", out);
  fclose(out);
  evaluate_text(text, &e);
  assert_false(e.complete);
  for (enum guess g = 0; g < GUESS_COUNT; g++)
    for (enum estimator r = 0; r < ESTIMATOR_COUNT; r++) {
      const struct technique_answer *branches = &e.answers[MEASURE_BRANCHES][g][r][FIT_EMPTY][CHECKPOINT_END];
      const struct technique_answer *time = &e.answers[MEASURE_TIME][g][r][FIT_EMPTY][CHECKPOINT_END];
      assert_string_equal(scaled_text(branches->value, shown), "1.00e4000");
      assert_string_equal(scaled_text(time->value, shown), "3.00e4000");
    }
  free(text);
}

/* A depth-first exploration keeps one path and the siblings along it, whatever the size of the tree. */
static void finished_subtrees_are_freed(void **unused)
{
  (void)unused;
  char *text = uniform_trace(7);
  struct oracle oracle = {0};
  struct events events;
  struct exploration_event event;
  FILE *in = fmemopen(text, strlen(text), "r");
  struct tree *tree = tree_new(&oracle, false);
  uint64_t most = 0;
  events_init(&events, in, "text");
  while (events_next(&events, &event) == EVENTS_ONE) {
    assert_true(tree_apply(tree, &event, &events));
    most = tree_open_nodes(tree) > most ? tree_open_nodes(tree) : most;
  }
  assert_int_equal(tree_nodes(tree), 13700);
  assert_int_equal(most, 1 + 7 + 6 + 5 + 4 + 3 + 2 + 1);
  assert_int_equal(tree_open_nodes(tree), 0);
  assert_true(tree_complete(tree));
  tree_free(tree);
  events_free(&events);
  fclose(in);
  free(text);
}

/* ---- wrong traces ---- */

/* Both ways through it end with an error that contains the words, and names the line. */
static void assert_bad(const char *text, size_t size, const char *where, const char *words)
{
  for (int learn = 0; learn < 2; learn++) {
    static struct kept kept;
    struct scan scan;
    FILE *in = size ? fmemopen((void *)text, size, "r") : fopen("/dev/null", "r");
    assert_non_null(in);
    scan_init(&scan, in, "x");
    assert_false(learn ? scan_learn(&scan) : scan_replay(&scan, keep, &kept));
    assert_non_null(strstr(scan.error, words));
    assert_int_equal(strncmp(scan.error, where, strlen(where)), 0);
    assert_null(strchr(scan.error, '\n'));
    scan_free(&scan);
    fclose(in);
  }
}

#define ROOT "AddNode 0 -\nExplore 0\n"
#define TWO ROOT "Start\nAddNode 1 0\nAddNode 2 0\nExplore 1\n" /* lines 1 to 6 */

static void wrong_traces_are_named(void **unused)
{
  (void)unused;
  static const struct {
    const char *text, *where, *words;
  } cases[] = {
      {"int main(void)\n", "x:1: ", "not an exploration trace"},
      {"heddle exploration trace 4\n" ROOT, "x:1: ", "version 4 was made by a newer heddle"},
      {"heddle schedule 1\n", "x:1: ", "not an exploration trace"},
      {"heddle exploration trace 1\n", "x:1: ", "no execution"},
      {ROOT, "x:2: ", "no execution"},
      {ROOT "Explore\n", "x:3: ", "not an event"},
      {ROOT "Explore x\n", "x:3: ", "not an event"},
      {ROOT "Explore 1 2\n", "x:3: ", "not an event"},
      {ROOT "Explore 99999999999999999999\n", "x:3: ", "not an event"},
      {ROOT "AddNode 1\n", "x:3: ", "not an event"},
      {ROOT "AddNode 1 0 0\n", "x:3: ", "not an event"},
      {ROOT "\n", "x:3: ", "not an event"},
      {ROOT "Started\n", "x:3: ", "not an event"},
      {TWO "Transition 1\nEnd\n", "x:8: ", "not an event"},
      {TWO "Transition 1\nEnd -1\n", "x:8: ", "not an event"},
      {TWO "Transition 1\nEnd nan\n", "x:8: ", "not an event"},
      {TWO "Transition 1\nEnd 1e999\n", "x:8: ", "not an event"},
      {TWO "Transition 1\nEnd 1 s\n", "x:8: ", "not an event"},
      {TWO "Transition 1\nEnd 1", "x:8: ", "cut short"},
      {TWO "Transition 1\n", "x:7: ", "cut short"},
      {TWO "Drop 2\n", "x:7: ", "does not wait"},
      {TWO "Drop 9\n", "x:7: ", "no node 9"},
      {TWO "Drop 0\n", "x:7: ", "does not wait"},
      {TWO "Transition 1\nExplore 2\nEnd 1\nDrop 2\n", "x:10: ", "no execution is above"},
      {TWO "Drop\n", "x:7: ", "not an event"},
      {"Start\n", "x:1: ", "no root"},
      {"AddNode 0 -\nStart\n", "x:2: ", "not scheduled"},
      {ROOT "AddNode 1 -\n", "x:3: ", "second root"},
      {ROOT "AddNode 1 0\n", "x:3: ", "before it was visited"},
      {ROOT "Start\nAddNode 1 7\n", "x:4: ", "no node 7"},
      {TWO "AddNode 2 0\n", "x:7: ", "second time"},
      {TWO "Explore 1\n", "x:7: ", "second time"},
      {TWO "Explore 7\n", "x:7: ", "no node 7"},
      {TWO "Transition 2\n", "x:7: ", "not scheduled"},
      {TWO "Transition 7\n", "x:7: ", "no node 7"},
      {TWO "Transition 1\nTransition 1\n", "x:8: ", "not a child"},
      {TWO "Transition 1\nTransition 0\n", "x:8: ", "not a child"},
      {TWO "Start\n", "x:7: ", "before the one before"},
      {ROOT "End 1\n", "x:3: ", "did not start"},
      {ROOT "Transition 0\n", "x:3: ", "outside"},
      {TWO "Transition 1\nEnd 1\nStart\n", "x:9: ", "everything scheduled"},
      {TWO "Transition 1\nEnd 1\nExplore 2\n", "x:9: ", "no node 2"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    assert_bad(cases[i].text, strlen(cases[i].text), cases[i].where, cases[i].words);
  assert_bad("", 0, "x: ", "empty");
  assert_bad("AddNode 0 -\0\n", 13, "x:1: ", "zero byte");
}

/* Cut anywhere, the example is an error, or a shorter exploration: at the end of a branch. */
static void cut_anywhere(void **unused)
{
  (void)unused;
  const char one[] = "End 0.42\n";
  size_t first = (size_t)(strstr(published, one) - published) + strlen(one);
  for (size_t size = 1; size < sizeof published; size++) {
    static struct kept kept;
    struct scan scan;
    FILE *in = fmemopen((void *)published, size, "r");
    scan_init(&scan, in, "x");
    bool good = scan_replay(&scan, keep, &kept);
    assert_int_equal(good, size == first || size == strlen(published));
    scan_free(&scan);
    fclose(in);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(published_example),
      cmocka_unit_test(published_example_in_branches),
      cmocka_unit_test(the_version_line_may_be_there),
      cmocka_unit_test(strategies_differ_in_what_they_foresee),
      cmocka_unit_test(the_oracle_knows_every_node),
      cmocka_unit_test(any_order_of_branches),
      cmocka_unit_test(what_is_dropped_is_not_expected),
      cmocka_unit_test(uniform_trees_are_known_at_once),
      cmocka_unit_test(all_techniques_are_right_on_a_uniform_tree),
      cmocka_unit_test(accuracy_is_smaller_by_larger),
      cmocka_unit_test(checkpoints_are_rounded_up),
      cmocka_unit_test(counts_beyond_any_double),
      cmocka_unit_test(finished_subtrees_are_freed),
      cmocka_unit_test(wrong_traces_are_named),
      cmocka_unit_test(cut_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
