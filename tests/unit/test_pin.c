/* SPDX-License-Identifier: Apache-2.0
 *
 * The pure parts of heddle schedule: which orders between threads are told, which statement stands at a place, and how
 * one is taken apart.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/pin/pin_order.h"
#include "report/pin/pin_split.h"
#include "report/pin/pin_statement.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- orders ---- */

#define MOST 24

/* "1Rx 2Wx!": thread 1 reads x, thread 2 was about to write x; "2S1": thread 2 does what comes after operation 1 in
 * every run. */
static size_t read_operations(const char *text, struct pin_operation *out)
{
  size_t n = 0;
  for (; *text; text += strcspn(text, " "), text += strspn(text, " ")) {
    struct pin_operation *o = &out[n++];
    *o = (struct pin_operation){.thread = (uint32_t)(text[0] - '0'), .counts = true};
    o->left = text[3] == '!';
    if (text[1] == 'S') {
      o->follows = (size_t)(text[2] - '0');
      continue;
    }
    o->touches = 1;
    o->touch[0] =
        (struct pin_touch){.from = (uintptr_t)text[2], .to = (uintptr_t)text[2] + 1, .changes = text[1] == 'W'};
  }
  return n;
}

static void assert_order(const char *operations, const char *expected)
{
  struct pin_operation o[MOST];
  size_t n = read_operations(operations, o), count, used = 0;
  char told[256] = "";
  struct pin_pair *pairs = pin_order(o, n, 5, &count);
  for (size_t i = 0; i < count; i++)
    used += (size_t)snprintf(told + used, sizeof told - used, "%s%zu-%zu", used ? " " : "", pairs[i].first + 1,
                             pairs[i].second + 1);
  free(pairs);
  assert_string_equal(told, expected);
}

static void orders_that_matter(void **unused)
{
  (void)unused;
  assert_order("2Rx 1Rx 1Wx 2Wx", "1-3 3-4");     /* a lost update: that 2 precedes 4 follows */
  assert_order("1Rx 2Rx", "");                    /* nobody changes anything */
  assert_order("1Wx 2Wy", "");                    /* nor the same */
  assert_order("1Wx 1Wy 2Ry 2Rx", "2-3");         /* by program order */
  assert_order("1Wx 2Rx 2Wy 3Ry 3Rx", "1-2 3-4"); /* through another thread */
  assert_order("1Wx 3Rx 2Wy 3Ry", "1-2 3-4");     /* not through it */
  assert_order("1Wx 2S1 2Rx", "");                /* it was created after that */
  assert_order("1Wx 2Wx 3Wx", "1-2 2-3");         /* one after the other */
  assert_order("1Rx 2Rx 3Wx", "2-3 1-3");         /* both before it */
  assert_order("1Wx 2Wx 1Wx 2Wx", "1-2 2-3 3-4");
  assert_order("1Rx 2Wx! 3Wx!", "1-2 1-3"); /* neither was performed */
}

/* Whether one comes before the other by the pairs alone, by plain search. */
static bool is_before(const struct pin_operation *o, size_t n, const struct pin_pair *pairs, size_t count, size_t a,
                      size_t b)
{
  bool reached[MOST] = {false};
  reached[a] = true;
  for (size_t i = a; i < n; i++)
    for (size_t k = 0; k < i && !reached[i]; k++) {
      bool edge = o[k].thread == o[i].thread || o[i].follows == k + 1;
      for (size_t p = 0; p < count && !edge; p++)
        edge = pairs[p].first == k && pairs[p].second == i;
      reached[i] = reached[k] && edge;
    }
  return reached[b];
}

static uint32_t random_below(uint32_t *state, uint32_t n)
{
  *state = *state * 1664525 + 1013904223;
  return (*state >> 8) % n;
}

