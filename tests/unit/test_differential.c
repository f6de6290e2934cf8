/* SPDX-License-Identifier: Apache-2.0
 *
 * The engine against brute force: random toy programs, all of whose interleavings are enumerated without the engine.
 * Every execution the engine makes must be one of them, random walks must reach every final state, and what shrink
 * leaves must lie between the fewest preemptions there can be and what it was given.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/rng.h"
#include "strategy/schedule_shrink.h"
#include "toy_world.h"

enum { PROGRAMS = 150, CODE_MAX = 6, STATES = 4096 };

/* ---- random programs ---- */

struct generated {
  struct toy_program program;
  struct toy_insn code[3][CODE_MAX + 1];
};

/* Code of n instructions; locks are given back, so that few programs get stuck without bad luck. */
static void generate_code(struct toy_insn *code, int n, unsigned locks, uint64_t *stream)
{
  static const enum toy_kind kinds[] = {READ, READ, READ, WRITE, WRITE, WRITE, SET, TRYLOCK, WAIT, POST, YIELD};
  unsigned held = 0;
  for (int i = 0; i < n; i++) {
    int object = (int)rng_below(stream, 2);
    enum toy_kind kind = kinds[rng_below(stream, sizeof kinds / sizeof kinds[0])];
    if (held && (n - i <= __builtin_popcount(held) || rng_below(stream, 5) == 0)) {
      kind = UNLOCK;
      object = held & 1 ? 0 : 1;
    } else if (rng_below(stream, 100) < locks && !(held >> object & 1)) {
      kind = LOCK;
    }
    if (kind == TRYLOCK)
      object = 2; /* nobody else waits for it */
    held ^= kind == LOCK || kind == UNLOCK ? 1u << object : 0;
    code[i] = (struct toy_insn){kind, object, 1 + (int)rng_below(stream, 2)};
  }
}

/* locks: of a hundred instructions */
static void generate(struct generated *g, unsigned locks, uint64_t *stream)
{
  memset(g, 0, sizeof *g);
  int threads = rng_below(stream, 4) ? 2 : 3;
  g->program.threads = threads + 1;
  g->program.sem[0] = g->program.sem[1] = 2;
  for (int t = 0; t < threads; t++) {
    int n = threads == 2 ? CODE_MAX - (int)rng_below(stream, 3) : 2 + (int)rng_below(stream, 2);
    generate_code(g->code[t], n, locks, stream);
    g->program.code[t + 1] = g->code[t];
  }
}

/* ---- brute force ---- */

struct finals {
  unsigned count;
  struct toy_state state[STATES];
};

static bool known(const struct finals *f, const struct toy_state *s)
{
  for (unsigned i = 0; i < f->count; i++)
    if (!memcmp(&f->state[i], s, sizeof *s))
      return true;
  return false;
}

static void add(struct finals *f, const struct toy_state *s)
{
  if (known(f, s))
    return;
  assert_true(f->count < STATES);
  f->state[f->count++] = *s;
}

/* All final states; and the fewest preemptions that lead to a deadlock, when some thread has not ended. */
static void enumerate(const struct toy_program *p, const struct toy_state *s, int last, unsigned preemptions,
                      struct finals *out, unsigned *fewest)
{
  bool any = false, stuck = false;
  for (int t = 1; t < p->threads; t++) {
    if (!toy_alive(s, t))
      continue;
    stuck = true;
    if (!toy_enabled(p, s, t))
      continue;
    any = true;
    struct toy_state next = *s;
    toy_apply(p, &next, t, 0);
    bool yields = last && toy_alive(s, last) && s->at[last] >= 0 && p->code[last][s->at[last]].kind == YIELD;
    bool preempts = last && t != last && toy_alive(s, last) && toy_enabled(p, s, last) && !yields;
    enumerate(p, &next, t, preemptions + preempts, out, fewest);
  }
  if (any)
    return;
  add(out, s);
  if (stuck && preemptions < *fewest)
    *fewest = preemptions;
}

