/* SPDX-License-Identifier: Apache-2.0
 *
 * Formulas (core/formula.h) against their definition: random ones, printed and read by the parser, over random runs;
 * the definition looks at all instants of a run again for each answer, and remembers nothing. And whoever is held is
 * held rightly: no run that goes on from there keeps the formula.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/formula.h"
#include "core/rng.h"
#include "language/order_parse.h"
#include <stdio.h>
#include <string.h>

enum { FORMULAS = 20000, RUNS = 5, EVENTS = 4, THREADS = 2, NODES = 24, INSTANTS = 8, DEAD_EVENTS = 3 };

struct node {
  enum { EVENT, STANDS, NOT, AND, OR, LEADS } kind;
  unsigned leaf, left, right;
};

struct formula {
  struct node node[NODES];
  unsigned nodes, root;
};

struct instant {
  unsigned event; /* from 1 */
  uint32_t standing;
};

struct run {
  struct instant at[INSTANTS];
  unsigned length;
};

/* ---- what is asked ---- */

static unsigned generate(struct formula *f, uint64_t *stream, unsigned depth)
{
  struct node n = {.kind = EVENT, .leaf = (unsigned)rng_below(stream, EVENTS)};
  if (depth == 0 || rng_below(stream, 4) == 0) {
    if (rng_below(stream, 4) == 0)
      n = (struct node){.kind = STANDS, .leaf = (unsigned)rng_below(stream, THREADS)};
  } else {
    static const int kinds[] = {NOT, AND, OR, LEADS, LEADS, LEADS};
    n.kind = kinds[rng_below(stream, 6)];
    n.left = generate(f, stream, depth - 1);
    n.right = n.kind == NOT ? 0 : generate(f, stream, depth - 1);
  }
  f->node[f->nodes] = n;
  return f->nodes++;
}

static size_t print(const struct formula *f, unsigned at, char *out, size_t size)
{
  static const char *const signs[] = {[AND] = " && ", [OR] = " || ", [LEADS] = " -> "};
  const struct node *n = &f->node[at];
  if (n->kind == EVENT)
    return (size_t)snprintf(out, size, "e%u", n->leaf);
  if (n->kind == STANDS)
    return (size_t)snprintf(out, size, "[t%u]", n->leaf);
  size_t used = (size_t)snprintf(out, size, n->kind == NOT ? "!(" : "(");
  used += print(f, n->left, out + used, size - used);
  if (n->kind != NOT) {
    used += (size_t)snprintf(out + used, size - used, "%s", signs[n->kind]);
    used += print(f, n->right, out + used, size - used);
  }
  return used + (size_t)snprintf(out + used, size - used, ")");
}

/* Every event once at most, and whoever is blocked at any time. */
static struct run random_run(uint64_t *stream)
{
  struct run r = {.length = (unsigned)rng_below(stream, INSTANTS + 1)};
  unsigned happened = 0;
  for (unsigned i = 0; i < r.length; i++) {
    unsigned event = (unsigned)rng_below(stream, EVENTS + 1);
    event = event && happened >> event & 1 ? 0 : event;
    happened |= 1U << event;
    r.at[i] = (struct instant){event, (uint32_t)rng_below(stream, 1U << THREADS)};
  }
  return r;
}

/* ---- the definition ---- */

/* Whether the first `length` instants of the run keep it. */
static bool keeps(const struct formula *f, unsigned at, const struct run *r, unsigned length)
{
  const struct node *n = &f->node[at];
  const struct instant *last = length ? &r->at[length - 1] : NULL;
  bool right_held = false;
  switch (n->kind) {
  case EVENT:
    return last && last->event == n->leaf + 1;
  case STANDS:
    return last && last->standing >> n->leaf & 1;
  case NOT:
    return !keeps(f, n->left, r, length);
  case AND:
    return keeps(f, n->left, r, length) && keeps(f, n->right, r, length);
  case OR:
    return keeps(f, n->left, r, length) || keeps(f, n->right, r, length);
  case LEADS:
    for (unsigned i = 1; i <= length; i++) {
      if (!keeps(f, n->right, r, i))
        continue;
      right_held = true;
      for (unsigned k = 1; k <= i; k++)
        if (keeps(f, n->left, r, k))
          return true;
    }
  }
  return !right_held;
}

