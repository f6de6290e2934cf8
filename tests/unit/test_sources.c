/* SPDX-License-Identifier: Apache-2.0
 *
 * The search by sources (explore/sources.h) against a search through the states of the toy world that knows neither
 * engine nor explorer: for random programs, exactly the classes there are, each once.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "core/rng.h"
#include "explore/sources.h"
#include "toy_world.h"

enum { CODES = 4, CODE_MAX = 10, SLOTS = 1 << 17, STATES_MAX = 60000 };

/* ---- sets of numbers ---- */

struct set {
  unsigned count, generation;
  struct {
    uint64_t value;
    unsigned generation;
  } slot[SLOTS];
};

static void set_clear(struct set *s)
{
  s->count = 0;
  s->generation++;
}

/* False: it was there. */
static bool set_add(struct set *s, uint64_t value)
{
  uint32_t at = (uint32_t)mix64(value) % SLOTS;
  for (; s->slot[at].generation == s->generation; at = (at + 1) % SLOTS)
    if (s->slot[at].value == value)
      return false;
  s->slot[at].value = value;
  s->slot[at].generation = s->generation;
  s->count++;
  return true;
}

/* ---- what can be reached ---- */

struct past {
  int nth[TOY_THREADS];
};

/* A state with what led there: who wrote what, and what each thread and object knows of the others. */
struct told {
  struct toy_state state;
  struct past thread[TOY_THREADS], mutex[TOY_MUTEXES], all[TOY_SEMS], waits[TOY_SEMS], write[TOY_VARS],
      writes[TOY_VARS]; /* all up to now */
  int writer[TOY_VARS]; /* (thread + 1) * 100 + nth, 0 for none */
  uint64_t sum;         /* of all steps: the class */
};

static bool observed; /* a read comes after all writes before it, not just after the one it reads */

static void join(struct past *a, const struct past *b)
{
  for (int t = 0; t < TOY_THREADS; t++)
    a->nth[t] = a->nth[t] > b->nth[t] ? a->nth[t] : b->nth[t];
}

static uint64_t number_of_past(const struct past *p)
{
  uint64_t h = 0;
  for (int t = 0; t < TOY_THREADS; t++)
    h = mix64(h ^ (unsigned)p->nth[t]);
  return h;
}

static bool waits(const struct toy_program *p, const struct toy_state *s, int t)
{
  const struct toy_insn *i = toy_next_insn(p, s, t);
  return i && ((i->kind == SPIN && s->var[i->object] != i->value) || (i->kind == TAKE && s->var[i->object] == 1));
}

static void note_access(struct told *n, const struct toy_insn *i, int t, bool reads, bool writes, uint64_t *h)
{
  if (reads) {
    *h = mix64(*h ^ (unsigned)n->writer[i->object]);
    join(&n->thread[t], observed ? &n->writes[i->object] : &n->write[i->object]);
    *h = observed ? mix64(*h ^ number_of_past(&n->thread[t])) : *h;
  }
  if (writes) {
    join(&n->writes[i->object], &n->thread[t]);
    n->writer[i->object] = (t + 1) * 100 + n->thread[t].nth[t];
    n->write[i->object] = n->thread[t];
  }
}

static void note_object(struct told *n, const struct toy_insn *i, int t, uint64_t *h)
{
  if (i->kind == LOCK || i->kind == UNLOCK || i->kind == TRYLOCK) {
    join(&n->thread[t], &n->mutex[i->object]);
    n->mutex[i->object] = n->thread[t];
  } else {
    join(&n->thread[t], i->kind == POST ? &n->waits[i->object] : &n->all[i->object]);
    join(&n->all[i->object], &n->thread[t]);
    if (i->kind == WAIT)
      join(&n->waits[i->object], &n->thread[t]);
  }
  *h = mix64(*h ^ number_of_past(&n->thread[t]));
}

static struct told step(const struct toy_program *p, const struct told *from, int t, int choice)
{
  struct told n = *from;
  const struct toy_insn *i = toy_next_insn(p, &n.state, t);
  int result = toy_apply(p, &n.state, t, choice);
  uint64_t h = mix64((uint64_t)t << 32 | (unsigned)++n.thread[t].nth[t]);
  if (!i)
    return n;
  switch (i->kind) {
  case READ:
  case SPIN:
    note_access(&n, i, t, true, false, &h);
    break;
  case WRITE:
  case SET:
    note_access(&n, i, t, false, true, &h);
    break;
  case FETCH_ADD:
  case TAKE:
    note_access(&n, i, t, true, true, &h);
    break;
  case SWAP:
    note_access(&n, i, t, true, result == i->value, &h);
    break;
  case LOCK:
  case UNLOCK:
  case TRYLOCK:
  case WAIT:
  case POST:
    note_object(&n, i, t, &h);
    break;
  default:
    h = mix64(h ^ (unsigned)choice);
    break;
  }
  n.sum += mix64(h);
  return n;
}

