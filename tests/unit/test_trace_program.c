/* SPDX-License-Identifier: Apache-2.0
 *
 * Trace programs: which lines come from which events, what the reductions leave, how annotations must
 * match. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "program_of.h"
#include <string.h>

/* The listing without its first line and without places. */
static void assert_lines(const char *trace, const char *expected)
{
  struct built b = build(trace, false);
  char text[4096];
  size_t n = 0;
  for (uint32_t t = 1; t < b.program->threads; t++) {
    n += (size_t)snprintf(text + n, sizeof text - n, "%s:", b.tables->threads[t].text);
    for (uint32_t i = 0; i < b.program->body[t].count; i++) {
      char line[160];
      program_line_text(b.program, b.tables, &b.program->body[t].line[i], line, sizeof line);
      n += (size_t)snprintf(text + n, sizeof text - n, " %s;", line);
    }
    n += (size_t)snprintf(text + n, sizeof text - n, "\n");
  }
  assert_string_equal(text, expected);
  release_built(&b);
}

static void lines_of_events(void **unused)
{
  (void)unused;
  assert_lines("main create T1\nmain create T2\n"
               "T1 mutex-lock m\nT1 cond-wait cv m\nT2 mutex-lock m\nT2 cond-signal cv\nT2 mutex-unlock m\n"
               "T1 cond-wake cv m\nT1 mutex-unlock m\n"
               "T1 sem-wait s\nT2 sem-post s\nT2 cond-broadcast cv\n"
               "T1 barrier-arrive b\nT2 barrier-arrive b\nT1 barrier-leave b\nT2 barrier-leave b\n"
               "T1 rwlock-rdlock rw\nT1 rwlock-unlock rw\nT2 rwlock-trywrlock rw\nT2 rwlock-unlock rw\n"
               "main join T1\nmain join T2\n",
               "main: START T1; START T2; JOIN T1; JOIN T2;\n"
               "T1: ACQ m; WAIT cv m; REL m; DOWN s; MEET b; SHARE rw; REL rw;\n"
               "T2: ACQ m; SIG cv; REL m; UP s; BCAST cv; MEET b; TRY ACQ rw; REL rw;\n");
}

static void waits_with_a_timeout(void **unused)
{
  (void)unused;
  assert_lines("T1 mutex-lock m\nT1 cond-wait cv m\nT1 cond-timedwake cv m failed\nT1 mutex-unlock m\n"
               "T2 mutex-lock m\nT2 mutex-unlock m\n",
               "T1: ACQ m; TWAIT cv m; REL m;\nT2: ACQ m; REL m;\n");
}

/* Inner rounds of a recursive mutex are no lines; a wait inside keeps it. */
static void recursive_mutexes(void **unused)
{
  (void)unused;
  assert_lines("T1 mutex-lock m\nT1 mutex-lock m nested\nT1 cond-wait cv m\nT1 mutex-unlock m nested\nT1 "
               "mutex-unlock m\n"
               "T2 mutex-lock m\nT2 mutex-unlock m\n",
               "T1: ACQ m; WAIT cv; REL m;\nT2: ACQ m; REL m;\n");
}

static void who_runs_once_holds_it(void **unused)
{
  (void)unused;
  assert_lines("T1 once-enter o value=1\nT1 mutex-lock m\nT1 mutex-unlock m\nT1 once-done o\nT2 mutex-lock m\n"
               "T2 once-enter o\nT2 mutex-unlock m\n",
               "T1: ACQ o; ACQ m; REL m; REL o;\nT2: ACQ m; ACQ o; REL o; REL m;\n");
}

/* What one thread alone uses, signals that nobody can miss and predicates that nobody asks for go. */
static void what_nobody_notices_goes(void **unused)
{
  (void)unused;
  assert_lines("T1 mutex-lock own\nT1 mutex-lock m\nT1 predicate P value=1\nT1 cond-signal cv\nT1 mutex-unlock m\n"
               "T1 mutex-unlock own\nT1 sem-post s\nT1 sem-wait s\nT2 mutex-lock m\nT2 mutex-unlock m\n",
               "T1: ACQ m; REL m;\nT2: ACQ m; REL m;\n");
}

static void guards_of_nothing_go(void **unused)
{
  (void)unused;
  assert_lines("T1 mutex-lock m\nT1 cond-guard-signal cv m\nT1 predicate P value=0\nT1 guard-end\nT1 mutex-unlock m\n"
               "T2 mutex-lock m\nT2 mutex-unlock m\n",
               "T1: ACQ m; REL m;\nT2: ACQ m; REL m;\n");
}

