/* SPDX-License-Identifier: Apache-2.0
 *
 * Protocol errors predicted from whole traces: which types are looked at, what is predicted and with which
 * words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "predict/protocol/protocol.h"
#include <stdlib.h>
#include <string.h>

#define HEAD "heddle-trace 1 text\n"

struct result {
  struct protocol *p;
  struct predictions found;
  struct trace_reader *reader; /* of the second reading, for its tables */
};

static struct trace_reader *open_text(const char *text)
{
  char error[256];
  struct trace_reader *r = trace_from_text(text, error, sizeof error);
  assert_non_null(r);
  return r;
}

static void read_all(struct trace_reader *r, struct protocol *p,
                     void (*each)(struct protocol *, const struct trace *, const struct event *))
{
  char error[256];
  struct event e;
  while (trace_next(r, &e, error, sizeof error))
    each(p, trace_tables(r), &e);
  assert_string_equal(error, "");
}

static struct result analyse_with(const char *text, struct protocol_options options, const char *given)
{
  struct result result = {.p = protocol_new(options)};
  char error[256];
  if (given) {
    FILE *file = fmemopen((void *)given, strlen(given), "r");
    assert_true(protocol_give(result.p, automaton_read(file, error, sizeof error)));
    fclose(file);
  }
  struct trace_reader *first = open_text(text);
  read_all(first, result.p, protocol_event);
  protocol_learn(result.p, trace_tables(first));
  trace_close(first);
  result.reader = open_text(text);
  read_all(result.reader, result.p, protocol_check);
  assert_true(protocol_finish(result.p, trace_tables(result.reader), &result.found));
  return result;
}

static struct result analyse(const char *text)
{
  return analyse_with(text, PROTOCOL_DEFAULTS, NULL);
}

static void done(struct result *r)
{
  protocol_free(r->p);
  predictions_free(&r->found);
  trace_close(r->reader);
}

/* Four connections teach the protocol; on the last one a child was quicker than main. */
#define TAUGHT                                                                                                         \
  HEAD "main call a conn.connect @ 1\nmain call a conn.out @ 2\nmain call a conn.in @ 3\n"                             \
       "main call a conn.close @ 4\n"                                                                                  \
       "main call b conn.connect @ 1\nmain call b conn.in @ 3\nmain call b conn.out @ 2\n"                             \
       "main call b conn.close @ 4\n"                                                                                  \
       "main call c conn.connect @ 1\nmain call c conn.out @ 2\nmain call c conn.out @ 2\n"                            \
       "main call c conn.in @ 3\nmain call c conn.close @ 4\n"                                                         \
       "main call d conn.connect @ 1\nmain call d conn.out @ 2\nmain call d conn.in @ 3\n"                             \
       "main call d conn.out @ 2\nmain call d conn.in @ 3\nmain call d conn.close @ 4\n"                               \
       "main call e conn.connect @ 1\nmain call e conn.in @ 3\nmain call e conn.in @ 3\n"                              \
       "main call e conn.out @ 2\nmain call e conn.close @ 4\n"
#define CHILD_FIRST                                                                                                    \
  TAUGHT "main call f conn.connect @ 1\nmain create T1 @ 10\nT1 call f conn.out @ 20\n"                                \
         "main call f conn.in @ 11\n"

