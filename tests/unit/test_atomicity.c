/* SPDX-License-Identifier: Apache-2.0
 *
 * Prediction of atomicity violations: the patterns, what belongs together, what locks and order forbid; and against all
 * correct reorderings of random traces: nothing that is said to be proven is wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "predict/order/atomicity.h"
#include "reorderings.h"
#include <stdlib.h>

static struct predictions predict(const char *text, struct atomicity_options options)
{
  struct predictions found = {0};
  struct event e;
  char error[256];
  struct trace_reader *reader = trace_from_text(text, error, sizeof error);
  struct atomicity *a = atomicity_open(options);
  assert_non_null(reader);
  assert_non_null(a);
  while (trace_next(reader, &e, error, sizeof error))
    atomicity_event(a, trace_tables(reader), &e);
  assert_string_equal(error, "");
  atomicity_finish(a, &found);
  atomicity_close(a);
  assert_false(found.failed);
  trace_close(reader);
  return found;
}

/* Predictions as numbers of events: "4-7-5" proven, "4~7~5" not; a blank between. */
static void expect_with(const char *lines, struct atomicity_options options, const char *expected, const char *file,
                        int line)
{
  char text[4096], got[1024] = "";
  snprintf(text, sizeof text, "heddle-trace 1 text\nmain create T1\nmain create T2\n%s", lines);
  struct predictions p = predict(text, options);
  for (size_t i = 0, n = 0; i < p.count; i++) {
    const struct prediction *f = &p.list[i];
    assert_int_equal(f->kind, PREDICT_ATOMICITY);
    assert_int_equal(f->party_count, 3);
    assert_int_equal(f->party[0].thread, f->party[2].thread);
    const char *mark = f->sound ? "-" : "~";
    n += (size_t)snprintf(got + n, sizeof got - n, "%s%u%s%u%s%u", i ? " " : "", (unsigned)f->party[0].event, mark,
                          (unsigned)f->party[1].event, mark, (unsigned)f->party[2].event);
  }
  predictions_free(&p);
  _assert_string_equal(got, expected, file, line);
}
#define expect(lines, expected) expect_with(lines, ATOMICITY_OPTIONS, expected, __FILE__, __LINE__)

static void patterns(void **unused)
{
  (void)unused;
  static const char kind[] = "rw";
  static const char *const unserialisable[] = {"rwr", "wwr", "wrw", "rww", "www"};
  for (unsigned i = 0; i < 8; i++) {
    char text[256], pattern[4] = {kind[i >> 2 & 1], kind[i >> 1 & 1], kind[i & 1], 0};
    bool expected = false;
    for (unsigned k = 0; k < 5; k++)
      expected |= !strcmp(pattern, unserialisable[k]);
    snprintf(text, sizeof text, "T1 %s x @ 1\nT1 %s x @ 3\nT2 %s x @ 2\n", pattern[0] == 'r' ? "read" : "write",
             pattern[2] == 'r' ? "read" : "write", pattern[1] == 'r' ? "read" : "write");
    expect(text, expected ? "3-5-4" : "");
  }
}

#define SECTION(thread, access) thread " mutex-lock L\n" thread " " access "\n" thread " mutex-unlock L\n"

