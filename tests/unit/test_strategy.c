/* SPDX-License-Identifier: Apache-2.0
 *
 * The strategies over toy programs: how often they must find what, and how simple shrink makes a schedule.
 *
 * Frequencies are checked against what theory says, within five standard deviations. Seeds are fixed, so a test that
 * passes once passes always.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/rng.h"
#include "strategy/follow.h"
#include "strategy/history.h"
#include "strategy/schedule_shrink.h"
#include "toy_world.h"

/* How often the bug shows in so many executions of one session. */
static unsigned bugs_found(const struct toy_program *program, enum strategy_id id, uint32_t depth, unsigned executions)
{
  struct toy *t = toy_open(program);
  unsigned found = 0;
  t->control->config.pct_depth = depth;
  toy_use(t, id, 1);
  for (unsigned i = 0; i < executions; i++) {
    toy_run(t);
    found += t->bug;
  }
  toy_close(t);
  return found;
}

/* Five standard deviations of a binomial distribution. */
static bool far_from(unsigned found, unsigned of, double probability)
{
  double off = found - of * probability;
  return off * off > 25 * of * probability * (1 - probability);
}

static void assert_at_least(unsigned found, unsigned of, double probability)
{
  if (found < of * probability && far_from(found, of, probability))
    fail_msg("found %u times of %u, not %.0f", found, of, of * probability);
}

static void assert_at_most(unsigned found, unsigned of, double probability)
{
  if (found > of * probability && far_from(found, of, probability))
    fail_msg("found %u times of %u, not %.0f at most", found, of, of * probability);
}

/* ---- what holds for all ---- */

static const enum strategy_id samplers[] = {STRATEGY_rr,       STRATEGY_random,   STRATEGY_pct,     STRATEGY_pos,
                                            STRATEGY_abreast,  STRATEGY_near,     STRATEGY_history, STRATEGY_portfolio,
                                            STRATEGY_rff,      STRATEGY_surw,     STRATEGY_period,  STRATEGY_novel,
                                            STRATEGY_extremes, STRATEGY_reversals};
#define SAMPLERS (sizeof samplers / sizeof samplers[0])

static uint64_t any_state(void *self, const struct operation *op, uint64_t key)
{
  (void)self, (void)op;
  return key;
}

/* Questions as no engine would ask them, but within the rules: always an enabled thread, always a number below n. */
static void answers_are_always_possible(void **unused)
{
  (void)unused;
  static struct thread_state thread[MAX_THREADS];
  static struct thread_info info[MAX_THREADS];
  struct world world = toy_world(NULL);
  uint64_t stream = 1;
  world.state = any_state;
  for (unsigned t = 0; t < MAX_THREADS; t++)
    info[t].process = t % 3;
  for (unsigned s = 0; s < SAMPLERS; s++) {
    const struct strategy *strategy = strategy_table[samplers[s]];
    struct control *control = toy_memory(CONTROL_MAPPING_SIZE);
    void *state = toy_memory(strategy->state_size);
    const struct job job = control_job(control);
    if (strategy->open)
      strategy->open(state, &job);
    for (unsigned execution = 0; execution < 200; execution++) {
      strategy->begin(state, &job, rng_next(&stream), execution);
      for (unsigned step = 0; step < 200; step++) {
        struct threadset enabled = {{0}};
        unsigned range = execution % 2 ? MAX_THREADS : 4;
        for (unsigned n = 2 + rng_below(&stream, 6); n > 0; n--)
          threadset_add(&enabled, rng_below(&stream, range));
        THREADSET_EACH(t, &enabled)
        {
          thread[t].alive = true;
          thread[t].pending.kind = (uint16_t)rng_below(&stream, OP_COUNT);
          thread[t].pending.object = rng_below(&stream, 3);
        }
        struct choice c = {.enabled = &enabled,
                           .count = threadset_count(&enabled),
                           .current = rng_below(&stream, range),
                           .yielded = rng_below(&stream, 4) == 0,
                           .thread = thread,
                           .info = info,
                           .threads = MAX_THREADS,
                           .world = &world,
                           .step = step};
        unsigned pick = strategy->pick(state, &c), n = 1 + rng_below(&stream, 9);
        assert_true(pick < MAX_THREADS && threadset_has(&enabled, pick));
        assert_true(strategy->choose(state, n) < n);
      }
      struct outcome outcome = {.steps = 200, .job = &job};
      strategy->end(state, &outcome);
    }
    munmap(state, strategy->state_size);
    munmap(control, CONTROL_MAPPING_SIZE);
  }
}

