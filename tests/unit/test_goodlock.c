/* SPDX-License-Identifier: Apache-2.0
 *
 * Predicted resource deadlocks: the table of known numbers, what keeps a circle from being one, the bounds, and that
 * memory does not grow with the run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/rng.h"
#include "predict/locks/dependency.h"
#include "predict/locks/goodlock.h"
#include "predict_script.h"
#include <time.h>

struct outcome {
  struct goodlock_summary summary;
  struct predictions predictions;
  struct trace_reader *trace;
};

static struct outcome analyse(const struct script *s, struct goodlock_options options)
{
  struct outcome o = {0};
  struct event e;
  struct goodlock *g = goodlock_open(&options);
  assert_non_null(g);
  o.trace = script_open(s);
  while (script_next(o.trace, &e))
    goodlock_event(g, trace_tables(o.trace), &e);
  goodlock_finish(g, trace_tables(o.trace), &o.predictions, &o.summary);
  assert_false(o.predictions.failed);
  assert_int_equal(o.predictions.count, o.summary.groups);
  goodlock_close(g);
  return o;
}

static void drop(struct outcome *o)
{
  predictions_free(&o->predictions);
  trace_close(o->trace);
}

static uint64_t cycles_of(const struct script *s, struct goodlock_options options)
{
  struct outcome o = analyse(s, options);
  drop(&o);
  return o.summary.cycles;
}

/* A prediction in one line: "T1 wants o2 [15 16]; T2 wants o1 [15 16]". */
static const char *told(const struct outcome *o, size_t i)
{
  static char text[1024];
  const struct trace *t = trace_tables(o->trace);
  const struct prediction *p = &o->predictions.list[i];
  assert_true(i < o->predictions.count);
  text[0] = 0;
  for (uint32_t n = 0; n < p->party_count; n++) {
    const struct prediction_party *party = &p->party[n];
    sprintf(text + strlen(text), "%s%s wants %s [", n ? "; " : "", t->threads[party->thread].text,
            t->objects[party->object].text);
    for (uint32_t c = 0; c < party->context_length; c++)
      sprintf(text + strlen(text), "%s%s", c ? " " : "", t->sites[party->context[c]].text);
    strcat(text, "]");
    assert_int_equal(party->context[party->context_length - 1], party->site);
  }
  return text;
}

static void begin(struct script *s, unsigned threads)
{
  for (unsigned i = 1; i <= threads; i++)
    script_line(s, "main create T%u @ 2%u", i, i);
}

/* ---- the table ---- */

static void pair(struct script *s)
{
  begin(s, 2);
  NEST(s, "T1", "o1 15", "o2 16");
  NEST(s, "T2", "o2 15", "o1 16");
}

static void pair_with_flag(struct script *s)
{
  begin(s, 2);
  NEST(s, "T1", "L1 5", "L2 6");
  NEST(s, "T1", "L3 9");
  NEST(s, "T2", "L3 13");
  NEST(s, "T2", "L2 15", "L1 16");
}

static void pair_repeated(struct script *s)
{
  begin(s, 2);
  for (unsigned i = 0; i < 1000; i++) {
    NEST(s, "T1", "o1 15", "o2 16");
    NEST(s, "T2", "o2 15", "o1 16");
  }
}

static void pair_and_decoy(struct script *s)
{
  begin(s, 3);
  NEST(s, "T1", "o1 15", "o2 16");
  NEST(s, "T2", "o2 15", "o1 16");
  NEST(s, "T3", "o2 15", "o3 16");
}

static void philosophers(struct script *s, unsigned n)
{
  begin(s, n);
  for (unsigned i = 0; i < n; i++) {
    char thread[24], left[24], right[24];
    sprintf(thread, "T%u", i + 1);
    sprintf(left, "fork%u 7", i);
    sprintf(right, "fork%u 8", (i + 1) % n);
    NEST(s, thread, left, right);
  }
}

static void three_philosophers(struct script *s)
{
  philosophers(s, 3);
}

static void five_philosophers(struct script *s)
{
  philosophers(s, 5);
}

static void pair_behind_gate(struct script *s)
{
  begin(s, 2);
  NEST(s, "T1", "gate 4", "o1 15", "o2 16");
  NEST(s, "T2", "gate 4", "o2 15", "o1 16");
}

