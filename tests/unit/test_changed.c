/* SPDX-License-Identifier: Apache-2.0
 *
 * Changes of programs: differences as git tells them, points that follow from them, and heuristics over toy programs
 * (toy_world.h): with each of them a search runs the same executions as without, in another order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "change/diff.h"
#include "change/impact.h"
#include "core/rng.h"
#include "explore/explorer.h"
#include "session/frontier.h"
#include "toy_world.h"
#include <stdio.h>

/* ---- differences ---- */

static struct diff parsed(const char *text)
{
  struct diff d;
  assert_true(diff_parse(&d, text));
  return d;
}

static void assert_hunk(const struct diff_file *f, size_t i, uint32_t old_line, uint32_t old_count, uint32_t new_line,
                        uint32_t new_count)
{
  assert_true(i < f->hunks);
  assert_int_equal(f->hunk[i].old_line, old_line);
  assert_int_equal(f->hunk[i].old_count, old_count);
  assert_int_equal(f->hunk[i].new_line, new_line);
  assert_int_equal(f->hunk[i].new_count, new_count);
}

static void test_lines(void **state)
{
  (void)state;
  struct diff d = parsed("diff --git a/src/q.c b/src/q.c\nindex 1..2 100644\n--- a/src/q.c\n+++ b/src/q.c\n"
                         "@@ -3,2 +3 @@ int f(void)\n--- a/not/a/file\n-x\n+++ b/nor/this\n@@ -9,0 +9,2 @@\n+y\n+z\n"
                         "@@ -20 +22,0 @@\n-gone\n");
  assert_int_equal(d.files, 1);
  assert_string_equal(d.file[0].old_path, "src/q.c");
  assert_string_equal(d.file[0].new_path, "src/q.c");
  assert_int_equal(d.file[0].hunks, 3);
  assert_hunk(&d.file[0], 0, 3, 2, 3, 1);
  assert_hunk(&d.file[0], 1, 9, 0, 9, 2);
  assert_hunk(&d.file[0], 2, 20, 1, 22, 0);
  static const uint32_t becomes[][2] = {{1, 1}, {2, 2}, {3, 0}, {4, 0}, {5, 4}, {9, 8}, {10, 11}, {19, 20}, {20, 0}};
  for (size_t i = 0; i < sizeof becomes / sizeof *becomes; i++)
    assert_int_equal(diff_new_line(&d.file[0], becomes[i][0]), becomes[i][1]);
  assert_int_equal(diff_new_line(&d.file[0], 21), 21);
  diff_free(&d);
}

/* Renamed, deleted, new, binary, a submodule, without a newline at the end, with carriage returns, with odd names. */
static void test_odd_files(void **state)
{
  (void)state;
  struct diff d = parsed(
      "diff --git a/old.c b/new.c\nsimilarity index 100%\nrename from old.c\nrename to new.c\n"
      "diff --git a/gone.c b/gone.c\ndeleted file mode 100644\n--- a/gone.c\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n"
      "diff --git a/fresh.c b/fresh.c\nnew file mode 100644\n--- /dev/null\n+++ b/fresh.c\n@@ -0,0 +1 @@\n+a\n"
      "diff --git a/p.png b/p.png\nindex 1..2 100644\nBinary files a/p.png and b/p.png differ\n"
      "diff --git a/sub b/sub\nindex 1..2 160000\n--- a/sub\n+++ b/sub\n@@ -1 +1 @@\n-Subproject commit 1\n"
      "+Subproject commit 2\n"
      "diff --git a/end.c b/end.c\n--- a/end.c\n+++ b/end.c\n@@ -5 +5 @@\n-x\n\\ No newline at end of file\n+y\n"
      "\\ No newline at end of file\n@@ -9 +9 @@\n-x\r\n+y\r\n"
      "diff --git \"a/\\303\\244 \\\"q\\\".c\" \"b/\\303\\244 \\\"q\\\".c\"\n--- \"a/\\303\\244 \\\"q\\\".c\"\n"
      "+++ \"b/\\303\\244 \\\"q\\\".c\"\n@@ -1 +1 @@\n-x\n+y\n"
      "diff --git a/two words.c b/two words.c\n--- a/two words.c\t\n+++ b/two words.c\t\n@@ -1 +1 @@\n-x\n+y\n");
  assert_int_equal(d.files, 8);
  assert_int_equal(d.file[0].hunks, 0);
  assert_string_equal(d.file[1].old_path, "gone.c");
  assert_null(d.file[1].new_path);
  assert_null(d.file[2].old_path);
  assert_hunk(&d.file[2], 0, 0, 0, 1, 1);
  assert_true(d.file[3].binary);
  assert_string_equal(d.file[4].new_path, "sub");
  assert_int_equal(d.file[5].hunks, 2);
  assert_string_equal(d.file[6].new_path, "\303\244 \"q\".c");
  assert_string_equal(d.file[7].new_path, "two words.c");
  diff_free(&d);
}

