/* SPDX-License-Identifier: Apache-2.0
 *
 * Prediction of data races: textbook cases, what happens-before hides, what must not be reported; and against all
 * correct reorderings of random traces: nothing that is said to be proven is wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "predict/order/races.h"
#include "reorderings.h"
#include <stdlib.h>

static struct predictions predict(const char *text)
{
  struct predictions found = {0};
  struct event e;
  char error[256];
  struct trace_reader *reader = trace_from_text(text, error, sizeof error);
  struct races *races = races_open();
  assert_non_null(reader);
  assert_non_null(races);
  while (trace_next(reader, &e, error, sizeof error))
    races_event(races, trace_tables(reader), &e);
  assert_string_equal(error, "");
  races_finish(races, &found);
  races_close(races);
  assert_false(found.failed);
  trace_close(reader);
  return found;
}

/* Predictions as numbers of events: "4-7" proven, "4~7" not, in the order they came up, a blank between. */
static void expect_(const char *lines, const char *expected, const char *file, int line)
{
  char text[4096], got[1024] = "";
  snprintf(text, sizeof text, "heddle-trace 1 text\n%s", lines);
  struct predictions p = predict(text);
  for (size_t i = 0, n = 0; i < p.count; i++) {
    assert_int_equal(p.list[i].kind, PREDICT_RACE);
    assert_int_equal(p.list[i].party_count, 2);
    n += (size_t)snprintf(got + n, sizeof got - n, "%s%u%s%u", i ? " " : "", (unsigned)p.list[i].party[0].event,
                          p.list[i].sound ? "-" : "~", (unsigned)p.list[i].party[1].event);
  }
  predictions_free(&p);
  _assert_string_equal(got, expected, file, line);
}
#define expect(lines, expected) expect_(lines, expected, __FILE__, __LINE__)

#define TWO "main create T1\nmain create T2\n" /* events 1 and 2 */

static void happens_before(void **unused)
{
  (void)unused;
  expect(TWO "T1 write x @ 3\nT2 write x @ 4\n", "3-4");
  expect(TWO "T1 write x @ 3\nT2 read x @ 4\n", "3-4");
  expect(TWO "T1 read x @ 3\nT2 read x @ 4\n", "");
  expect(TWO "T1 write x @ 3\nT2 write y @ 4\n", "");
  expect(TWO "T1 mutex-lock L\nT1 write x @ 3\nT1 mutex-unlock L\n"
             "T2 mutex-lock L\nT2 write x @ 4\nT2 mutex-unlock L\n",
         "");
  expect("main write x @ 1\nmain create T1\nT1 start T1\nT1 write x @ 2\nT1 exit T1\nmain join T1\nmain "
         "write x @ 3\n",
         "");
  expect("main create T1\nmain write x @ 1\nT1 start T1\nT1 write x @ 2\nmain join T1\n", "2-4");
}

static void waiting(void **unused)
{
  (void)unused;
  expect(TWO "T1 mutex-lock L\nT1 cond-wait c L\nT2 write x @ 3\nT2 mutex-lock L\nT2 cond-signal c\n"
             "T2 mutex-unlock L\nT1 cond-wake c L cause=7\nT1 mutex-unlock L\nT1 write x @ 4\n",
         "");
  /* the signal came after the timeout */
  expect(TWO "T1 mutex-lock L\nT1 cond-wait c L\nT2 write x @ 3\nT1 cond-timedwake c L failed timed\n"
             "T1 mutex-unlock L\nT1 write x @ 4\nT2 cond-signal c\n",
         "5-8");
  expect(TWO "T1 write x @ 3\nT1 sem-post s\nT2 sem-wait s\nT2 write x @ 4\n", "");
  expect(TWO "T1 sem-post s\nT1 write x @ 3\nT2 sem-wait s\nT2 write x @ 4\n", "4-6");
  expect(TWO "T1 write x @ 3\nT1 barrier-arrive b\nT2 barrier-arrive b\nT2 barrier-leave b\nT2 write x @ 4\n"
             "T1 barrier-leave b\n",
         "");
  /* the second round says nothing about what follows the first */
  expect(TWO "T1 barrier-arrive b\nT2 barrier-arrive b\nT1 barrier-leave b\nT1 write x @ 3\nT1 barrier-arrive b\n"
             "T2 barrier-leave b\nT2 write x @ 4\n",
         "6-9");
  expect(TWO "T2 write x @ 3\nT2 cancel T1\nT1 write x @ 4\n", "");
  expect(TWO "T2 cancel T1\nT2 write x @ 3\nT1 write x @ 4\n", "4-5");
  expect(TWO "T1 once-enter o\nT1 write x @ 3\nT1 once-done o\nT2 once-enter o\nT2 read x @ 4\n", "");
}

