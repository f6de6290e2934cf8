/* SPDX-License-Identifier: Apache-2.0
 *
 * Random programs for the toy world, and sets of numbers to keep what comes of them: for the tests of exhaustive
 * search.
 */
#ifndef HEDDLE_TESTS_GENERATED_H
#define HEDDLE_TESTS_GENERATED_H

#include "core/rng.h"
#include "toy_world.h"

enum { CODE_MAX = 24, CODES = 5 };

/* ---- sets of numbers ---- */

enum { SET_SLOTS = 1 << 15 };

struct set {
  unsigned count, generation;
  uint64_t value[SET_SLOTS]; /* in the order of adding */
  struct {
    uint64_t value;
    uint32_t generation, index;
  } slot[SET_SLOTS];
};

static inline void set_clear(struct set *s)
{
  s->count = 0;
  s->generation++;
}

/* The value's number in the order of adding; fresh tells whether it came just now. */
static inline unsigned set_add(struct set *s, uint64_t value, bool *fresh)
{
  uint32_t at = (uint32_t)mix64(value) % SET_SLOTS;
  while (s->slot[at].generation == s->generation && s->slot[at].value != value)
    at = (at + 1) % SET_SLOTS;
  *fresh = s->slot[at].generation != s->generation;
  if (*fresh) {
    assert_true(s->count < SET_SLOTS - 1);
    s->slot[at].value = value;
    s->slot[at].generation = s->generation;
    s->value[s->count] = value;
    s->slot[at].index = s->count++;
  }
  return s->slot[at].index;
}

static inline bool set_has(const struct set *s, uint64_t value)
{
  uint32_t at = (uint32_t)mix64(value) % SET_SLOTS;
  while (s->slot[at].generation == s->generation && s->slot[at].value != value)
    at = (at + 1) % SET_SLOTS;
  return s->slot[at].generation == s->generation;
}

static inline bool set_within(const struct set *a, const struct set *b)
{
  for (unsigned i = 0; i < a->count; i++)
    if (!set_has(b, a->value[i]))
      return false;
  return true;
}

static inline bool set_equal(const struct set *a, const struct set *b)
{
  return a->count == b->count && set_within(a, b);
}

static inline uint64_t number_of(const struct toy_state *s)
{
  uint64_t h = 0;
  for (size_t i = 0; i < sizeof *s / 4; i++) {
    uint32_t word;
    memcpy(&word, (const char *)s + 4 * i, 4);
    h = mix64(h ^ word);
  }
  return h;
}

/* Steps that nobody can tell from their absence: when a program ends in the middle, it does not matter whether they
 * came before. */
static inline bool unseen(const struct toy_program *p, const struct toy_state *s, int t)
{
  const struct toy_insn *i = toy_next_insn(p, s, t);
  return !i || i->kind == END || i->kind == YIELD || i->kind == CREATE || (i->kind == JOIN && toy_enabled(p, s, t));
}

/* The end of an execution, with all of those that could still have come. */
static inline struct toy_state end_of(const struct toy_program *p, struct toy_state s)
{
  for (int t = 0; t < TOY_THREADS; t++)
    while (toy_alive(&s, t) && unseen(p, &s, t)) {
      toy_apply(p, &s, t, 0);
      t = 0;
    }
  return s;
}

static inline uint64_t end_number(const struct toy_program *p, struct toy_state s)
{
  s = end_of(p, s);
  return number_of(&s);
}

/* ---- random programs ---- */

/* What a program may have beside the plain things. */
enum feature {
  LOOPS = 1,    /* loops that wait */
  FAMILY = 2,   /* thread 0 creates the others */
  CREATORS = 4, /* and they create some, too */
  POLLS = 8,    /* it asks whether threads have ended */
  ENDS = 16,    /* a step may end the program */
  EVENTS = 32   /* it has events of a property */
};

struct generated {
  struct toy_program program;
  struct toy_insn code[CODES][CODE_MAX + 1];
};

static inline int put(struct toy_insn *code, int at, enum toy_kind kind, int object, int value)
{
  code[at] = (struct toy_insn){kind, object, value};
  return at + 1;
}