static void test_hostile_differences(void **state)
{
  (void)state;
  static const char *const texts[] = {
      "",
      "@@ -1 +1 @@\n-x\n+y\n",
      "diff --git",
      "diff --git a/a b/a\n@@ -99999999999999999999 +1 @@\n",
      "diff --git a/a b/a\n@@ -1,99999999999 +1,4 @@\n+++ b/../../etc/passwd\n",
      "diff --git a/a b/a\n@@ - + @@\n@@ -1\n@@\n@@ -1 +1\n",
      "diff --git a/a b/a\n--- \"a/\\\n+++ \"\n--- \n+++ /etc/passwd\n",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct diff d = parsed(texts[i]);
    for (size_t f = 0; f < d.files; f++)
      assert_int_equal(d.file[f].hunks, 0);
    diff_free(&d);
  }
  uint64_t stream = 1;
  static const char piece[][24] = {
      "diff --git a/x b/x\n", "@@ -1,2 +3 @@\n", "+++ b/", "--- \"a/\\", "-", "\n", "9", ","};
  for (unsigned n = 0; n < 2000; n++) {
    char text[512] = "";
    for (unsigned i = 0; i < 20; i++)
      strcat(text, piece[rng_below(&stream, 8)]);
    struct diff d = parsed(text);
    diff_free(&d);
  }
}

/* ---- points ---- */

/* A store of facts about one file, `q.c`: push() in lines 10 to 19, with a lock from 12 to 16; get() in lines 30 to 33,
 * which push() calls in line 18. */
static struct source_facts facts_of_queue(uint32_t taken, uint32_t released)
{
  struct source_facts f;
  assert_true(source_facts_open(&f, "/repo"));
  uint32_t file = source_facts_text(&f, "q.c");
  uint32_t head = source_facts_text(&f, "queue.head"), total = source_facts_text(&f, "total");
  source_facts_put_function(&f, (struct source_function){1, file, source_facts_text(&f, "push"), 10, 19});
  source_facts_put_function(&f, (struct source_function){2, file, source_facts_text(&f, "get"), 30, 33});
  for (uint32_t line = 11; line < 19; line++) {
    source_facts_put_item(&f, (struct source_item){file, line, SOURCE_CODE, 0, 0});
    source_facts_put_item(&f, (struct source_item){file, line, SOURCE_STATEMENT, 0, 0});
  }
  source_facts_put_item(&f, (struct source_item){file, 31, SOURCE_CODE, 0, 0});
  source_facts_put_item(&f, (struct source_item){file, 14, SOURCE_USE, head, 0});
  source_facts_put_item(&f, (struct source_item){file, 18, SOURCE_CALL, 0, 2});
  source_facts_put_item(&f, (struct source_item){file, 31, SOURCE_USE, total, 1});
  source_facts_put_item(&f, (struct source_item){file, 5, SOURCE_DECLARED, head, 0});
  source_facts_put_item(&f, (struct source_item){file, 3, SOURCE_MACRO, file, 15});
  if (taken)
    source_facts_put_region(&f, (struct source_region){file, taken, released});
  assert_true(source_facts_finish(&f));
  return f;
}