/* A thread that waits in a loop, with and without a yield in it, lets the other one go on before long. */
static void loops_that_wait_for_others_end(void **unused)
{
  (void)unused;
  const struct toy_program politely = {.threads = 4,
                                       .code = {NULL, CODE({YIELD, 0, 0}, {SPIN_BACK, 0, 1}),
                                                CODE({YIELD, 0, 0}, {SPIN_BACK, 0, 1}),
                                                CODE({READ, 1, 0}, {READ, 1, 0}, {READ, 1, 0}, {SET, 0, 1})}};
  const struct toy_insn *const spin = CODE({SPIN, 0, 1});
  const struct toy_program rudely = {
      .threads = 6,
      .code = {NULL, spin, spin, spin, spin, CODE({READ, 1, 0}, {READ, 1, 0}, {READ, 1, 0}, {SET, 0, 1})}};
  for (unsigned s = 0; s < SAMPLERS; s++) {
    struct toy *polite = toy_open(&politely), *rude = toy_open(&rudely);
    polite->control->config.max_steps = 1000;
    rude->control->config.max_steps = samplers[s] == STRATEGY_random || samplers[s] == STRATEGY_pos ? 5000 : 200000;
    toy_use(polite, samplers[s], 1);
    toy_use(rude, samplers[s], 1);
    for (unsigned i = 0; i < (samplers[s] == STRATEGY_rr ? 10 : 300); i++) {
      toy_run(polite);
      assert_int_equal(polite->end, 0);
      toy_run(rude);
      assert_int_equal(rude->end, 0);
    }
    toy_close(polite);
    toy_close(rude);
  }
}

/* Threads of a schedule are found by their path, whatever numbers they and their parents have now. */
static void threads_are_found_under_other_numbers(void **unused)
{
  (void)unused;
  static const struct schedule_thread recorded[] = {{0, 0, 0}, {0, 1, 0}, {0, 2, 0}, {1, 1, 0}, {2, 1, 0}, {3, 1, 0}};
  static const unsigned expected[] = {0, 1, 3, 4, 2, 5};
  static const struct thread_info info[] = {[1] = {.parent = 0, .nth = 1},
                                            [3] = {.parent = 0, .nth = 2},
                                            [2] = {.parent = 3, .nth = 1},
                                            [4] = {.parent = 1, .nth = 1},
                                            [5] = {.parent = 4, .nth = 1}};
  struct choice c = {.info = info, .threads = 5}; /* the last one has not been created yet */
  struct follower f = {.threads = recorded, .thread_count = 6};
  for (uint32_t i = 0; i < 5; i++)
    assert_int_equal(follow_thread(&f, &c, i), expected[i]);
  assert_int_equal(follow_thread(&f, &c, 5), MAX_THREADS);
  c.threads = 6;
  assert_int_equal(follow_thread(&f, &c, 5), 5);
}

/* ---- rr ---- */

static void rr_runs_until_blocked(void **unused)
{
  (void)unused;
  static const unsigned char expected[] = {1, 1, 1, 1, /* locks, writes; waits for the semaphore */
                                           2, 2,       /* wants the lock */
                                           3, 3, 3, 3, /* posts and ends */
                                           1, 1, 1,    /* goes on, unlocks, ends */
                                           2, 2, 2};
  const struct toy_program p = {
      .threads = 4,
      .code = {NULL, CODE({LOCK, 0, 0}, {SET, 0, 1}, {READ, 0, 0}, {WAIT, 0, 0}, {UNLOCK, 0, 0}, {READ, 0, 0}),
               CODE({READ, 0, 0}, {LOCK, 0, 0}, {UNLOCK, 0, 0}, {READ, 0, 0}),
               CODE({READ, 0, 0}, {POST, 0, 0}, {READ, 0, 0})}};
  struct toy *t = toy_open(&p);
  toy_use(t, STRATEGY_rr, 1);
  assert_false(toy_run(t)); /* there is only one such schedule */
  assert_int_equal(t->end, 0);
  assert_int_equal(t->steps, sizeof expected);
  assert_memory_equal(t->log, expected, sizeof expected);
  assert_int_equal(toy_preemptions(t->schedule), 0);
  toy_close(t);
}

/* ---- random ---- */

struct tally {
  unsigned char log[16];
  unsigned steps, count;
  double probability;
};

/* All interleavings of a program without loops, with their probability under a uniform choice at each step. */
static unsigned enumerate(const struct toy_program *p, const struct toy_state *s, struct tally *path, struct tally *out,
                          unsigned n)
{
  int able[TOY_THREADS], count = 0;
  for (int t = 0; t < p->threads; t++)
    if (toy_alive(s, t) && toy_enabled(p, s, t))
      able[count++] = t;
  if (!count) {
    out[n] = *path;
    return n + 1;
  }
  for (int i = 0; i < count; i++) {
    struct toy_state next = *s;
    struct tally longer = *path;
    toy_apply(p, &next, able[i], 0);
    longer.log[longer.steps++] = (unsigned char)able[i];
    longer.probability /= count;
    n = enumerate(p, &next, &longer, out, n);
  }
  return n;
}