static void both_orders_in_one(struct script *s)
{
  begin(s, 1);
  NEST(s, "T1", "o1 15", "o2 16");
  NEST(s, "T1", "o2 15", "o1 16");
}

static void containers(struct script *s, unsigned operations)
{
  begin(s, 2);
  for (unsigned i = 0; i < operations; i++) {
    char mine[4][24];
    sprintf(mine[0], "a 1%u", i), sprintf(mine[1], "b 2%u", i);
    sprintf(mine[2], "b 1%u", i), sprintf(mine[3], "a 2%u", i);
    NEST(s, "T1", mine[0], mine[1]);
    NEST(s, "T2", mine[2], mine[3]);
  }
}

static void lists(struct script *s)
{
  containers(s, 3);
}

static void maps(struct script *s)
{
  containers(s, 2);
}

static void golden_table(void **unused)
{
  (void)unused;
  static const struct {
    const char *name;
    void (*make)(struct script *);
    unsigned dependencies, nested, cycles, rotations;
  } row[] = {
      {"pair", pair, 4, 2, 1, 2},
      {"pair with a flag", pair_with_flag, 6, 2, 1, 2},
      {"pair, 1000 times", pair_repeated, 4, 2, 1, 2},
      {"pair and decoy", pair_and_decoy, 6, 3, 1, 2},
      {"3 philosophers", three_philosophers, 6, 3, 1, 3},
      {"5 philosophers", five_philosophers, 10, 5, 1, 5},
      {"pair behind a gate", pair_behind_gate, 6, 4, 0, 0},
      {"both orders in one thread", both_orders_in_one, 4, 2, 0, 0},
      {"lists", lists, 12, 6, 9, 18},
      {"maps", maps, 8, 4, 4, 8},
  };
  for (unsigned i = 0; i < sizeof row / sizeof row[0]; i++) {
    struct script s = {0};
    row[i].make(&s);
    struct outcome o = analyse(&s, (struct goodlock_options){0});
    print_message("%-28s %2u %u %u\n", row[i].name, o.summary.dependencies, o.summary.nested,
                  (unsigned)o.summary.cycles);
    assert_int_equal(o.summary.dependencies, row[i].dependencies);
    assert_int_equal(o.summary.nested, row[i].nested);
    assert_int_equal(o.summary.cycles, row[i].cycles);
    assert_int_equal(o.summary.groups, row[i].cycles);
    assert_false(o.summary.length_hit || o.summary.memory_hit);
    drop(&o);
    o = analyse(&s, (struct goodlock_options){.every_rotation = true});
    assert_int_equal(o.summary.cycles, row[i].rotations);
    assert_int_equal(o.summary.groups, row[i].cycles);
    drop(&o);
    script_free(&s);
  }
}

static void nothing_happened(void **unused)
{
  (void)unused;
  struct script s = {0};
  script_line(&s, "# nothing");
  assert_int_equal(cycles_of(&s, (struct goodlock_options){0}), 0);
  script_free(&s);
}

static void told_in_full(void **unused)
{
  (void)unused;
  struct script s = {0};
  pair_and_decoy(&s);
  struct outcome o = analyse(&s, (struct goodlock_options){0});
  assert_string_equal(told(&o, 0), "T1 wants o2 [15 16]; T2 wants o1 [15 16]");
  const struct prediction *p = &o.predictions.list[0];
  const struct trace *t = trace_tables(o.trace);
  assert_int_equal(p->kind, PREDICT_DEADLOCK);
  assert_false(p->sound);
  assert_int_equal(p->concrete, 1);
  assert_int_equal(p->party[1].op, OP_MUTEX_LOCK);
  assert_int_equal(p->party[1].occurrence, 1);
  assert_int_equal(p->party[1].event, 9);
  assert_string_equal(t->sites[t->threads[p->party[1].thread].create].text, "22");
  drop(&o);
  script_free(&s);
}

/* ---- read-write locks ---- */

static uint64_t cycles_in(const char *const lines[], unsigned count)
{
  struct script s = {0};
  for (unsigned i = 0; i < count; i++)
    script_line(&s, "%s", lines[i]);
  uint64_t cycles = cycles_of(&s, (struct goodlock_options){0});
  script_free(&s);
  return cycles;
}