/* Every conflict is in the order that the pairs imply, and no pair follows from the others. */
static void nothing_missing_nothing_too_much(void **unused)
{
  (void)unused;
  for (uint32_t seed = 0; seed < 3000; seed++) {
    uint32_t random = seed;
    struct pin_operation o[MOST];
    const size_t n = 2 + random_below(&random, 12);
    for (size_t i = 0; i < n; i++) {
      const uintptr_t at = random_below(&random, 3);
      o[i] = (struct pin_operation){.thread = random_below(&random, 3), .counts = true, .touches = 1};
      o[i].follows = i && random_below(&random, 8) == 0 ? 1 + random_below(&random, (uint32_t)i) : 0;
      o[i].touch[0] = (struct pin_touch){.from = at, .to = at + 1, .changes = random_below(&random, 2)};
    }
    size_t count;
    struct pin_pair *pairs = pin_order(o, n, 3, &count);
    for (size_t b = 0; b < n; b++)
      for (size_t a = 0; a < b; a++)
        if (o[a].thread != o[b].thread && pin_conflict(&o[a], &o[b]))
          assert_true(is_before(o, n, pairs, count, a, b));
    for (size_t i = 0; i < count; i++) {
      struct pin_pair left = pairs[i];
      pairs[i] = pairs[count - 1];
      assert_false(is_before(o, n, pairs, count - 1, left.first, left.second));
      pairs[count - 1] = pairs[i];
      pairs[i] = left;
    }
    free(pairs);
  }
}

/* ---- statements ---- */

static const char *const kinds[] = {"simple", "declaration", "jump", "if", "loop"};

/* $ is the place; what is expected: kind, bare, the statement, its value. */
static void assert_statement(const char *source, const char *expected)
{
  char text[512], told[512] = "none";
  const size_t place = strcspn(source, "$"), length = strlen(source) - 1;
  struct source_statement s;
  snprintf(text, sizeof text, "%.*s%s", (int)place, source, source + place + 1);
  char *code = source_without_comments(text, length);
  if (statement_at(code, length, place, &s))
    snprintf(told, sizeof told, "%s%s|%.*s|%.*s", kinds[s.kind], s.bare ? " bare" : "", (int)(s.to - s.from),
             text + s.from, (int)(s.value_to - s.value_from), text + s.value_from);
  free(code);
  assert_string_equal(told, expected);
}

static void statements(void **unused)
{
  (void)unused;
  assert_statement("int f(void) { a = 1; $x++; b(); }", "simple|x++;|x++");
  assert_statement("int f(void) { a = 1;\n$  x++; b(); }", "simple|x++;|x++");
  assert_statement("f() { int $y = x; }", "declaration|int y = x;|int y = x");
  assert_statement("f() { node *n = $top; }", "declaration|node *n = top;|node *n = top");
  assert_statement("f() { std::vector<int> v = $top; }",
                   "declaration|std::vector<int> v = top;|std::vector<int> v = top");
  assert_statement("f() { return $x; }", "jump|return x;|x");
  assert_statement("f() { if ($x == 1) y(); }", "if|if (x == 1)|x == 1");
  assert_statement("f() { if (x) $y(); else z(); }", "simple bare|y();|y()");
  assert_statement("f() { if (x) y(); else $z(); }", "simple bare|z();|z()");
  assert_statement("f() { if (x) y(); else if ($q) z(); }", "if bare|if (q)|q");
  assert_statement("f() { while (!$ready) wait(); }", "loop|while (!ready)|!ready");
  assert_statement("f() { do x++; while ($cas(&t)); z(); }", "loop|while (cas(&t))|cas(&t)");
  assert_statement("f() { for (i = 0; i < $n; i++) g(); }", "loop|for (i = 0; i < n; i++)|i < n");
  assert_statement("f() { for (;;) { $x = 1; } }", "simple|x = 1;|x = 1");
  assert_statement("f() { switch (k) { case 1: $x = 1; break; } }", "simple|x = 1;|x = 1");
  assert_statement("f() { again: $x = 1; }", "simple|x = 1;|x = 1");
  assert_statement("f() { /* x; { */ $x = \"};{\" /* ; */; }", "simple|x = \"};{\" /* ; */;|x = \"};{\" /* ; */");
  assert_statement("f() {\n#define Z ; }\n$x = 1; }", "simple|x = 1;|x = 1");
  assert_statement("f() { int a[2] = {1, 2}; $x = 1; }", "simple|x = 1;|x = 1");
  assert_statement("struct s { int a; }; f() { $x = 1; }", "simple|x = 1;|x = 1");
  assert_statement("f() { std::thread t([&] { $x++; }); }", "simple|x++;|x++");
  assert_statement("namespace n { void f() { a(); } void g() { $x = 1; } }", "simple|x = 1;|x = 1");
  assert_statement("int x; $", "none");
}

