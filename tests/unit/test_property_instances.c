/* SPDX-License-Identifier: Apache-2.0
 *
 * Parameters of properties: each combination of values has a monitor that reads exactly its events. Compared, for
 * random events, with the definition: the events whose values agree, picked out of the whole trace.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/property_happening.h"
#include "core/property_instances.h"
#include "core/rng.h"
#include "language/property_compile.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct property_set set;
static struct property_instances table;
static uint64_t seed, drawn;

static unsigned draw(unsigned below)
{
  return (unsigned)(mix64(seed + 0x9e3779b97f4a7c15u * ++drawn) % below);
}

static const char *const functions[] = {"f", "g", "h", "i"};

static void compile(const char *text)
{
  struct language_error error;
  memset(&set, 0, sizeof set);
  if (!property_compile(text, functions, 4, true, &set, &error))
    fail_msg("%u:%u: %s", error.line, error.column, error.text);
  property_instances_begin(&table, &set);
}

/* A call of the function with these values. */
static struct property_outcome read_call(unsigned function, int64_t first, int64_t second)
{
  struct property_outcome outcome = {0};
  for (uint32_t r = 0; r < set.rules; r++)
    if (set.rule[r].function == function + 1) {
      struct property_reading reading = {.rule = r, .value = {first, second}};
      outcome = property_instances_read(&table, &reading);
      if (outcome.violated)
        break;
    }
  return outcome;
}

/* ---- against the definition ---- */

#define TRACE 12
#define COMBINATIONS 512

struct combination {
  uint8_t bound;
  int64_t value[3];
};

static bool agree(const struct combination *a, const struct combination *b)
{
  for (unsigned p = 0; p < 3; p++)
    if (a->bound & b->bound & 1u << p && a->value[p] != b->value[p])
      return false;
  return true;
}

static unsigned add_combination(struct combination *list, unsigned count, struct combination new)
{
  for (unsigned i = 0; i < count; i++)
    if (list[i].bound == new.bound && agree(&list[i], &new))
      return count;
  assert_true(count < COMBINATIONS);
  list[count] = new;
  return count + 1;
}

/* With all that agree, and so on. */
static unsigned close_combinations(struct combination *list, unsigned count)
{
  for (unsigned i = 0; i < count; i++)
    for (unsigned k = 0; k < i; k++) {
      struct combination both = list[i];
      if (!agree(&list[i], &list[k]))
        continue;
      for (unsigned p = 0; p < 3; p++)
        if (list[k].bound >> p & 1)
          both.value[p] = list[k].value[p];
      both.bound |= list[k].bound;
      count = add_combination(list, count, both);
    }
  return count;
}

static uint16_t state_after(const struct combination *of, const struct combination *trace, const unsigned *event,
                            unsigned length)
{
  uint16_t state = 0;
  for (unsigned i = 0; i < length; i++)
    if (!(trace[i].bound & ~of->bound) && agree(&trace[i], of))
      monitor_step(&set, &set.property[0].monitor, &state, NULL, event[i]);
  return state;
}

static void compare(const struct combination *trace, const unsigned *event, unsigned length)
{
  static struct combination list[COMBINATIONS];
  unsigned count = 0, used = 0;
  for (unsigned i = 0; i < length; i++)
    count = add_combination(list, count, trace[i]);
  count = close_combinations(list, count);
  for (uint32_t i = 0; i < table.count; i++)
    used += table.instance[i].used;
  assert_int_equal(used, count);
  for (unsigned k = 0; k < count; k++) {
    bool found = false;
    for (uint32_t i = 0; i < table.count; i++) {
      const struct property_instance *x = &table.instance[i];
      struct combination own = {x->bound, {x->value[0], x->value[1], x->value[2]}};
      if (!x->used || own.bound != list[k].bound || !agree(&own, &list[k]))
        continue;
      if (x->state != state_after(&list[k], trace, event, length))
        fail_msg("seed %lu: wrong state", (unsigned long)seed);
      found = true;
    }
    assert_true(found);
  }
}

