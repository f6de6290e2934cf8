/* SPDX-License-Identifier: Apache-2.0
 *
 * Small monitors of free runs: random properties and events, compared with the monitors for all properties
 * (core/property_instances.h); a table that fills and empties, compared with a list; looks without the lock, which must
 * be of one moment; memory that is given back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/rng.h"
#include "enforce/order_lock.h"
#include "enforce/property_parts.h"
#include "language/property_compile.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct property_set set;
static struct property_instances table;
static struct property_cells cells, more_cells;
static uint64_t stream = 1;

static const char *const functions[] = {"f", "g", "h"};

static void compile(const char *text)
{
  struct language_error error;
  memset(&set, 0, sizeof set);
  if (!property_compile(text, functions, 3, false, &set, &error))
    fail_msg("%s: %u:%u: %s", text, error.line, error.column, error.text);
  memset(&cells, 0, sizeof cells);
  memset(&more_cells, 0, sizeof more_cells);
  property_instances_begin(&table, &set);
  assert_true(property_rules_begin(&set));
}

static struct cell_event event_of(uint32_t rule, int64_t first, int64_t second)
{
  struct cell_event e;
  const struct property_reading reading = {.rule = rule, .value = {first, second}};
  cell_event_begin(&e, kept_rule(rule), &reading);
  return e;
}

/* ---- beside the monitors for all properties ---- */

/* A table of up to four states, some of whose edges are missing. */
static void random_property(char *text, size_t size, unsigned parameters, bool marks)
{
  static const char *const bound[] = {"", "void *x", "void *x, long y"};
  static const char *const targets[] = {"", " && target(x)", " && target(x) && arg(2, y)"};
  unsigned states = 2 + (unsigned)rng_below(&stream, 3);
  size_t n = (size_t)snprintf(text, size, "enforce P(%s) {\n", bound[parameters]);
  for (unsigned e = 0; e < 3; e++)
    n += (size_t)snprintf(text + n, size - n, "%sevent e%u before(%s) : call(%s(..))%s {}\n",
                          marks && e == 0   ? "creation "
                          : marks && e == 2 ? "destroy "
                                            : "",
                          e, bound[parameters], functions[e], targets[parameters]);
  n += (size_t)snprintf(text + n, size - n, "fsm:");
  for (unsigned s = 0; s < states; s++) {
    n += (size_t)snprintf(text + n, size - n, " s%u [", s);
    for (unsigned e = 0; e < (marks ? 2 : 3); e++)
      if (rng_below(&stream, 4))
        n += (size_t)snprintf(text + n, size - n, " e%u -> s%u", e, (unsigned)rng_below(&stream, states));
    n += (size_t)snprintf(text + n, size - n, " ]");
  }
  snprintf(text + n, size - n, "\n@nonfail {}\n}\n");
}

static void compare_step(uint32_t rule, int64_t x, int64_t y)
{
  const struct property_reading reading = {.rule = rule, .value = {x, y}};
  struct cell_event e = event_of(rule, x, y), again = e;
  const uint32_t before = cells_version(&cells);
  const bool alone = cells_are_left_alone(&cells, &e), admitted = cells_admit(&cells, &e);
  assert_int_equal(admitted, property_instances_admit(&table, &reading, NULL));
  assert_true(!alone || admitted);
  if (!admitted && rng_below(&stream, 2)) /* those who only look read it all the same */
    return;
  unsigned outcome = cells_read(&cells, rng_below(&stream, 2) ? &e : &again);
  assert_int_equal((outcome & CELLS_VIOLATED) != 0, property_instances_read(&table, &reading).violated != NULL);
  assert_true(!alone || cells_version(&cells) == before);
}

static void compare_states(void)
{
  unsigned used = 0;
  for (uint32_t i = 0; i < table.count; i++) {
    const struct property_instance *x = &table.instance[i];
    uint16_t state;
    if (!x->used || x->gone)
      continue;
    struct cell_event e = event_of(0, x->value[0], x->value[1]);
    used++;
    assert_int_equal(cells_state(&cells, &e, &state) ? state : 0, x->state);
  }
  assert_true(cells.count <= used + 1);
}

