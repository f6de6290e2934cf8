/* SPDX-License-Identifier: Apache-2.0
 *
 * Deadlocks of trace programs: the groups of known programs, and that the engine's search finds what a plain one
 * finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plain_search.h"
#include "predict/locks/goodlock.h"
#include "program_of.h"
#include "worlds/trace/model.h"

static struct model_result explore(const struct built *b)
{
  struct model_result r;
  assert_true(model_explore(b->program, &(struct model_limits){0}, &r));
  assert_true(r.complete);
  return r;
}

static uint64_t group_key(const struct model_group *g)
{
  uint64_t key = 0;
  for (uint32_t i = 0; i < g->blocked_count; i++) {
    const struct model_step *s = &g->blocked[i];
    uint64_t number = plain_statement(s->op, s->site, s->object);
    uint32_t j = 0;
    while (j < i && plain_statement(g->blocked[j].op, g->blocked[j].site, g->blocked[j].object) != number)
      j++;
    key += j == i ? number : 0;
  }
  return key;
}

/* The same groups, each with as short an execution. */
static void assert_agree(const struct model_result *r, const struct plain *s)
{
  assert_false(s->full);
  assert_int_equal(r->groups, s->groups);
  for (uint32_t i = 0; i < r->groups; i++) {
    unsigned j = 0;
    while (j < s->groups && s->group[j].key != group_key(&r->group[i]))
      j++;
    assert_true(j < s->groups);
    assert_int_equal(r->group[i].steps, s->group[j].depth);
  }
}

/* Groups as "op@site op@site", sorted by thread, one a line; communication ones first say so. */
static void assert_groups(const char *trace, bool loop_guards, const char *expected)
{
  struct built b = build(trace, loop_guards);
  struct model_result r = explore(&b);
  struct plain s = plain_search(b.program);
  char text[512] = "";
  size_t n = 0;
  assert_string_equal(b.program->problem, "");
  for (uint32_t i = 0; i < r.groups; i++) {
    const struct model_group *g = &r.group[i];
    n += (size_t)snprintf(text + n, sizeof text - n, "%s:", g->communication ? "communication" : "resource");
    for (uint32_t k = 0; k < g->blocked_count; k++)
      n += (size_t)snprintf(text + n, sizeof text - n, " %s %s@%s", b.tables->threads[g->blocked[k].thread].text,
                            op_table[g->blocked[k].op].name, b.tables->sites[g->blocked[k].site].text);
    n += (size_t)snprintf(text + n, sizeof text - n, "\n");
  }
  assert_string_equal(text, expected);
  assert_agree(&r, &s);
  model_free(&r);
  release_built(&b);
}

/* ---- the known ones ---- */

#define BUFFER_RESIZE                                                                                                  \
  "main predicate F value=0 @ 1\nmain create p @ 2\nmain create r @ 3\nmain create c @ 4\n"                            \
  "p mutex-lock b @ 10\np cond-guard-wait cv b @ 11\np predicate F value=0\np guard-end\n"                             \
  "p predicate F value=1 @ 12\np cond-signal cv @ 13\np mutex-unlock b @ 14\n"                                         \
  "r mutex-lock b @ 20\nr predicate F value=0 @ 21\nr mutex-unlock b @ 22\n"                                           \
  "p mutex-lock b @ 10\np cond-guard-wait cv b @ 11\np predicate F value=0\np guard-end\n"                             \
  "p cond-signal cv @ 13\np mutex-unlock b @ 14\n"                                                                     \
  "c mutex-lock b @ 30\nc cond-guard-signal cv b @ 31\nc predicate F value=0\nc guard-end\nc mutex-unlock "            \
  "b @ "                                                                                                               \
  "32\n"

