/* SPDX-License-Identifier: Apache-2.0
 *
 * Protocols: what is learnt from known sequences, and files of automata.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "predict/protocol/mining.h"
#include <stdlib.h>
#include <string.h>

/* A letter is a method; 'c' is number 2, and so on. */
static struct automaton *learnt(const char *const *sequences, unsigned k, double percent)
{
  struct mining *m = mining_new();
  assert_non_null(m);
  for (; *sequences; sequences++) {
    uint32_t node = MINING_ROOT;
    for (const char *s = *sequences; *s; s++)
      node = mining_step(m, node, (uint32_t)(*s - 'a'));
    mining_end(m, node);
  }
  struct automaton *a = mining_learn(m, "letters", 26, (struct mining_options){k, percent});
  mining_free(m);
  assert_non_null(a);
  for (uint32_t i = 0; i < 26; i++)
    assert_true(automaton_name_method(a, i, (char[]){(char)('a' + i), 0}));
  return a;
}

static uint32_t after(const struct automaton *a, const char *sequence)
{
  uint32_t q = 0;
  for (; *sequence; sequence++)
    q = automaton_next(a, q, (uint32_t)(*sequence - 'a'));
  return q;
}

static uint32_t edges(const struct automaton *a)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < a->states * a->methods; i++)
    count += a->next[i] != AUTOMATON_BAD;
  return count;
}

static const char *const connections[] = {"coix", "ciox", "cooix", "ciiox", "coioix", NULL};
static const char *const queues[] = {"ssgssgss", "sgssgs", NULL};

static void connection(void **unused)
{
  (void)unused;
  struct automaton *a = learnt(connections, 1, 100);
  assert_int_equal(a->states, 4);
  assert_int_equal(edges(a), 6); /* c; o and i; o and i; x */
  uint32_t s2 = after(a, "c"), s3 = after(a, "co"), s4 = after(a, "cox");
  assert_int_equal(after(a, "ci"), s3);
  assert_int_equal(after(a, "coo"), s3);
  assert_int_equal(after(a, "coi"), s3);
  assert_true(s2 != s3 && s3 != s4 && s4 != 0 && s2 != 0);
  assert_int_equal(after(a, "cx"), AUTOMATON_BAD);
  assert_int_equal(after(a, "coxo"), AUTOMATON_BAD);
  for (const char *const *s = connections; *s; s++)
    assert_int_equal(after(a, *s), s4);
  automaton_free(a);
}

/* One object alone teaches nothing but its own order. */
static void single(void **unused)
{
  (void)unused;
  static const char *const one[] = {"coix", NULL};
  for (unsigned k = 1; k <= 2; k++) {
    struct automaton *a = learnt(one, k, 100);
    assert_int_equal(a->states, 5);
    assert_int_equal(edges(a), 4);
    assert_int_equal(after(a, "ci"), AUTOMATON_BAD);
    assert_int_equal(after(a, "coix"), 4);
    automaton_free(a);
  }
}

static void queue(void **unused)
{
  (void)unused;
  for (int percent = 50; percent <= 100; percent += 50) {
    struct automaton *a = learnt(queues, 1, percent);
    assert_int_equal(a->states, 2);
    assert_int_equal(edges(a), 3);
    assert_int_equal(after(a, "s"), 1);
    assert_int_equal(after(a, "ss"), 1);
    assert_int_equal(after(a, "sg"), 0);
    assert_int_equal(after(a, "g"), AUTOMATON_BAD);
    automaton_free(a);
  }
}

/* Whatever k and s are, what was seen is accepted. */
static void accepts_what_it_saw(void **unused)
{
  (void)unused;
  static const char *const mixed[] = {"ab", "aab", "abab", "ba", "cacab", "", "abcabcabc", "bbbb", NULL};
  static const char *const *const all[] = {connections, queues, mixed};
  for (unsigned set = 0; set < 3; set++)
    for (unsigned k = 1; k <= MINING_DEPTH; k++)
      for (int percent = 10; percent <= 100; percent += 15) {
        struct automaton *a = learnt(all[set], k, percent);
        for (const char *const *s = all[set]; *s; s++)
          assert_int_not_equal(after(a, *s), AUTOMATON_BAD);
        automaton_free(a);
      }
}

