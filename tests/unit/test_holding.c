/* SPDX-License-Identifier: Apache-2.0
 *
 * Observers that hold tasks back, against brute force: random toy programs with a gate, which opens or closes for one
 * instruction of one thread when another thread has performed one of its own. Exhaustive searches must come to every
 * final state that there is with the gate, those in which a thread is held for ever included, and to no other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/rng.h"
#include "toy_world.h"

enum { PROGRAMS = 400, THREADS = 2, CODE_MAX = 3, STATES = 4096 };

struct gate {
  int held, before;   /* the thread, and the instruction it stands before; -1 for its start */
  int trigger, after; /* the thread, and the instruction that it has performed */
  bool closes;        /* then, not before */
};

struct gated {
  struct toy_program program;
  struct toy_insn code[THREADS + 1][CODE_MAX + 1];
  struct gate gate;
  const struct toy *toy;
};

static void generate(struct gated *g, uint64_t *stream)
{
  static const enum toy_kind kinds[] = {READ, WRITE, SET, YIELD, YIELD, POST, WAIT};
  memset(g, 0, sizeof *g);
  int length[THREADS + 1];
  g->program.threads = THREADS + 1;
  g->program.sem[0] = 1;
  g->program.exits = rng_below(stream, 2);
  for (int t = 1; t <= THREADS; t++) {
    g->code[0][t - 1] = (struct toy_insn){CREATE, t, 0};
    length[t] = 1 + (int)rng_below(stream, CODE_MAX);
    for (int i = 0; i < length[t]; i++) {
      enum toy_kind kind = kinds[rng_below(stream, sizeof kinds / sizeof kinds[0])];
      int object = kind == POST || kind == WAIT ? 0 : (int)rng_below(stream, 2);
      g->code[t][i] = (struct toy_insn){kind, object, 1 + (int)rng_below(stream, 2)};
    }
    g->program.code[t] = g->code[t];
  }
  g->program.code[0] = g->code[0];
  int held = 1 + (int)rng_below(stream, THREADS), trigger = held % THREADS + 1;
  g->gate = (struct gate){.held = held,
                          .before = (int)rng_below(stream, (unsigned)length[held] + 1) - 1,
                          .trigger = trigger,
                          .after = (int)rng_below(stream, (unsigned)length[trigger] + 1) - 1,
                          .closes = rng_below(stream, 2)};
}

static bool is_held(const struct gate *gate, const struct toy_state *s, int t)
{
  bool done = s->at[gate->trigger] > gate->after;
  return t == gate->held && s->at[t] == gate->before && done == gate->closes;
}

/* ---- the observer ---- */

static bool gate_admits(void *state, const struct engine *e, unsigned task, const struct operation *op)
{
  (void)e, (void)op;
  const struct gated *g = state;
  return !is_held(&g->gate, &g->toy->state, g->toy->code_of[task]);
}

static bool gate_matters(void *state, const struct engine *e, unsigned task, const struct operation *op)
{
  const struct gated *g = state;
  int t = op->kind == OP_START ? (int)e->control->thread[task].start : g->toy->code_of[task];
  return t == g->gate.trigger && g->toy->state.at[t] == g->gate.after;
}

static const struct observer gate = {.name = "gate", .admits = gate_admits, .matters = gate_matters};

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
  assert_true(f->count < STATES);
  if (!known(f, s))
    f->state[f->count++] = *s;
}

static void enumerate(const struct gated *g, const struct toy_state *s, struct finals *out)
{
  const struct toy_program *p = &g->program;
  bool any = false;
  for (int t = 0; t < p->threads; t++) {
    if (!toy_alive(s, t) || !toy_enabled(p, s, t) || is_held(&g->gate, s, t))
      continue;
    struct toy_state next = *s;
    any = true;
    toy_apply(p, &next, t, 0);
    enumerate(g, &next, out);
  }
  if (!any)
    add(out, s);
}