static void buffer_that_is_resized(void **unused)
{
  (void)unused;
  struct built b = build(BUFFER_RESIZE, false);
  struct plain s = plain_search(b.program);
  assert_int_equal(s.states, 136);
  assert_int_equal(s.deadlocks, 2);
  assert_int_equal(s.groups, 1);
  struct model_result r = explore(&b);
  assert_int_equal(r.groups, 1);
  assert_int_equal(r.group[0].blocked[0].occurrence, 2);
  assert_int_equal(r.group[0].blocked[0].flags, LINE_SYNTHETIC | LINE_ELSEWHERE);
  model_free(&r);
  release_built(&b);
  assert_groups(BUFFER_RESIZE, false, "communication: p cond-wait@11\n");
  assert_groups(BUFFER_RESIZE, true, "communication: p cond-wait@11\n");
}

/* The flag is looked at without the lock. Seen from both orders. */
static void unsynchronised_flag(void **unused)
{
  (void)unused;
  assert_groups("main predicate unset value=1\nmain create T1\nmain create T2\n"
                "T2 predicate unset value=0 @ 20\nT2 mutex-lock l @ 21\nT2 cond-broadcast cv @ 22\nT2 "
                "mutex-unlock l @ 23\n"
                "T1 cond-guard-wait cv l @ 10\nT1 predicate unset value=0\nT1 guard-end\n",
                false, "communication: T1 cond-wait@10\n");
  assert_groups("main predicate unset value=1\nmain create T1\nmain create T2\n"
                "T1 cond-guard-wait cv l @ 9\nT1 predicate unset value=1\nT1 mutex-lock l @ 10\nT1 cond-wait cv l @ "
                "11\n"
                "T2 predicate unset value=0 @ 20\nT2 mutex-lock l @ 21\nT2 cond-broadcast cv @ 22\nT2 mutex-unlock l @ "
                "23\n"
                "T1 cond-wake cv l @ 11\nT1 mutex-unlock l @ 12\nT1 guard-end\n",
                false, "communication: T1 cond-wait@11\n");
}

#define RECOMMENDED                                                                                                    \
  "main predicate unset value=1\nmain create T1\nmain create T2\n"                                                     \
  "T2 mutex-lock l @ 20\nT2 predicate unset value=0 @ 21\nT2 cond-broadcast cv @ 22\nT2 mutex-unlock l @ "             \
  "23\n"                                                                                                               \
  "T1 mutex-lock l @ 10\nT1 cond-guard-wait cv l @ 11\nT1 predicate unset value=0\nT1 guard-end\nT1 "                  \
  "mutex-unlock l @ 12\n"

static void recommended_pattern(void **unused)
{
  (void)unused;
  assert_groups(RECOMMENDED, false, "");
  assert_groups(RECOMMENDED, true, "");
}

static void wait_inside_an_outer_lock(void **unused)
{
  (void)unused;
  assert_groups("main predicate unset value=1\nmain create T1\nmain create T2\n"
                "T2 mutex-lock app @ 20\nT2 mutex-lock lib @ 21\nT2 predicate unset value=0 @ 22\nT2 "
                "cond-signal cv @ 23\n"
                "T2 mutex-unlock lib @ 24\nT2 mutex-unlock app @ 25\n"
                "T1 mutex-lock app @ 10\nT1 mutex-lock lib @ 11\nT1 cond-guard-wait cv lib @ 12\nT1 predicate "
                "unset value=0\n"
                "T1 guard-end\nT1 mutex-unlock lib @ 13\nT1 mutex-unlock app @ 14\n",
                false, "communication: T1 cond-wait@12 T2 mutex-lock@20\n");
}

static void map_of_readers_and_writers(void **unused)
{
  (void)unused;
  assert_groups("main predicate readers value=0\nmain create T1\nmain create T2\n"
                "T2 mutex-lock writeLock @ 20\nT2 predicate readers value=1 @ 21\nT2 mutex-unlock writeLock @ 22\n"
                "T2 mutex-lock writeLock @ 30\nT2 predicate readers value=0 @ 31\nT2 mutex-unlock writeLock @ 32\n"
                "T2 mutex-lock queue @ 33\nT2 cond-signal writeQueue @ 34\nT2 mutex-unlock queue @ 35\n"
                "T1 mutex-lock writeLock @ 10\nT1 mutex-lock queue @ 11\nT1 cond-guard-wait writeQueue queue @ 12\n"
                "T1 predicate readers value=0\nT1 guard-end\nT1 mutex-unlock queue @ 13\nT1 mutex-unlock writeLock @ "
                "14\n",
                false, "communication: T1 cond-wait@12 T2 mutex-lock@30\n");
}

