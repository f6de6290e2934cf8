/* SPDX-License-Identifier: Apache-2.0
 *
 * Which events a monitor can still come to allow: by a search through its states, against all traces up to a length.
 */
#include "core/automaton_table.h"
#include "core/property_instances.h"
#include "enforce/property_prospect.h"
#include "language/property_compile.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
/* cmocka needs those before it. */
#include <cmocka.h>

static struct property_set set;

static void compile(const char *property)
{
  static const char *const functions[] = {"a", "b", "c"};
  char text[512];
  struct language_error error;
  memset(&set, 0, sizeof set);
  snprintf(text, sizeof text,
           "enforce P() { event a before() : call(a(..)) {} event b before() : call(b(..)) {} event c before() : "
           "call(c(..)) {} %s }",
           property);
  assert_true(property_compile(text, functions, 3, true, &set, &error));
}

static uint16_t step(uint16_t state, uint32_t letter)
{
  const struct property_monitor *m = &set.property[0].monitor;
  uint16_t next = automaton_step(&set.edge[m->next], m->letters, state, letter);
  return next == NO_STATE || property_is_violated(&set.property[0], set.category[m->category + next]) ? NO_STATE : next;
}

#define ALL UINT64_C(7) /* the three events */

/* By trying all traces. */
static bool may_come(uint16_t state, uint32_t event, unsigned length, uint64_t coming)
{
  if (step(state, event) != NO_STATE)
    return true;
  for (uint32_t letter = 0; length && letter < 3; letter++)
    if (coming >> letter & 1 && step(state, letter) != NO_STATE &&
        may_come(step(state, letter), event, length - 1, coming))
      return true;
  return false;
}

static void known(void **unused)
{
  (void)unused;
  compile("ere: a* b @nonfail {}");
  assert_true(property_may_be_allowed(&set, 0, 0, 0, ALL));
  assert_true(property_may_be_allowed(&set, 0, 0, 1, ALL));
  assert_false(property_may_be_allowed(&set, 0, 0, 2, ALL));
  assert_false(property_may_be_allowed(&set, 0, step(0, 1), 0, ALL)); /* a comes no more after b */
  compile("fsm: free [ a -> busy ] busy [ b -> free ] @nonfail {}");
  assert_true(property_may_be_allowed(&set, 0, step(0, 0), 0, ALL)); /* once b has come */
  assert_false(property_may_be_allowed(&set, 0, step(0, 0), 0, 1));  /* which it cannot */
}

static void against_traces(void **unused)
{
  static const char *const list[] = {"ere: (a b)* c? @nonfail {}",
                                     "ere: a (b | c a)* @nonfail {}",
                                     "ere: ~(b a c) @match {}",
                                     "fsm: s [ a -> t ] t [ b -> u  c -> t ] u [ ] @nonfail {}",
                                     "ptltl: b => <*> a @violation {}",
                                     "ltl: [](a => o b) @violation {}",
                                     "fsm: s [ a -> t b -> u ] t [ c -> s ] u [ b -> u c -> u ] @nonfail {}"};
  (void)unused;
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    compile(list[i]);
    for (uint32_t state = 0; state < set.property[0].monitor.states; state++)
      for (uint32_t event = 0; event < 3; event++)
        for (uint64_t coming = 0; coming <= ALL; coming++)
          assert_int_equal(property_may_be_allowed(&set, 0, (uint16_t)state, event, coming),
                           may_come((uint16_t)state, event, 6, coming));
  }
}

static void objects_can_go(void **unused)
{
  struct language_error error;
  static const char *const functions[] = {"a", "b"};
  (void)unused;
  compile("ere: a* b @nonfail {}");
  assert_true(property_moves_by_events(&set, &set.rule[0]));
  memset(&set, 0, sizeof set);
  assert_true(property_compile("enforce P(void *x) { event a before(void *x) : call(a(..)) && target(x) {} event b "
                               "before(void *x) : call(b(..)) && target(x) {} ere: a* b @nonfail {} }",
                               functions, 2, true, &set, &error));
  assert_false(property_moves_by_events(&set, &set.rule[0])); /* the object may be freed */
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(known), cmocka_unit_test(against_traces),
                                     cmocka_unit_test(objects_can_go)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
