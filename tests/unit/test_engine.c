/* SPDX-License-Identifier: Apache-2.0
 *
 * The engine over a toy world: what it writes down is what ran, what was written down can be run again exactly and only
 * exactly, and every way an execution can end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "toy_world.h"

/* Two threads increment a variable with a lock that one of them only tries to get, and hand over by a semaphore. */
static const struct toy_program mixed = {
    .threads = 4,
    .code = {NULL, CODE({LOCK, 0, 0}, {READ, 0, 0}, {WRITE, 0, 1}, {UNLOCK, 0, 0}, {POST, 0, 0}),
             CODE({TRYLOCK, 0, 0}, {WRITE, 1, 5}, {YIELD, 0, 0}, {READ, 0, 0}, {WAIT, 0, 0}, {WRITE, 2, 0}),
             CODE({CHOOSE, 0, 3}, {WRITE, 3, 0}, {CHOOSE, 0, 2}, {READ, 1, 0}, {WRITE, 4, 10})},
};

/* Main creates two threads, each of which creates one: threads are known by their creation path, not by number. */
static const struct toy_program family = {
    .threads = 5,
    .code = {CODE({CREATE, 1, 0}, {CREATE, 2, 0}, {READ, 0, 0}, {JOIN, 1, 0}, {JOIN, 2, 0}, {READ, 0, 0}),
             CODE({CREATE, 3, 0}, {SET, 0, 1}, {JOIN, 3, 0}), CODE({SET, 0, 2}, {CREATE, 4, 0}, {JOIN, 4, 0}),
             CODE({READ, 0, 0}, {WRITE, 1, 0}), CODE({READ, 0, 0}, {WRITE, 2, 0})},
};

static const struct toy_program abba = {
    .threads = 3,
    .code = {NULL, CODE({LOCK, 0, 0}, {LOCK, 1, 0}, {UNLOCK, 1, 0}, {UNLOCK, 0, 0}),
             CODE({LOCK, 1, 0}, {LOCK, 0, 0}, {UNLOCK, 0, 0}, {UNLOCK, 1, 0})},
};

static const struct toy_program *const programs[] = {&mixed, &family, &abba};
#define PROGRAMS (sizeof programs / sizeof programs[0])

/* Runs the schedule that was handed over. */
static void replay(struct toy *t)
{
  toy_use(t, STRATEGY_replay, 99);
  toy_run(t);
}

/* ---- recording and replaying ---- */

static void the_same_seed_gives_the_same_executions(void **unused)
{
  (void)unused;
  static const enum strategy_id all[] = {STRATEGY_rr,       STRATEGY_random, STRATEGY_pct,       STRATEGY_pos,
                                         STRATEGY_abreast,  STRATEGY_near,   STRATEGY_portfolio, STRATEGY_rff,
                                         STRATEGY_surw,     STRATEGY_period, STRATEGY_novel,     STRATEGY_extremes,
                                         STRATEGY_reversals};
  for (unsigned s = 0; s < sizeof all / sizeof all[0]; s++)
    for (unsigned p = 0; p < PROGRAMS; p++) {
      struct toy *a = toy_open(programs[p]), *b = toy_open(programs[p]);
      toy_use(a, all[s], 12);
      toy_use(b, all[s], 12);
      for (unsigned i = 0; i < 100; i++) {
        toy_run(a);
        toy_run(b);
        assert_true(a->engine->hash == b->engine->hash);
        assert_int_equal(a->schedule->bytes, b->schedule->bytes);
        assert_memory_equal(a->schedule, b->schedule, a->schedule->bytes);
      }
      toy_close(a);
      toy_close(b);
    }
}

static void other_seeds_give_other_executions(void **unused)
{
  (void)unused;
  struct toy *a = toy_open(&mixed), *b = toy_open(&mixed);
  unsigned differ = 0;
  toy_use(a, STRATEGY_random, 1);
  toy_use(b, STRATEGY_random, 2);
  for (unsigned i = 0; i < 100; i++) {
    toy_run(a);
    toy_run(b);
    differ += a->engine->hash != b->engine->hash;
  }
  assert_true(differ > 90);
  toy_close(a);
  toy_close(b);
}