/* Whether some run that goes on from this one keeps it. */
static bool can_be_kept(const struct formula *f, struct run *r, unsigned happened)
{
  if (keeps(f, f->root, r, r->length))
    return true;
  if (r->length == INSTANTS)
    return false;
  for (unsigned event = 0; event <= DEAD_EVENTS; event++)
    for (uint32_t standing = 0; standing < 1U << THREADS; standing++) {
      if (event ? happened >> event & 1 : r->length && r->at[r->length - 1].standing == standing)
        continue;
      struct run longer = *r;
      longer.at[longer.length++] = (struct instant){event, standing};
      if (can_be_kept(f, &longer, event ? happened | 1U << event : happened))
        return true;
    }
  return false;
}

/* ---- both ---- */

/* The numbers that the parser gave, which come from the order in the text. */
static struct formula_instant as_read(const struct ordering *o, struct instant is)
{
  char name[8];
  struct formula_instant now = {0};
  snprintf(name, sizeof name, "e%u", is.event - 1);
  now.event = is.event ? ordering_event_of(o, ORDERING_MARK, name, NULL) : 0;
  for (unsigned i = 0; i < o->threads; i++)
    now.standing |= (is.standing >> (o->thread[i][1] - '0') & 1) << i;
  return now;
}

static bool parse(const struct formula *f, char *text, size_t size, struct ordering *o)
{
  struct order_error error = {0};
  print(f, f->root, text, size);
  if (order_read(ORDER_FORMULA, text, o, &error))
    return true;
  if (strcmp(error.text, "no order of its events can keep this formula") != 0)
    fail_msg("\"%s\": %u:%u: %s", text, error.line, error.column, error.text);
  return false;
}

static void answers_are_those_of_the_definition(void **unused)
{
  (void)unused;
  uint64_t stream = 4;
  unsigned held = 0, asked = 0;
  for (unsigned i = 0; i < FORMULAS; i++) {
    struct formula f = {0};
    struct ordering o;
    char text[512];
    f.root = generate(&f, &stream, 3);
    if (!parse(&f, text, sizeof text, &o))
      continue;
    for (unsigned k = 0; k < RUNS; k++) {
      const struct run r = random_run(&stream);
      struct formula_past past;
      formula_begin(&o, &past);
      for (unsigned n = 0; n <= r.length; n++) {
        if (n)
          formula_go_on(&o, &past, as_read(&o, r.at[n - 1]));
        asked++;
        held += past.holds;
        if (past.holds != keeps(&f, f.root, &r, n))
          fail_msg("\"%s\" %s after %u instants of run %u", text, past.holds ? "holds" : "does not hold", n, k);
      }
    }
  }
  print_message("%u answers, %u of them yes\n", asked, held);
  assert_true(held > asked / 10 && held < asked - asked / 10);
}

static void nobody_is_held_for_nothing(void **unused)
{
  (void)unused;
  uint64_t stream = 5;
  unsigned hopeless = 0, kept = 0;
  for (unsigned i = 0; i < 1500; i++) {
    struct formula f = {0};
    struct ordering o;
    char text[512];
    f.root = generate(&f, &stream, 2);
    if (!parse(&f, text, sizeof text, &o))
      continue;
    struct run r = {.length = 1 + (unsigned)rng_below(&stream, 2)};
    struct formula_past past;
    unsigned happened = 0;
    formula_begin(&o, &past);
    for (unsigned n = 0; n < r.length; n++) {
      r.at[n] = (struct instant){1 + (n + i) % DEAD_EVENTS, (uint32_t)rng_below(&stream, 1U << THREADS)};
      happened |= 1U << r.at[n].event;
      formula_go_on(&o, &past, as_read(&o, r.at[n]));
    }
    happened |= 1U << EVENTS; /* so that the search is short */
    if (formula_may_hold(&o, &past)) {
      kept++;
      continue;
    }
    hopeless++;
    struct run from = {.length = r.length};
    memcpy(from.at, r.at, sizeof r.at);
    if (can_be_kept(&f, &from, happened))
      fail_msg("\"%s\" can be kept", text);
  }
  print_message("%u without hope, %u with\n", hopeless, kept);
  assert_true(hopeless > 50 && kept > 50);
}

