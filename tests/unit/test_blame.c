/* SPDX-License-Identifier: Apache-2.0
 *
 * The switch to blame: its decision from verdicts, the threads that go first, the patterns of accesses, on traces
 * written by hand; among them the worked example of two accounts.
 */
#include "report/blame/blame.h"
#include "schedule/schedule_file.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST 64

enum { MAIN, T1, T2 };

struct script {
  struct trace_event events[MOST];
  size_t count;
  struct schedule_record *record;
  uint64_t operations[3];
};

/* One event a word: thread, r, w or u(pdate), variable; a blank between events. Events of one thread in a row are a
 * block. */
static void write_script(struct script *s, const char *text)
{
  uint32_t segments = 0;
  memset(s, 0, sizeof *s);
  s->record = schedule_record_new(3, MOST, 0);
  assert_non_null(s->record);
  struct segment *segment = schedule_segments(s->record);
  for (const char *p = text; *p; p += 3 + (p[3] == ' ')) {
    uint32_t thread = (uint32_t)(p[0] - '0');
    struct trace_event *e = &s->events[s->count++];
    *e = (struct trace_event){.thread = thread,
                              .op = p[1] == 'r'   ? OP_READ
                                    : p[1] == 'w' ? OP_WRITE
                                                  : OP_ATOMIC_RMW,
                              .addr = 0x1000 + (uintptr_t)(p[2] - 'a') * 8,
                              .length = 4,
                              .step = s->count,
                              .operations = ++s->operations[thread]};
    if (!segments || segment[segments - 1].thread != thread)
      segment[segments++] = (struct segment){.thread = thread, .op = OP_WRITE, .enabled = 1, .pc = 1};
    segment[segments - 1].operations++;
  }
  s->record->segments = segments;
}

static struct blame_trace open_script(struct script *s, const char *text)
{
  struct blame_trace trace;
  write_script(s, text);
  assert_true(blame_trace_open(&trace, s->events, s->count, s->record));
  return trace;
}

static void close_script(struct script *s, struct blame_trace *trace)
{
  blame_trace_close(trace);
  free(s->record);
}

/* ---- the decision ---- */

static uint32_t decide(const char *outcomes)
{
  struct trial trials[16];
  uint32_t n = (uint32_t)strlen(outcomes);
  for (uint32_t i = 0; i < n; i++)
    trials[i] = (struct trial){.verdict = outcomes[n - 1 - i] == 'P' ? TRIAL_PASSES : TRIAL_FAILS, .label = n - i};
  return blame_decide(trials, n, n);
}

static uint32_t bisect(const char *outcomes)
{
  uint32_t low = 0, high = (uint32_t)strlen(outcomes); /* low passes, high fails */
  while (high - low > 1) {
    uint32_t middle = (low + high) / 2;
    if (outcomes[middle - 1] == 'P')
      low = middle;
    else
      high = middle;
  }
  return high;
}

static void the_last_harmless_switch_decides(void **state)
{
  (void)state;
  assert_int_equal(decide("PPFFFPFFF"), 7);
  assert_int_equal(bisect("PPFFFPFFF"), 3); /* a wrong state that healed */
  assert_int_equal(decide("PPPF"), 4);
  assert_int_equal(decide("FFF"), 1);
  assert_int_equal(decide("FFP"), 0); /* the whole schedule passed */
}

static void what_proves_nothing_does_not_count(void **state)
{
  (void)state;
  const struct trial trials[] = {{.label = 3, .verdict = TRIAL_FAILS},
                                 {.label = 2, .verdict = TRIAL_DIVERGED},
                                 {.label = 2, .verdict = TRIAL_CUT},
                                 {.label = 1, .verdict = TRIAL_FAILS_OTHERWISE},
                                 {.label = 1, .verdict = TRIAL_PASSES}};
  assert_int_equal(blame_decide(trials, 5, 3), 2);
}

/* ---- the worked example ---- */

/* Two accounts a and b; the transfer of T1 reads b, then T2 withdraws from it, then T1 writes it back. Blocks: T1 T2 T1
 * T2 T1; P1 after event 5, P2 after 10, P3 after 13, P4 after 17. */
static const char two_accounts[] = "1wa 1ra 1wa 1ra 1wa 2wb 2rb 2wb 2rb 2wb 1ra 1wa 1rb 2rb 2wb 2ra 2wa 1wb";

static void two_accounts_lose_an_update(void **state)
{
  (void)state;
  struct script s;
  struct blame_trace trace = open_script(&s, two_accounts);
  assert_int_equal(blame_switches(s.record), 4);
  assert_int_equal(trace.variables, 2);
  for (int strict = 0; strict < 2; strict++) {
    struct pattern out[PATTERNS_MOST];
    assert_int_equal(blame_patterns(&trace, 3, strict, out), 1);
    assert_int_equal(out[0].kind, PATTERN_RWW);
    assert_int_equal(out[0].event[0], 13 - 1);
    assert_int_equal(out[0].event[1], 15 - 1);
    assert_int_equal(out[0].event[2], 18 - 1);
    struct trial trials[2];
    assert_int_equal(blame_trials(&trace, 3, &out[0], trials), 2);
    assert_int_equal(trials[0].segments, 4);
    assert_int_equal(trials[0].first, T1);
    assert_int_equal(trials[0].end[0], s.events[12].operations);
    assert_int_equal(trials[0].end[1], s.events[14].operations);
    assert_int_equal(trials[1].end[0], 0);
  }
  close_script(&s, &trace);
}