/* A loop that waits for a variable to have a value: plainly, politely, under a lock, or by trying to lock. */
static inline int put_loop(struct toy_insn *code, int at, uint64_t *stream)
{
  int object = (int)rng_below(stream, 2), value = (int)rng_below(stream, 3);
  switch (rng_below(stream, 5)) {
  case 0:
    return put(code, at, SPIN, object, value);
  case 1:
    at = put(code, at, YIELD, 0, 0);
    return put(code, at, SPIN_BACK, object, value);
  case 2:
    at = put(code, at, LOCK, 0, 0);
    at = put(code, at, READ, object, 0);
    at = put(code, at, UNLOCK, 0, 0);
    return put(code, at, BRANCH, -3, value);
  case 3:
    at = put(code, at, READ, !object, 0);
    at = put(code, at, READ, object, 0);
    return put(code, at, BRANCH, -2, value);
  default:
    at = put(code, at, TRYLOCK, object, 0);
    at = put(code, at, BRANCH, -1, 1);
    return put(code, at, UNLOCK, object, 0);
  }
}

static inline int put_some(struct toy_insn *code, int at, uint64_t *stream)
{
  static const enum toy_kind kinds[] = {READ,   READ,   WRITE,   WRITE, WRITE, SET,    SET,   LOCK, LOCK,
                                        UNLOCK, UNLOCK, TRYLOCK, WAIT,  POST,  CHOOSE, YIELD, ADD,  SET_BITS};
  enum toy_kind kind = kinds[rng_below(stream, sizeof kinds / sizeof kinds[0])];
  int object = (int)rng_below(stream, 2);
  return put(code, at, kind, object, kind == CHOOSE ? 2 + (int)rng_below(stream, 2) : 1 + (int)rng_below(stream, 2));
}

static inline void generate_code(struct toy_insn *code, int n, bool loops, uint64_t *stream)
{
  int at = 0;
  while (n-- > 0) {
    if (loops && rng_below(stream, 3) == 0)
      at = put_loop(code, at, stream);
    else
      at = put_some(code, at, stream);
    if (n == 0 || rng_below(stream, 5))
      continue;
    at = put(code, at, BRANCH, 2, (int)rng_below(stream, 2)); /* over the next one */
    at = put_some(code, at, stream);
    n--;
  }
}

/* Thread 0 creates the others, but for the last one, which the first one may create; some are joined or asked for. */
static inline void generate_family(struct generated *g, unsigned features, uint64_t *stream)
{
  struct toy_insn *code = g->code[0];
  int at = 0, last = g->program.threads - 1, children = features & CREATORS && last > 1 ? last : last + 1;
  for (int t = 1; t < children; t++)
    at = put(code, at, CREATE, t, 0);
  if (rng_below(stream, 2))
    at = put_some(code, at, stream);
  for (int t = 1; t < children; t++) {
    unsigned how = rng_below(stream, 4);
    if (how < 2 && features & POLLS)
      at = put(code, at, TRYJOIN, t, 0);
    else if (how < 3)
      at = put(code, at, JOIN, t, 0);
  }
  put(code, at, READ, 0, 0);
  g->program.code[0] = code;
  if (children == last) {
    memmove(&g->code[1][1], &g->code[1][0], sizeof g->code[1] - sizeof g->code[1][0]);
    put(g->code[1], 0, CREATE, last, 0);
  }
}

/* Bugs that show in a step of the thread that makes the difference. */
static inline bool var_0_is_2(const struct toy_state *s)
{
  return s->var[0] == 2;
}

static inline bool a_register_is_2(const struct toy_state *s)
{
  for (int t = 0; t < TOY_THREADS; t++)
    if (s->reg[t] == 2)
      return true;
  return false;
}

/* Half of the accesses of variables become events. */
static inline void put_events(struct toy_insn *code, uint64_t *stream)
{
  for (; code->kind != END; code++)
    if ((code->kind <= SET || code->kind == ADD || code->kind == SET_BITS) && rng_below(stream, 2))
      *code = (struct toy_insn){EVENT, (int)rng_below(stream, 3), 1 + (int)rng_below(stream, 2)};
}

static inline void generate(struct generated *g, unsigned features, uint64_t *stream)
{
  static const int steps[] = {0, 0, 5, 3, 2}; /* by the number of threads */
  memset(g, 0, sizeof *g);
  bool family = features & FAMILY, loops = features & LOOPS;
  int threads = family ? 3 + (int)rng_below(stream, 2) : 2 + (int)rng_below(stream, 3); /* that do something */
  g->program.threads = family ? threads : threads + 1;
  g->program.sem[0] = 1;
  g->program.exits = features & (POLLS | LOOPS) || rng_below(stream, 2);
  for (int t = 1; t < g->program.threads; t++) {
    int n = steps[family ? threads - 1 : threads] - (loops && threads < 4) - (int)rng_below(stream, 2);
    n -= features & POLLS ? 1 + (threads < 4) : 0; /* the ends of threads are steps as well */
    generate_code(g->code[t], n, loops, stream);
    g->program.code[t] = g->code[t];
    if (features & EVENTS)
      put_events(g->code[t], stream);
  }
  if (family)
    generate_family(g, features, stream);
  if (features & ENDS)
    g->program.bug = rng_below(stream, 2) ? var_0_is_2 : a_register_is_2;
}