static void test_same_as_all(void **unused)
{
  char text[2048];
  (void)unused;
  for (unsigned round = 0; round < 300; round++) {
    random_property(text, sizeof text, round % 3, round % 3 && round / 3 % 2);
    compile(text);
    assert_true(property_has_cells(&set, 0));
    for (unsigned i = 0; i < 120; i++) {
      compare_step((uint32_t)rng_below(&stream, 3), 0x1000 + 16 * (int64_t)rng_below(&stream, 5),
                   (int64_t)rng_below(&stream, 2));
      if (rng_below(&stream, 12))
        continue;
      uintptr_t addr = 0x1000 + 8 * rng_below(&stream, 10);
      cells_forget(&cells, set.property[0].pointers, addr, 16);
      property_instances_renew(&table, addr, 16);
    }
    compare_states();
  }
}

static void test_others_are_not_small(void **unused)
{
  (void)unused;
  compile("P(long x) { event e before(long x) : call(f(..)) && target(x) {} event g before() : call(g(..)) {} ere: e* "
          "g @fail {} }");
  assert_false(property_has_cells(&set, 0)); /* not all parameters are bound */
  compile("P() { int n = 0; event e before() : call(f(..)) && condition(n < 3) { n = n + 1; } ere: e* @fail {} }");
  assert_false(property_has_cells(&set, 0)); /* variables say which events there are */
  compile("P(long x) { event e before(long x) : call(f(..)) && target(x) {} cfg: S -> e S | epsilon @fail {} }");
  assert_false(property_has_cells(&set, 0));
}

/* ---- beside a list ---- */

#define KEYS 1500

static const char three_states[] =
    "P(long x) { event a before(long x) : call(f(..)) && target(x) {} event b before(long x) : call(g(..)) && "
    "target(x) {} destroy event d before(long x) : call(h(..)) && target(x) {}\n"
    "fsm: s0 [ a -> s1 ] s1 [ a -> s2 b -> s0 ] s2 [ a -> s2 b -> s1 ] @fail {} }";

static uint32_t rule_of(unsigned function)
{
  uint32_t r = 0;
  while (set.rule[r].function != function + 1)
    r++;
  return r;
}

static void test_same_as_list(void **unused)
{
  static const int next[3][2] = {{1, -1}, {2, 0}, {2, 1}};
  static int state[KEYS];
  unsigned live = 0;
  (void)unused;
  compile(three_states);
  memset(state, 0xff, sizeof state);
  for (unsigned i = 0; i < 200000; i++) {
    unsigned key = (unsigned)rng_below(&stream, KEYS), function = (unsigned)rng_below(&stream, 5) % 3;
    struct cell_event e = event_of(rule_of(function), (int64_t)key * 4096, 0);
    int from = state[key] < 0 ? 0 : state[key];
    if (function == 2) {
      assert_false(cells_read(&cells, &e));
      live -= state[key] >= 0;
      state[key] = -1;
    } else if (next[from][function] < 0) {
      assert_false(cells_admit(&cells, &e));
    } else if (state[key] >= 0 || live < PROPERTY_CELLS) {
      assert_int_equal(cells_read(&cells, &e), state[key] < 0 ? CELLS_NEW : 0);
      live += state[key] < 0;
      state[key] = next[from][function];
    }
    assert_int_equal(cells.count, live);
  }
  for (unsigned key = 0; key < KEYS; key++) {
    uint16_t found;
    struct cell_event e = event_of(0, (int64_t)key * 4096, 0);
    assert_int_equal(cells_state(&cells, &e, &found) ? found : -1, state[key]);
  }
}

static void test_no_room(void **unused)
{
  (void)unused;
  compile(three_states);
  for (int64_t key = 0; key <= PROPERTY_CELLS; key++) {
    struct cell_event e = event_of(rule_of(0), key, 0);
    assert_int_equal(cells_read(&cells, &e), key < PROPERTY_CELLS ? CELLS_NEW : CELLS_LOST);
  }
  struct cell_event known = event_of(rule_of(1), 7, 0);
  assert_int_equal(cells_read(&cells, &known), CELLS_LOST); /* still read, but something is not known */
}

/* ---- without the lock ---- */

static struct part_lock lock;
static bool stop;