/* ---- texts ---- */

static void texts_mean_what_they_say(void **unused)
{
  (void)unused;
  static const char *const texts[][2] = {
      {"a -> b", "a -> b"},
      {"a -> b, c -> d", "(a -> b) && (c -> d)"},
      {"!a && [t] -> b || c", "!a && [t] -> b || c"},
      {"(a -> b) -> c", "(a -> b) -> c"},
      {"!(start@t -> a@main) || [T1.2] && b", "!(start@t -> a@main) || [T1.2] && b"},
      {"!!a", "!!a"},
      {"(a || b) && c -> d # then", "(a || b) && c -> d"},
  };
  print_message("%zu valid texts\n", sizeof texts / sizeof texts[0]);
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    struct ordering o;
    struct order_error error = {0};
    char means[256];
    if (!order_read(ORDER_FORMULA, texts[i][0], &o, &error))
      fail_msg("\"%s\": %u:%u: %s", texts[i][0], error.line, error.column, error.text);
    ordering_term_text(&o, o.words - 1, means, sizeof means);
    assert_string_equal(means, texts[i][1]);
  }
}

static void errors_say_where_and_why(void **unused)
{
  (void)unused;
  static const struct {
    const char *text;
    unsigned line, column;
    const char *why;
  } wrong[] = {
      {"", 1, 1, "expected an event, `[`, `!` or `(`, found the end"},
      {"a ->", 1, 5, "expected an event, `[`, `!` or `(`, found the end"},
      {"a -> b -> c", 1, 8, "`->` of what has `->` itself: write parentheses"},
      {"(a -> b", 1, 8, "expected `)`, `->`, `&&` or `||`, found the end"},
      {"[] -> a", 1, 2, "expected the name of a thread after `[`, found `]`"},
      {"[t -> a", 1, 4, "expected `]`, found `->`"},
      {"a !b", 1, 3, "expected `,`, `->`, `&&`, `||` or the end, found `!`"},
      {"!-> a", 1, 2, "expected an event, `[`, `!` or `(`, found `->`"},
      {"a,\n& b", 2, 1, "expected an event, `[`, `!` or `(`, found `&`"},
      {"a -> b, a@t -> c", 1, 1, "a is written with its thread elsewhere, as a@t: name it here, too"},
      {"block@t -> a", 1, 1,
       "that a thread blocks is no event; `[event]` asks whether the thread of the event is blocked"},
      {"((((((((((((((((((((((((((a))))))))))))))))))))))))))", 1, 25, "there are too many parentheses in each other"},
  };
  print_message("%zu wrong texts\n", sizeof wrong / sizeof wrong[0]);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    struct ordering o;
    struct order_error error = {0};
    if (order_read(ORDER_FORMULA, wrong[i].text, &o, &error))
      fail_msg("\"%s\" was understood", wrong[i].text);
    if (error.line != wrong[i].line || error.column != wrong[i].column || strcmp(error.text, wrong[i].why) != 0)
      fail_msg("\"%s\": %u:%u: %s, not %u:%u: %s", wrong[i].text, error.line, error.column, error.text, wrong[i].line,
               wrong[i].column, wrong[i].why);
  }
}

/* In free runs nobody sees more than events. */
static void some_formulas_are_for_free_runs(void **unused)
{
  (void)unused;
  static const struct {
    const char *text;
    bool free;
  } texts[] = {{"a -> b", true},
               {"!a -> b", true},
               {"(b && [t]) -> b", true},
               {"[t] -> b", false},
               {"a -> [t]", false},
               {"a && [t]", false},
               {"!(a && [t]) -> b", false},
               {"!((a && [t]) -> a)", true},
               {"(a && [t] || b) -> b", true}};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    struct ordering o;
    struct order_error error = {0};
    assert_true(order_read(ORDER_FORMULA, texts[i].text, &o, &error));
    if (formula_asks_at_events(&o) != texts[i].free)
      fail_msg("\"%s\"", texts[i].text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(answers_are_those_of_the_definition),
      cmocka_unit_test(nobody_is_held_for_nothing),
      cmocka_unit_test(texts_mean_what_they_say),
      cmocka_unit_test(errors_say_where_and_why),
      cmocka_unit_test(some_formulas_are_for_free_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