static void sweeper_that_is_stopped_early(void **unused)
{
  (void)unused;
  assert_groups("main create T1\nT1 mutex-lock l @ 10\nT1 cond-wait cv l @ 11\n"
                "main mutex-lock l @ 20\nmain cond-broadcast cv @ 21\nmain mutex-unlock l @ 22\n"
                "T1 cond-wake cv l @ 11\nT1 mutex-unlock l @ 12\n",
                false, "communication: T1 cond-wait@11\n");
}

static void changed_first_told_later(void **unused)
{
  (void)unused;
  assert_groups("main predicate unset value=1\nmain create T1\nmain create T2\n"
                "T2 mutex-lock l @ 20\nT2 predicate unset value=0 @ 21\nT2 mutex-unlock l @ 22\n"
                "T2 mutex-lock l @ 23\nT2 cond-broadcast cv @ 24\nT2 mutex-unlock l @ 25\n"
                "T1 mutex-lock l @ 10\nT1 cond-guard-wait cv l @ 11\nT1 predicate unset value=0\nT1 guard-end\nT1 "
                "mutex-unlock l @ 12\n",
                false, "");
}

static void two_locks_in_both_orders(void **unused)
{
  (void)unused;
  assert_groups("main create T1\nmain create T2\n"
                "T1 mutex-lock o1 @ 15\nT1 mutex-lock o2 @ 16\nT1 mutex-unlock o2 @ 17\nT1 mutex-unlock o1 @ 18\n"
                "T2 mutex-lock o2 @ 15\nT2 mutex-lock o1 @ 16\nT2 mutex-unlock o1 @ 17\nT2 mutex-unlock o2 @ 18\n",
                false, "resource: T1 mutex-lock@16 T2 mutex-lock@16\n");
}

/* ---- what else the rules say ---- */

/* Who is woken although the predicate still holds goes on with an if, and waits again with a while. */
static void guards_that_loop(void **unused)
{
  (void)unused;
  static const char trace[] =
      "main predicate empty value=1\nmain create T1\nmain create T2\nmain create T3\n"
      "T1 mutex-lock l @ 10\nT1 cond-guard-wait cv l @ 11\nT1 predicate empty value=1\n"
      "T1 cond-wait cv l @ 12\nT2 mutex-lock l @ 20\nT2 cond-broadcast cv @ 21\nT2 mutex-unlock l @ 22\n"
      "T1 cond-wake cv l @ 12\nT1 guard-end\nT1 mutex-unlock l @ 13\n"
      "T3 mutex-lock l @ 30\nT3 predicate empty value=0 @ 31\nT3 mutex-unlock l @ 32\n";
  assert_groups(trace, false, "communication: T1 cond-wait@12\n"); /* T2 came first */
  assert_groups(trace, true, "communication: T1 cond-wait@12\n");
  static const char ordered[] =
      "main predicate empty value=1\nmain create T1\n"
      "T1 mutex-lock l @ 10\nT1 sem-post s @ 9\nT1 cond-guard-wait cv l @ 11\nT1 predicate empty value=1\n"
      "T1 cond-wait cv l @ 12\nmain sem-wait s @ 19\nmain mutex-lock l @ 20\nmain cond-signal cv @ 21\n"
      "main mutex-unlock l @ 22\nT1 cond-wake cv l @ 12\nT1 guard-end\nT1 mutex-unlock l @ 13\n";
  assert_groups(ordered, false, "");
  assert_groups(ordered, true, "communication: T1 cond-wait@12\n");
}

static void joins_are_part_of_it(void **unused)
{
  (void)unused;
  assert_groups("main create T1\nT1 mutex-lock l @ 10\nT1 cond-wait cv l @ 11\nmain cond-signal cv @ 20\n"
                "T1 cond-wake cv l\nT1 mutex-unlock l @ 12\nmain join T1 @ 21\n",
                false, "communication: main join@21 T1 cond-wait@11\n");
}

