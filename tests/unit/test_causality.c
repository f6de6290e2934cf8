/* SPDX-License-Identifier: Apache-2.0
 *
 * Clocks of recorded runs say the same as a search in the graph of what is before what.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/rng.h"
#include "predict/order/causality.h"
#include "predict_script.h"

#define EVENTS 400
#define THREADS 8

struct run {
  struct event event[EVENTS];
  struct clock clock[EVENTS];
  bool before[EVENTS][EVENTS];
  unsigned count;
};

static bool ticks(const struct event *e)
{
  switch (e->op) {
  case OP_CREATE:
  case OP_JOIN:
  case OP_COND_WAKE:
  case OP_COND_TIMEDWAKE:
  case OP_COND_SIGNAL:
  case OP_COND_BROADCAST:
    return true;
  default:
    return false;
  }
}

/* One edge, from the definition. */
static bool edge(const struct event *a, const struct event *b)
{
  if (a->thread == b->thread)
    return true;
  if (a->op == OP_CREATE && a->other == b->thread)
    return true;
  if (b->op == OP_JOIN && b->other == a->thread)
    return true;
  return b->cause == a->number && !(b->flags & EVENT_FAILED);
}

static void search(struct run *run)
{
  for (unsigned b = 0; b < run->count; b++)
    for (unsigned a = b; a-- > 0;)
      if (edge(&run->event[a], &run->event[b])) {
        run->before[a][b] = true;
        for (unsigned x = 0; x < a; x++)
          run->before[x][b] |= run->before[x][a];
      }
}

static void compute(struct run *run)
{
  struct causality c = {0};
  for (unsigned i = 0; i < run->count; i++) {
    causality_event(&c, &run->event[i]);
    const struct clock *now = causality_clock(&c, run->event[i].thread);
    run->clock[i] = (struct clock){malloc(now->count * sizeof *now->at), now->count, now->count};
    memcpy(run->clock[i].at, now->at, now->count * sizeof *now->at);
  }
  assert_false(c.failed);
  causality_free(&c);
}

static unsigned compare(struct run *run)
{
  unsigned pairs = 0;
  search(run);
  compute(run);
  for (unsigned a = 0; a < run->count; a++)
    for (unsigned b = 0; b < run->count; b++)
      if (a != b && ticks(&run->event[a]) && ticks(&run->event[b])) {
        if (clock_before(&run->clock[a], &run->clock[b]) != run->before[a][b])
          fail_msg("events %u and %u", a + 1, b + 1);
        pairs++;
      }
  for (unsigned i = 0; i < run->count; i++)
    free(run->clock[i].at);
  return pairs;
}

static void by_hand(void **unused)
{
  (void)unused;
  static struct run run;
  struct script s = {0};
  static const char *const lines[] = {
      "main create T1",
      "main create T2",
      "main create T3",
      "T1 mutex-lock m",
      "T1 cond-wait c m",
      "T2 mutex-lock m",
      "T2 cond-wait c m",
      "T3 cond-wait d n",
      "main cond-broadcast c",
      "T3 cond-wake d n",
      "T1 cond-wake c m cause=9",
      "T1 mutex-unlock m",
      "T2 cond-wake c m cause=9",
      "T2 cond-wait c m",
      "T1 cond-signal d",
      "T1 cond-signal c",
      "T3 cond-signal c",
      "T2 cond-wake c m cause=16",
      "T1 exit",
      "main join T1",
      "main join T2",
      "main cond-signal d",
      "main create T4",
      "T4 cond-signal c",
      "main join T4",
  };
  for (unsigned i = 0; i < sizeof lines / sizeof lines[0]; i++)
    script_line(&s, "%s", lines[i]);
  struct trace_reader *r = script_open(&s);
  while (script_next(r, &run.event[run.count]))
    run.count++;
  assert_true(compare(&run) > 150);
  trace_close(r);
  script_free(&s);
}

/* Random runs: threads create and join each other, wait, are woken by one of the signals sent since, or time out. */
struct world {
  uint64_t rng;
  bool created[THREADS], ended[THREADS], joined[THREADS];
  bool waits[THREADS];
  uint64_t woken_by[THREADS];
};