static void assert_points(const char *hunks, struct source_facts new, struct source_facts old, const char *expected)
{
  char text[1024], all[1024] = "";
  snprintf(text, sizeof text, "diff --git a/q.c b/q.c\n--- a/q.c\n+++ b/q.c\n%s", hunks);
  struct diff d = parsed(text);
  struct impact m;
  assert_true(impact_find(&m, &d, &new, &old));
  for (size_t i = 0; i < m.points; i++) {
    char point[256];
    impact_format(&m, &m.point[i], point, sizeof point);
    strcat(strcat(all, i ? " " : ""), point);
  }
  assert_string_equal(all, expected);
  impact_free(&m);
  diff_free(&d);
  source_facts_close(&new);
  source_facts_close(&old);
}

static void test_points(void **state)
{
  (void)state;
#define POINTS(hunks, taken, released, was_taken, was_released, expected)                                              \
  assert_points(hunks, facts_of_queue(taken, released), facts_of_queue(was_taken, was_released), expected)
  POINTS("@@ -14 +14 @@\n-x\n+y\n", 0, 0, 0, 0, "q.c:push:14:* *:*:*:queue.head");
  POINTS("@@ -18 +18 @@\n-x\n+y\n", 12, 16, 12, 16, "q.c:push:18:* *:*:*:total");
  POINTS("@@ -13,1 +12,0 @@\n-x\n", 0, 0, 0, 0, "q.c:push:13:*");
  POINTS("@@ -5 +5 @@\n-x\n+y\n", 0, 0, 0, 0, "*:*:*:queue.head");
  POINTS("@@ -3 +3 @@\n-x\n+y\n", 0, 0, 0, 0, "q.c:push:15:*");
  POINTS("@@ -20 +20 @@\n-x\n+y\n@@ -40 +40 @@\n-x\n+y\n", 0, 0, 0, 0, "");
  POINTS("@@ -17 +17 @@\n-x\n+y\n@@ -11 +11 @@\n-x\n+y\n", 12, 16, 12, 16, "q.c:push:11:* q.c:push:17:*");
  /* All that is under the lock now, and all that was. */
  POINTS("@@ -12 +12 @@\n-x\n+y\n", 12, 16, 12, 14,
         "q.c:push:12:* q.c:push:13:* q.c:push:14:* q.c:push:15:* q.c:push:16:* *:*:*:queue.head");
  POINTS("@@ -12 +12 @@\n-x\n+y\n", 0, 0, 12, 14, "q.c:push:12:* q.c:push:13:* q.c:push:14:* *:*:*:queue.head");
  POINTS("", 12, 16, 12, 16, "");
#undef POINTS
}

/* ---- heuristics ---- */

enum { EXECUTIONS_MAX = 4000, BUFFER = 64 << 20 };

struct walk {
  unsigned count;
  uint64_t hash[EXECUTIONS_MAX], class[EXECUTIONS_MAX];
  bool heeds[EXECUTIONS_MAX];
  unsigned first_bug; /* 0: none */
};

static struct changed_map *map_of(struct toy *t, const struct changed_range *range, unsigned count)
{
  struct changed_map *map = CONTROL_AT(t->control, JOB_CHANGED_OFFSET);
  map->count = count;
  memcpy(map->range, range, count * sizeof *range);
  t->control->job_bytes[JOB_CHANGED] = changed_map_bytes(map);
  return map;
}

/* All executions, in the order in which they come. turn: so many by the change and so many without heed of it, in
 * turns; 0: all by the change. */