static void timeouts_do_not_block(void **unused)
{
  (void)unused;
  assert_groups("main create T1\nT1 mutex-lock l @ 10\nT1 cond-wait cv l @ 11 timed\nmain cond-signal cv @ 20\n"
                "T1 cond-timedwake cv l\nT1 mutex-unlock l @ 12\nmain join T1 @ 21\n",
                false, "");
  assert_groups("main create T1\nmain create T2\nT1 mutex-lock a @ 1\nT1 mutex-trylock b @ 2\nT1 "
                "mutex-unlock b @ 3\nT1 mutex-unlock a @ 4\n"
                "T2 mutex-lock b @ 5\nT2 mutex-lock a @ 6\nT2 mutex-unlock a @ 7\nT2 mutex-unlock b @ 8\n",
                false, "");
}

/* A signal reaches one of those that wait, whichever. */
static void one_signal_for_two(void **unused)
{
  (void)unused;
  assert_groups("main create T1\nmain create T2\nT1 mutex-lock l @ 10\nT1 cond-wait cv l @ 11\nT2 mutex-lock l @ 20\n"
                "T2 cond-wait cv l @ 21\nmain mutex-lock l @ 30\nmain cond-signal cv @ 31\nmain cond-signal cv @ "
                "32\nmain mutex-unlock l @ 33\n"
                "T1 cond-wake cv l\nT1 mutex-unlock l\nT2 cond-wake cv l\nT2 mutex-unlock l\n",
                false,
                "communication: T1 cond-wait@11 T2 cond-wait@21\n"
                "communication: T2 cond-wait@21\n"
                "communication: T1 cond-wait@11\n");
}

/* Both wait before the signal comes; the one that hands it on must get it. */
static void whom_a_signal_wakes(void **unused)
{
  (void)unused;
#define BOTH_WAIT(first, second)                                                                                       \
  "main create T1\nmain create T2\nT1 mutex-lock l @ 10\nT1 sem-post s\nT1 cond-wait cv l @ 11\nT2 "                   \
  "mutex-lock l @ 20\n"                                                                                                \
  "T2 sem-post s\nT2 cond-wait cv l @ 21\nmain sem-wait s\nmain sem-wait s\nmain mutex-lock l @ 30\n"                  \
  "main cond-signal cv @ 31\nmain mutex-unlock l @ 32\n" first " cond-wake cv l\n" first                               \
  " cond-signal cv @ 40\n" first " mutex-unlock l\n" second " cond-wake cv l\n" second " mutex-unlock l\n"
  assert_groups(BOTH_WAIT("T1", "T2"), false, "communication: T1 cond-wait@11\n");
  assert_groups(BOTH_WAIT("T2", "T1"), false, "communication: T2 cond-wait@21\n");
}

static void readers_do_not_exclude_each_other(void **unused)
{
  (void)unused;
  assert_groups("main create T1\nmain create T2\nT1 rwlock-rdlock a @ 1\nT1 rwlock-rdlock b @ 2\nT1 "
                "rwlock-unlock b\nT1 rwlock-unlock a\n"
                "T2 rwlock-rdlock b @ 3\nT2 rwlock-rdlock a @ 4\nT2 rwlock-unlock a\nT2 rwlock-unlock b\n",
                false, "");
  assert_groups("main create T1\nmain create T2\nT1 rwlock-rdlock a @ 1\nT1 rwlock-wrlock b @ 2\nT1 "
                "rwlock-unlock b\nT1 rwlock-unlock a\n"
                "T2 rwlock-rdlock b @ 3\nT2 rwlock-wrlock a @ 4\nT2 rwlock-unlock a\nT2 rwlock-unlock b\n",
                false, "resource: T1 rwlock-wrlock@2 T2 rwlock-wrlock@4\n");
}