static void closed_while_used(void **unused)
{
  (void)unused;
  struct result r = analyse(CHILD_FIRST "main call f conn.close @ 12\nmain join T1 @ 13\n");
  const struct protocol_figures *f = protocol_figures(r.p);
  assert_int_equal(f->types, 1);
  assert_int_equal(f->racing, 1);
  assert_int_equal(f->objects, 6);
  assert_int_equal(f->checked, 1);
  assert_int_equal(f->states, 7);
  assert_int_equal(protocol_automaton(r.p, 0)->states, 4);
  assert_null(protocol_automaton(r.p, 1));
  assert_int_equal(r.found.count, 1);
  const struct prediction *p = &r.found.list[0];
  const struct trace *t = trace_tables(r.reader);
  assert_int_equal(p->kind, PREDICT_TYPESTATE);
  assert_string_equal(p->text, "conn.out after conn.close");
  assert_false(p->early);
  assert_int_equal(p->state, 3);
  assert_int_equal(p->party_count, 2);
  assert_string_equal(t->threads[p->party[0].thread].text, "T1");
  assert_string_equal(t->sites[p->party[0].site].text, "20");
  assert_string_equal(t->objects[p->party[0].object].text, "f");
  assert_string_equal(t->functions[p->party[0].addr].name, "conn.out");
  assert_int_equal(p->party[0].occurrence, 1);
  assert_string_equal(t->threads[p->party[1].thread].text, "main");
  assert_string_equal(t->sites[p->party[1].site].text, "12");
  char *told = NULL;
  size_t size;
  FILE *out = open_memstream(&told, &size);
  protocol_tell(r.p, t, 0, out);
  fclose(out);
  assert_string_equal(told, "  main     conn.connect(f) at 1\n"
                            "  main     conn.in(f) at 11\n"
                            "  main     conn.close(f) at 12\n"
                            "  T1       conn.out(f) at 20   ← not allowed in state s4\n");
  free(told);
  done(&r);
}

/* A join before the close leaves no other order. */
static void joined_first(void **unused)
{
  (void)unused;
  struct result r = analyse(CHILD_FIRST "main join T1 @ 12\nmain call f conn.close @ 13\n");
  assert_int_equal(protocol_figures(r.p)->racing, 1); /* out and in do race, harmlessly */
  assert_int_equal(r.found.count, 0);
  done(&r);
}

/* A wake-up orders as well, by the signal that caused it and not by others. */
static void signalled(void **unused)
{
  (void)unused;
  static const char text[] =
      TAUGHT "main call f conn.connect @ 1\nmain create T1 @ 10\nmain create T2 @ 10\nmain mutex-lock L @ 11\n"
             "main cond-wait cv L @ 11\nT1 call f conn.out @ 20\nT1 cond-signal cv @ 21\nT2 cond-signal cv @ 31\n"
             "main cond-wake cv L @ 11 cause=%u\nmain call f conn.in @ 12\nmain call f conn.close @ 13\n";
  char buffer[4096];
  for (unsigned cause = 0; cause < 2; cause++) {
    snprintf(buffer, sizeof buffer, text, 31 + cause);
    struct result r = analyse(buffer);
    assert_int_equal(r.found.count, cause);
    done(&r);
  }
}

static void locks_make_no_race(void **unused)
{
  (void)unused;
  struct result r = analyse(HEAD "main create T1\nmain mutex-lock L\nmain call q queue.put\nmain mutex-unlock L\n"
                                 "T1 mutex-lock L\nT1 call q queue.get\nT1 mutex-unlock L\n"
                                 "main call s stack.push\nT1 call s stack.pop\n");
  assert_int_equal(protocol_figures(r.p)->types, 2);
  assert_int_equal(protocol_figures(r.p)->racing, 1);
  assert_string_equal(protocol_automaton(r.p, 0)->type, "stack");
  assert_int_equal(r.found.count, 1);
  assert_string_equal(r.found.list[0].text, "stack.pop before stack.push");
  assert_true(r.found.list[0].early);
  done(&r);
}

static void read_locks_race(void **unused)
{
  (void)unused;
  struct result r = analyse(HEAD "main create T1\nmain rwlock-rdlock L\nmain call q queue.put\n"
                                 "T1 rwlock-rdlock L\nT1 call q queue.get\n");
  assert_int_equal(protocol_figures(r.p)->racing, 1);
  done(&r);
}

/* The emptiness test and the take are not one critical section: both of the two errors, once each. */
static void queue_tested_unlocked(void **unused)
{
  (void)unused;
#define TAKE(thread, site)                                                                                             \
  thread " call q queue.size @ 1\n" thread " call q queue.size @ 2\n" thread " mutex-lock L\n" thread                  \
         " call q queue.get @ 3" site "\n" thread " mutex-unlock L\n"
  struct result r = analyse(HEAD "main call p queue.size\nmain call p queue.get\nmain call p queue.size\n"
                                 "main call p queue.size\nmain call p queue.get\nmain call p queue.size\n"
                                 "main create T1\nmain create T2\n" TAKE("T1", "1") TAKE("T2", "2"));
  const struct automaton *a = protocol_automaton(r.p, 0);
  assert_int_equal(a->states, 2);
  assert_int_equal(automaton_next(a, 0, automaton_method(a, "queue.get")), AUTOMATON_BAD);
  assert_int_equal(protocol_figures(r.p)->states, 16);
  assert_int_equal(protocol_figures(r.p)->errors, 2);
  assert_int_equal(r.found.count, 2);
  assert_string_equal(r.found.list[0].text, "queue.get after queue.get");
  assert_string_equal(r.found.list[1].text, "queue.get after queue.get");
  assert_int_not_equal(r.found.list[0].party[0].thread, r.found.list[1].party[0].thread);
  done(&r);
}