static void split_sections(void **unused)
{
  (void)unused;
  /* the remote write rests on nothing: it can go between */
  expect(SECTION("T1", "read x @ 1") SECTION("T1", "write x @ 3") SECTION("T2", "write x @ 2"), "4-10-7");
  /* it did */
  expect(SECTION("T1", "read x @ 1") SECTION("T2", "write x @ 2") SECTION("T1", "write x @ 3"), "4-7-10");
  /* it came before: the sections would have to be exchanged */
  expect(SECTION("T2", "write x @ 2") SECTION("T1", "write x @ 1") SECTION("T1", "write x @ 3"), "7~4~10");
  /* split increments: each write rests on a read, so nothing is proven, but nothing is in the way either; one report */
  expect(SECTION("T1", "read x @ 1") SECTION("T1", "write x @ 2") SECTION("T2", "read x @ 1")
             SECTION("T2", "write x @ 2"),
         "4~13~7");
  /* one whole update after another */
  expect(SECTION("T1", "write x @ 1") SECTION("T1", "read x @ 3") SECTION("T2", "write x @ 2"), "");
  /* looked up in one section, used in the next */
  expect(SECTION("T1", "read x @ 1") SECTION("T1", "read x @ 3") SECTION("T2", "write x @ 2"), "4-10-7");
  /* the lock is held from the one to the other */
  expect("T1 mutex-lock L\nT1 read x @ 1\nT1 write x @ 3\nT1 mutex-unlock L\n" SECTION("T2", "write x @ 2"), "");
  /* an outer lock that the remote side has, too; one that it has not */
  expect("T1 mutex-lock M\n" SECTION("T1", "read x @ 1")
             SECTION("T1", "write x @ 3") "T1 mutex-unlock M\nT2 mutex-lock M\nT2 write x @ 2\nT2 mutex-unlock M\n",
         "");
  expect("T1 mutex-lock M\n" SECTION("T1", "read x @ 1")
             SECTION("T1", "write x @ 3") "T1 mutex-unlock M\n" SECTION("T2", "write x @ 2"),
         "5-12-8");
}

static void order(void **unused)
{
  (void)unused;
  /* joined before */
  expect("T1 write x @ 1\nT1 write x @ 3\nmain join T1\nmain write x @ 2\n", "");
  /* handed over */
  expect("T1 write x @ 1\nT1 write x @ 3\nT1 sem-post s\nT2 sem-wait s\nT2 write x @ 2\n", "");
  expect("T1 write x @ 1\nT1 write x @ 3\nT1 atomic-store f order=3\nT2 atomic-load f order=2\nT2 read x @ 2\n", "");
  /* handed over and back: in between by arrangement */
  expect("T1 write x @ 1\nT1 atomic-store f order=3\nT2 atomic-load f order=2\nT2 write x @ 2\nT2 "
         "atomic-store g order=3\n"
         "T1 atomic-load g order=2\nT1 write x @ 3\n",
         "");
  /* with a wait in between nobody expects it to stay the same */
  expect("T1 write x @ 1\nT1 sem-post s\nT1 write x @ 3\nT2 read x @ 2\n", "");
}

static void belonging(void **unused)
{
  (void)unused;
  struct atomicity_options wide = ATOMICITY_OPTIONS, sections = {.sections = true};
  wide.levels = 1;
  /* the next turn of a loop is another matter */
  expect(SECTION("T1", "read x @ 1") SECTION("T1", "read x @ 1") SECTION("T2", "write x @ 2"), "");
  expect("T1 mutex-lock L @ 9\nT1 read x @ 1\nT1 mutex-unlock L\nT1 mutex-lock L @ 9\nT1 write x @ 3\nT1 "
         "mutex-unlock L\n" SECTION("T2", "write x @ 2"),
         "");
  /* unless it is one section */
  expect("T1 mutex-lock L\nT1 read x @ 1\nT1 read x @ 1\nT1 mutex-unlock L\nT2 write x @ 2\n", "4-7-5");
  /* calls */
  expect("T1 read x @ 1 stack=20,30\nT1 write x @ 3 stack=20,30\nT2 write x @ 2\n", "3-5-4");
  expect("T1 read x @ 1 stack=20,30\nT1 write x @ 3 stack=21,30\nT2 write x @ 2\n", "");
  expect_with("T1 read x @ 1 stack=20,30\nT1 write x @ 3 stack=21,30\nT2 write x @ 2\n", wide, "3-5-4", __FILE__,
              __LINE__);
  expect_with("T1 read x @ 1 stack=20,30\nT1 write x @ 3 stack=30\nT2 write x @ 2\n", wide, "3-5-4", __FILE__,
              __LINE__);
  expect_with("T1 read x @ 1 stack=20,30\nT1 write x @ 3 stack=21,31\nT2 write x @ 2\n", wide, "", __FILE__, __LINE__);
  expect_with("T1 read x @ 1\nT1 write x @ 3\nT2 write x @ 2\n", sections, "", __FILE__, __LINE__);
  /* compare-and-swap checks by itself */
  expect("T1 atomic-load x @ 1\nT1 atomic-rmw x @ 3\nT2 atomic-store x @ 2\n", "");
  /* atomics change, and who reads them again knows it; to write what one has read before is a mistake */
  expect("T1 atomic-load x @ 1\nT1 atomic-load x @ 3\nT2 atomic-store x @ 2\n", "");
  expect("T1 atomic-load x @ 1\nT1 atomic-store x @ 3\nT2 atomic-store x @ 2\n", "3-5-4");
  /* memory that came to lie at the same place again */
  expect("T1 read x @ 1\nT1 write x @ 3\nT1 free x length=8\nT2 write x @ 2\n", "");
  /* bytes */
  expect("T1 read x length=2 @ 1\nT1 write x length=1 @ 3\nT2 write x+1 length=1 @ 2\n", "");
}