static void assert_uniform(const struct toy_program *p, unsigned interleavings)
{
  enum { EXECUTIONS = 100000, MOST = 1000 };
  static struct tally tally[MOST];
  struct toy_state start = toy_start(p);
  struct tally empty = {.probability = 1};
  unsigned n = enumerate(p, &start, &empty, tally, 0);
  assert_int_equal(n, interleavings);
  struct toy *t = toy_open(p);
  toy_use(t, STRATEGY_random, 3);
  for (unsigned i = 0; i < EXECUTIONS; i++) {
    toy_run(t);
    unsigned k = 0;
    while (k < n && (tally[k].steps != t->steps || memcmp(tally[k].log, t->log, t->steps)))
      k++;
    assert_true(k < n);
    tally[k].count++;
  }
  for (unsigned k = 0; k < n; k++) {
    assert_at_least(tally[k].count, EXECUTIONS, tally[k].probability);
    assert_at_most(tally[k].count, EXECUTIONS, tally[k].probability);
    assert_true(tally[k].count > 0);
  }
  toy_close(t);
}

static void random_reaches_every_interleaving_as_often_as_it_should(void **unused)
{
  (void)unused;
  const struct toy_program two = {.threads = 3,
                                  .code = {NULL, CODE({READ, 0, 0}, {WRITE, 0, 1}), CODE({READ, 0, 0}, {WRITE, 0, 1})}};
  const struct toy_program locked = {
      .threads = 3,
      .code = {NULL, CODE({LOCK, 0, 0}, {UNLOCK, 0, 0}, {SET, 0, 1}), CODE({LOCK, 0, 0}, {UNLOCK, 0, 0}, {SET, 0, 2})}};
  const struct toy_program three = {.threads = 4,
                                    .code = {NULL, CODE({SET, 0, 1}), CODE({SET, 0, 2}), CODE({SET, 0, 3})}};
  const struct toy_program deadlock = {
      .threads = 3, .code = {NULL, CODE({LOCK, 0, 0}, {LOCK, 1, 0}), CODE({LOCK, 1, 0}, {LOCK, 0, 0})}};
  assert_uniform(&two, 20);   /* 6! / (3! 3!) */
  assert_uniform(&three, 90); /* 6! / (2! 2! 2!) */
  assert_uniform(&locked, 34);
  assert_uniform(&deadlock, 14);
}

/* ---- pct ---- */

static bool second_wrote_first(const struct toy_state *s)
{
  return s->ended[1] && s->ended[2] && s->var[0] == 1;
}

/* Depth 1: thread 2 before thread 1. */
static void pct_finds_depth_one(void **unused)
{
  (void)unused;
  struct toy_program p = {.threads = 3, .bug = second_wrote_first};
  p.code[1] = CODE({READ, 1, 0}, {READ, 1, 0}, {READ, 1, 0}, {READ, 1, 0}, {SET, 0, 1});
  p.code[2] = CODE({READ, 1, 0}, {READ, 1, 0}, {READ, 1, 0}, {READ, 1, 0}, {SET, 0, 2});
  assert_at_least(bugs_found(&p, STRATEGY_pct, 1, 20000), 20000, 1.0 / 2);
  assert_at_most(bugs_found(&p, STRATEGY_pct, 1, 20000), 20000, 1.0 / 2);
}

static bool update_lost(const struct toy_state *s)
{
  return s->ended[1] && s->ended[2] && s->var[0] == 1;
}

/* Depth 2: one thread's update between the other one's read and write, among many other steps. */
static void pct_finds_depth_two(void **unused)
{
  (void)unused;
  struct toy_program p = {.threads = 3, .bug = update_lost};
  p.code[1] = CODE({READ, 1, 0}, {READ, 1, 0}, {READ, 1, 0}, {READ, 0, 0}, {WRITE, 0, 1}, {READ, 1, 0}, {READ, 1, 0});
  p.code[2] = CODE({READ, 1, 0}, {READ, 1, 0}, {READ, 1, 0}, {READ, 0, 0}, {WRITE, 0, 1}, {READ, 1, 0}, {READ, 1, 0});
  enum { THREADS = 2, STEPS = 16 };
  assert_at_least(bugs_found(&p, STRATEGY_pct, 2, 20000), 20000, 1.0 / (THREADS * STEPS));
  assert_int_equal(bugs_found(&p, STRATEGY_pct, 1, 2000), 0); /* without a change of priorities never */
}

static bool seen_in_between_twice(const struct toy_state *s)
{
  return s->var[2] == 1 && s->var[3] == 2;
}