static void read_write_locks(void **unused)
{
  (void)unused;
  expect(TWO "T1 rwlock-rdlock L\nT1 read x @ 3\nT1 rwlock-unlock L\n"
             "T2 rwlock-wrlock L\nT2 write x @ 4\nT2 rwlock-unlock L\n",
         "");
  expect(TWO "T1 rwlock-rdlock L\nT1 write x @ 3\nT2 rwlock-rdlock L\nT2 write x @ 4\nT2 rwlock-unlock L\n"
             "T1 rwlock-unlock L\n",
         "4-6");
}

#define ACQUIRE " order=2"
#define RELEASE " order=3"
static void atomics(void **unused)
{
  (void)unused;
  expect(TWO "T1 atomic-store f @ 3\nT2 atomic-store f @ 4\n", "");
  expect(TWO "T1 atomic-store f @ 3\nT2 write f @ 4\n", "3-4");
  expect(TWO "T1 write x @ 3\nT1 atomic-store f" RELEASE "\nT2 atomic-load f" ACQUIRE "\nT2 read x @ 4\n", "");
  /* relaxed: a race in C, though the read of f came after the write of x; nobody can bring the two together */
  expect(TWO "T1 write x @ 3\nT1 atomic-store f\nT2 atomic-load f" ACQUIRE "\nT2 read x @ 4\n", "3~6");
  expect(TWO "T1 write x @ 3\nT1 atomic-store f" RELEASE "\nT2 atomic-load f\nT2 read x @ 4\n", "3~6");
  /* the load came first: the order is chance */
  expect(TWO "T2 atomic-load f" ACQUIRE "\nT1 write x @ 3\nT1 atomic-store f" RELEASE "\nT2 read x @ 4\n", "4-6");
  /* fences, and a read-modify-write that passes on what it did not acquire */
  expect(TWO "T1 write x @ 3\nT1 fence" RELEASE "\nT1 atomic-store f\nT2 atomic-load f\nT2 fence" ACQUIRE
             "\nT2 read x @ 4\n",
         "");
  expect(TWO "main create T3\nT1 write x @ 3\nT1 atomic-store f" RELEASE "\nT3 atomic-rmw f\nT2 atomic-load f" ACQUIRE
             "\nT2 read x @ 4\n",
         "");
  /* a plain store ends the release sequence */
  expect(TWO "main create T3\nT1 write x @ 3\nT1 atomic-store f" RELEASE "\nT3 atomic-store f\nT2 atomic-load f" ACQUIRE
             "\nT2 read x @ 4\n",
         "4-8");
}