static void includes(void **unused)
{
  (void)unused;
  const char *text = "/* a */\n#include <a.h>\n#ifdef X\n#include <b.h>\n#endif\n#include <c.h>\nint x;\n";
  assert_memory_equal(text + behind_includes(text, strlen(text)), "int x;", 6);
  assert_int_equal(behind_includes("int x;\n", 7), 0);
}

/* ---- taken apart ---- */

static void assert_split(const char *statement, const char *expected)
{
  char text[256];
  struct source_statement s;
  snprintf(text, sizeof text, "void f(void) { %s }", statement);
  const size_t length = strlen(text);
  char *code = source_without_comments(text, length);
  assert_true(statement_at(code, length, strlen("void f(void) { "), &s));
  char *split = split_update(text, code, &s, "", "E;\n");
  if (expected)
    assert_string_equal(split, expected);
  else
    assert_null(split);
  free(split);
  free(code);
}

static void taken_apart(void **unused)
{
  (void)unused;
  assert_split("x++;", "{\n  __typeof__(x) hd_old = x;\nE;\n  x = hd_old + 1;\n}");
  assert_split("--s->n;", "{\n  __typeof__(s->n) hd_old = s->n;\nE;\n  s->n = hd_old - 1;\n}");
  assert_split("x -= a + b;", "{\n  __typeof__(x) hd_old = x;\nE;\n  x = hd_old - (a + b);\n}");
  assert_split("x <<= n;", "{\n  __typeof__(x) hd_old = x;\nE;\n  x = hd_old << n;\n}");
  assert_split("x = y == 2;", "{\n  __typeof__(x) hd_new = y == 2;\nE;\n  x = hd_new;\n}");
  assert_split("a[x <= 2] = x;", "{\n  __typeof__(a[x <= 2]) hd_new = x;\nE;\n  a[x <= 2] = hd_new;\n}");
  assert_split("*at(i) += 1;", "{\n  __typeof__(*at(i)) *hd_at = &*at(i);\n  __typeof__(*at(i)) hd_old = *hd_at;\nE;\n "
                               " *hd_at = hd_old + 1;\n}");
  assert_split("g(x);", NULL);
  assert_split("x == y;", NULL);
  assert_split("int z = x;", NULL);
}

static void operands(void **unused)
{
  (void)unused;
  const char *code = "f() { r = stop + top->next + top; }";
  struct source_statement s;
  size_t from, to;
  assert_true(statement_at(code, strlen(code), 6, &s));
  assert_true(find_operand_text(code, &s, "top", &from, &to));
  assert_memory_equal(code + from, "top->next", 9);
  assert_false(find_operand_text(code, &s, "next", &from, &to)); /* of something else */
  assert_false(find_operand_text(code, &s, "r", &from, &to));    /* written */
  assert_false(find_operand_text(code, &s, "absent", &from, &to));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders_that_matter), cmocka_unit_test(nothing_missing_nothing_too_much),
      cmocka_unit_test(statements),         cmocka_unit_test(includes),
      cmocka_unit_test(taken_apart),        cmocka_unit_test(operands),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
