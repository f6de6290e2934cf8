/* SPDX-License-Identifier: Apache-2.0
 *
 * What must be held until what, for each shape of communication deadlock.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "predict/communication/pauses.h"
#include "program_of.h"

static size_t add_step(char *out, size_t size, const struct trace *t, const struct model_step *s)
{
  return (size_t)snprintf(out, size, "%s %s@%s", t->threads[s->thread].text, op_table[s->op].name,
                          t->sites[s->site].text);
}

/* "T1 mutex-lock@10 until T2 cond-signal@20", one a line, of the only group. */
static void assert_pauses(const char *trace, const char *expected)
{
  struct guards *guards;
  struct built b = build_inferring(trace, &guards);
  struct model_result r;
  struct pause pause[PAUSES_MOST];
  char text[1024] = "";
  size_t n = 0;
  assert_true(model_explore(b.program, &(struct model_limits){0}, &r));
  assert_int_equal(r.groups, 1);
  uint32_t count = pauses_of(b.program, &r.group[0], pause);
  for (uint32_t i = 0; i < count; i++) {
    n += add_step(text + n, sizeof text - n, b.tables, &pause[i].held);
    n += (size_t)snprintf(text + n, sizeof text - n, " until ");
    n += add_step(text + n, sizeof text - n, b.tables, &pause[i].until);
    n += (size_t)snprintf(text + n, sizeof text - n, "\n");
  }
  assert_string_equal(text, expected);
  model_free(&r);
  release_built(&b);
  guards_free(guards);
}

/* The flag is looked at before the lock is taken. */
static void told_too_early(void **unused)
{
  (void)unused;
  assert_pauses("main predicate unset value=1 @ 1\nmain create T1 @ 2\nmain create T2 @ 3\n"
                "T1 cond-guard-wait cv l @ 9\nT1 predicate unset value=1\nT1 read flag @ 10\n"
                "T1 mutex-lock l @ 11\nT1 cond-wait cv l @ 12\n"
                "T2 write flag @ 20\nT2 predicate unset value=0 @ 20\nT2 mutex-lock l @ 21\n"
                "T2 cond-broadcast cv @ 22\nT2 mutex-unlock l @ 23\n"
                "T1 cond-wake cv l @ 12\nT1 mutex-unlock l @ 13\nT1 guard-end\n",
                "T2 write@20 until T1 read@10\n"
                "T1 mutex-lock@11 until T2 cond-broadcast@22\n");
}

static void without_condition(void **unused)
{
  (void)unused;
  assert_pauses("main create T1 @ 1\nT1 mutex-lock l @ 10\nT1 cond-wait cv l @ 11\n"
                "main mutex-lock l @ 20\nmain cond-broadcast cv @ 21\nmain mutex-unlock l @ 22\n"
                "T1 cond-wake cv l @ 11\nT1 mutex-unlock l @ 12\n",
                "T1 mutex-lock@10 until main cond-broadcast@21\n");
}

/* What main said before it created the threads needs no pause. */
static void inside_an_outer_lock(void **unused)
{
  (void)unused;
  assert_pauses("main predicate empty value=1 @ 1\nmain create T1 @ 2\nmain create T2 @ 3\n"
                "T2 mutex-lock app @ 20\nT2 mutex-lock lib @ 21\nT2 predicate empty value=0 @ 22\n"
                "T2 cond-signal cv @ 23\nT2 mutex-unlock lib @ 24\nT2 mutex-unlock app @ 25\n"
                "T1 mutex-lock app @ 10\nT1 mutex-lock lib @ 11\nT1 cond-guard-wait cv lib @ 12\n"
                "T1 predicate empty value=0\nT1 guard-end\nT1 mutex-unlock lib @ 13\nT1 mutex-unlock app @ 14\n",
                "T2 mutex-lock@20 until T1 cond-wait@12\n");
}

/* The buffer must be full when the producer looks, which it is by itself; then it grows, and only then the consumer may
 * look. */
static void skipped(void **unused)
{
  (void)unused;
  assert_pauses("main predicate full value=0 @ 1\nmain create p @ 2\nmain create r @ 3\nmain create c @ 4\n"
                "p mutex-lock b @ 10\np cond-guard-wait cv b @ 11\np predicate full value=0\np guard-end\n"
                "p write count @ 12\np predicate full value=1 @ 12\np mutex-unlock b @ 14\n"
                "r mutex-lock b @ 20\nr write capacity @ 21\nr predicate full value=0 @ 21\nr mutex-unlock b @ 22\n"
                "p mutex-lock b @ 10\np cond-guard-wait cv b @ 11\np predicate full value=0\np guard-end\n"
                "p mutex-unlock b @ 14\n"
                "c mutex-lock b @ 30\nc cond-guard-signal cv b @ 31\nc predicate full value=0\nc guard-end\n"
                "c mutex-unlock b @ 32\n",
                "r mutex-lock@20 until p cond-wait@11\n"
                "c mutex-lock@30 until r write@21\n");
}

/* Who makes the waiter wait must have done so; who could tell it stops outside. */
static void made_to_wait(void **unused)
{
  (void)unused;
  assert_pauses("main predicate used value=0 @ 1\nmain create T1 @ 2\nmain create T2 @ 3\n"
                "T2 mutex-lock w @ 20\nT2 write readers @ 21\nT2 predicate used value=1 @ 21\nT2 mutex-unlock w @ 22\n"
                "T2 mutex-lock w @ 30\nT2 write readers @ 31\nT2 predicate used value=0 @ 31\nT2 mutex-unlock w @ 32\n"
                "T2 mutex-lock q @ 33\nT2 cond-signal cv @ 34\nT2 mutex-unlock q @ 35\n"
                "T1 mutex-lock w @ 10\nT1 mutex-lock q @ 11\nT1 cond-guard-wait cv q @ 12\n"
                "T1 predicate used value=0\nT1 guard-end\nT1 mutex-unlock q @ 13\nT1 mutex-unlock w @ 14\n",
                "T1 mutex-lock@10 until T2 write@21\n"
                "T2 mutex-lock@30 until T1 cond-wait@12\n");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(told_too_early), cmocka_unit_test(without_condition), cmocka_unit_test(inside_an_outer_lock),
      cmocka_unit_test(skipped),        cmocka_unit_test(made_to_wait),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