static void what_was_recorded_replays_exactly(void **unused)
{
  (void)unused;
  static const enum strategy_id recorders[] = {STRATEGY_rr,      STRATEGY_random, STRATEGY_pct, STRATEGY_pos,
                                               STRATEGY_abreast, STRATEGY_near,   STRATEGY_rff, STRATEGY_surw,
                                               STRATEGY_period,  STRATEGY_novel};
  for (unsigned p = 0; p < PROGRAMS; p++)
    for (unsigned s = 0; s < sizeof recorders / sizeof recorders[0]; s++) {
      struct toy *t = toy_open(programs[p]), *again = toy_open(programs[p]);
      toy_use(t, recorders[s], p);
      for (unsigned i = 0; i < 100; i++) {
        toy_run(t);
        assert_true(t->schedule->hash == t->engine->hash);
        memcpy(again->schedule, t->schedule, t->schedule->bytes);
        toy_hand_over(again);
        replay(again);
        assert_int_equal(again->end, t->end);
        assert_true(again->engine->hash == t->engine->hash);
        assert_int_equal(again->steps, t->steps);
        assert_memory_equal(again->log, t->log, t->steps);
        assert_memory_equal(&again->state, &t->state, sizeof t->state);
        assert_int_equal(again->schedule->bytes, t->schedule->bytes);
        assert_memory_equal(schedule_segments(again->schedule), schedule_segments(t->schedule),
                            t->schedule->segments * sizeof(struct segment));
      }
      toy_close(t);
      toy_close(again);
    }
}

/* The engine numbers threads as they come; a schedule names each by its parent and which child of it. */
static void threads_are_named_by_their_creation_path(void **unused)
{
  (void)unused;
  static const int parent[] = {0, 0, 0, 1, 2}, nth[] = {0, 1, 2, 1, 1}; /* by code */
  struct toy *t = toy_open(&family);
  unsigned orders = 0;
  toy_use(t, STRATEGY_random, 4);
  for (unsigned i = 0; i < 200; i++) {
    toy_run(t);
    const struct schedule_thread *threads = schedule_threads(t->schedule);
    assert_int_equal(t->schedule->threads, 5);
    for (unsigned k = 0; k < 5; k++) {
      assert_int_equal(t->code_of[threads[k].parent], parent[t->code_of[k]]);
      assert_int_equal(threads[k].nth, nth[t->code_of[k]]);
    }
    orders |= 1u << (t->code_of[2] == 3 ? 0 : t->code_of[3] == 3 ? 1 : 2);
  }
  assert_int_equal(orders, 7);
  toy_close(t);
}

/* Every interleaving has a hash of its own. */
static void different_executions_have_different_hashes(void **unused)
{
  (void)unused;
  enum { MANY = 2000 };
  static struct {
    uint64_t hash, steps;
    unsigned char log[32];
    struct toy_state state;
  } seen[MANY];
  struct toy *t = toy_open(&mixed);
  unsigned known = 0;
  toy_use(t, STRATEGY_random, 5);
  for (unsigned i = 0; i < MANY; i++) {
    toy_run(t);
    assert_true(t->steps <= 32);
    unsigned k = 0;
    while (k < known && seen[k].hash != t->engine->hash)
      k++;
    if (k == known) {
      seen[known].hash = t->engine->hash;
      seen[known].steps = t->steps;
      seen[known].state = t->state;
      memcpy(seen[known++].log, t->log, t->steps);
    }
    assert_int_equal(seen[k].steps, t->steps);
    assert_memory_equal(seen[k].log, t->log, t->steps);
    assert_memory_equal(&seen[k].state, &t->state, sizeof t->state);
  }
  assert_true(known > 1500);
  toy_close(t);
}

/* The hash takes note of who went, of results and of choices. */
static void the_hash_covers_results_and_choices(void **unused)
{
  (void)unused;
  struct toy *t = toy_open(&mixed);
  uint64_t hash[5];
  toy_use(t, STRATEGY_rr, 1);
  for (unsigned i = 0; i < 5; i++) {
    toy_run(t);
    if (i == 1 || i == 2)
      engine_perform(t->engine, i);
    if (i > 2)
      engine_choose(t->engine, i); /* of one and of two more; rr takes the first */
    hash[i] = t->engine->hash;
    for (unsigned k = 0; k < i; k++)
      assert_true(hash[i] != hash[k]);
  }
  toy_close(t);
}