/* Depth 4: thread 2 must see two values that thread 1 leaves only for a moment, so it takes three preemptions. */
static void pct_finds_depth_four(void **unused)
{
  (void)unused;
  struct toy_program p = {.threads = 3, .bug = seen_in_between_twice};
  p.code[1] = CODE({SET, 0, 1}, {SET, 0, 0}, {READ, 1, 0}, {SET, 0, 2}, {SET, 0, 0});
  p.code[2] = CODE({READ, 0, 0}, {WRITE, 2, 0}, {READ, 0, 0}, {WRITE, 3, 0});
  enum { THREADS = 2, STEPS = 11 };
  assert_int_equal(bugs_found(&p, STRATEGY_pct, 3, 20000), 0);
  assert_at_least(bugs_found(&p, STRATEGY_pct, 4, 400000), 400000, 1.0 / (THREADS * STEPS * STEPS * STEPS));
}

/* ---- pos ---- */

static bool read_came_last(const struct toy_state *s)
{
  return s->ended[2] && s->var[1] == 99;
}

/* Thread 2's read, which is pending from the start, after all eleven operations of thread 1: a walk that chooses at
 * each step hardly ever gets there, one that orders operations by priority must, unless they depend on each other and
 * so draw anew each time. */
static void pos_orders_independent_operations_evenly(void **unused)
{
  (void)unused;
  enum { EXECUTIONS = 50000 };
  struct toy_program apart = {.threads = 3, .bug = read_came_last}, racing = apart;
  apart.code[1] = CODE({WAIT, 0, 0}, {SET, 2, 1}, {SET, 2, 1}, {SET, 2, 1}, {SET, 2, 1}, {SET, 2, 1}, {SET, 2, 1},
                       {SET, 2, 1}, {SET, 2, 1}, {SET, 2, 1}, {SET, 0, 99});
  racing.code[1] = CODE({WAIT, 0, 0}, {SET, 0, 1}, {SET, 0, 1}, {SET, 0, 1}, {SET, 0, 1}, {SET, 0, 1}, {SET, 0, 1},
                        {SET, 0, 1}, {SET, 0, 1}, {SET, 0, 1}, {SET, 0, 99});
  apart.code[2] = racing.code[2] = CODE({POST, 0, 0}, {READ, 0, 0}, {WRITE, 1, 0});
  assert_at_least(bugs_found(&apart, STRATEGY_pos, 0, EXECUTIONS), EXECUTIONS, 1.0 / 12);
  assert_at_most(bugs_found(&racing, STRATEGY_pos, 0, EXECUTIONS), EXECUTIONS, 0.02);
  assert_at_most(bugs_found(&apart, STRATEGY_random, 0, EXECUTIONS), EXECUTIONS, 0.01);
}

/* A race of two is a coin. */
static void pos_decides_a_race_evenly(void **unused)
{
  (void)unused;
  struct toy_program p = {.threads = 3, .bug = second_wrote_first};
  p.code[1] = CODE({SET, 0, 1});
  p.code[2] = CODE({SET, 0, 2});
  unsigned found = bugs_found(&p, STRATEGY_pos, 0, 20000);
  assert_at_least(found, 20000, 0.5);
  assert_at_most(found, 20000, 0.5);
}

/* ---- abreast ---- */

static bool everybody_has_one_fork(const struct toy_state *s)
{
  for (int i = 0; i < 4; i++)
    if (s->owner[i] != i + 2) /* that of code i + 1 */
      return false;
  return true;
}

/* All at the same place at the same time: always when all steps are even, however many there are. */
static void abreast_brings_all_to_the_same_place(void **unused)
{
  (void)unused;
  struct toy_program p = {.threads = 5, .bug = everybody_has_one_fork};
  p.code[1] = CODE({LOCK, 0, 0}, {LOCK, 1, 0}, {UNLOCK, 1, 0}, {UNLOCK, 0, 0});
  p.code[2] = CODE({LOCK, 1, 0}, {LOCK, 2, 0}, {UNLOCK, 2, 0}, {UNLOCK, 1, 0});
  p.code[3] = CODE({LOCK, 2, 0}, {LOCK, 3, 0}, {UNLOCK, 3, 0}, {UNLOCK, 2, 0});
  p.code[4] = CODE({LOCK, 3, 0}, {LOCK, 0, 0}, {UNLOCK, 0, 0}, {UNLOCK, 3, 0});
  assert_at_least(bugs_found(&p, STRATEGY_abreast, 0, 20000), 20000, 1.0 / 3);
}