/* A long sequence is cut where the tree is full, not before. */
static void bounded(void **unused)
{
  (void)unused;
  struct mining *m = mining_new();
  uint32_t node = MINING_ROOT, steps = 0;
  while ((node = mining_step(m, node, 1)) != MINING_FULL)
    steps++;
  assert_int_equal(steps, MINING_NODES - 1);
  struct automaton *a = mining_learn(m, "", 2, MINING_DEFAULTS);
  assert_non_null(a);
  assert_int_equal(after(a, "bbbbbbbbbb") != AUTOMATON_BAD, true);
  automaton_free(a);
  mining_free(m);
}

static struct automaton *parsed(const char *text, char *error)
{
  FILE *file = fmemopen((void *)text, strlen(text), "r");
  struct automaton *a = automaton_read(file, error, 256);
  fclose(file);
  return a;
}

static void files(void **unused)
{
  (void)unused;
  char error[256] = "", state[32];
  char *text = NULL, *again = NULL;
  size_t size;
  struct automaton *a = parsed("# a connection\nprotocol conn\nnew conn_open open\nopen conn_send open # often\n"
                               "open conn_close shut\n",
                               error);
  assert_string_equal(error, "");
  assert_non_null(a);
  assert_int_equal(a->states, 3);
  assert_string_equal(a->type, "conn");
  uint32_t send = automaton_method(a, "conn_send"), shut = automaton_method(a, "conn_close");
  assert_int_equal(automaton_method(a, "conn_open"), 0);
  assert_int_equal(automaton_next(a, 0, send), AUTOMATON_BAD);
  assert_string_equal(automaton_state(a, automaton_next(a, 1, shut), state, sizeof state), "shut");
  FILE *out = open_memstream(&text, &size);
  automaton_write(a, out);
  fclose(out);
  assert_string_equal(text, "protocol conn\nnew conn_open open\nopen conn_send open\nopen conn_close shut\n");
  out = open_memstream(&again, &size);
  automaton_draw(a, out);
  fclose(out);
  assert_non_null(strstr(again, "\"open\" -> \"shut\" [label=\"conn_close\"];"));
  free(text);
  free(again);
  automaton_free(a);
}

static void several_in_a_file(void **unused)
{
  (void)unused;
  static char text[] = "protocol a\ns m t\n\nprotocol b\ns n s\n";
  char error[256] = "";
  FILE *file = fmemopen(text, strlen(text), "r");
  struct automaton *a = automaton_read(file, error, sizeof error), *b = automaton_read(file, error, sizeof error);
  assert_string_equal(error, "");
  assert_string_equal(a->type, "a");
  assert_string_equal(b->type, "b");
  assert_int_equal(b->states, 1);
  automaton_free(a);
  automaton_free(b);
  fclose(file);
}

static void wrong_files(void **unused)
{
  (void)unused;
  char error[256] = "";
  assert_null(parsed("protocol conn\nnew open\n", error));
  assert_string_equal(error, "line 2: not of the form STATE METHOD STATE");
  assert_null(parsed("new open x\n", error));
  assert_string_equal(error, "line 1: not of the form protocol TYPE");
  assert_null(parsed("protocol conn\n", error));
  assert_string_equal(error, "there is no protocol in it");
  assert_null(parsed("protocol conn\na m b\na m c\n", error));
  assert_string_equal(error, "m leads from a to both c and another state");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(connection),          cmocka_unit_test(single),      cmocka_unit_test(queue),
      cmocka_unit_test(accepts_what_it_saw), cmocka_unit_test(bounded),     cmocka_unit_test(files),
      cmocka_unit_test(several_in_a_file),   cmocka_unit_test(wrong_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