static void distinct_nestings_once(void **unused)
{
  (void)unused;
  assert_lines("T1 mutex-lock a @ 1\nT1 mutex-lock b @ 2\nT1 mutex-unlock b @ 3\nT1 mutex-lock b @ 2\nT1 "
               "mutex-unlock b @ 3\n"
               "T1 mutex-unlock a @ 4\nT1 mutex-lock a @ 1\nT1 mutex-lock b @ 2\nT1 mutex-unlock b @ 3\nT1 "
               "mutex-unlock a @ 4\n"
               "T1 mutex-lock a @ 1\nT1 mutex-unlock a @ 4\n"
               "T2 mutex-lock a\nT2 mutex-unlock a\nT2 mutex-lock b\nT2 mutex-unlock b\n",
               "T1: ACQ a; ACQ b; REL b; REL a; ACQ a; REL a;\nT2: ACQ a; REL a; ACQ b; REL b;\n");
}

/* Released in another order than taken: kept together. */
static void tangled_nestings_once(void **unused)
{
  (void)unused;
#define HAND_OVER_HAND                                                                                                 \
  "T1 mutex-lock a @ 1\nT1 mutex-lock b @ 2\nT1 mutex-unlock a @ 3\nT1 mutex-lock c @ 4\nT1 mutex-unlock b "           \
  "@ 5\n"                                                                                                              \
  "T1 mutex-unlock c @ 6\n"
  assert_lines(HAND_OVER_HAND HAND_OVER_HAND HAND_OVER_HAND
               "T2 mutex-lock a\nT2 mutex-lock b\nT2 mutex-lock c\nT2 mutex-unlock c\nT2 mutex-unlock b\nT2 "
               "mutex-unlock a\n",
               "T1: ACQ a; ACQ b; REL a; ACQ c; REL b; REL c;\n"
               "T2: ACQ a; ACQ b; ACQ c; REL c; REL b; REL a;\n");
}

/* The same lock again, with less around it. */
static void other_locks_around_it(void **unused)
{
  (void)unused;
  assert_lines("T1 mutex-lock a\nT1 mutex-lock b\nT1 mutex-lock x\nT1 mutex-unlock x\nT1 mutex-unlock a\n"
               "T1 mutex-lock x\nT1 mutex-unlock x\nT1 mutex-unlock b\nT1 mutex-lock x\nT1 mutex-unlock x\n"
               "T2 mutex-lock a\nT2 mutex-lock b\nT2 mutex-lock x\nT2 mutex-unlock x\nT2 mutex-unlock b\nT2 "
               "mutex-unlock a\n",
               "T1: ACQ a; ACQ b; ACQ x; REL x; REL a; ACQ x; REL x; REL b; ACQ x; REL x;\n"
               "T2: ACQ a; ACQ b; ACQ x; REL x; REL b; REL a;\n");
}

/* Never across anything that is not a lock. */
static void no_nesting_goes_across(void **unused)
{
  (void)unused;
  assert_lines("T1 mutex-lock a\nT1 mutex-unlock a\nT1 predicate P value=1\nT1 mutex-lock a\nT1 mutex-unlock a\n"
               "T1 sem-post s\nT1 mutex-lock a\nT1 mutex-unlock a\n"
               "T2 mutex-lock a\nT2 cond-guard-wait cv a\nT2 predicate P value=1\nT2 cond-wait cv a\nT2 guard-end\nT2 "
               "mutex-unlock a\nT2 sem-wait s\n",
               "T1: ACQ a; REL a; SET P 1; ACQ a; REL a; UP s; ACQ a; REL a;\n"
               "T2: ACQ a; IF P {; WAIT cv a; }; REL a; DOWN s;\n");
}

static void size_is_constant_in_iterations(void **unused)
{
  (void)unused;
  uint64_t after[3], before[3];
  static const unsigned rounds[] = {1, 10, 20000};
  for (unsigned i = 0; i < 3; i++) {
    struct built b = build_repeated("T1 mutex-lock a @ 1\nT1 mutex-lock b @ 2\nT1 mutex-unlock b @ 3\n"
                                    "T1 mutex-unlock a @ 4\nT2 mutex-lock b @ 5\nT2 mutex-lock a @ 6\n"
                                    "T2 mutex-unlock a @ 7\nT2 mutex-unlock b @ 8\n",
                                    rounds[i]);
    before[i] = b.program->before;
    after[i] = b.program->after;
    assert_true(b.program->body[1].room <= 16); /* nor did it grow on the way */
    release_built(&b);
  }
  assert_int_equal(before[0], 8);
  assert_int_equal(before[2], 160000);
  assert_int_equal(after[0], 8);
  assert_int_equal(after[1], 8);
  assert_int_equal(after[2], 8);
}

static void occurrences_count_what_was_left_out(void **unused)
{
  (void)unused;
  struct built b = build("T1 mutex-lock a @ 1\nT1 mutex-unlock a @ 2\nT1 mutex-lock a @ 1\nT1 mutex-unlock a @ 2\n"
                         "T1 sem-post s\nT1 mutex-lock a @ 1\nT1 mutex-unlock a @ 2\n"
                         "T2 mutex-lock a @ 3\nT2 sem-wait s\nT2 mutex-unlock a\n",
                         false);
  assert_int_equal(b.program->body[1].line[0].occurrence, 1);
  assert_int_equal(b.program->body[1].line[3].occurrence, 3);
  release_built(&b);
}