/* Nothing else is out of reach: one thread wholly between two steps of another, first or last. */
static void abreast_lets_threads_overtake(void **unused)
{
  (void)unused;
  struct toy_program p = {.threads = 3, .bug = second_wrote_first};
  p.code[1] = CODE({READ, 1, 0}, {READ, 1, 0}, {READ, 1, 0}, {READ, 1, 0}, {SET, 0, 1});
  p.code[2] = CODE({SET, 0, 2});
  assert_at_least(bugs_found(&p, STRATEGY_abreast, 0, 20000), 20000, 1.0 / 3);
  p.code[1] = CODE({SET, 0, 1});
  p.code[2] = CODE({READ, 1, 0}, {READ, 1, 0}, {READ, 1, 0}, {READ, 1, 0}, {SET, 0, 2});
  assert_at_least(bugs_found(&p, STRATEGY_abreast, 0, 20000), 20000, 1.0 / 50);
}

/* ---- extremes ---- */

/* Each schedule is as its name says, they are the same for every seed, and there are no more. */
static void extremes_are_what_they_are_called(void **unused)
{
  (void)unused;
  enum { SCHEDULES = 6, STEPS = 14 };
  static const unsigned char expected[SCHEDULES][STEPS] = {
      {3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1}, /* the newest first */
      {1, 1, 1, 2, 2, 2, 3, 3, 3, 1, 1, 1, 2, 3}, /* in turns */
      {3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1}, /* the newest at once: the same, as nobody creates anybody */
      {1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 1, 1, 1, 2}, /* until something is written, and the lock is free */
      {1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 1}, /* abreast */
      {1, 2, 3, 1, 2, 3, 3, 3, 1, 1, 2, 2, 1, 1}, /* all have looked before anybody writes */
  };
  struct toy_program p = {.threads = 4};
  p.code[1] = CODE({READ, 0, 0}, {SET, 1, 1}, {LOCK, 0, 0}, {SET, 2, 1}, {UNLOCK, 0, 0});
  p.code[2] = CODE({READ, 0, 0}, {SET, 1, 1}, {READ, 0, 0});
  p.code[3] = CODE({READ, 0, 0}, {READ, 1, 0}, {READ, 2, 0});
  for (uint64_t seed = 1; seed <= 2; seed++) {
    struct toy *t = toy_open(&p);
    toy_use(t, STRATEGY_extremes, seed);
    for (unsigned i = 0; i < SCHEDULES; i++) {
      assert_int_equal(toy_run(t), i + 1 < SCHEDULES);
      assert_int_equal(t->steps, STEPS);
      assert_memory_equal(t->log, expected[i], STEPS);
    }
    toy_close(t);
  }
}

/* The turn of who creates a thread ends, or it goes on until it waits. */
static void extremes_differ_in_what_creation_means(void **unused)
{
  (void)unused;
  static const unsigned char in_turns[] = {0, 1, 1, 1, 0, 1, 2, 2, 2, 0, 2, 0};
  static const unsigned char at_once[] = {0, 1, 1, 1, 1, 0, 2, 2, 2, 2, 0, 0};
  static const unsigned char later[] = {0, 0, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0};
  struct toy_program p = {.threads = 3};
  p.code[0] = CODE({CREATE, 1, 0}, {CREATE, 2, 0}, {JOIN, 1, 0}, {JOIN, 2, 0});
  p.code[1] = CODE({READ, 0, 0}, {READ, 0, 0}, {READ, 0, 0});
  p.code[2] = p.code[1];
  struct toy *t = toy_open(&p);
  toy_use(t, STRATEGY_extremes, 1);
  for (unsigned i = 0; i < 5; i++) {
    toy_run(t);
    assert_int_equal(t->steps, sizeof later);
    if (i == 1)
      assert_memory_equal(t->log, in_turns, sizeof in_turns);
    if (i == 2)
      assert_memory_equal(t->log, at_once, sizeof at_once);
    if (i == 0)
      assert_memory_equal(t->log, later, sizeof later);
  }
  toy_close(t);
}

/* ---- near ---- */

/* It stays in the process it is in, leaves it now and then, and at once where nobody there can go on. */
static void near_seldom_leaves_a_process(void **unused)
{
  (void)unused;
  static struct thread_state thread[MAX_THREADS];
  static struct thread_info info[MAX_THREADS];
  const struct world world = toy_world(NULL);
  uint64_t state[8] = {0};
  unsigned current = 0, left = 0, of = 20000;
  for (unsigned t = 0; t < 4; t++)
    info[t].process = t / 2;
  strategy_near.begin(state, NULL, 1, 0);
  for (unsigned i = 0; i < of; i++) {
    struct threadset enabled = {{0}};
    for (unsigned t = 0; t < 4; t++)
      if (i % 5 || t / 2 != current / 2) /* every fifth time nobody of its process */
        threadset_add(&enabled, t);
    struct choice c = {.enabled = &enabled,
                       .count = threadset_count(&enabled),
                       .current = current,
                       .thread = thread,
                       .info = info,
                       .world = &world};
    unsigned next = strategy_near.pick(state, &c);
    assert_true(threadset_has(&enabled, next));
    left += i % 5 && next / 2 != current / 2;
    current = next;
  }
  assert_at_least(left, of * 4 / 5, 1.0 / 32); /* one in 16 draws of all, half of which is of the other one */
  assert_at_most(left, of * 4 / 5, 1.0 / 32);
}