/* ---- schedules ---- */

/* The schedule's counts add up to what the threads did, neighbours differ, and a preemption is one. */
static void segments_tell_what_ran(void **unused)
{
  (void)unused;
  for (unsigned p = 0; p < PROGRAMS; p++) {
    struct toy *t = toy_open(programs[p]);
    toy_use(t, STRATEGY_random, 6);
    for (unsigned i = 0; i < 200; i++) {
      toy_run(t);
      struct segment *segment = schedule_segments(t->schedule);
      uint64_t steps = 0;
      for (uint32_t k = 0; k < t->schedule->segments; k++) {
        bool last = k + 1 == t->schedule->segments;
        for (uint64_t n = 0; n < segment[k].operations && steps + n < t->steps; n++)
          assert_int_equal(t->log[steps + n], t->code_of[segment[k].thread]);
        steps += segment[k].operations;
        if (!last)
          assert_int_not_equal(segment[k].thread, segment[k + 1].thread);
      }
      /* The last count includes the operation during which it ended: in a deadlock one that was not performed. */
      assert_int_equal(steps, t->steps + (t->end == NEXT_DEADLOCK && t->engine->thread[t->engine->current].alive));
    }
    toy_close(t);
  }
}

static void a_switch_of_an_enabled_thread_is_a_preemption(void **unused)
{
  (void)unused;
  struct toy *t = toy_open(&abba);
  toy_use(t, STRATEGY_rr, 1);
  toy_run(t); /* one after the other */
  assert_int_equal(toy_preemptions(t->schedule), 0);
  unsigned blocked = 0, preempted = 0;
  toy_use(t, STRATEGY_random, 1);
  for (unsigned i = 0; i < 300; i++) {
    toy_run(t);
    struct toy_state s = toy_start(&abba);
    uint64_t step = 0;
    const struct segment *segment = schedule_segments(t->schedule);
    for (uint32_t k = 0; k + 1 < t->schedule->segments; k++) {
      int code = t->code_of[segment[k].thread];
      for (uint64_t n = 0; n < segment[k].operations; n++, step++)
        toy_apply(&abba, &s, t->log[step], 0);
      bool could_go_on = code > 0 && toy_alive(&s, code) && toy_enabled(&abba, &s, code);
      assert_int_equal(segment[k].enabled, could_go_on);
      if (code > 0 && toy_alive(&s, code))
        assert_int_equal(segment[k].op, toy_op_kind(toy_next_insn(&abba, &s, code)->kind));
      preempted += could_go_on;
      blocked += code > 0 && toy_alive(&s, code) && !could_go_on;
    }
  }
  assert_true(blocked > 50 && preempted > 50);
  toy_close(t);
}

static void a_schedule_needs_its_exact_size(void **unused)
{
  (void)unused;
  struct toy *t = toy_open(&mixed);
  toy_use(t, STRATEGY_random, 7);
  toy_run(t);
  uint64_t bytes = t->schedule->bytes;
  assert_int_equal(bytes, sizeof(struct schedule_record) + 4 * sizeof(struct schedule_thread) +
                              t->schedule->segments * sizeof(struct segment) + 2 * sizeof(struct data_choice));
  unsigned char *room = malloc(bytes + 1), *clean = malloc(bytes + 1);
  memset(room, 0xcc, bytes + 1);
  memset(clean, 0xcc, bytes + 1);
  assert_int_equal(engine_write_schedule(t->engine, (struct schedule_record *)room, bytes - 1), 0);
  assert_int_equal(engine_write_schedule(t->engine, (struct schedule_record *)room, 0), 0);
  assert_memory_equal(room, clean, bytes + 1);
  assert_int_equal(engine_write_schedule(t->engine, (struct schedule_record *)room, bytes), bytes);
  assert_int_equal(room[bytes], 0xcc);
  assert_memory_equal(schedule_segments((struct schedule_record *)room), schedule_segments(t->schedule),
                      t->schedule->segments * sizeof(struct segment));
  free(room);
  free(clean);
  toy_close(t);
}

/* ---- edited schedules ---- */