/* Two sections of a lock happened to come in this order; in the other, the accesses meet. */
static void beyond_happens_before(void **unused)
{
  (void)unused;
  expect(TWO "T1 write x @ 3\nT1 mutex-lock L\nT1 write y @ 4\nT1 mutex-unlock L\n"
             "T2 mutex-lock L\nT2 write y @ 5\nT2 mutex-unlock L\nT2 write x @ 6\n",
         "3-10");
  /* what T2 read in its section was written in that of T1: it rests on it */
  expect(TWO "T1 write x @ 3\nT1 mutex-lock L\nT1 write y @ 4\nT1 mutex-unlock L\n"
             "T2 mutex-lock L\nT2 read y @ 5\nT2 mutex-unlock L\nT2 write x @ 6\n",
         "");
  /* a failed attempt tells that the lock was held */
  expect(TWO "T1 write x @ 3\nT1 mutex-lock L\nT2 mutex-trylock L failed\nT2 write x @ 4\nT1 mutex-unlock L\n", "3~6");
  /* nested: the inner lock of T2 is only free once T1 has left */
  expect(TWO "T1 mutex-lock L\nT1 write x @ 3\nT1 mutex-lock M\nT1 mutex-unlock M\nT1 mutex-unlock L\n"
             "T2 mutex-lock M\nT2 mutex-lock L\nT2 mutex-unlock L\nT2 mutex-unlock M\nT2 write x @ 4\n",
         "");
}

static void no_false_alarms(void **unused)
{
  (void)unused;
  /* different locks, but ordered by joining */
  expect("main create T1\nT1 mutex-lock L\nT1 write x @ 1\nT1 mutex-unlock L\nmain join T1\nmain create T2\n"
         "T2 mutex-lock M\nT2 write x @ 2\nT2 mutex-unlock M\n",
         "");
  /* handed over by an atomic, no lock at all */
  expect(TWO "T1 write x @ 3\nT1 atomic-store f" RELEASE "\nT2 atomic-load f" ACQUIRE
             "\nT2 write x @ 4\nT2 atomic-store f" RELEASE "\nT1 atomic-load f" ACQUIRE "\nT1 write x @ 5\n",
         "");
  /* memory that came to lie at the same place again */
  expect(TWO "T1 write x @ 3\nT1 free x length=8\nT2 write x @ 4\n", "");
  expect(TWO "T1 write x @ 3\nT2 free x length=8 @ 4\n", "3-4");
  expect(TWO "T1 write x @ 3\nT2 free x length=8 hidden\n", "");
  /* a recursive mutex is left when it is left for good */
  expect(TWO "T1 mutex-lock L\nT1 mutex-lock L nested\nT1 mutex-unlock L nested\nT1 write x @ 3\nT1 mutex-unlock L\n"
             "T2 mutex-lock L\nT2 write x @ 4\nT2 mutex-unlock L\n",
         "");
  /* an operation that never came about */
  expect(TWO "T1 write x @ 3\nT2 write x @ 4 pending\n", "");
}

static void bytes(void **unused)
{
  (void)unused;
  expect(TWO "T1 write x length=4 @ 3\nT2 write x+4 length=4 @ 4\n", "");
  expect(TWO "T1 write x length=8 @ 3\nT2 write x+6 length=1 @ 4\n", "3-4");
  expect(TWO "T1 write x+2 length=2 @ 3\nT2 read x length=16 @ 4\n", "3-4");
  /* the last write rests on the read, which rests on the second write, which comes after the first */
  expect(TWO "T1 write x length=2 @ 3\nT1 mutex-lock L\nT1 write x+1 length=1 @ 4\nT1 mutex-unlock L\n"
             "T2 mutex-lock L\nT2 read x+1 length=1 @ 5\nT2 mutex-unlock L\nT2 write x length=1 @ 6\n",
         "3-8");
}

/* The name x is eight bytes, at 0x100008. Nothing comes after the last address, and nobody looks for it there. */
static void end_of_addresses(void **unused)
{
  (void)unused;
  expect(TWO "T1 write x+18446744073708503029 length=3 @ 3\nT2 write x+18446744073708503029 length=3 @ 4\n", "");
  expect(TWO "T1 write x+1 length=0 @ 3\nT2 write x+1 length=0 @ 4\n", "");
}