/* ---- portfolio ---- */

static void portfolio_takes_turns(void **unused)
{
  (void)unused;
  struct toy_program p = {.threads = 3};
  p.code[1] = CODE({READ, 0, 0}, {WRITE, 0, 1}, {LOCK, 0, 0}, {UNLOCK, 0, 0}, {CHOOSE, 0, 5});
  p.code[2] = CODE({READ, 0, 0}, {WRITE, 0, 1}, {LOCK, 0, 0}, {UNLOCK, 0, 0}, {CHOOSE, 0, 5});
  struct toy *t = toy_open(&p), *alone = toy_open(&p);
  unsigned turns[STRATEGY_COUNT] = {0};
  toy_use(t, STRATEGY_portfolio, 17);
  for (unsigned i = 0; i < 401; i++) {
    assert_true(toy_run(t)); /* it goes on although rr has no more */
    enum strategy_id member = strategy_portfolio.member(t->engine->strategy_state);
    turns[member]++;
    assert_int_equal(member == STRATEGY_rr, i == 0);
    assert_int_equal(member == STRATEGY_extremes, i == 2 || i == 6);
    assert_true(member != STRATEGY_novel || i % 2);
    assert_true(member != STRATEGY_reversals || i % 2);
    assert_true(i > 5 || i % 2 == 0 || member == STRATEGY_reversals);
    assert_true(member != STRATEGY_rff || i % 2 == 0);
    assert_true(i < 256 || i % 2 == 0 || member == STRATEGY_novel);
    if (!strategy_table[member]->by_number)
      continue; /* learns from its own executions */
    toy_use(alone, member, 17);
    alone->execution = member == STRATEGY_extremes ? turns[member] - 1 : i;
    toy_run(alone);
    assert_true(alone->engine->hash == t->engine->hash);
  }
  assert_int_equal(turns[STRATEGY_pct], 68);
  assert_int_equal(turns[STRATEGY_pos], 52);
  assert_int_equal(turns[STRATEGY_rff], 77);
  assert_int_equal(turns[STRATEGY_abreast], 47);
  assert_int_equal(turns[STRATEGY_random], 37);
  assert_int_equal(turns[STRATEGY_reversals], 15); /* all that there are */
  assert_int_equal(turns[STRATEGY_surw], 30);
  assert_int_equal(turns[STRATEGY_novel], 72);
  toy_close(t);
  toy_close(alone);
}

/* ---- shrink ---- */

struct shrunk {
  uint32_t preemptions, segments;
  unsigned executions;
};

/* Finds the bug by random walks from that seed and simplifies the schedule; every improvement must fail too. */
static struct shrunk shrink(const struct toy_program *p, uint64_t seed, uint32_t *preemptions_before)
{
  struct shrunk result = {0};
  struct toy *t = toy_open(p);
  toy_use(t, STRATEGY_random, seed);
  do
    toy_run(t);
  while (!t->bug);
  uint64_t key = t->end == NEXT_DEADLOCK ? 2 : 1;
  *preemptions_before = toy_preemptions(t->schedule);
  toy_hand_over(t);
  struct schedule_record *best = toy_memory(TOY_SCHEDULE_ROOM);
  t->control->config.target_key = key;
  toy_use(t, STRATEGY_shrink, 1);
  bool more = true;
  while (more) {
    more = toy_run(t);
    result.executions++;
    assert_true(result.executions < 100000);
    if (!shrink_improved(t->engine->strategy_state))
      continue;
    assert_true(t->bug && (t->end == NEXT_DEADLOCK ? 2 : 1) == key);
    memcpy(best, t->schedule, t->schedule->bytes);
  }
  assert_true(best->bytes > 0);
  result.preemptions = toy_preemptions(best);
  result.segments = best->segments;
  memcpy(t->schedule, best, best->bytes);
  toy_hand_over(t);
  toy_use(t, STRATEGY_replay, 1);
  toy_run(t);
  assert_true(t->bug && t->end != NEXT_DIVERGED && t->engine->hash == best->hash);
  munmap(best, TOY_SCHEDULE_ROOM);
  toy_close(t);
  return result;
}