static void those_go_first_who_were_last(void **state)
{
  (void)state;
  struct script s;
  uint32_t out[MAX_THREADS];
  struct blame_trace trace = open_script(&s, two_accounts);
  assert_int_equal(blame_candidates(&trace, 2, out), 1); /* up to event 13: T1 is the last on both */
  assert_int_equal(out[0], T1);
  assert_int_equal(blame_candidates(&trace, 1, out), 2); /* up to 10: T2 on b, T1 on a; the latest first */
  assert_int_equal(out[0], T2);
  assert_int_equal(out[1], T1);
  assert_int_equal(blame_candidates(&trace, 4, out), 1); /* all of it: nobody goes on */
  close_script(&s, &trace);
}

static void threads_that_have_ended_do_not_go_first(void **state)
{
  (void)state;
  struct script s;
  uint32_t out[MAX_THREADS];
  struct blame_trace trace = open_script(&s, "0wa 1ra 2wa 1rb 2wb 0ra");
  schedule_segments(s.record)[2].op = OP_EXIT;           /* T2 */
  assert_int_equal(blame_candidates(&trace, 2, out), 2); /* no more than there are variables */
  assert_int_not_equal(out[0], T2);
  assert_int_not_equal(out[1], T2);
  close_script(&s, &trace);
}

/* ---- patterns ---- */

static enum pattern_kind kind_at(const char *text, uint32_t at, bool strict)
{
  struct script s;
  struct blame_trace trace = open_script(&s, text);
  struct pattern out[PATTERNS_MOST];
  size_t count = blame_patterns(&trace, at, strict, out);
  enum pattern_kind kind = count ? out[0].kind : PATTERN_NONE;
  close_script(&s, &trace);
  return kind;
}

static void five_triples_are_wrong_and_three_are_not(void **state)
{
  (void)state;
  for (int strict = 0; strict < 2; strict++) {
    assert_int_equal(kind_at("1ra 2wa 1ra", 1, strict), PATTERN_RWR);
    assert_int_equal(kind_at("1wa 2wa 1ra", 1, strict), PATTERN_WWR);
    assert_int_equal(kind_at("1wa 2ra 1wa", 1, strict), PATTERN_WRW);
    assert_int_equal(kind_at("1ra 2wa 1wa", 1, strict), PATTERN_RWW);
    assert_int_equal(kind_at("1wa 2wa 1wa", 1, strict), PATTERN_WWW);
    assert_int_equal(kind_at("1ra 2ra 1ra", 1, strict), PATTERN_NONE);
    assert_int_equal(kind_at("1ra 2ra 1wa", 1, strict), PATTERN_NONE);
    assert_int_equal(kind_at("1wa 2ra 1ra", 1, strict), PATTERN_ORDER);
  }
}

static void an_update_reads_and_writes(void **state)
{
  (void)state;
  assert_int_equal(kind_at("1ra 2ua 1wa", 1, false), PATTERN_RWW);
  assert_int_equal(kind_at("1ra 2wa 1ua", 1, false), PATTERN_RWR); /* it reads first */
}

/* Of the accesses of a block the one nearest to the switch tells more than a write before it. */
static void the_nearest_access_counts(void **state)
{
  (void)state;
  assert_int_equal(kind_at("1wa 1ra 2wa 1wa", 1, false), PATTERN_RWW);
  assert_int_equal(kind_at("1wa 1ra 2wa 1wa", 1, true), PATTERN_WWW);
}

static void other_variables_do_not_matter(void **state)
{
  (void)state;
  assert_int_equal(kind_at("1ra 2wb 1wa", 1, false), PATTERN_NONE);
  assert_int_equal(kind_at("1ra 1wb 2rb 2wc 1wa", 1, true), PATTERN_ORDER);
}

/* The thread comes back twice before it goes on with the variable. */
static void accesses_beyond_the_blocks_are_found(void **state)
{
  (void)state;
  assert_int_equal(kind_at("1ra 2rb 1rc 2wa 1wa", 1, false), PATTERN_RWW);
  assert_int_equal(kind_at("1ra 2rb 1rc 2wa 1wa", 1, true), PATTERN_NONE);
  /* The one that was let in is the victim: it has read, and the other writes first. */
  assert_int_equal(kind_at("1rb 2ra 1wa 2wa", 1, false), PATTERN_RWW);
}

static void orders_are_read_from_a_run_that_passes(void **state)
{
  (void)state;
  struct script failing, passing;
  struct blame_trace fails = open_script(&failing, "1wb 2ra");
  struct blame_trace passes = open_script(&passing, "1wb 1wa 2ra");
  struct pattern out;
  const struct bug bug = {.kind = BUG_ASSERTION};
  assert_true(blame_flip(&fails, &passes, 1, &bug, &out));
  assert_int_equal(out.kind, PATTERN_EARLY);
  assert_int_equal(out.event[0], 2);
  assert_int_equal(out.event[1], 1);
  assert_false(blame_flip(&fails, &fails, 1, &bug, &out));
  close_script(&failing, &fails);
  close_script(&passing, &passes);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_last_harmless_switch_decides),
      cmocka_unit_test(what_proves_nothing_does_not_count),
      cmocka_unit_test(two_accounts_lose_an_update),
      cmocka_unit_test(those_go_first_who_were_last),
      cmocka_unit_test(threads_that_have_ended_do_not_go_first),
      cmocka_unit_test(five_triples_are_wrong_and_three_are_not),
      cmocka_unit_test(an_update_reads_and_writes),
      cmocka_unit_test(the_nearest_access_counts),
      cmocka_unit_test(other_variables_do_not_matter),
      cmocka_unit_test(accesses_beyond_the_blocks_are_found),
      cmocka_unit_test(orders_are_read_from_a_run_that_passes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