enum edit { LONGER, SHORTER, DROPPED, OTHER_THREAD, OTHER_PLACE, OTHER_OPERATION, NOTHING_AFTER, EDITS };

/* Whether the thread of segment k has one operation left after it. */
static bool one_is_left(struct schedule_record *r, uint32_t k)
{
  const struct segment *segment = schedule_segments(r);
  uint64_t left = 0;
  for (uint32_t i = k + 1; i < r->segments; i++)
    left += segment[i].thread == segment[k].thread ? segment[i].operations : 0;
  return left == 1;
}

/* Spoils segment k; false if that edit makes no difference there. */
static bool spoil(struct schedule_record *r, uint32_t k, enum edit edit)
{
  struct segment *segment = schedule_segments(r);
  bool last = k + 1 == r->segments;
  switch (edit) {
  case LONGER: /* the end of the last segment is the end of the execution; it cannot come later */
    segment[k].operations++;
    return !last && !one_is_left(r, k); /* that one has its own test below */
  case SHORTER:
    return segment[k].operations-- > 1; /* a segment is one operation at least */
  case DROPPED:
    memmove(segment + k, segment + k + 1, (r->segments - k - 1) * sizeof *segment);
    r->segments--;
    return segment[k].operations > 0 || last;
  case OTHER_THREAD:
    segment[k].thread = segment[k].thread % (r->threads - 1) + 1;
    return true;
  case OTHER_PLACE:
    segment[k].pc += 1000;
    return segment[k].op != OP_EXIT && !last;
  case OTHER_OPERATION:
    segment[k].op = OP_FENCE;
    return segment[k].pc && !last;
  case NOTHING_AFTER:
    r->segments = k + 1;
    return !last;
  default:
    return false;
  }
}

static void an_edited_schedule_diverges(void **unused)
{
  (void)unused;
  unsigned tried[EDITS] = {0};
  struct toy *t = toy_open(&mixed), *again = toy_open(&mixed);
  toy_use(t, STRATEGY_random, 8);
  for (unsigned i = 0; i < 60; i++) {
    toy_run(t);
    if (t->end)
      continue;
    for (uint32_t k = 0; k < t->schedule->segments; k++)
      for (enum edit edit = 0; edit < EDITS; edit++) {
        memcpy(again->schedule, t->schedule, t->schedule->bytes);
        /* Choices lie behind the segments: without them, so that segments can be cut off. */
        again->schedule->choices = 0;
        struct schedule_record *in = toy_hand_over(again);
        if (!spoil(in, k, edit))
          continue;
        replay(again);
        tried[edit]++;
        /* Without a segment the program may come to a true deadlock before the schedule is seen to be wrong. */
        if (again->end != NEXT_DIVERGED && !(edit == DROPPED && again->end == NEXT_DEADLOCK))
          fail_msg("segment %u of %u, edit %d: no divergence", k, in->segments, edit);
      }
  }
  for (enum edit edit = 0; edit < EDITS; edit++)
    assert_true(tried[edit] > 50);
  toy_close(t);
  toy_close(again);
}

/* The schedule says where a thread stops; the thread ends instead. */
static void a_thread_that_ends_too_early_diverges(void **unused)
{
  (void)unused;
  unsigned tried = 0;
  struct toy *t = toy_open(&mixed), *again = toy_open(&mixed);
  toy_use(t, STRATEGY_random, 8);
  for (unsigned i = 0; i < 60; i++) {
    toy_run(t);
    for (uint32_t k = 0; k + 1 < t->schedule->segments && !t->end; k++) {
      if (!one_is_left(t->schedule, k))
        continue;
      memcpy(again->schedule, t->schedule, t->schedule->bytes);
      schedule_segments(toy_hand_over(again))[k].operations++;
      replay(again);
      assert_int_equal(again->end, NEXT_DIVERGED);
      tried++;
    }
  }
  assert_true(tried > 20);
  toy_close(t);
  toy_close(again);
}