static void assert_problem(const char *trace, const char *problem)
{
  struct built b = build(trace, false);
  assert_string_equal(b.program->problem, problem);
  release_built(&b);
}

static void annotations_must_match(void **unused)
{
  (void)unused;
  assert_problem("T1 cond-guard-wait cv m @ 1\nT1 predicate P value=0\nT1 guard-end\n", "");
  assert_problem("T1 guard-end @ 1\n", "1: the end of a guard that nobody began");
  assert_problem("T1 cond-guard-wait cv m @ 1\nT1 predicate P value=0\n", "T1 ends inside a guard");
  assert_problem(
      "T1 cond-guard-wait cv m @ 1\nT1 predicate P value=0\nT1 cond-guard-wait cv m @ 2\nT1 predicate P value=0\n"
      "T1 guard-end\n",
      "2: the guard before this one of the same predicate was never ended");
  assert_problem("main predicate P value=1\nT1 cond-guard-wait cv m @ 1\nT1 predicate P value=0\nT1 guard-end\n",
                 "1: the predicate has changed before this, and nobody said so");
  assert_problem("T1 cond-wait cv m\nT2 cond-wait cv n\n", "cv is waited on with two mutexes, m and n");
}

/* A mutex that the thread holds is not taken around what did not happen. */
static void what_did_not_happen(void **unused)
{
  (void)unused;
  assert_lines(
      "main predicate P value=0\nT1 cond-guard-wait cv m\nT1 predicate P value=0\nT1 guard-end\n"
      "T2 mutex-lock m\nT2 cond-guard-broadcast cv m\nT2 predicate P value=0\nT2 guard-end\nT2 mutex-unlock m\n",
      "main: SET P 0;\nT1: IF P {; ACQ m; WAIT cv m; REL m; };\n"
      "T2: ACQ m; IF P {; BCAST cv; }; REL m;\n");
}

static void semaphores_begin_with_what_was_needed(void **unused)
{
  (void)unused;
  struct built b = build("T1 sem-wait s\nT2 sem-wait s\nT1 sem-post s\nT2 sem-post s\n", false);
  assert_int_equal(b.program->units[1], 2);
  release_built(&b);
  b = build("T1 sem-init s value=3\nT1 sem-wait s\nT2 sem-post s\n", false);
  assert_int_equal(b.program->units[1], 3);
  release_built(&b);
}

/* As in a damaged trace. */
static void waits_for_nothing(void **unused)
{
  (void)unused;
  assert_lines("T1 cond-wait\nT1 cond-signal\n", "T1: WAIT ; SIG ;\n");
}

static void listing(void **unused)
{
  (void)unused;
  struct built b =
      build("main predicate full value=0 @ q.c:5\nT1 mutex-lock m @ q.c:10\nT1 cond-guard-wait cv m @ q.c:11\n"
            "T1 predicate full value=0\nT1 guard-end\nT1 mutex-unlock m @ q.c:14\n"
            "T2 mutex-lock m @ q.c:20\nT2 mutex-unlock m @ q.c:21\n",
            false);
  char text[1024] = "";
  FILE *out = fmemopen(text, sizeof text, "w");
  assert_non_null(out);
  program_write(b.program, b.tables, out);
  fclose(out);
  assert_string_equal(text, "# trace program: 7 operations, 7 before reduction\n"
                            "main:\n"
                            "  SET full 0                             q.c:5 #1\n"
                            "T1:\n"
                            "  ACQ m                                  q.c:10 #1\n"
                            "  IF full {                              q.c:11 #1\n"
                            "    WAIT cv m                            q.c:11 #1 (did not happen)\n"
                            "  }\n"
                            "  REL m                                  q.c:14 #1\n"
                            "T2:\n"
                            "  ACQ m                                  q.c:20 #1\n"
                            "  REL m                                  q.c:21 #1\n");
  release_built(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_of_events),
      cmocka_unit_test(waits_with_a_timeout),
      cmocka_unit_test(recursive_mutexes),
      cmocka_unit_test(who_runs_once_holds_it),
      cmocka_unit_test(what_nobody_notices_goes),
      cmocka_unit_test(guards_of_nothing_go),
      cmocka_unit_test(distinct_nestings_once),
      cmocka_unit_test(tangled_nestings_once),
      cmocka_unit_test(other_locks_around_it),
      cmocka_unit_test(no_nesting_goes_across),
      cmocka_unit_test(size_is_constant_in_iterations),
      cmocka_unit_test(occurrences_count_what_was_left_out),
      cmocka_unit_test(annotations_must_match),
      cmocka_unit_test(what_did_not_happen),
      cmocka_unit_test(semaphores_begin_with_what_was_needed),
      cmocka_unit_test(waits_for_nothing),
      cmocka_unit_test(listing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