static void explore_in_turns(const struct toy_program *p, enum strategy_id id, enum heuristic heuristic,
                             struct bound bound, const struct changed_range *range, unsigned count, unsigned turn,
                             struct walk *w)
{
  struct toy *t = toy_open(p);
  struct frontier f;
  static struct unit *unit;
  static struct hand_in *out;
  unit = unit ? unit : toy_memory(BUFFER);
  out = out ? out : toy_memory(BUFFER);
  map_of(t, range, count);
  t->control->config.hashes = 1;
  t->control->config.bound = bound;
  t->control->config.heuristic = heuristic;
  toy_use(t, id, 1);
  assert_true(frontier_open(&f));
  f.limit = bound.limit;
  f.costs = bound.kind != BOUND_NONE;
  if (heuristic)
    frontier_put_off(&f);
  *w = (struct walk){0};
  for (bool heeds = false; !frontier_is_finished(&f); heeds = !heeds) {
    if (turn)
      frontier_heed(&f, heeds);
    while (frontier_is_idle(&f))
      assert_true(frontier_take_up(&f));
    struct place *place = frontier_take(&f, false, unit, BUFFER);
    if (!place)
      continue;
    struct explorer *x = t->engine->strategy_state;
    explorer_attend(x, &t->engine->job);
    explorer_load(x, &t->world, unit);
    unsigned runs = 0;
    for (bool more = true; more && (!turn || runs++ < turn);) {
      more = toy_run(t);
      assert_true(w->count < EXECUTIONS_MAX);
      w->heeds[w->count] = heeds;
      w->class[w->count] = x->class_hash;
      w->hash[w->count++] = t->engine->hash;
      if (t->bug && !w->first_bug)
        w->first_bug = w->count;
    }
    explorer_hand_in(x, &t->world, out, BUFFER);
    assert_int_equal(frontier_hand_in(&f, place, unit->known, out, BUFFER), HAND_IN_TAKEN);
  }
  frontier_close(&f);
  toy_close(t);
}

static void explore(const struct toy_program *p, enum strategy_id id, enum heuristic heuristic, struct bound bound,
                    const struct changed_range *range, unsigned count, struct walk *w)
{
  explore_in_turns(p, id, heuristic, bound, range, count, 0, w);
}