static inline void print_program(const struct toy_program *p)
{
  static const char *const name[] = {
      [END] = "END",       [READ] = "READ",       [WRITE] = "WRITE",       [SET] = "SET",
      [LOCK] = "LOCK",     [UNLOCK] = "UNLOCK",   [TRYLOCK] = "TRYLOCK",   [WAIT] = "WAIT",
      [POST] = "POST",     [YIELD] = "YIELD",     [CHOOSE] = "CHOOSE",     [CREATE] = "CREATE",
      [JOIN] = "JOIN",     [TRYJOIN] = "TRYJOIN", [SPIN] = "SPIN",         [SPIN_BACK] = "SPIN_BACK",
      [BRANCH] = "BRANCH", [ADD] = "ADD",         [SET_BITS] = "SET_BITS", [EVENT] = "EVENT"};
  for (int t = 0; t < p->threads; t++) {
    for (int i = 0; p->code[t] && p->code[t][i].kind != END; i++)
      print_message("%s{%s, %d, %d}", i ? ", " : "  CODE(", name[p->code[t][i].kind], p->code[t][i].object,
                    p->code[t][i].value);
    print_message(p->code[t] ? ")\n" : "  NULL\n");
  }
  print_message("  exits %d, bug %s\n", p->exits, !p->bug ? "none" : p->bug == var_0_is_2 ? "var[0] == 2" : "reg == 2");
}

/* ---- threads that keep each other from going on ---- */

/* Gets two mutexes without waiting for one while it has the other: it gives back what it has and begins anew, be it
 * with the other one first. */
static inline int put_back_off(struct toy_insn *code, int at, uint64_t *stream)
{
  int mutexes = 2 + (rng_below(stream, 4) == 0), a = (int)rng_below(stream, (unsigned)mutexes);
  int b = (a + 1 + (int)rng_below(stream, (unsigned)mutexes - 1)) % mutexes, begin = at;
  int polite = rng_below(stream, 3) == 0, rotates = rng_below(stream, 3) > 0;
  int behind = at + 4 + polite + 1 + 4 * rotates; /* the loop */
  at = put(code, at, LOCK, a, 0);
  at = put(code, at, TRYLOCK, b, 0);
  at = put(code, at, BRANCH, behind - at, 0);
  at = put(code, at, UNLOCK, a, 0);
  if (rotates) {
    at = put(code, at, LOCK, b, 0);
    at = put(code, at, TRYLOCK, a, 0);
    at = put(code, at, BRANCH, behind - at, 0);
    at = put(code, at, UNLOCK, b, 0);
  }
  if (polite)
    at = put(code, at, YIELD, 0, 0);
  at = put(code, at, BRANCH, begin - at, 9);
  at = put(code, at, rng_below(stream, 2) ? READ : SET, (int)rng_below(stream, 2), 1 + (int)rng_below(stream, 2));
  at = put(code, at, WRITE, (int)rng_below(stream, 2), 1);
  at = put(code, at, UNLOCK, a, 0);
  return put(code, at, UNLOCK, b, 0);
}

/* Not an unlock: real mutexes are unlocked by who has them. */
static inline int put_other(struct toy_insn *code, int at, uint64_t *stream)
{
  do
    put_some(code, at, stream);
  while (code[at].kind == UNLOCK);
  return at + 1;
}

static inline void generate_back_off(struct generated *g, uint64_t *stream)
{
  memset(g, 0, sizeof *g);
  g->program.threads = 3 + (rng_below(stream, 3) == 0);
  for (int t = 1; t < g->program.threads; t++) {
    int at = 0;
    for (unsigned n = (unsigned)rng_below(stream, 3); n; n--)
      at = put_other(g->code[t], at, stream);
    if (t < 3)
      at = put_back_off(g->code[t], at, stream);
    for (unsigned n = (unsigned)rng_below(stream, 2); n; n--)
      at = put_other(g->code[t], at, stream);
    g->program.code[t] = g->code[t];
  }
}

#endif