static void semaphores_and_barriers(void **unused)
{
  (void)unused;
  assert_groups("main create T1\nmain create T2\nT1 mutex-lock m @ 1\nT2 sem-post s @ 4\nT1 sem-wait s @ "
                "2\nT1 mutex-unlock m @ 3\n"
                "T2 mutex-lock m @ 5\nT2 mutex-unlock m @ 6\n",
                false, "");
  assert_groups("main create T1\nmain create T2\nT2 mutex-lock m @ 5\nT2 mutex-unlock m @ 6\nT2 sem-post s @ 7\n"
                "T1 mutex-lock m @ 1\nT1 sem-wait s @ 2\nT1 mutex-unlock m @ 3\n",
                false, "communication: T1 sem-wait@2 T2 mutex-lock@5\n");
  assert_groups("main create T1\nmain create T2\nT1 mutex-lock m @ 1\nT1 mutex-unlock m @ 2\nT1 barrier-arrive b @ 3\n"
                "T2 mutex-lock m @ 4\nT2 barrier-arrive b @ 5\nT2 barrier-leave b\nT1 barrier-leave b\nT2 mutex-unlock "
                "m @ 6\n",
                false, "communication: T1 mutex-lock@1 T2 barrier-arrive@5\n");
}

/* The process ends with main: what others wait for then is of no interest. */
static void main_ends_the_process(void **unused)
{
  (void)unused;
#define STOPPED                                                                                                        \
  "main create T1\nT1 mutex-lock l @ 10\nT1 cond-wait cv l @ 11\nmain cond-signal cv @ 20\nT1 cond-wake cv "           \
  "l\n"
  struct built b = build(STOPPED "T1 exit\n", false);
  struct model_result r = explore(&b);
  assert_int_equal(r.groups, 0);
  model_free(&r);
  release_built(&b);
  assert_groups(STOPPED "T1 exit\nmain exit\n", false, "communication: T1 cond-wait@11\n");
}

/* ---- too much to search through ---- */

static void partial_groups(void **unused)
{
  (void)unused;
  enum { PHILOSOPHERS = 14 };
  char trace[16384];
  size_t n = 0;
  for (unsigned i = 0; i < PHILOSOPHERS; i++)
    n += (size_t)snprintf(trace + n, sizeof trace - n, "main create P%u @ 1\n", i);
  for (unsigned i = 0; i < PHILOSOPHERS; i++)
    n += (size_t)snprintf(trace + n, sizeof trace - n,
                          "P%u mutex-lock f%u @ 10\nP%u mutex-lock f%u @ 11\nP%u mutex-lock table @ 20\n"
                          "P%u mutex-unlock table @ 21\nP%u cond-signal cv @ 22\n"
                          "P%u mutex-unlock f%u @ 12\nP%u mutex-unlock f%u @ 13\n",
                          i, i, i, (i + 1) % PHILOSOPHERS, i, i, i, i, (i + 1) % PHILOSOPHERS, i, i);
  n += (size_t)snprintf(trace + n, sizeof trace - n,
                        "main mutex-lock table @ 30\nmain cond-wait cv table @ 31\nmain cond-wake cv table @ 31\n"
                        "main mutex-unlock table @ 32\n");
  struct built b = build(trace, false);
  struct model_result r;
  assert_true(model_explore(b.program, &(struct model_limits){.executions = 500, .walks = 3000, .seed = 1}, &r));
  assert_false(r.complete);
  assert_int_equal(r.executions, 500);
  assert_int_equal(r.walks, 3000);
  assert_true(r.groups >= 1);
  struct predictions predictions = {0};
  model_predict(&r, true, &predictions);
  assert_int_equal(predictions.count, r.groups);
  predictions_free(&predictions);
  model_free(&r);
  release_built(&b);
}

/* ---- programs that nobody wrote ---- */

struct writer {
  char text[8192];
  size_t n;
  uint64_t random;
  unsigned site, locks[4];
};

static void script_line(struct writer *w, unsigned thread, const char *what, const char *object, unsigned number)
{
  w->n += (size_t)snprintf(w->text + w->n, sizeof w->text - w->n, "T%u %s %s%u @ %u\n", thread, what, object, number,
                           ++w->site);
}