static void slices(void **unused)
{
  (void)unused;
  static const uint8_t bound[] = {1, 2, 3, 4 | 2}; /* of the four events */
  compile("P(int *x, int *y, int *z) {\n"
          "event a before(int *x) : call(f(..)) && target(x) {}\n"
          "event b before(int *y) : call(g(..)) && target(y) {}\n"
          "event c before(int *x, int *y) : call(h(..)) && target(x) && arg(2, y) {}\n"
          "event d before(int *y, int *z) : call(i(..)) && target(y) && arg(2, z) {}\n"
          "fsm: s0 [ a -> s1 b -> s2 c -> s3 d -> s4 ] s1 [ a -> s2 b -> s0 c -> s4 d -> s1 ]\n"
          "s2 [ a -> s3 b -> s4 c -> s0 d -> s2 ] s3 [ a -> s0 b -> s1 c -> s2 d -> s0 ]\n"
          "s4 [ a -> s4 b -> s3 c -> s1 d -> s3 ] @fail {} }");
  for (unsigned n = 0; n < 400; n++) {
    struct combination trace[TRACE];
    unsigned event[TRACE];
    property_instances_begin(&table, &set);
    for (unsigned i = 0; i < TRACE; i++) {
      event[i] = draw(4);
      int64_t first = 1 + draw(2), second = 1 + draw(2);
      trace[i] = (struct combination){.bound = bound[event[i]]};
      trace[i].value[event[i] == 0 || event[i] == 2 ? 0 : 1] = first;
      if (event[i] >= 2)
        trace[i].value[event[i] == 2 ? 1 : 2] = second;
      assert_false(read_call(event[i], first, second).violated);
      compare(trace, event, i + 1);
    }
  }
}

/* What is tried comes out as if it were done, and changes nothing. */
static void trials(void **unused)
{
  (void)unused;
  static struct property_instances before;
  unsigned refused = 0;
  compile("enforce P(int *x, int *y, int *z) {\n"
          "event a before(int *x) : call(f(..)) && target(x) {}\n"
          "creation event b before(int *y) : call(g(..)) && target(y) {}\n"
          "creation event c before(int *x, int *y) : call(h(..)) && target(x) && arg(2, y) {}\n"
          "event d before(int *y, int *z) : call(i(..)) && target(y) && arg(2, z) {}\n"
          "ere: (a b? c | b d | c* d b)* @nonfail {} }");
  for (unsigned n = 0; n < 300; n++) {
    property_instances_begin(&table, &set);
    for (unsigned i = 0; i < TRACE; i++) {
      struct property_reading reading = {.rule = draw(4), .value = {1 + draw(2), 1 + draw(2)}};
      before = table;
      bool admitted = property_instances_admit(&table, &reading, NULL);
      assert_memory_equal(before.instance, table.instance, sizeof table.instance);
      assert_int_equal(!property_instances_read(&table, &reading).violated, admitted);
      refused += !admitted;
      if (!admitted)
        table = before;
    }
  }
  assert_true(refused > 300);
}

/* ---- the rest ---- */

#define ITERATION                                                                                                      \
  "SafeIteration(list_t *l, iter_t *i) {\n"                                                                            \
  "creation event create after(list_t *l) returning(iter_t *i) : call(f(..)) && target(l) {}\n"                        \
  "event modify before(list_t *l) : call(g(..)) && target(l) {}\n"                                                     \
  "event next before(iter_t *i) : call(h(..)) && target(i) {}\n"                                                       \
  "ere: create next* modify+ next @match { \"changed while it was iterated\" } }"