/* The program has changed since the recording. */
static void a_changed_program_diverges(void **unused)
{
  (void)unused;
  const struct toy_insn *const less = CODE({LOCK, 0, 0}, {READ, 0, 0}, {WRITE, 0, 1}, {UNLOCK, 0, 0});
  const struct toy_insn *const more =
      CODE({CHOOSE, 0, 3}, {WRITE, 3, 0}, {CHOOSE, 0, 2}, {READ, 1, 0}, {WRITE, 4, 10}, {READ, 2, 0});
  struct toy_program shorter = mixed, longer = mixed;
  shorter.code[1] = less;
  longer.code[3] = more;
  struct toy *t = toy_open(&mixed), *a = toy_open(&shorter), *b = toy_open(&longer);
  toy_use(t, STRATEGY_random, 9);
  for (unsigned i = 0; i < 100; i++) {
    toy_run(t);
    if (t->end) /* the first thread waits for ever, and never gets where it is another one */
      continue;
    memcpy(a->schedule, t->schedule, t->schedule->bytes);
    memcpy(b->schedule, t->schedule, t->schedule->bytes);
    toy_hand_over(a);
    toy_hand_over(b);
    replay(a);
    replay(b);
    assert_int_equal(b->end, NEXT_DIVERGED);
    assert_true(a->end == NEXT_DIVERGED || a->end == NEXT_DEADLOCK); /* nobody posts */
    assert_true(a->engine->hash != t->engine->hash);
  }
  toy_close(t);
  toy_close(a);
  toy_close(b);
}

/* ---- choices ---- */

static void choices_are_in_range_recorded_and_replayed(void **unused)
{
  (void)unused;
  struct toy *t = toy_open(&mixed);
  unsigned first[3] = {0}, second[2] = {0};
  toy_use(t, STRATEGY_random, 10);
  for (unsigned i = 0; i < 3000; i++) {
    toy_run(t);
    assert_int_equal(t->schedule->choices, 2);
    const struct data_choice *choice = schedule_choices(t->schedule);
    assert_int_equal(choice[0].n, 3);
    assert_int_equal(choice[1].n, 2);
    assert_in_range(choice[0].value, 0, 2);
    assert_in_range(choice[1].value, 0, 1);
    assert_int_equal(t->state.var[3], choice[0].value);
    first[choice[0].value]++;
    second[choice[1].value]++;
  }
  for (unsigned i = 0; i < 3; i++)
    assert_in_range(first[i], 900, 1100);
  for (unsigned i = 0; i < 2; i++)
    assert_in_range(second[i], 1400, 1600);
  toy_close(t);
}

static void a_choice_among_one_is_not_recorded(void **unused)
{
  (void)unused;
  struct toy *t = toy_open(&mixed);
  toy_use(t, STRATEGY_random, 1);
  toy_run(t);
  for (unsigned i = 0; i < 10; i++)
    assert_int_equal(engine_choose(t->engine, 1), 0);
  assert_int_equal(t->engine->choices, 2);
  toy_close(t);
}

/* ---- ends ---- */

static void a_deadlock_is_told(void **unused)
{
  (void)unused;
  struct toy *t = toy_open(&abba);
  unsigned deadlocks = 0;
  toy_use(t, STRATEGY_random, 11);
  for (unsigned i = 0; i < 1000; i++) {
    toy_run(t);
    bool both_wait = t->state.at[1] == 1 && t->state.at[2] == 1 && t->state.owner[0] && t->state.owner[1];
    assert_int_equal(t->end, both_wait ? NEXT_DEADLOCK : 0);
    deadlocks += t->end == NEXT_DEADLOCK;
  }
  assert_in_range(deadlocks, 100, 900);
  toy_close(t);
}

static void the_step_limit_is_exact(void **unused)
{
  (void)unused;
  const struct toy_program endless = {.threads = 2, .code = {NULL, CODE({SPIN, 0, 1})}};
  for (uint64_t limit = 1; limit < 50; limit += 7) {
    struct toy *t = toy_open(&endless);
    t->control->config.max_steps = limit;
    toy_use(t, STRATEGY_random, 1);
    toy_run(t);
    assert_int_equal(t->end, NEXT_TOO_LONG);
    assert_int_equal(t->steps, limit);
    toy_close(t);
  }
  struct toy *t = toy_open(&abba); /* eight operations and two starts fit into ten steps */
  t->control->config.max_steps = 10;
  toy_use(t, STRATEGY_rr, 1);
  toy_run(t);
  assert_int_equal(t->end, 0);
  t->control->config.max_steps = 9;
  toy_run(t);
  assert_int_equal(t->end, NEXT_TOO_LONG);
  toy_close(t);
}