/* A protocol by hand needs no race and no training. */
static void given_protocol(void **unused)
{
  (void)unused;
  static const char text[] =
      HEAD "main call f conn.connect @ 1\nmain create T1\nT1 mutex-lock L\nT1 call f conn.out @ 2\n"
           "T1 mutex-unlock L\nmain mutex-lock L\nmain call f conn.log @ 3\nmain call f conn.close @ 4\n";
  struct result r = analyse_with(text, PROTOCOL_DEFAULTS,
                                 "protocol conn\nnew conn.connect open\nopen conn.out open\nopen conn.close shut\n");
  assert_int_equal(protocol_figures(r.p)->racing, 0);
  assert_int_equal(r.found.count, 1);
  assert_string_equal(r.found.list[0].text, "conn.out after conn.close");
  char state[16];
  assert_string_equal(automaton_state(protocol_automaton(r.p, 0), r.found.list[0].state, state, sizeof state), "shut");
  done(&r);
}

/* Stage 1 keeps an entry for each object, thread, clock and set of locks. */
static void collapse(void **unused)
{
  (void)unused;
  char text[8192] = HEAD "main create T1\n";
  for (int i = 0; i < 50; i++)
    strcat(text, "main call q queue.put\nT1 call q queue.get\n");
  strcat(text, "main create T2\n");
  for (int i = 0; i < 50; i++)
    strcat(text, "main call q queue.put\n");
  struct result r = analyse(text);
  assert_int_equal(protocol_figures(r.p)->calls, 150);
  assert_int_equal(protocol_figures(r.p)->entries, 3);
  done(&r);
}

/* What is bounded sees no more than what is not, and what happened is never an error. */
static void sweep(void **unused)
{
  (void)unused;
  static const char text[] = CHILD_FIRST "main call f conn.in @ 14\nmain call f conn.close @ 12\n";
  uint64_t full = 0;
  for (uint32_t width = 0; width <= 3; width++)
    for (uint32_t queue = 64; queue >= 1; queue /= 2) {
      struct protocol_options o = {MINING_DEFAULTS, width, queue};
      struct result r = analyse_with(text, o, NULL);
      const struct protocol_figures *f = protocol_figures(r.p);
      full = full ? full : f->states;
      assert_true(f->states <= full);
      if (width == 1)
        assert_int_equal(r.found.count, 0);
      if (width == 0 && queue > 8)
        assert_int_equal(r.found.count, 1);
      done(&r);
    }
}

/* Long runs: of each object only the first calls are looked at, and that is said. */
static void long_run(void **unused)
{
  (void)unused;
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  fprintf(out, HEAD "main create T1\n");
  for (unsigned i = 0; i < 2 * PROTOCOL_CALLS; i++)
    fprintf(out, "%s call q queue.%s @ %u\n", i % 2 ? "main" : "T1", i % 3 ? "put" : "get", i % 6);
  fclose(out);
  struct result r = analyse(text);
  assert_int_equal(protocol_figures(r.p)->cut, 1);
  assert_true(protocol_figures(r.p)->widest <= LATTICE_WIDTH + 1);
  assert_int_equal(protocol_figures(r.p)->calls, 2 * PROTOCOL_CALLS);
  free(text);
  done(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_while_used),  cmocka_unit_test(joined_first),    cmocka_unit_test(signalled),
      cmocka_unit_test(locks_make_no_race), cmocka_unit_test(read_locks_race), cmocka_unit_test(queue_tested_unlocked),
      cmocka_unit_test(given_protocol),     cmocka_unit_test(collapse),        cmocka_unit_test(sweep),
      cmocka_unit_test(long_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