static unsigned brute_force(const struct toy_program *p, struct finals *out)
{
  unsigned fewest = UINT32_MAX;
  struct toy_state start = toy_start(p);
  out->count = 0;
  enumerate(p, &start, 0, 0, out, &fewest);
  return fewest;
}

/* ---- the tests ---- */

static struct finals truth, reached;

static void executions_are_possible_ones_and_all_are_reached(void **unused)
{
  (void)unused;
  static const enum strategy_id samplers[] = {STRATEGY_rr,      STRATEGY_pct,  STRATEGY_pos,
                                              STRATEGY_abreast, STRATEGY_near, STRATEGY_random};
  uint64_t stream = 20;
  unsigned many = 0;
  for (unsigned i = 0; i < PROGRAMS; i++) {
    struct generated g;
    generate(&g, 15, &stream);
    brute_force(&g.program, &truth);
    many += truth.count > 2;
    struct toy *t = toy_open(&g.program);
    for (unsigned s = 0; s < sizeof samplers / sizeof samplers[0]; s++) {
      reached.count = 0;
      toy_use(t, samplers[s], i);
      for (unsigned k = 0; k < (samplers[s] == STRATEGY_random ? 20000 : 500); k++) {
        toy_run(t);
        assert_true(known(&truth, &t->state));
        add(&reached, &t->state);
      }
    }
    assert_int_equal(reached.count, truth.count); /* by random, the last one */
    toy_close(t);
  }
  assert_true(many > PROGRAMS / 4); /* programs worth the name */
}

static void pos_and_pct_reach_all_too(void **unused)
{
  (void)unused;
  uint64_t stream = 21;
  for (unsigned i = 0; i < PROGRAMS; i++) {
    struct generated g;
    generate(&g, 15, &stream);
    brute_force(&g.program, &truth);
    for (unsigned s = 0; s < 2; s++) {
      struct toy *t = toy_open(&g.program);
      t->control->config.pct_depth = 10; /* as many changes as these programs can need */
      toy_use(t, s ? STRATEGY_pct : STRATEGY_pos, i);
      reached.count = 0;
      for (unsigned k = 0; k < 50000 && reached.count < truth.count; k++) {
        toy_run(t);
        add(&reached, &t->state);
      }
      if (reached.count != truth.count)
        fail_msg("program %u: %s reached %u of %u final states", i, t->engine->strategy->name, reached.count,
                 truth.count);
      toy_close(t);
    }
  }
}

static void what_is_left_by_shrink(void **unused)
{
  (void)unused;
  uint64_t stream = 22;
  unsigned tried = 0, best = 0, worst = 0;
  for (unsigned i = 0; i < 3000; i++) {
    struct generated g;
    generate(&g, 70, &stream);
    unsigned fewest = brute_force(&g.program, &truth);
    if (fewest == UINT32_MAX || fewest == 0)
      continue; /* no deadlock, or one that needs no preemption */
    struct toy *t = toy_open(&g.program);
    toy_use(t, STRATEGY_random, i);
    do
      toy_run(t);
    while (t->end != NEXT_DEADLOCK);
    uint32_t given = toy_preemptions(t->schedule), left = given;
    toy_hand_over(t);
    t->control->config.target_key = 2;
    toy_use(t, STRATEGY_shrink, 1);
    bool more = true;
    while (more) {
      more = toy_run(t);
      if (shrink_improved(t->engine->strategy_state))
        left = toy_preemptions(t->schedule);
    }
    assert_in_range(left, fewest, given);
    tried++;
    best += left == fewest;
    worst = left - fewest > worst ? left - fewest : worst;
    toy_close(t);
  }
  print_message("shrink: %u schedules, %u with the fewest preemptions possible, at most %u more\n", tried, best, worst);
  assert_true(tried > 50);
  assert_true(best * 100 >= tried * 90);
  assert_true(worst <= 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(executions_are_possible_ones_and_all_are_reached),
      cmocka_unit_test(pos_and_pct_reach_all_too),
      cmocka_unit_test(what_is_left_by_shrink),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