static void flip(struct property_cells *c, uint32_t rule, int64_t key)
{
  struct cell_event e = event_of(rule, key, 0);
  cells_read(c, &e);
}

/* In one table the object is in s2, which an a leaves alone, and in the other it is in s1; they take turns. Meanwhile
 * others come and go, so that cells move. */
static void *take_turns(void *unused)
{
  for (int64_t i = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++) {
    struct property_cells *up = i % 2 ? &cells : &more_cells, *down = i % 2 ? &more_cells : &cells;
    order_lock(&lock.word);
    flip(down, rule_of(1), 1);
    flip(up, rule_of(0), 1);
    flip(up, rule_of(i / 8 % 2 ? 0 : 2), 100 + i % 8);
    order_unlock(&lock.word);
  }
  return unused;
}

static bool both_are_left_alone(const struct cell_event *e)
{
  uint32_t first = cells_version(&cells), second = cells_version(&more_cells);
  return !(first & 1) && !(second & 1) && cells_are_left_alone(&cells, e) && cells_are_left_alone(&more_cells, e) &&
         cells_version(&cells) == first && cells_version(&more_cells) == second;
}

static void test_one_moment(void **unused)
{
  pthread_t thread;
  (void)unused;
  compile(three_states);
  for (unsigned i = 0; i < 8; i++) /* the object behind them is moved when they go */
    flip(&cells, rule_of(0), 100 + i);
  flip(&cells, rule_of(0), 1);
  flip(&cells, rule_of(0), 1);
  flip(&more_cells, rule_of(0), 1);
  const struct cell_event e = event_of(rule_of(0), 1, 0);
  assert_true(cells_are_left_alone(&cells, &e));
  assert_false(cells_are_left_alone(&more_cells, &e));
  assert_int_equal(pthread_create(&thread, NULL, take_turns, NULL), 0);
  unsigned wrong = 0;
  for (unsigned i = 0; i < 2000000; i++)
    wrong += both_are_left_alone(&e);
  __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
  pthread_join(thread, NULL);
  assert_int_equal(wrong, 0);
}

/* ---- parts ---- */

static bool is_known(uint32_t rule, uintptr_t addr)
{
  char text[64];
  struct part_event e;
  const struct property_reading reading = {.rule = rule, .value = {(int64_t)addr}};
  property_part_event(&e, &reading);
  return property_part_text(&e, text, sizeof text) > 0;
}

static void read_part(uint32_t rule, uintptr_t addr)
{
  struct part_event e;
  const struct property_reading reading = {.rule = rule, .value = {(int64_t)addr}};
  property_part_event(&e, &reading);
  property_part_read(&e);
}

/* Of both kinds. */
static void test_forgotten(void **unused)
{
  (void)unused;
  compile("Small(void *x) { event a before(void *x) : call(f(..)) && target(x) {} ere: a* @fail {} }\n"
          "Large(void *x) { event b before(void *x) : call(g(..)) && target(x) {} cfg: S -> b S | epsilon @fail {} }");
  assert_true(property_has_cells(&set, 0) && !property_has_cells(&set, 1));
  assert_true(property_parts_begin(&set));
  for (uint32_t rule = 0; rule < 2; rule++) {
    const uintptr_t base = (rule + 1) << 20;
    for (uintptr_t i = 0; i < 200; i++)
      read_part(rule, base + i * 64);
    for (uintptr_t i = 0; i < 200; i += 2)
      property_forget(base + i * 64 - 16, 32); /* somewhere inside */
    for (uintptr_t i = 0; i < 200; i++)
      assert_int_equal(is_known(rule, base + i * 64), i % 2);
    for (unsigned i = 0; i < 1000; i++) /* in vain, so that the table of addresses is made anew */
      property_forget(base + 64 + 8, 8);
    property_forget(base, 4096); /* 64 of them */
    for (uintptr_t i = 1; i < 200; i += 2)
      assert_int_equal(is_known(rule, base + i * 64), i >= 64);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_as_all),  cmocka_unit_test(test_others_are_not_small),
      cmocka_unit_test(test_same_as_list), cmocka_unit_test(test_no_room),
      cmocka_unit_test(test_one_moment),   cmocka_unit_test(test_forgotten),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