/* One report a pair of sites, the proven one; what is told of each side. */
static void reports(void **unused)
{
  (void)unused;
  struct predictions p = predict("heddle-trace 1 text\n" TWO "T1 mutex-lock L @ 20\nT1 mutex-lock M @ 21\n"
                                 "T1 write x @ 22\nT1 write x @ 22\nT1 mutex-unlock L\nT1 mutex-unlock M\n"
                                 "T2 write x @ 30 length=8\nT2 write x @ 30\n");
  assert_int_equal(p.count, 1);
  const struct prediction_party *a = &p.list[0].party[0], *b = &p.list[0].party[1];
  assert_true(p.list[0].sound);
  assert_int_equal(a->op, OP_WRITE);
  assert_int_equal(a->event, 6);
  assert_int_equal(a->occurrence, 2);
  assert_int_equal(a->context_length, 3);
  assert_int_equal(a->context[2], a->site);
  assert_int_not_equal(a->lock[0], 0);
  assert_int_not_equal(a->lock[1], a->lock[0]);
  assert_int_equal(a->lock[2], 0);
  assert_int_equal(a->length, 4);
  assert_int_equal(b->length, 8);
  assert_int_equal(b->addr, a->addr);
  assert_int_equal(b->context_length, 1);
  predictions_free(&p);
}

/* More sections than are remembered: the old ones are taken to reach further than they do. */
static void forgotten_sections(void **unused)
{
  (void)unused;
  char text[16384];
  size_t n = (size_t)snprintf(text, sizeof text,
                              "heddle-trace 1 text\n" TWO "T1 write x @ 3\nT1 mutex-lock L\nT1 mutex-unlock L\n");
  for (unsigned i = 0; i < 40; i++)
    n += (size_t)snprintf(text + n, sizeof text - n, "T1 mutex-lock L\nT1 mutex-unlock L\n");
  snprintf(text + n, sizeof text - n, "T2 mutex-lock L\nT2 mutex-unlock L\nT2 write x @ 4\n");
  struct predictions p = predict(text);
  assert_int_equal(p.count, 1); /* T2's section alone: nothing of T1's is needed */
  assert_true(p.list[0].sound);
  predictions_free(&p);
}

/* ---- all reorderings of random traces ---- */

static bool both_next(const struct small_trace *t, unsigned done, const unsigned *asked)
{
  return next_of(t, done, t->step[asked[0]].thread) == (int)asked[0] &&
         next_of(t, done, t->step[asked[1]].thread) == (int)asked[1];
}

static bool anything(unsigned done, unsigned step, const unsigned *asked)
{
  (void)done, (void)step, (void)asked;
  return true;
}

static bool conflicting(const struct small_trace *t, unsigned a, unsigned b)
{
  const struct step *x = &t->step[a], *y = &t->step[b];
  return is_access(x) && is_access(y) && x->thread != y->thread && x->object == y->object &&
         (x->kind == WRITE || y->kind == WRITE);
}

static bool really_race(const struct small_trace *t, unsigned a, unsigned b)
{
  static struct question q;
  unsigned asked[2] = {a, b};
  q.found = both_next;
  q.allowed = anything;
  q.asked = asked;
  q.seen_count = 0;
  struct state s = first_state();
  return search(t, &s, &q);
}

/* Happens-before by closing a matrix. */
static void close_happens_before(const struct small_trace *t, bool before[MOST_EVENTS][MOST_EVENTS])
{
  for (unsigned j = 0; j < t->count; j++)
    for (unsigned i = 0; i < j; i++) {
      const struct step *a = &t->step[i], *b = &t->step[j];
      bool locks = a->kind == UNLOCK && a->object == b->object && (b->kind == LOCK || b->kind == RDLOCK);
      bool reading = false; /* the unlocking of a reader says nothing to another */
      for (unsigned k = 0; k < i; k++)
        if (t->step[k].thread == a->thread && t->step[k].object == a->object &&
            (t->step[k].kind == LOCK || t->step[k].kind == RDLOCK))
          reading = t->step[k].kind == RDLOCK;
      before[i][j] =
          a->thread == b->thread || (locks && !(reading && b->kind == RDLOCK)) || (a->kind == POST && b->kind == WAIT);
    }
  for (unsigned k = 0; k < t->count; k++)
    for (unsigned i = 0; i < t->count; i++)
      for (unsigned j = 0; j < t->count; j++)
        before[i][j] |= before[i][k] && before[k][j];
}