#define CYCLES_IN(...)                                                                                                 \
  cycles_in((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void readers_do_not_wait_for_readers(void **unused)
{
  (void)unused;
  assert_int_equal(CYCLES_IN("T1 rwlock-rdlock a", "T1 rwlock-rdlock b", "T1 rwlock-unlock b", "T1 rwlock-unlock a",
                             "T2 rwlock-rdlock b", "T2 rwlock-rdlock a"),
                   0);
  assert_int_equal(CYCLES_IN("T1 rwlock-rdlock a", "T1 rwlock-wrlock b", "T1 rwlock-unlock b", "T1 rwlock-unlock a",
                             "T2 rwlock-rdlock b", "T2 rwlock-rdlock a"),
                   0);
  assert_int_equal(CYCLES_IN("T1 rwlock-rdlock a", "T1 rwlock-wrlock b", "T1 rwlock-unlock b", "T1 rwlock-unlock a",
                             "T2 rwlock-rdlock b", "T2 rwlock-wrlock a"),
                   1);
  assert_int_equal(CYCLES_IN("T1 rwlock-wrlock a", "T1 rwlock-rdlock b", "T1 rwlock-unlock b", "T1 rwlock-unlock a",
                             "T2 rwlock-wrlock b", "T2 rwlock-rdlock a"),
                   1);
}

static void gates_of_readers_let_both_in(void **unused)
{
  (void)unused;
  assert_int_equal(CYCLES_IN("T1 rwlock-rdlock g", "T1 mutex-lock a", "T1 mutex-lock b", "T1 mutex-unlock b",
                             "T1 mutex-unlock a", "T1 rwlock-unlock g", "T2 rwlock-rdlock g", "T2 mutex-lock b",
                             "T2 mutex-lock a"),
                   1);
  assert_int_equal(CYCLES_IN("T1 rwlock-wrlock g", "T1 mutex-lock a", "T1 mutex-lock b", "T1 mutex-unlock b",
                             "T1 mutex-unlock a", "T1 rwlock-unlock g", "T2 rwlock-rdlock g", "T2 mutex-lock b",
                             "T2 mutex-lock a"),
                   0);
}

/* Two writers that wait for two readers of one lock: each of the two circles of two, not the one of four. */
static void shared_holders(void **unused)
{
  (void)unused;
  assert_int_equal(CYCLES_IN("T1 mutex-lock p", "T1 rwlock-wrlock a", "T1 rwlock-unlock a", "T1 mutex-unlock p",
                             "T2 rwlock-rdlock a", "T2 mutex-lock q", "T2 mutex-unlock q", "T2 rwlock-unlock a",
                             "T3 mutex-lock q", "T3 rwlock-wrlock a", "T3 rwlock-unlock a", "T3 mutex-unlock q",
                             "T4 rwlock-rdlock a", "T4 mutex-lock p"),
                   2);
}

/* ---- what makes and what does not make a dependency ---- */

static void attempts_do_not_wait(void **unused)
{
  (void)unused;
  assert_int_equal(CYCLES_IN("T1 mutex-lock a", "T1 mutex-trylock b", "T1 mutex-unlock b", "T1 mutex-unlock a",
                             "T2 mutex-lock b", "T2 mutex-lock a"),
                   0);
  assert_int_equal(CYCLES_IN("T1 mutex-lock a", "T1 mutex-lock b timed", "T1 mutex-unlock b", "T1 mutex-unlock a",
                             "T2 mutex-lock b", "T2 mutex-lock a"),
                   0);
  assert_int_equal(CYCLES_IN("T1 mutex-trylock a", "T1 mutex-lock b", "T1 mutex-unlock b", "T1 mutex-unlock a",
                             "T2 mutex-timedlock b", "T2 mutex-lock a"),
                   1);
  assert_int_equal(
      CYCLES_IN("T1 mutex-lock a", "T1 mutex-lock b failed", "T1 mutex-unlock a", "T2 mutex-lock b", "T2 mutex-lock a"),
      0);
}

static void nested_events_are_not_seen(void **unused)
{
  (void)unused;
  struct script s = {0};
  script_line(&s, "T1 mutex-lock a @ 1");
  script_line(&s, "T1 mutex-lock a @ 2 nested");
  script_line(&s, "T1 mutex-lock a @ 3");
  struct outcome o = analyse(&s, (struct goodlock_options){0});
  assert_int_equal(o.summary.dependencies, 1);
  drop(&o);
  script_free(&s);
}

static void condition_wait_takes_again(void **unused)
{
  (void)unused;
  struct script s = {0};
  script_line(&s, "T1 mutex-lock m @ 1");
  script_line(&s, "T1 mutex-lock other @ 2");
  script_line(&s, "T1 cond-wait c m @ 3");
  script_line(&s, "T2 mutex-lock m @ 4");
  script_line(&s, "T2 cond-signal c");
  script_line(&s, "T2 mutex-unlock m");
  script_line(&s, "T1 cond-wake c m @ 3 cause=5");
  script_line(&s, "T1 mutex-unlock m");
  script_line(&s, "T1 mutex-unlock other");
  NEST(&s, "T2", "m 8", "other 9");
  struct outcome o = analyse(&s, (struct goodlock_options){0});
  assert_int_equal(o.predictions.count, 1);
  assert_string_equal(told(&o, 0), "T1 wants m [2 3]; T2 wants other [8 9]");
  assert_non_null(strstr(o.predictions.list[0].text, "condition wait"));
  assert_int_equal(o.predictions.list[0].party[0].op, OP_COND_WAKE);
  drop(&o);
  script_free(&s);
}

/* A run that deadlocked by itself. */
static void requests_without_answer(void **unused)
{
  (void)unused;
  struct script s = {0};
  script_line(&s, "T1 mutex-lock a @ 1");
  script_line(&s, "T2 mutex-lock b @ 2");
  script_line(&s, "T1 mutex-lock b @ 3 pending");
  script_line(&s, "T2 mutex-lock a @ 4 pending");
  struct outcome o = analyse(&s, (struct goodlock_options){0});
  assert_int_equal(o.predictions.count, 1);
  assert_string_equal(told(&o, 0), "T1 wants b [1 3]; T2 wants a [2 4]");
  assert_true(o.predictions.list[0].sound);
  assert_string_equal(o.predictions.list[0].text, "the recorded run ended in it");
  drop(&o);
  script_free(&s);
}

/* At the end of the run a wait asks for its mutex if it was signalled, and else for a signal only. */
static void pending_waits(void **unused)
{
  (void)unused;
  assert_int_equal(CYCLES_IN("T2 mutex-lock m", "T2 mutex-lock o", "T2 mutex-unlock o", "T2 mutex-unlock m",
                             "T1 mutex-lock m", "T1 mutex-lock o", "T1 cond-wait c m", "T1 cond-wake c m pending"),
                   0);
  assert_int_equal(CYCLES_IN("T1 mutex-lock m", "T1 mutex-lock o", "T1 cond-wait c m", "T2 mutex-lock m",
                             "T2 cond-signal c", "T2 mutex-lock o pending", "T1 cond-wake c m pending cause=5"),
                   1);
}

static void one_thread_alone(void **unused)
{
  (void)unused;
  struct script s = {0};
  script_line(&s, "T1 mutex-lock a @ 1");
  script_line(&s, "T1 mutex-lock a @ 2 pending");
  struct outcome o = analyse(&s, (struct goodlock_options){0});
  assert_int_equal(o.predictions.count, 1);
  assert_string_equal(told(&o, 0), "T1 wants a [1 2]");
  drop(&o);
  script_free(&s);
  assert_int_equal(CYCLES_IN("T1 rwlock-rdlock a", "T1 rwlock-wrlock a pending"), 1);
  assert_int_equal(CYCLES_IN("T1 mutex-lock a", "T1 mutex-lock a nested pending"), 1);
  assert_int_equal(CYCLES_IN("T1 rwlock-rdlock a", "T1 rwlock-rdlock a pending"), 0);
  assert_int_equal(CYCLES_IN("T1 mutex-lock a", "T1 mutex-lock a failed"), 0);
}

/* ---- order by creation and joining ---- */

static void start_order(void **unused)
{
  (void)unused;
  struct script s = {0};
  NEST(&s, "main", "a 1", "b 2");
  script_line(&s, "main create T1 @ 3");
  NEST(&s, "T1", "b 4", "a 5");
  struct outcome o = analyse(&s, (struct goodlock_options){0});
  assert_int_equal(o.predictions.count, 1);
  assert_int_equal(o.predictions.list[0].ordered, 1);
  assert_int_equal(o.summary.ordered, 1);
  assert_non_null(strstr(o.predictions.list[0].text, "before its creation"));
  drop(&o);
  o = analyse(&s, (struct goodlock_options){.start_order = true});
  assert_int_equal(o.predictions.count, 0);
  assert_int_equal(o.summary.cycles, 1);
  drop(&o);
  NEST(&s, "main", "a 1", "b 2"); /* once more, after the creation */
  o = analyse(&s, (struct goodlock_options){.start_order = true});
  assert_int_equal(o.predictions.count, 1);
  assert_int_equal(o.predictions.list[0].ordered, 0);
  drop(&o);
  script_free(&s);
}

static void join_order(void **unused)
{
  (void)unused;
  struct script s = {0};
  script_line(&s, "main create T1 @ 3");
  NEST(&s, "T1", "b 4", "a 5");
  script_line(&s, "main join T1");
  NEST(&s, "main", "a 1", "b 2");
  struct outcome o = analyse(&s, (struct goodlock_options){.start_order = true});
  assert_int_equal(o.predictions.count, 0);
  assert_int_equal(o.summary.ordered, 1);
  drop(&o);
  script_free(&s);
}

/* ---- names ---- */

static void same_names_are_one(void **unused)
{
  (void)unused;
  struct script s = {0};
  static const char *const lock[] = {"a", "b", "c", "d"};
  for (unsigned i = 0; i < 4; i++)
    script_line(&s, "origin %s 40*%u 40", lock[i], i + 1);
  script_line(&s, "origin T1 50*1 50");
  script_line(&s, "origin T2 51*1 51");
  for (unsigned i = 0; i < 4; i += 2) {
    char out[2][24], in[2][24];
    for (unsigned n = 0; n < 2; n++)
      sprintf(out[n], "%s 7", lock[i + n]), sprintf(in[n], "%s 8", lock[i + n]);
    NEST(&s, "T1", out[0], in[1]);
    NEST(&s, "T2", out[1], in[0]);
  }
  struct outcome o = analyse(&s, (struct goodlock_options){.naming = NAMING_INDEX, .k = 4});
  assert_int_equal(o.predictions.count, 2);
  drop(&o);
  o = analyse(&s, (struct goodlock_options){.naming = NAMING_SITE, .k = 4});
  assert_int_equal(o.predictions.count, 1);
  assert_int_equal(o.predictions.list[0].concrete, 2);
  assert_int_equal(o.summary.cycles, 2);
  drop(&o);
  script_free(&s);
}

/* ---- bounds ---- */

static void bounds_are_told(void **unused)
{
  (void)unused;
  struct script s = {0};
  philosophers(&s, 5);
  struct outcome o = analyse(&s, (struct goodlock_options){.max_length = 4});
  assert_int_equal(o.predictions.count, 0);
  assert_true(o.summary.length_hit);
  drop(&o);
  o = analyse(&s, (struct goodlock_options){.max_length = 5});
  assert_int_equal(o.predictions.count, 1);
  assert_false(o.summary.length_hit);
  drop(&o);
  o = analyse(&s, (struct goodlock_options){.max_bytes = 64});
  assert_true(o.summary.memory_hit);
  drop(&o);
  script_free(&s);
}

/* More philosophers than a circle may have, with two ways to take each fork: chains without end. */
static void chains_are_bounded(void **unused)
{
  (void)unused;
  struct script s = {0};
  philosophers(&s, PREDICTION_PARTIES + 4);
  for (unsigned i = 0; i < PREDICTION_PARTIES + 4; i++) {
    char thread[24], left[24], right[24];
    sprintf(thread, "T%u", i + 1);
    sprintf(left, "fork%u 7", i);
    sprintf(right, "fork%u 9", (i + 1) % (PREDICTION_PARTIES + 4));
    NEST(&s, thread, left, right);
  }
  struct outcome o = analyse(&s, (struct goodlock_options){.max_bytes = 1 << 20});
  assert_true(o.summary.memory_hit);
  assert_int_equal(o.predictions.count, 0);
  drop(&o);
  script_free(&s);
}

/* Everybody takes any two locks in any order: the search ends when there is no room for what it finds. */
static void predictions_are_bounded(void **unused)
{
  (void)unused;
  struct script s = {0};
  for (unsigned i = 0; i < 4 * 6 * 6; i++) {
    char thread[24], outer[24], inner[24];
    sprintf(thread, "T%u", 1 + i / 36);
    sprintf(outer, "L%u 1", i % 36 / 6);
    sprintf(inner, "L%u 2", i % 6);
    if (i % 6 != i % 36 / 6)
      NEST(&s, thread, outer, inner);
  }
  assert_int_equal(cycles_of(&s, (struct goodlock_options){0}), 3300);
  struct outcome o = analyse(&s, (struct goodlock_options){.max_bytes = 100 * sizeof(struct prediction)});
  assert_true(o.summary.memory_hit);
  assert_true(o.predictions.count > 50 && o.summary.cycles < 1000);
  drop(&o);
  script_free(&s);
}

static void long_contexts_are_cut(void **unused)
{
  (void)unused;
  struct script s = {0};
  for (unsigned i = 0; i < PREDICTION_CONTEXT; i++)
    script_line(&s, "T1 mutex-lock x%u @ 1%u", i, i);
  script_line(&s, "T1 mutex-lock b @ 20");
  NEST(&s, "T2", "b 30", "x3 31");
  struct outcome o = analyse(&s, (struct goodlock_options){0});
  assert_int_equal(o.predictions.count, 1);
  assert_string_equal(told(&o, 0), "T1 wants b [10 11 12 13 14 15 16 20]; T2 wants x3 [30 31]");
  assert_true(o.predictions.list[0].party[0].context_cut);
  assert_false(o.predictions.list[0].party[1].context_cut);
  drop(&o);
  script_free(&s);
}

/* ---- the definition itself ---- */

static bool holds(const struct dependencies *d, uint32_t who, uint32_t lock, bool for_reading)
{
  uint32_t length;
  const uint32_t *held = intern_words(&d->locksets, d->list[who].held, &length);
  for (uint32_t i = 0; i < length; i++)
    if (held[i] / 2 == lock)
      return !for_reading || held[i] % 2 == 0;
  return false;
}

static bool together(const struct dependencies *d, uint32_t a, uint32_t b)
{
  uint32_t length;
  const uint32_t *held = intern_words(&d->locksets, d->list[a].held, &length);
  for (uint32_t i = 0; i < length; i++)
    if (holds(d, b, held[i] / 2, held[i] % 2))
      return false;
  return d->list[a].thread != d->list[b].thread && d->list[a].lock != d->list[b].lock;
}

/* Circles that begin with this chain, by trying everything. */
static uint64_t count_circles(const struct dependencies *d, uint32_t *chain, uint32_t length)
{
  uint64_t circles = 0;
  for (uint32_t y = 0; y < dependencies_count(d); y++) {
    const struct dependency *last = &d->list[chain[length - 1]];
    bool fits = d->list[y].thread > d->list[chain[0]].thread && holds(d, y, last->lock, last->shared);
    for (uint32_t i = 0; fits && i < length; i++)
      fits = together(d, chain[i], y);
    if (!fits)
      continue;
    chain[length] = y;
    if (holds(d, chain[0], d->list[y].lock, d->list[y].shared))
      circles++;
    else
      circles += count_circles(d, chain, length + 1);
  }
  return circles;
}

/* A thread takes up to three of five locks, some for reading, and releases them in any order. */
static void random_nest(struct script *s, uint64_t *rng)
{
  unsigned thread = 1 + rng_below(rng, 4), first = rng_below(rng, 5), stride = 1 + rng_below(rng, 4);
  unsigned depth = 1 + rng_below(rng, 3);
  for (unsigned i = 0; i < depth; i++)
    script_line(s, "T%u rwlock-%s%slock L%u @ %u", thread, rng_below(rng, 8) ? "" : "try",
                rng_below(rng, 3) ? "wr" : "rd", (first + i * stride) % 5, rng_below(rng, 3));
  for (unsigned i = 0, from = rng_below(rng, depth); i < depth; i++)
    script_line(s, "T%u rwlock-unlock L%u", thread, (first + (from + i) % depth * stride) % 5);
}

static void agrees_with_definition(void **unused)
{
  (void)unused;
  uint64_t total = 0;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    struct script s = {0};
    struct dependencies d = {0};
    struct event e;
    uint64_t rng = seed, circles = 0;
    for (unsigned i = 0; i < 12; i++)
      random_nest(&s, &rng);
    struct trace_reader *r = script_open(&s);
    while (script_next(r, &e))
      dependencies_event(&d, &e);
    for (uint32_t i = 0; i < dependencies_count(&d); i++)
      circles += count_circles(&d, (uint32_t[PREDICTION_PARTIES]){i}, 1);
    assert_int_equal(cycles_of(&s, (struct goodlock_options){0}), circles);
    total += circles;
    dependencies_free(&d);
    trace_close(r);
    script_free(&s);
  }
  assert_true(total > 100);
}

/* ---- growth ---- */

#define GROWTH_THREADS 12
#define GROWTH_EVENTS 1000000u
#define GROWTH_LOCKS 40

/* Every thread locks three of the locks again and again, by rising numbers but for one pair of threads. */
static struct event growth_event(uint64_t number)
{
  static const uint8_t step[] = {0, 1, 2, 2, 1, 0};
  uint64_t round = number / (6 * GROWTH_THREADS);
  uint32_t thread = (uint32_t)(number / 6 % GROWTH_THREADS), at = (uint32_t)(number % 6);
  uint32_t first = (uint32_t)((round * 7 + thread * 3) % (GROWTH_LOCKS - 2));
  uint32_t depth = step[at];
  bool swapped = thread == 5 && first == 4;
  uint32_t lock = 1 + first + (swapped ? 2 - depth : depth);
  return (struct event){.number = number + 1,
                        .thread = 1 + thread,
                        .op = at < 3 ? OP_MUTEX_LOCK : OP_MUTEX_UNLOCK,
                        .object = lock,
                        .site = 1 + depth};
}

static void memory_stays(void **unused)
{
  (void)unused;
  static struct trace_thread threads[GROWTH_THREADS + 1];
  static struct trace_object objects[GROWTH_LOCKS + 1];
  struct trace tables = {.threads = threads, .objects = objects};
  struct predictions found = {0};
  struct goodlock_summary summary;
  struct goodlock *g = goodlock_open(&(struct goodlock_options){0});
  size_t early = 0;
  for (uint32_t i = 0; i <= GROWTH_LOCKS; i++)
    objects[i].origin.fixed = threads[i % (GROWTH_THREADS + 1)].origin.fixed = i + 1;
  clock_t begun = clock();
  for (uint64_t i = 0; i < GROWTH_EVENTS; i++) {
    struct event e = growth_event(i);
    goodlock_event(g, &tables, &e);
    if (i == GROWTH_EVENTS / 10)
      early = goodlock_bytes(g);
  }
  goodlock_finish(g, &tables, &found, &summary);
  double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
  print_message("%u events in %.3f s, %zu bytes, %u dependencies, %u cycles\n", GROWTH_EVENTS, seconds,
                goodlock_bytes(g), summary.dependencies, (unsigned)summary.cycles);
  assert_int_equal(goodlock_bytes(g), early);
  assert_true(summary.cycles > 0);
  assert_true(seconds < 2);
  goodlock_close(g);
  predictions_free(&found);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(golden_table),
      cmocka_unit_test(nothing_happened),
      cmocka_unit_test(told_in_full),
      cmocka_unit_test(readers_do_not_wait_for_readers),
      cmocka_unit_test(gates_of_readers_let_both_in),
      cmocka_unit_test(shared_holders),
      cmocka_unit_test(attempts_do_not_wait),
      cmocka_unit_test(nested_events_are_not_seen),
      cmocka_unit_test(condition_wait_takes_again),
      cmocka_unit_test(requests_without_answer),
      cmocka_unit_test(pending_waits),
      cmocka_unit_test(one_thread_alone),
      cmocka_unit_test(start_order),
      cmocka_unit_test(join_order),
      cmocka_unit_test(same_names_are_one),
      cmocka_unit_test(bounds_are_told),
      cmocka_unit_test(chains_are_bounded),
      cmocka_unit_test(predictions_are_bounded),
      cmocka_unit_test(long_contexts_are_cut),
      cmocka_unit_test(agrees_with_definition),
      cmocka_unit_test(memory_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