static uint64_t number_of(const struct told *n)
{
  uint64_t h = n->sum;
  for (int v = 0; v < TOY_VARS; v++)
    h = mix64(h ^ (unsigned)n->writer[v]);
  for (int v = 0; v < TOY_VARS && observed; v++)
    h = mix64(h ^ number_of_past(&n->writes[v]));
  for (int t = 0; t < TOY_THREADS; t++)
    h = mix64(h ^ (unsigned)(2 * n->state.at[t] + n->state.ended[t]));
  return h;
}

struct search {
  struct set states, classes;
};

/* False: too many. */
static bool reach(const struct toy_program *p, struct search *s, const struct told *at)
{
  bool stuck = true;
  if (!set_add(&s->states, number_of(at)))
    return true;
  if (s->states.count >= STATES_MAX)
    return false;
  for (int t = 0; t < p->threads; t++) {
    if (!toy_alive(&at->state, t) || !toy_enabled(p, &at->state, t) || waits(p, &at->state, t))
      continue;
    const struct toy_insn *i = toy_next_insn(p, &at->state, t);
    stuck = false;
    for (int c = 0; c < (i && i->kind == CHOOSE ? i->value : 1); c++) {
      struct told next = step(p, at, t, c);
      if (!reach(p, s, &next))
        return false;
    }
  }
  if (stuck)
    set_add(&s->classes, at->sum);
  return true;
}

/* ---- programs ---- */

static struct toy_insn code[CODES + 1][CODE_MAX + 1];

static struct toy_insn random_insn(uint64_t *r, unsigned vars, bool loops)
{
  static const enum toy_kind kinds[] = {READ, READ, READ, WRITE,  SET,   SET,    FETCH_ADD, SWAP, LOCK, TRYLOCK,
                                        WAIT, POST, POST, CHOOSE, YIELD, BRANCH, SPIN,      TAKE, TAKE};
  enum toy_kind k = kinds[rng_below(r, 16 + 3 * loops)];
  int var = (int)rng_below(r, vars), small = (int)rng_below(r, 3);
  switch (k) {
  case LOCK:
  case TRYLOCK:
  case WAIT:
  case POST:
    return (struct toy_insn){k, (int)rng_below(r, 2), 0};
  case CHOOSE:
    return (struct toy_insn){k, 0, 2};
  case BRANCH:
    return (struct toy_insn){k, 1 + small, (int)rng_below(r, 2)};
  default:
    return (struct toy_insn){k, var, small};
  }
}

static void random_code(uint64_t *r, struct toy_insn *out, unsigned length, unsigned vars, bool loops)
{
  unsigned n = 0;
  while (n < length) {
    struct toy_insn i = random_insn(r, vars, loops);
    if (i.kind == BRANCH && n + (unsigned)i.object > length)
      continue;
    out[n++] = i;
    if (i.kind == TAKE && rng_below(r, 4) && n + 1 < length) {
      out[n++] = (struct toy_insn){READ, (int)rng_below(r, vars), 0};
      out[n++] = (struct toy_insn){SET, i.object, 0};
    }
    if (i.kind == LOCK && rng_below(r, 3) && n < length) {
      out[n++] = random_insn(r, vars, false);
      if (out[n - 1].kind == BRANCH || out[n - 1].kind == LOCK)
        out[n - 1] = (struct toy_insn){READ, 0, 0};
      if (n < length)
        out[n++] = (struct toy_insn){UNLOCK, i.object, 0};
    }
  }
  out[n] = (struct toy_insn){END, 0, 0};
}

/* The first thread creates the others, does something, and waits for them. */
static void random_family(uint64_t *r, struct toy_program *p, unsigned vars)
{
  unsigned n = 0;
  for (int t = 1; t < p->threads; t++) {
    code[0][n++] = (struct toy_insn){CREATE, t, 0};
    if (!rng_below(r, 3))
      code[0][n++] = (struct toy_insn){rng_below(r, 2) ? READ : SET, (int)rng_below(r, vars), 1};
  }
  for (int t = 1; t < p->threads; t++)
    code[0][n++] = (struct toy_insn){JOIN, t, 0};
  code[0][n] = (struct toy_insn){END, 0, 0};
  p->code[0] = code[0];
}

static struct toy_program random_program(uint64_t *r, bool loops)
{
  struct toy_program p = {.threads = 3 + (int)rng_below(r, 2), .sem = {1, 0}};
  unsigned vars = 1 + rng_below(r, 2), length = p.threads == 3 ? 6 : 4;
  for (int t = 1; t < p.threads; t++) {
    random_code(r, code[t], 2 + rng_below(r, length - 1), vars, loops);
    p.code[t] = code[t];
  }
  if (rng_below(r, 2))
    random_family(r, &p, vars);
  return p;
}