static void emit(struct run *run, uint32_t thread, enum op_kind op, uint32_t other, uint64_t cause, uint8_t flags)
{
  run->event[run->count] = (struct event){.number = run->count + 1,
                                          .thread = thread + 1,
                                          .op = (uint16_t)op,
                                          .object = other ? 0 : 1,
                                          .second = 2,
                                          .other = other,
                                          .cause = cause,
                                          .flags = flags};
  run->count++;
}

static void notify(struct world *w, struct run *run, uint32_t me, bool all)
{
  emit(run, me, all ? OP_COND_BROADCAST : OP_COND_SIGNAL, 0, 0, 0);
  unsigned from = rng_below(&w->rng, THREADS);
  for (unsigned i = 0; i < THREADS; i++) {
    unsigned t = (from + i) % THREADS;
    if (!w->waits[t] || w->woken_by[t])
      continue;
    w->woken_by[t] = run->count;
    if (!all)
      return;
  }
}

static void one_step(struct world *w, struct run *run, uint32_t me)
{
  uint32_t other = rng_below(&w->rng, THREADS);
  if (w->waits[me]) {
    bool late = !w->woken_by[me] && rng_below(&w->rng, 4) == 0;
    if (!w->woken_by[me] && !late)
      return;
    emit(run, me, OP_COND_TIMEDWAKE, 0, w->woken_by[me], late ? EVENT_FAILED | EVENT_TIMED : EVENT_TIMED);
    w->waits[me] = false;
    w->woken_by[me] = 0;
    return;
  }
  switch (rng_below(&w->rng, 8)) {
  case 0:
    if (!w->created[other]) {
      emit(run, me, OP_CREATE, other + 1, 0, 0);
      w->created[other] = true;
    }
    break;
  case 1:
    if (w->ended[other] && !w->joined[other]) {
      emit(run, me, OP_JOIN, other + 1, 0, 0);
      w->joined[other] = true;
    }
    break;
  case 2:
    w->ended[me] = me > 0 && rng_below(&w->rng, 6) == 0;
    break;
  case 3:
    notify(w, run, me, false);
    break;
  case 4:
    notify(w, run, me, true);
    break;
  default:
    emit(run, me, OP_COND_WAIT, 0, 0, 0);
    w->waits[me] = true;
    break;
  }
}

static void random_runs(void **unused)
{
  (void)unused;
  unsigned pairs = 0;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    static struct run run;
    struct world w = {.created = {true}};
    memset(&run, 0, sizeof run);
    w.rng = seed;
    for (unsigned i = 0; i < 4 * EVENTS && run.count < EVENTS - 1; i++) {
      uint32_t me = rng_below(&w.rng, THREADS);
      if (w.created[me] && !w.ended[me])
        one_step(&w, &run, me);
    }
    pairs += compare(&run);
  }
  assert_true(pairs > 100000);
}

/* Without a cause it is the latest signal since the wait began, and none if there was none. */
static void unknown_cause(void **unused)
{
  (void)unused;
  struct causality c = {0};
  struct script s = {0};
  struct event e;
  script_line(&s, "T1 cond-wait c m");
  script_line(&s, "T2 cond-wait c m");
  script_line(&s, "T4 cond-signal c");
  script_line(&s, "T3 cond-signal c");
  script_line(&s, "T1 cond-wake c m");
  script_line(&s, "T3 cond-wait c m");
  script_line(&s, "T3 cond-wake c m");
  struct trace_reader *r = script_open(&s);
  while (script_next(r, &e))
    causality_event(&c, &e);
  const struct trace *t = trace_tables(r);
  assert_string_equal(t->threads[3].text, "T4");
  assert_string_equal(t->threads[4].text, "T3");
  assert_int_equal(clock_get(causality_clock(&c, 1), 4), 2);
  assert_int_equal(clock_get(causality_clock(&c, 1), 3), 0);
  assert_int_equal(clock_get(causality_clock(&c, 4), 3), 0);
  causality_free(&c);
  trace_close(r);
  script_free(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(by_hand),
      cmocka_unit_test(random_runs),
      cmocka_unit_test(unknown_cause),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