static int by_value(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* The same executions; whether they came in the same order. */
static bool assert_same(const struct walk *a, const struct walk *b)
{
  static struct walk x, y;
  bool in_order = a->count == b->count && !memcmp(a->hash, b->hash, a->count * sizeof *a->hash);
  x = *a, y = *b;
  assert_int_equal(x.count, y.count);
  qsort(x.hash, x.count, sizeof *x.hash, by_value);
  qsort(y.hash, y.count, sizeof *y.hash, by_value);
  assert_memory_equal(x.hash, y.hash, x.count * sizeof *x.hash);
  return in_order;
}

/* Every class that the one has, the other has. */
static void assert_covers(const struct walk *a, const struct walk *b)
{
  for (unsigned i = 0; i < b->count; i++) {
    bool found = false;
    for (unsigned k = 0; k < a->count && !found; k++)
      found = a->class[k] == b->class[i];
    assert_true(found);
  }
}

/* Where the code of a toy thread is, by name; from the first instruction up to the last. */
#define TOY_PLACE(code, at) ((code)*4096u + (at) + 0x10000u)
#define ALL_BITS ((1u << MATCH_COUNT) - 1)

static bool lost_update(const struct toy_state *s)
{
  return s->ended[1] && s->ended[2] && s->var[1] != 2;
}

/* Two threads with private work before an update that loses: the change is the update. */
static const struct toy_program update = {
    .threads = 3,
    .code = {NULL, CODE({SET, 0, 1}, {READ, 1, 0}, {WRITE, 1, 1}, {SET, 2, 1}),
             CODE({SET, 0, 2}, {READ, 1, 0}, {WRITE, 1, 1}, {SET, 2, 2})},
    .bug = lost_update,
};

static const struct changed_range update_lines[] = {
    {TOY_PLACE(1, 1), TOY_PLACE(1, 3), ALL_BITS},
    {TOY_PLACE(2, 1), TOY_PLACE(2, 3), ALL_BITS},
};

static void test_nothing_is_left_out(void **state)
{
  (void)state;
  static struct walk basic, other;
  static const struct bound none, bounds[] = {{BOUND_PREEMPTIONS, 2}, {BOUND_DELAYS, 2}};
  unsigned in_order = 0;
  explore(&update, STRATEGY_dfs, HEURISTIC_BASIC, none, update_lines, 2, &basic);
  assert_int_equal(basic.count, 70); /* 8 over 4 */
  for (enum heuristic h = HEURISTIC_CA; h < HEURISTIC_COUNT; h++) {
    explore(&update, STRATEGY_dfs, h, none, update_lines, 2, &other);
    in_order += assert_same(&basic, &other);
  }
  assert_int_equal(in_order, 0);
  for (unsigned i = 0; i < 2; i++) {
    explore(&update, STRATEGY_dfs, HEURISTIC_BASIC, bounds[i], update_lines, 2, &basic);
    for (enum heuristic h = HEURISTIC_CA; h < HEURISTIC_COUNT; h++) {
      explore(&update, STRATEGY_dfs, h, bounds[i], update_lines, 2, &other);
      assert_same(&basic, &other);
      explore(&update, STRATEGY_dpor, h, bounds[i], update_lines, 2, &other);
      assert_covers(&other, &basic);
      assert_covers(&basic, &other);
    }
  }
}

/* What goes by the change and what does not walk one tree: none of it twice, and nothing is left out. */
static void test_turns(void **state)
{
  (void)state;
  static struct walk basic, other;
  static const struct bound bounds[] = {{0}, {BOUND_PREEMPTIONS, 2}, {BOUND_DELAYS, 2}};
  for (unsigned i = 0; i < 3; i++) {
    explore(&update, STRATEGY_dfs, HEURISTIC_BASIC, bounds[i], update_lines, 2, &basic);
    for (enum heuristic h = HEURISTIC_CA; h < HEURISTIC_COUNT; h++)
      for (unsigned turn = 1; turn < 4; turn++) {
        explore_in_turns(&update, STRATEGY_dfs, h, bounds[i], update_lines, 2, turn, &other);
        assert_same(&basic, &other);
        if (!bounds[i].kind)
          continue;
        explore_in_turns(&update, STRATEGY_dpor, h, bounds[i], update_lines, 2, turn, &other);
        assert_covers(&other, &basic);
        assert_covers(&basic, &other);
      }
  }
}

/* What does not heed the change comes to executions as if there were none, but for those that the other had first. */
static void test_turns_without_heed(void **state)
{
  (void)state;
  static struct walk basic, other;
  static const struct bound none;
  explore(&update, STRATEGY_dfs, HEURISTIC_BASIC, none, update_lines, 2, &basic);
  for (enum heuristic h = HEURISTIC_CA; h < HEURISTIC_COUNT; h++)
    for (unsigned turn = 1; turn < 4; turn++) {
      explore_in_turns(&update, STRATEGY_dfs, h, none, update_lines, 2, turn, &other);
      unsigned at = 0;
      for (unsigned i = 0; i < other.count; i++) {
        if (other.heeds[i])
          continue;
        while (at < basic.count && basic.hash[at] != other.hash[i])
          at++;
        assert_true(at < basic.count);
      }
    }
}

/* Reduction has one execution of each class, whichever comes first. */
static void test_classes_stay(void **state)
{
  (void)state;
  static struct walk basic, other;
  static const struct bound none;
  explore(&update, STRATEGY_dpor, HEURISTIC_BASIC, none, update_lines, 2, &basic);
  for (enum heuristic h = HEURISTIC_CA; h < HEURISTIC_COUNT; h++) {
    explore(&update, STRATEGY_dpor, h, none, update_lines, 2, &other);
    assert_int_equal(basic.count, other.count);
    assert_covers(&basic, &other);
    assert_covers(&other, &basic);
  }
}

static bool changed_first(const struct toy_state *s)
{
  return s->var[3] == 1 && s->at[2] < 2;
}

/* Thread 1 has the changed line, and the fault shows when it is preempted there, by code that was not changed: mode
 * some preempts there at once; mode all brings thread 2 to its end first. */
static const struct toy_program apart = {
    .threads = 3,
    .code = {NULL, CODE({SET, 0, 1}, {SET, 1, 1}, {SET, 3, 1}, {SET, 0, 3}),
             CODE({SET, 0, 2}, {SET, 0, 4}, {READ, 3, 0}, {SET, 0, 5})},
    .bug = changed_first,
};
static const struct changed_range apart_lines[] = {{TOY_PLACE(1, 2), TOY_PLACE(1, 3), ALL_BITS}};

static void test_modes_differ(void **state)
{
  (void)state;
  static struct walk all, some, basic;
  static const struct bound none;
  explore(&update, STRATEGY_dfs, HEURISTIC_BASIC, none, update_lines, 2, &basic);
  explore(&update, STRATEGY_dfs, HEURISTIC_LA, none, update_lines, 2, &all);
  explore(&update, STRATEGY_dfs, HEURISTIC_LS, none, update_lines, 2, &some);
  assert_true(all.first_bug && all.first_bug < basic.first_bug);
  assert_true(some.first_bug && all.first_bug <= some.first_bug);
  explore(&apart, STRATEGY_dfs, HEURISTIC_LA, none, apart_lines, 1, &all);
  explore(&apart, STRATEGY_dfs, HEURISTIC_LS, none, apart_lines, 1, &some);
  assert_true(some.first_bug && some.first_bug < all.first_bug);
  assert_same(&all, &some);
}

/* Nothing was changed: mode some runs each thread until it blocks first, and all the rest comes later. */
static void test_empty_map(void **state)
{
  (void)state;
  static struct walk basic, some;
  static const struct bound none;
  explore(&update, STRATEGY_dfs, HEURISTIC_BASIC, none, NULL, 0, &basic);
  explore(&update, STRATEGY_dfs, HEURISTIC_LS, none, NULL, 0, &some);
  assert_same(&basic, &some);
}

/* ---- calls ---- */

static unsigned stack_of_change(void *self, unsigned thread, uintptr_t *out, unsigned most)
{
  (void)self, (void)most;
  out[0] = 0x501; /* a return address: the call is before it */
  return thread == 1;
}

/* The changed function calls one that was not changed, which does the access. */
static void test_on_stack(void **state)
{
  (void)state;
  static const struct changed_range range[] = {{0x10500, 0x10501, ALL_BITS},
                                               {0x11000, 0x11008, CHANGED_BIT(MATCH_FIELD)}};
  struct changed_map *map = malloc(sizeof *map + sizeof range);
  assert_non_null(map);
  map->count = sizeof range / sizeof range[0];
  memcpy(map->range, range, sizeof range);
  struct world world = {.name = toy_world_name, .stack = stack_of_change};
  struct thread_state thread[3] = {{.pending = {.kind = OP_READ, .pc = 0x701, .addr = 0x2000}},
                                   {.pending = {.kind = OP_READ, .pc = 0x701, .addr = 0x2000}},
                                   {.pending = {.kind = OP_READ, .pc = 0x701, .addr = 0x1004}}};
  struct choice c = {.thread = thread, .threads = 3, .world = &world};
#define X(id, letters, on_stack)                                                                                       \
  {                                                                                                                    \
    struct changed changed = {map, HEURISTIC_##letters##S};                                                            \
    assert_false(changed_matches(&changed, &c, 0));                                                                    \
    assert_int_equal(changed_matches(&changed, &c, 1), on_stack);                                                      \
    assert_int_equal(changed_matches(&changed, &c, 2), MATCH_##id == MATCH_FIELD);                                     \
    assert_int_equal(heuristic_asks_for_calls(changed.heuristic), on_stack);                                           \
  }
  HD_CHANGED_MATCHES(X)
#undef X
  thread[0].pending.pc = 0x501;
  struct changed line = {map, HEURISTIC_LA};
  assert_true(changed_matches(&line, &c, 0));
  free(map);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lines),
      cmocka_unit_test(test_odd_files),
      cmocka_unit_test(test_hostile_differences),
      cmocka_unit_test(test_points),
      cmocka_unit_test(test_nothing_is_left_out),
      cmocka_unit_test(test_turns),
      cmocka_unit_test(test_turns_without_heed),
      cmocka_unit_test(test_classes_stay),
      cmocka_unit_test(test_modes_differ),
      cmocka_unit_test(test_empty_map),
      cmocka_unit_test(test_on_stack),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