static void iterators(void **unused)
{
  (void)unused;
  enum { CREATE, MODIFY, NEXT };
  compile(ITERATION);
  assert_null(read_call(MODIFY, 1, 0).violated); /* of no iterator */
  assert_int_equal(table.count, 0);
  assert_null(read_call(CREATE, 1, 10).violated);
  assert_null(read_call(CREATE, 1, 11).violated);
  assert_null(read_call(CREATE, 2, 20).violated);
  assert_null(read_call(NEXT, 10, 0).violated);
  assert_null(read_call(MODIFY, 2, 0).violated);
  assert_null(read_call(NEXT, 11, 0).violated); /* the other list was changed */
  assert_null(read_call(MODIFY, 1, 0).violated);
  struct property_outcome outcome = read_call(NEXT, 10, 0);
  assert_non_null(outcome.violated);
  assert_int_equal(outcome.violated->value[0], 1);
  assert_int_equal(outcome.violated->value[1], 10);
  assert_int_equal(set.rule[outcome.before.rule].event, 1);
  assert_non_null(read_call(NEXT, 20, 0).violated);
}

static void address_reuse(void **unused)
{
  (void)unused;
  enum { CREATE, MODIFY, NEXT };
  compile(ITERATION);
  read_call(CREATE, 0x1000, 0x2000);
  read_call(MODIFY, 0x1000, 0);
  property_instances_renew(&table, 0x1ff0, 0x40); /* the iterator's memory is another one's now */
  assert_null(read_call(CREATE, 0x1000, 0x2000).violated);
  assert_null(read_call(NEXT, 0x2000, 0).violated);
  read_call(MODIFY, 0x1000, 0);
  property_instances_renew(&table, 0x1000, 0x10); /* a new list there does not forgive the old one's iterator */
  assert_non_null(read_call(NEXT, 0x2000, 0).violated);
  property_instances_begin(&table, &set);
  for (unsigned i = 0; i < 100000; i++) { /* what is gone makes room */
    assert_false(read_call(CREATE, 0x1000, 0x2000).lost);
    property_instances_renew(&table, 0x1000, 0x1100);
  }
}

static void variables(void **unused)
{
  (void)unused;
  compile("OneMutex(pthread_cond_t *c) { long mutex;\n"
          "event first before(pthread_cond_t *c, pthread_mutex_t *m) : call(f(..)) && target(c) && arg(2, m) && "
          "condition(mutex == 0) { mutex = m; }\n"
          "event other before(pthread_cond_t *c, pthread_mutex_t *m) : call(f(..)) && target(c) && arg(2, m) && "
          "condition(mutex != 0 && m != mutex) {}\n"
          "ere: first? @fail { \"waited for with two mutexes\" } }");
  assert_null(read_call(0, 1, 100).violated);
  assert_null(read_call(0, 2, 200).violated);
  assert_null(read_call(0, 1, 100).violated);
  assert_null(read_call(0, 2, 200).violated);
  assert_non_null(read_call(0, 2, 100).violated);
}

static void no_room(void **unused)
{
  (void)unused;
  compile("P(int *x) { event a before(int *x) : call(f(..)) && target(x) {} cfg: S -> a S a | epsilon @fail {} }");
  bool lost = false;
  for (unsigned i = 0; i <= PROPERTY_MEMORIES; i++) {
    assert_false(lost);
    lost = read_call(0, i + 1, 0).lost;
  }
  assert_true(lost);
}