/* Two threads that yield to each other: a switch at every step. */
static void too_many_segments_are_not_written(void **unused)
{
  (void)unused;
  const struct toy_insn *const spin = CODE({YIELD, 0, 0}, {SPIN_BACK, 0, 1});
  const struct toy_program ping_pong = {.threads = 3, .code = {NULL, spin, spin}};
  struct toy *t = toy_open(&ping_pong);
  uint64_t low = ENGINE_SEGMENTS, high = 4 * (uint64_t)ENGINE_SEGMENTS;
  toy_use(t, STRATEGY_rr, 1);
  t->control->config.max_steps = high;
  toy_run(t);
  assert_true(t->engine->overflow);
  assert_int_equal(t->engine->segments, ENGINE_SEGMENTS);
  assert_int_equal(engine_write_schedule(t->engine, t->schedule, t->schedule_size), 0);
  t->control->config.max_steps = low; /* fewer steps than that can have no more segments */
  toy_run(t);
  assert_false(t->engine->overflow);
  assert_true(engine_write_schedule(t->engine, t->schedule, t->schedule_size) > 0);
  assert_int_equal(t->schedule->segments, t->engine->segments + 1);
  assert_int_equal(toy_preemptions(t->schedule), 0); /* they yielded */
  toy_close(t);
}

static void too_many_choices_are_not_written(void **unused)
{
  (void)unused;
  struct toy *t = toy_open(&abba);
  toy_use(t, STRATEGY_random, 1);
  toy_run(t);
  for (unsigned i = 0; i < ENGINE_CHOICES; i++)
    assert_in_range(engine_choose(t->engine, 2), 0, 1);
  assert_int_equal(engine_choose(t->engine, 1), 0); /* takes no room */
  assert_false(t->engine->overflow);
  assert_true(engine_write_schedule(t->engine, t->schedule, t->schedule_size) > 0);
  assert_int_equal(t->schedule->choices, ENGINE_CHOICES);
  assert_in_range(engine_choose(t->engine, 2), 0, 1);
  assert_true(t->engine->overflow);
  assert_int_equal(t->engine->choices, ENGINE_CHOICES);
  assert_int_equal(engine_write_schedule(t->engine, t->schedule, t->schedule_size), 0);
  toy_run(t); /* the next execution starts afresh */
  assert_false(t->engine->overflow);
  assert_int_equal(t->engine->choices, 0);
  toy_close(t);
}

/* Creates threads until it is refused, and ends the execution. */
static void create_many(void *self, unsigned thread)
{
  struct toy *t = self;
  for (unsigned i = 1; i < MAX_THREADS; i++)
    assert_int_equal(engine_add_thread(t->engine, thread, 0, 0), i);
  assert_int_equal(engine_add_thread(t->engine, thread, 0, 0), MAX_THREADS);
  engine_stop(t->engine);
}

static void too_many_threads_are_refused(void **unused)
{
  (void)unused;
  struct toy *t = toy_open(&abba);
  toy_use(t, STRATEGY_random, 1);
  t->world.go_on = create_many;
  assert_int_equal(engine_run(t->engine, 0), NEXT_OVER);
  assert_int_equal(t->engine->threads, MAX_THREADS);
  assert_int_equal(t->engine->alive_count, MAX_THREADS);
  assert_int_equal(t->control->thread[MAX_THREADS - 1].nth, MAX_THREADS - 1);
  toy_close(t);
}

/* An observer that holds thread 2 back before its first write until thread 1 has made all of its own. */
struct gate {
  int writes; /* of thread 1 */
  unsigned held;
};

static void gate_begin(void *state, struct engine *e)
{
  (void)e;
  ((struct gate *)state)->writes = 0;
}

static bool gate_admits(void *state, const struct engine *e, unsigned task, const struct operation *op)
{
  (void)e;
  struct gate *g = state;
  bool held = task == 2 && op->kind == OP_WRITE && g->writes < 2;
  g->held += held;
  return !held;
}