static void print_program(const struct toy_program *p)
{
  static const char *const name[] = {
      [READ] = "READ",       [WRITE] = "WRITE",  [SET] = "SET",   [LOCK] = "LOCK",           [UNLOCK] = "UNLOCK",
      [TRYLOCK] = "TRYLOCK", [WAIT] = "WAIT",    [POST] = "POST", [YIELD] = "YIELD",         [CHOOSE] = "CHOOSE",
      [CREATE] = "CREATE",   [JOIN] = "JOIN",    [SPIN] = "SPIN", [FETCH_ADD] = "FETCH_ADD", [SWAP] = "SWAP",
      [TAKE] = "TAKE",       [BRANCH] = "BRANCH"};
  for (int t = !p->code[0]; t < p->threads; t++) {
    print_message("  thread %d:", t);
    for (const struct toy_insn *i = p->code[t]; i->kind != END; i++)
      print_message(" %s(%d,%d)", name[i->kind], i->object, i->value);
    print_message("\n");
  }
}

/* ---- the comparison ---- */

struct counts {
  unsigned executions, twice;
  uint64_t lost;
};

/* False: more than there can be. */
static bool run(struct toy *t, struct set *seen, struct counts *n, unsigned most, bool loops)
{
  toy_use(t, STRATEGY_sources, 1);
  set_clear(seen);
  *n = (struct counts){0};
  bool more = true;
  while (more) {
    const struct sources *s = t->engine->strategy_state;
    more = toy_run(t);
    n->lost |=
        s->lost & ~(uint32_t)(loops ? LOST_LOOP | LOST_TOO_LONG : 0); /* nobody ends a loop that waits for good */
    if (!s->begun && more && !s->redo) {                              /* it learnt something and begins anew */
      set_clear(seen);
      *n = (struct counts){0};
      continue;
    }
    if (t->engine->strategy->standing(s).aside)
      continue;
    n->executions++;
    n->twice += !set_add(seen, s->class_hash);
    if (n->executions > most)
      return false;
  }
  return true;
}

static void compare(unsigned programs, uint64_t seed, bool loops)
{
  struct search *expected = toy_memory(sizeof *expected);
  struct set *seen = toy_memory(sizeof *seen);
  unsigned compared = 0, executions = 0, twice = 0;
  for (unsigned i = 0; i < programs; i++) {
    uint64_t r = seed + i;
    struct toy_program p = random_program(&r, loops);
    struct told start = {.state = toy_start(&p)};
    struct counts n;
    set_clear(&expected->states);
    set_clear(&expected->classes);
    if (!reach(&p, expected, &start))
      continue;
    struct toy *t = toy_open(&p);
    t->control->config.hashes = true;
    t->control->config.equivalence = observed ? EQUIVALENCE_OBSERVED : EQUIVALENCE_READS_FROM;
    t->control->config.max_steps = 2000;
    bool ended = run(t, seen, &n, 4 * expected->classes.count + 100, loops);
    if (!ended || seen->count != expected->classes.count || n.lost) {
      print_message("seed %" PRIu64 ": %u classes, %u expected, %u executions, %u twice, lost %" PRIx64 "%s\n",
                    seed + i, seen->count, expected->classes.count, n.executions, n.twice, n.lost,
                    ended ? "" : ", no end");
      print_program(&p);
      fail();
    }
    toy_close(t);
    compared++;
    executions += n.executions;
    twice += n.twice;
  }
  print_message("%u programs, %u executions, %u of them twice\n", compared, executions, twice);
  munmap(expected, sizeof *expected);
  munmap(seen, sizeof *seen);
}

static unsigned how_many(unsigned by_default)
{
  const char *n = getenv("SOURCES_PROGRAMS");
  return n ? (unsigned)atoi(n) : by_default;
}

static uint64_t first_seed(void)
{
  const char *n = getenv("SOURCES_SEED");
  return n ? strtoull(n, NULL, 10) : 1;
}

static void classes_of_random_programs(void **unused)
{
  (void)unused;
  compare(how_many(1500), first_seed(), false);
}

static void classes_of_random_programs_with_loops(void **unused)
{
  (void)unused;
  compare(how_many(800), first_seed(), true);
}

static void observed_classes_of_random_programs(void **unused)
{
  (void)unused;
  observed = true;
  compare(how_many(1500), first_seed(), false);
  observed = false;
}

static void observed_classes_of_random_programs_with_loops(void **unused)
{
  (void)unused;
  observed = true;
  compare(how_many(800), first_seed(), true);
  observed = false;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(classes_of_random_programs),
      cmocka_unit_test(classes_of_random_programs_with_loops),
      cmocka_unit_test(observed_classes_of_random_programs),
      cmocka_unit_test(observed_classes_of_random_programs_with_loops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