/* From every seed to the fewest preemptions there can be. */
static void assert_shrinks_to(const struct toy_program *p, uint32_t fewest, uint32_t at_least_before)
{
  uint32_t most_before = 0;
  for (uint64_t seed = 0; seed < 40; seed++) {
    uint32_t before;
    struct shrunk s = shrink(p, seed, &before);
    if (before > most_before)
      most_before = before;
    if (s.preemptions != fewest)
      fail_msg("seed %lu: %u preemptions (%u before, %u segments), not %u", (unsigned long)seed, s.preemptions, before,
               s.segments, fewest);
  }
  assert_true(most_before >= at_least_before); /* there was something to do */
}

#define NOISE                                                                                                          \
  {READ, 7, 0}, {SET, 6, 1}, {READ, 7, 0}, {LOCK, 3, 0},                                                               \
  {                                                                                                                    \
    UNLOCK, 3, 0                                                                                                       \
  }

static bool update_lost_of_four(const struct toy_state *s)
{
  return s->ended[1] && s->ended[2] && s->ended[3] && s->ended[4] && s->var[0] < 2;
}

static void shrink_lost_update(void **unused)
{
  (void)unused;
  struct toy_program p = {.threads = 5, .bug = update_lost_of_four};
  p.code[1] = CODE(NOISE, {READ, 0, 0}, {WRITE, 0, 1}, NOISE);
  p.code[2] = CODE(NOISE, {READ, 0, 0}, {WRITE, 0, 1}, NOISE);
  p.code[3] = CODE(NOISE, NOISE, NOISE);
  p.code[4] = CODE(NOISE, NOISE, NOISE);
  assert_shrinks_to(&p, 1, 15);
}

static void shrink_deadlock(void **unused)
{
  (void)unused;
  struct toy_program p = {.threads = 5};
  p.code[1] = CODE(NOISE, {LOCK, 0, 0}, {LOCK, 1, 0}, {UNLOCK, 1, 0}, {UNLOCK, 0, 0}, NOISE);
  p.code[2] = CODE(NOISE, {LOCK, 1, 0}, {LOCK, 0, 0}, {UNLOCK, 0, 0}, {UNLOCK, 1, 0}, NOISE);
  p.code[3] = CODE(NOISE, NOISE);
  p.code[4] = CODE(NOISE, NOISE);
  assert_shrinks_to(&p, 1, 10);
}

static bool second_first_of_four(const struct toy_state *s)
{
  return s->ended[1] && s->ended[2] && s->var[0] == 1;
}

/* Thread 2 before thread 1: no preemption at all, only another order. */
static void shrink_order_violation(void **unused)
{
  (void)unused;
  struct toy_program p = {.threads = 5, .bug = second_first_of_four};
  p.code[1] = CODE(NOISE, {SET, 0, 1}, NOISE);
  p.code[2] = CODE(NOISE, {SET, 0, 2}, NOISE);
  p.code[3] = CODE(NOISE, NOISE);
  p.code[4] = CODE(NOISE, NOISE);
  assert_shrinks_to(&p, 0, 8);
}

/* Two values that thread 1 leaves only for a moment must be seen. */
static void shrink_three_preemptions(void **unused)
{
  (void)unused;
  struct toy_program p = {.threads = 4, .bug = seen_in_between_twice};
  p.code[1] = CODE({SET, 0, 1}, {SET, 0, 0}, {READ, 1, 0}, {SET, 0, 2}, {SET, 0, 0});
  p.code[2] = CODE({READ, 0, 0}, {WRITE, 2, 0}, {READ, 0, 0}, {WRITE, 3, 0});
  p.code[3] = CODE(NOISE, NOISE);
  assert_shrinks_to(&p, 3, 5);
}

/* Two threads of k steps each: 2k² decisions where both can go on, or k² if they run the same code, because states that
 * differ by who is where are the same then. A step is also the start of a thread: all stand at the same place before
 * it, but it is another thread that starts, which counts for "pc+object". */
static void history_takes_every_decision_once(void **unused)
{
  (void)unused;
  const struct toy_insn *const one = CODE({READ, 0, 0}, {READ, 0, 0}, {READ, 0, 0}, {READ, 0, 0}), *const other = CODE(
                                                                                                       {READ, 1, 0},
                                                                                                       {READ, 1, 0},
                                                                                                       {READ, 1, 0},
                                                                                                       {READ, 1, 0});
  const struct {
    const struct toy_insn *second;
    enum abstraction abstraction;
    uint64_t decisions;
  } rows[] = {{other, ABSTRACT_PC, 2 * 5 * 5 - 1},
              {one, ABSTRACT_PC, 5 * 5},
              {one, ABSTRACT_OBJECT, 4 * 4 + 2 * (4 + 4 + 1)},
              {one, ABSTRACT_RAW, 2 * 5 * 5}};
  for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct toy_program p = {.threads = 3, .code = {NULL, one, rows[i].second}};
    struct toy *t = toy_open(&p);
    t->control->config.abstraction = rows[i].abstraction;
    t->control->config.patience = 100;
    toy_use(t, STRATEGY_history, 1);
    uint64_t before = 0;
    while (toy_run(t)) {
      assert_true(history_size(t->engine->strategy_state) >= before);
      before = history_size(t->engine->strategy_state);
    }
    assert_int_equal(history_size(t->engine->strategy_state), rows[i].decisions);
    toy_close(t);
  }
}