static void write_guard(struct writer *w, unsigned thread, unsigned lock)
{
  unsigned predicate = rng_below(&w->random, 2), kind = rng_below(&w->random, 3);
  static const char *const name[] = {"cond-guard-wait", "cond-guard-signal", "cond-guard-broadcast"};
  w->n += (size_t)snprintf(w->text + w->n, sizeof w->text - w->n,
                           "T%u %s c%u m%u @ %u\nT%u predicate P%u value=0\nT%u guard-end\n", thread, name[kind],
                           rng_below(&w->random, 2), lock, ++w->site, thread, predicate, thread);
}

static void write_something(struct writer *w, unsigned thread)
{
  unsigned lock = rng_below(&w->random, 3);
  switch (rng_below(&w->random, 11)) {
  case 0:
  case 1:
    if (w->locks[lock] == thread)
      script_line(w, thread, "mutex-unlock", "m", lock);
    else
      script_line(w, thread, "mutex-lock", "m", lock);
    w->locks[lock] = w->locks[lock] == thread ? 0 : thread;
    break;
  case 2:
    script_line(w, thread, "cond-signal", "c", rng_below(&w->random, 2));
    break;
  case 3:
    script_line(w, thread, "cond-broadcast", "c", rng_below(&w->random, 2));
    break;
  case 4:
  case 5:
    write_guard(w, thread, lock);
    break;
  case 6:
    w->n += (size_t)snprintf(w->text + w->n, sizeof w->text - w->n, "T%u predicate P%u value=%u @ %u\n", thread,
                             rng_below(&w->random, 2), rng_below(&w->random, 2), ++w->site);
    break;
  case 7:
    script_line(w, thread, rng_below(&w->random, 2) ? "sem-post" : "sem-wait", "s", 0);
    break;
  case 8:
    if (w->locks[lock] == thread)
      w->n += (size_t)snprintf(w->text + w->n, sizeof w->text - w->n, "T%u cond-wait c%u m%u @ %u%s\n", thread,
                               rng_below(&w->random, 2), lock, ++w->site, rng_below(&w->random, 3) ? "" : " timed");
    break;
  case 9:
    script_line(w, thread, rng_below(&w->random, 2) ? "rwlock-rdlock" : "rwlock-wrlock", "rw", 0);
    script_line(w, thread, rng_below(&w->random, 2) ? "mutex-trylock" : "mutex-lock", "n", 0);
    script_line(w, thread, "mutex-unlock", "n", 0);
    script_line(w, thread, "rwlock-unlock", "rw", 0);
    break;
  default:
    if (rng_below(&w->random, 3) == 0)
      script_line(w, thread, "barrier-arrive", "b", 0);
    break;
  }
}

static void write_program(struct writer *w, uint64_t seed)
{
  *w = (struct writer){.random = seed};
  unsigned threads = 2 + rng_below(&w->random, 2);
  for (unsigned t = 2; t <= threads; t++)
    if (rng_below(&w->random, 3))
      script_line(w, 1, "create", "T", t);
  for (unsigned t = 1; t <= threads; t++) {
    memset(w->locks, 0, sizeof w->locks);
    for (unsigned i = 5 + rng_below(&w->random, 9 - threads); i > 0; i--)
      write_something(w, t);
    for (unsigned i = 0; i < 3; i++)
      if (w->locks[i])
        script_line(w, t, "mutex-unlock", "m", i);
  }
  if (rng_below(&w->random, 2))
    script_line(w, 1, "join", "T", 2);
}

static void both_searches_agree(void **unused)
{
  (void)unused;
  unsigned with_groups = 0, groups = 0, communication = 0;
  for (uint64_t seed = 1; seed <= 400; seed++) {
    static struct writer w;
    write_program(&w, mix64(seed));
    struct built b = build(w.text, seed & 1);
    struct plain s = plain_search(b.program);
    struct model_result r;
    assert_true(model_explore(b.program, &(struct model_limits){.executions = UINT64_MAX}, &r));
    if (r.groups != s.groups)
      print_message("program %lu:\n%s", (unsigned long)seed, w.text);
    assert_true(r.complete);
    assert_agree(&r, &s);
    with_groups += r.groups > 0;
    groups += r.groups;
    for (uint32_t i = 0; i < r.groups; i++)
      communication += r.group[i].communication;
    model_free(&r);
    release_built(&b);
  }
  print_message("%u programs with deadlocks, %u groups, %u of communication\n", with_groups, groups, communication);
  assert_true(with_groups > 100);
}