static bool gate_matters(void *state, const struct engine *e, unsigned task, const struct operation *op)
{
  (void)state, (void)e;
  return task == 1 && op->kind == OP_WRITE;
}

static void gate_performed(void *state, struct engine *e, unsigned task, const struct operation *op,
                           const struct effect *effect)
{
  (void)e;
  assert_true(effect->known);
  ((struct gate *)state)->writes += task == 1 && op->kind == OP_WRITE;
}

static const struct observer gate = {.name = "gate",
                                     .state_size = sizeof(struct gate),
                                     .begin = gate_begin,
                                     .admits = gate_admits,
                                     .matters = gate_matters,
                                     .performed = gate_performed};

static bool is_out_of_turn(const struct toy_state *s)
{
  return s->var[0] == 2 && s->var[1] != 1; /* thread 2 has written before thread 1 was through */
}

static void observers_hold_threads_back(void **unused)
{
  (void)unused;
  const struct toy_program both = {
      .threads = 3, .code = {NULL, CODE({SET, 0, 1}, {SET, 1, 1}), CODE({SET, 0, 2})}, .bug = is_out_of_turn};
  static const enum strategy_id strategies[] = {STRATEGY_random, STRATEGY_dfs, STRATEGY_dpor};
  for (unsigned i = 0; i < 6; i++) {
    struct toy *t = toy_open(&both);
    struct gate state = {0};
    bool watched = i % 2, bug = false, more = true;
    if (watched)
      watchers_add(&t->engine->watchers, &gate, &state);
    toy_use(t, strategies[i / 2], 1);
    for (unsigned n = 0; more && n < 200; n++) {
      more = toy_run(t);
      bug |= t->bug;
      bool tried_in_vain = strategies[i / 2] == STRATEGY_dpor && t->end == NEXT_BLOCKED;
      assert_true(!t->end || tried_in_vain); /* the reduction does not know who is held back until it tries */
    }
    assert_int_equal(bug, !watched);
    assert_int_equal(watched, state.held > 0);
    toy_close(t);
  }
}

/* Where one thread can go on only, there is nothing to ask; strategies that want every step are asked all the same. */
static void only_decisions_count(void **unused)
{
  (void)unused;
  const struct toy_program alone = {.threads = 2, .code = {NULL, CODE({SET, 0, 1}, {SET, 0, 2})}};
  struct toy *t = toy_open(&alone);
  toy_use(t, STRATEGY_random, 1);
  toy_run(t);
  assert_int_equal(t->engine->decisions, 0);
  assert_int_equal(t->steps, 3);
  toy_hand_over(t);
  replay(t);
  assert_int_equal(t->engine->decisions, 0);
  assert_int_equal(t->end, 0);
  toy_close(t);
  t = toy_open(&abba);
  toy_use(t, STRATEGY_rr, 1);
  toy_run(t);
  assert_int_equal(t->engine->decisions, 5); /* until the first thread has ended */
  toy_close(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_seed_gives_the_same_executions),
      cmocka_unit_test(other_seeds_give_other_executions),
      cmocka_unit_test(what_was_recorded_replays_exactly),
      cmocka_unit_test(threads_are_named_by_their_creation_path),
      cmocka_unit_test(different_executions_have_different_hashes),
      cmocka_unit_test(the_hash_covers_results_and_choices),
      cmocka_unit_test(segments_tell_what_ran),
      cmocka_unit_test(a_switch_of_an_enabled_thread_is_a_preemption),
      cmocka_unit_test(a_schedule_needs_its_exact_size),
      cmocka_unit_test(an_edited_schedule_diverges),
      cmocka_unit_test(a_thread_that_ends_too_early_diverges),
      cmocka_unit_test(a_changed_program_diverges),
      cmocka_unit_test(choices_are_in_range_recorded_and_replayed),
      cmocka_unit_test(a_choice_among_one_is_not_recorded),
      cmocka_unit_test(a_deadlock_is_told),
      cmocka_unit_test(the_step_limit_is_exact),
      cmocka_unit_test(too_many_segments_are_not_written),
      cmocka_unit_test(too_many_choices_are_not_written),
      cmocka_unit_test(too_many_threads_are_refused),
      cmocka_unit_test(observers_hold_threads_back),
      cmocka_unit_test(only_decisions_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