/* ---- all reorderings of random traces ---- */

enum { FIRST, REMOTE, SECOND };

/* The second access is next, and so is the remote one unless it is done. */
static bool split(const struct small_trace *t, unsigned done, const unsigned *asked)
{
  bool remote_done = done >> asked[REMOTE] & 1;
  return done >> asked[FIRST] & 1 && next_of(t, done, t->step[asked[SECOND]].thread) == (int)asked[SECOND] &&
         (remote_done || next_of(t, done, t->step[asked[REMOTE]].thread) == (int)asked[REMOTE]);
}

static bool in_this_order(unsigned done, unsigned step, const unsigned *asked)
{
  return step != asked[SECOND] && (step != asked[REMOTE] || done >> asked[FIRST] & 1);
}

static bool really_split(const struct small_trace *t, const unsigned *asked)
{
  static struct question q;
  q.found = split;
  q.allowed = in_this_order;
  q.asked = asked;
  q.seen_count = 0;
  struct state s = first_state();
  return search(t, &s, &q);
}

struct figures {
  unsigned traces, predicted, real, proven;
};

static void judge(const struct small_trace *t, const char *text, struct figures *f)
{
  struct predictions p = predict(text, ATOMICITY_OPTIONS);
  f->traces++;
  for (size_t i = 0; i < p.count; i++) {
    unsigned asked[3];
    for (unsigned k = 0; k < 3; k++)
      asked[k] = (unsigned)p.list[i].party[k].event - 1;
    bool real = really_split(t, asked);
    if (p.list[i].sound && !real)
      fail_msg("%u-%u-%u cannot be in\n%s", asked[0] + 1, asked[1] + 1, asked[2] + 1, text);
    f->predicted++;
    f->real += real;
    f->proven += p.list[i].sound;
  }
  predictions_free(&p);
}

static void random_traces(void **unused)
{
  (void)unused;
  struct figures f = {0}, again = {0};
  uint64_t rng = 11;
  const char *wanted = getenv("TRACES");
  for (unsigned i = 0, n = wanted ? (unsigned)atoi(wanted) : 2000; i < n; i++) {
    char text[4096];
    struct small_trace t = random_trace(&rng);
    write_text(&t, MOST_EVENTS, text, sizeof text);
    judge(&t, text, &f);
    write_text(&t, 3, text, sizeof text); /* sites come again, so accesses take each other's place */
    judge(&t, text, &again);
  }
  print_message("%u traces: %u triples predicted, %u of them in some reordering, %u proven, all of which are\n",
                f.traces, f.predicted, f.real, f.proven);
  assert_true(f.proven > f.real * 3 / 4);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(patterns),  cmocka_unit_test(split_sections), cmocka_unit_test(order),
      cmocka_unit_test(belonging), cmocka_unit_test(random_traces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