/* By itself, after the first execution in which nothing was new. */
static void history_ends(void **unused)
{
  (void)unused;
  struct toy_program p = {.threads = 3};
  p.code[1] = CODE({READ, 0, 0}, {WRITE, 0, 1}, {READ, 1, 0});
  p.code[2] = CODE({READ, 0, 0}, {WRITE, 0, 1}, {READ, 2, 0});
  struct toy *t = toy_open(&p);
  toy_use(t, STRATEGY_history, 1);
  uint64_t before;
  bool more;
  do {
    before = history_size(t->engine->strategy_state);
    more = toy_run(t);
    assert_int_equal(more, history_size(t->engine->strategy_state) > before);
  } while (more);
  assert_true(t->execution > 2 && t->execution < 40);
  toy_close(t);
}

static bool chose_and_lost(const struct toy_state *s)
{
  return s->ended[1] && s->ended[2] && s->var[0] == 1 && s->reg[3] == 4;
}

/* A bug that needs a data choice keeps it. */
static void shrink_keeps_choices(void **unused)
{
  (void)unused;
  struct toy_program p = {.threads = 4, .bug = chose_and_lost};
  p.code[1] = CODE(NOISE, {READ, 0, 0}, {WRITE, 0, 1}, NOISE);
  p.code[2] = CODE(NOISE, {READ, 0, 0}, {WRITE, 0, 1}, NOISE);
  p.code[3] = CODE({CHOOSE, 0, 3}, {CHOOSE, 0, 5});
  assert_shrinks_to(&p, 1, 8);
}

/* Nothing to shrink: the schedule does not show the bug wanted. */
static void shrink_gives_up_on_a_passing_schedule(void **unused)
{
  (void)unused;
  struct toy_program p = {.threads = 3, .bug = update_lost};
  p.code[1] = CODE({READ, 0, 0}, {WRITE, 0, 1});
  p.code[2] = CODE({READ, 0, 0}, {WRITE, 0, 1});
  struct toy *t = toy_open(&p);
  toy_use(t, STRATEGY_rr, 1);
  toy_run(t);
  assert_false(t->bug);
  toy_hand_over(t);
  t->control->config.target_key = 1;
  toy_use(t, STRATEGY_shrink, 1);
  assert_false(toy_run(t));
  assert_false(shrink_improved(t->engine->strategy_state));
  toy_use(t, STRATEGY_random, 1);
  do
    toy_run(t);
  while (!t->bug);
  toy_hand_over(t);
  t->control->config.target_key = 77; /* another bug */
  toy_use(t, STRATEGY_shrink, 1);
  assert_false(toy_run(t));
  assert_false(shrink_improved(t->engine->strategy_state));
  toy_close(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(answers_are_always_possible),
      cmocka_unit_test(loops_that_wait_for_others_end),
      cmocka_unit_test(threads_are_found_under_other_numbers),
      cmocka_unit_test(rr_runs_until_blocked),
      cmocka_unit_test(random_reaches_every_interleaving_as_often_as_it_should),
      cmocka_unit_test(pct_finds_depth_one),
      cmocka_unit_test(pct_finds_depth_two),
      cmocka_unit_test(pct_finds_depth_four),
      cmocka_unit_test(pos_orders_independent_operations_evenly),
      cmocka_unit_test(pos_decides_a_race_evenly),
      cmocka_unit_test(abreast_brings_all_to_the_same_place),
      cmocka_unit_test(abreast_lets_threads_overtake),
      cmocka_unit_test(extremes_are_what_they_are_called),
      cmocka_unit_test(extremes_differ_in_what_creation_means),
      cmocka_unit_test(near_seldom_leaves_a_process),
      cmocka_unit_test(portfolio_takes_turns),
      cmocka_unit_test(history_takes_every_decision_once),
      cmocka_unit_test(history_ends),
      cmocka_unit_test(shrink_lost_update),
      cmocka_unit_test(shrink_deadlock),
      cmocka_unit_test(shrink_order_violation),
      cmocka_unit_test(shrink_three_preemptions),
      cmocka_unit_test(shrink_keeps_choices),
      cmocka_unit_test(shrink_gives_up_on_a_passing_schedule),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