/* ---- searches ---- */

static struct finals truth, reached;

static unsigned search(struct gated *g, enum strategy_id strategy)
{
  struct toy *t = toy_open(&g->program);
  unsigned blocked = 0;
  g->toy = t;
  watchers_add(&t->engine->watchers, &gate, g);
  toy_use(t, strategy, 1);
  reached.count = 0;
  for (bool more = true; more;) {
    more = toy_run(t);
    blocked += t->end == NEXT_BLOCKED; /* a reduction does not know who is held back until it tries */
    if (t->end == NEXT_BLOCKED)
      continue;
    assert_true(known(&truth, &t->state));
    add(&reached, &t->state);
  }
  toy_close(t);
  return blocked;
}

static void searches_see_what_the_gate_leaves(void **unused)
{
  (void)unused;
  uint64_t stream = 30;
  unsigned many = 0;
  for (unsigned i = 0; i < PROGRAMS; i++) {
    struct gated g;
    generate(&g, &stream);
    struct toy_state start = toy_start(&g.program);
    truth.count = 0;
    enumerate(&g, &start, &truth);
    many += truth.count > 1;
    assert_int_equal(search(&g, STRATEGY_dfs), 0);
    if (reached.count != truth.count)
      fail_msg("program %u: dfs reached %u of %u final states", i, reached.count, truth.count);
    search(&g, STRATEGY_dpor);
    if (reached.count != truth.count)
      fail_msg("program %u: dpor reached %u of %u final states", i, reached.count, truth.count);
  }
  assert_true(many > PROGRAMS / 4); /* programs worth the name */
}

/* ---- verdicts ---- */

static uint64_t place(void *self, uintptr_t pc)
{
  (void)self;
  return pc;
}

static bool ended(void *self, unsigned task)
{
  const struct toy *t = self;
  return t->state.ended[t->code_of[task]];
}

static bool is_system(void *self, unsigned task)
{
  (void)self, (void)task;
  return false;
}

static void locate(void *self, unsigned task, uintptr_t addr, struct whereabouts *out)
{
  (void)self, (void)task, (void)addr;
  *out = (struct whereabouts){0};
}

static int owner_of(void *self, const struct operation *op, uintptr_t *pc)
{
  const struct toy *t = self;
  int owner = t->state.owner[op->object - 1] - 1;
  for (unsigned i = 0; i < t->engine->threads; i++)
    if (owner >= 0 && t->code_of[i] == owner)
      return (int)i;
  *pc = 0;
  return -1;
}

static const struct object_model mutex = {.holder = owner_of};

static const struct object_model *model(void *self, enum object_kind kind)
{
  (void)self;
  return kind == OBJECT_MUTEX ? &mutex : NULL;
}

/* Thread 3 is held back for ever. */
static bool never_admits(void *state, const struct engine *e, unsigned task, const struct operation *op)
{
  (void)state, (void)e, (void)op;
  return task != 3;
}

static bool looks_away(const void *state, const struct engine *e)
{
  (void)state, (void)e;
  return false;
}

static enum stop explains(void *state, struct engine *e, unsigned why)
{
  (void)e;
  *(unsigned *)state = why;
  return STOP_END;
}

static const struct observer never = {.name = "never", .admits = never_admits},
                             absent = {.name = "absent", .looks = looks_away, .admits = never_admits},
                             explainer = {.name = "explainer", .stopped = explains};

/* One execution by turns, with thread 3 held back unless the observer looks away. */
static struct toy *run_held(const struct toy_program *program, const struct observer *observer)
{
  struct toy *t = toy_open(program);
  t->world.place = place;
  t->world.ended = ended;
  t->world.is_system = is_system;
  t->world.locate = locate;
  t->world.model = model;
  watchers_add(&t->engine->watchers, observer, NULL);
  watchers_add(&t->engine->watchers, &observer_deadlock, NULL);
  toy_use(t, STRATEGY_rr, 1);
  engine_run(t->engine, 0);
  return t;
}