/* ---- circles of locks ---- */

static void write_nestings(struct writer *w, uint64_t seed)
{
  *w = (struct writer){.random = seed};
  for (unsigned t = 1; t <= 3; t++)
    for (unsigned i = 1 + rng_below(&w->random, 2); i > 0; i--) {
      unsigned outer = rng_below(&w->random, 4), inner = (outer + 1 + rng_below(&w->random, 3)) % 4;
      script_line(w, t, "mutex-lock", "m", outer);
      script_line(w, t, "mutex-lock", "m", inner);
      script_line(w, t, "mutex-unlock", "m", inner);
      script_line(w, t, "mutex-unlock", "m", outer);
    }
}

static bool blocks_at(const struct model_group *g, uint32_t thread, uint32_t site)
{
  bool found = false;
  for (uint32_t i = 0; i < g->blocked_count; i++)
    found |= g->blocked[i].thread == thread && g->blocked[i].site == site;
  return found;
}

static bool covered(const struct model_result *r, const struct prediction *circle)
{
  for (uint32_t i = 0; i < r->groups; i++) {
    bool all = !r->group[i].communication;
    for (uint32_t k = 0; k < circle->party_count; k++)
      all &= blocks_at(&r->group[i], circle->party[k].thread, circle->party[k].site);
    if (all)
      return true;
  }
  return false;
}

/* Whatever the analysis of locks predicts, this one does, too. */
static void circles_of_locks_are_found(void **unused)
{
  (void)unused;
  size_t circles = 0;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    static struct writer w;
    write_nestings(&w, mix64(seed));
    struct built b = build(w.text, false);
    struct model_result r = explore(&b);
    struct goodlock *g = goodlock_open(&(struct goodlock_options){.naming = NAMING_INDEX, .k = 4});
    struct predictions predictions = {0};
    struct goodlock_summary summary;
    char error[256];
    struct event e;
    assert_non_null(g);
    struct trace_reader *reader = trace_from_text(b.text, error, sizeof error);
    while (trace_next(reader, &e, error, sizeof error))
      goodlock_event(g, trace_tables(reader), &e);
    goodlock_finish(g, trace_tables(reader), &predictions, &summary);
    for (size_t i = 0; i < predictions.count; i++)
      assert_true(covered(&r, &predictions.list[i]));
    circles += predictions.count;
    assert_true(r.groups == 0 || predictions.count > 0);
    predictions_free(&predictions);
    goodlock_close(g);
    trace_close(reader);
    model_free(&r);
    release_built(&b);
  }
  assert_true(circles > 50);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(buffer_that_is_resized),
      cmocka_unit_test(unsynchronised_flag),
      cmocka_unit_test(recommended_pattern),
      cmocka_unit_test(wait_inside_an_outer_lock),
      cmocka_unit_test(map_of_readers_and_writers),
      cmocka_unit_test(sweeper_that_is_stopped_early),
      cmocka_unit_test(changed_first_told_later),
      cmocka_unit_test(two_locks_in_both_orders),
      cmocka_unit_test(guards_that_loop),
      cmocka_unit_test(joins_are_part_of_it),
      cmocka_unit_test(timeouts_do_not_block),
      cmocka_unit_test(one_signal_for_two),
      cmocka_unit_test(whom_a_signal_wakes),
      cmocka_unit_test(readers_do_not_exclude_each_other),
      cmocka_unit_test(semaphores_and_barriers),
      cmocka_unit_test(main_ends_the_process),
      cmocka_unit_test(partial_groups),
      cmocka_unit_test(both_searches_agree),
      cmocka_unit_test(circles_of_locks_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