static void too_many_values(void **unused)
{
  (void)unused;
  static const struct {
    const char *text, *error;
  } wrong[] = {
      {"P(int *x, int *y, int *z) { event a before(int *x, int *y, int *z) : call(f(..)) && target(x) && arg(2, y) && "
       "arg(3, z) {} ere: a @fail {} }",
       "event \"a\" has more than 2 values that the monitor must know"},
      {"P(int *x) { event a before(int *x) : call(f(..)) {} ere: a @fail {} }",
       "event \"a\" does not say where its value \"x\" comes from: target(), arg(), thread() or signal()"},
      {"P() { event a before() : condition(1) {} ere: a @fail {} }",
       "event \"a\" does not say what happens: call(), mark(), access(), lock(), threadStart() and the like"},
      {"P() { event a before() : call(f(..)) && mark(\"x\") {} ere: a @fail {} }",
       "no event is two of call(), mark(), access() and the like at once"},
      {"P() { event a before() : call(f(..)) && !mark(\"x\") {} ere: a @fail {} }",
       "only call(), condition() and threadName() can be negated"},
      {"P() { event a before() : call(f(..)) && !threadName(\"a\") && !threadName(\"b\") && !threadName(\"c\") && "
       "!threadName(\"d\") && !threadName(\"e\") {} ere: a @fail {} }",
       "an event can ask for 4 names of its thread at most"},
      {"P(int *x) { event a before(int *x) : mark(\"m\") && target(x) {} ere: a @fail {} }",
       "event \"a\" has values of a call, but is none"},
      {"P() { event a before() : call(unknown*(..)) {} ere: a @fail {} }",
       "the program has no function \"unknown*\" for event \"a\"; is it spelt so, and was it inlined?"},
      {"P() { event a before() : call(f(..)) {} cfg: S -> a S @fail {} }", "the grammar derives no word"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct language_error error;
    memset(&set, 0, sizeof set);
    assert_false(property_compile(wrong[i].text, functions, 4, true, &set, &error));
    assert_string_equal(error.text, wrong[i].error);
  }
}

/* Alternatives, negations and threads become rules. */
static void rules(void **unused)
{
  (void)unused;
  compile("P(int *x) { event a before(int *x, int n) : (call(f(..)) && target(x) || call(g(..)) && arg(2, x)) && "
          "arg(3, n) && condition(n > 0) && threadName(\"worker\") {}\n"
          "event b before() : call(*(..)) && !call(f(..)) && !condition(0) {}\n"
          "ere: (a | b)* @fail {} }");
  assert_int_equal(set.rules, 2 + 3);
  assert_int_equal(set.rule[0].function, 1);
  assert_int_equal(set.rule[0].value[0].source, 0);
  assert_int_equal(set.rule[1].function, 2);
  assert_int_equal(set.rule[1].value[0].source, 1);
  assert_int_equal(set.rule[1].carried, 1);
  assert_int_equal(set.rule[1].values, 2);
  assert_int_equal(set.rule[1].threads, 1);
  assert_string_equal(set.rule[1].thread[0], "worker");
  assert_int_equal(set.rule[2].function, 2);
  assert_int_equal(set.rule[4].function, 4);
}

/* Of several names all must fit; a negated one must not. */
static void names_of_threads(void **unused)
{
  static const struct {
    const char *name;
    bool a, b;
  } wanted[] = {{"one", true, false}, {"two", false, false}, {"", true, true}, {"three", true, true}};
  struct property_reading reading;
  (void)unused;
  compile("P() { event a before() : call(f(..)) && !threadName(\"two\") {}\n"
          "event b before() : call(f(..)) && !(threadName(\"one\") || threadName(\"two\")) {}\n"
          "event c before() : call(f(..)) && threadName(\"one\") && threadName(\"two\") {}\n"
          "ere: (a | b | c)* @fail {} }");
  assert_int_equal(set.rules, 3);
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    const struct property_happening h = {
        .source = EVENT_OF_CALL, .function = 1, .thread = 1, .thread_name = wanted[i].name};
    assert_int_equal(property_happening_read(&set, 0, &h, &reading), wanted[i].a);
    assert_int_equal(property_happening_read(&set, 1, &h, &reading), wanted[i].b);
    assert_false(property_happening_read(&set, 2, &h, &reading));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_of_threads), cmocka_unit_test(slices),          cmocka_unit_test(trials),
      cmocka_unit_test(iterators),        cmocka_unit_test(address_reuse),   cmocka_unit_test(variables),
      cmocka_unit_test(no_room),          cmocka_unit_test(too_many_values), cmocka_unit_test(rules)};
  seed = (uint64_t)time(NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