static void who_is_held_for_ever_is_in_no_deadlock(void **unused)
{
  (void)unused;
  const struct toy_program right = {.threads = 4,
                                    .code = {NULL, CODE({WAIT, 0, 0}), CODE({SET, 0, 1}), CODE({POST, 0, 0})}};
  struct toy *t = run_held(&right, &never);
  assert_int_equal(t->engine->over, NEXT_DEADLOCK);
  assert_int_equal(t->control->bugs, 0); /* only observers are in the way */
  assert_true(t->engine->outcome.cut);
  toy_close(t);
  t = run_held(&right, &absent);
  assert_int_equal(t->engine->over, NEXT_OVER);
  assert_false(t->engine->outcome.cut);
  toy_close(t);
}

static void who_waits_in_a_circle_is_in_a_deadlock_whoever_is_held(void **unused)
{
  (void)unused;
  const struct toy_program abba = {.threads = 4,
                                   .code = {NULL, CODE({LOCK, 0, 0}, {YIELD, 0, 0}, {LOCK, 1, 0}),
                                            CODE({LOCK, 1, 0}, {YIELD, 0, 0}, {LOCK, 0, 0}), CODE({SET, 0, 1})}};
  struct toy *t = run_held(&abba, &never);
  assert_int_equal(t->engine->over, NEXT_DEADLOCK);
  assert_int_equal(t->control->bugs, 1);
  assert_int_equal(t->control->bug[0].kind, BUG_DEADLOCK);
  assert_int_equal(t->control->bug[0].detail, DEADLOCK_CYCLE);
  assert_int_equal(t->control->bug[0].parties, 2); /* the third one waits for nobody */
  assert_false(t->engine->outcome.cut);
  toy_close(t);
}

/* One that looks away holds nobody, also if another one does. */
static void who_looks_away_holds_nobody(void **unused)
{
  (void)unused;
  const struct toy_program two = {.threads = 4,
                                  .code = {NULL, CODE({SET, 0, 1}), CODE({SET, 0, 2}), CODE({SET, 0, 3})}};
  struct gated none = {.gate = {.held = -1}};
  struct toy *t = toy_open(&two);
  none.toy = t;
  watchers_add(&t->engine->watchers, &absent, NULL);
  watchers_add(&t->engine->watchers, &gate, &none);
  toy_use(t, STRATEGY_rr, 1);
  assert_int_equal(engine_run(t->engine, 0), NEXT_OVER);
  toy_close(t);
}

/* Observers are told of schedules that cannot be followed, too. */
static void a_divergence_can_be_explained(void **unused)
{
  (void)unused;
  const struct toy_program one = {.threads = 2, .code = {NULL, CODE({SET, 0, 1}, {SET, 1, 1})}};
  const struct toy_program other = {.threads = 2, .code = {NULL, CODE({SET, 0, 1}, {READ, 1, 1}, {SET, 1, 1})}};
  unsigned why = 0;
  struct toy *t = toy_open(&one);
  watchers_add(&t->engine->watchers, &explainer, &why);
  toy_use(t, STRATEGY_rr, 1);
  toy_run(t);
  toy_hand_over(t);
  t->program = &other;
  toy_use(t, STRATEGY_replay, 1);
  toy_run(t);
  assert_int_equal(t->end, NEXT_DIVERGED);
  assert_int_equal(why, NEXT_DIVERGED);
  toy_close(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(searches_see_what_the_gate_leaves),
      cmocka_unit_test(who_is_held_for_ever_is_in_no_deadlock),
      cmocka_unit_test(who_waits_in_a_circle_is_in_a_deadlock_whoever_is_held),
      cmocka_unit_test(who_looks_away_holds_nobody),
      cmocka_unit_test(a_divergence_can_be_explained),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