struct figures {
  unsigned traces, pairs, real, by_happens_before, real_of_these, proven;
};

static const struct prediction *prediction_of(const struct predictions *p, unsigned a, unsigned b)
{
  for (size_t i = 0; i < p->count; i++)
    if (p->list[i].party[0].event == a + 1 && p->list[i].party[1].event == b + 1)
      return &p->list[i];
  return NULL;
}

static void judge(const struct small_trace *t, const char *text, struct figures *f)
{
  struct predictions p = predict(text);
  bool before[MOST_EVENTS][MOST_EVENTS] = {0};
  close_happens_before(t, before);
  f->traces++;
  for (unsigned b = 0; b < t->count; b++)
    for (unsigned a = 0; a < b; a++) {
      if (!conflicting(t, a, b))
        continue;
      bool real = really_race(t, a, b);
      const struct prediction *found = prediction_of(&p, a, b);
      if (found && found->sound && !real)
        fail_msg("%u-%u is no race of\n%s", a + 1, b + 1, text);
      if (!found && !before[a][b])
        fail_msg("%u-%u is not ordered by happens-before in\n%s", a + 1, b + 1, text);
      if (found && !found->sound && before[a][b])
        fail_msg("%u-%u is ordered by happens-before in\n%s", a + 1, b + 1, text);
      f->pairs++;
      f->real += real;
      f->by_happens_before += !before[a][b];
      f->real_of_these += !before[a][b] && real;
      f->proven += found && found->sound;
    }
  predictions_free(&p);
}

/* Sites come again, so accesses take each other's place. */
static void judge_proofs(const struct small_trace *t, const char *text)
{
  struct predictions p = predict(text);
  for (size_t i = 0; i < p.count; i++) {
    unsigned a = (unsigned)p.list[i].party[0].event - 1, b = (unsigned)p.list[i].party[1].event - 1;
    if (p.list[i].sound && !really_race(t, a, b))
      fail_msg("%u-%u is no race of\n%s", a + 1, b + 1, text);
  }
  predictions_free(&p);
}

static void random_traces(void **unused)
{
  (void)unused;
  struct figures f = {0};
  uint64_t rng = 7;
  const char *wanted = getenv("TRACES");
  for (unsigned i = 0, n = wanted ? (unsigned)atoi(wanted) : 2000; i < n; i++) {
    char text[4096];
    struct small_trace t = random_trace(&rng);
    write_text(&t, MOST_EVENTS, text, sizeof text);
    judge(&t, text, &f);
    write_text(&t, 3, text, sizeof text);
    judge_proofs(&t, text);
  }
  print_message("%u traces, %u conflicting pairs: %u race in some reordering; unordered by happens-before %u, "
                "of which %u race; proven %u, all of which race\n",
                f.traces, f.pairs, f.real, f.by_happens_before, f.real_of_these, f.proven);
  assert_true(f.proven >= f.real_of_these);
  assert_true(f.proven > f.real * 9 / 10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(happens_before),
      cmocka_unit_test(waiting),
      cmocka_unit_test(read_write_locks),
      cmocka_unit_test(atomics),
      cmocka_unit_test(beyond_happens_before),
      cmocka_unit_test(no_false_alarms),
      cmocka_unit_test(bytes),
      cmocka_unit_test(end_of_addresses),
      cmocka_unit_test(reports),
      cmocka_unit_test(forgotten_sections),
      cmocka_unit_test(random_traces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
