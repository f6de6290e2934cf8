/* SPDX-License-Identifier: Apache-2.0
 *
 * Choices of a free run that is explored: which event of which thread is held back, for how long, and what is noted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "enforce/order_threads.h"
#include "enforce/property_choices.h"
#include "enforce/property_parts.h"
#include <string.h>

static struct property_choices shared;
static struct order_thread self;
static struct part_lock lock;
static struct property_part only_part = {.lock = &lock};

struct property_part *property_part_of(const struct property_reading *reading)
{
  (void)reading;
  return &only_part;
}

void property_part_changed(struct property_part *part)
{
  assert_int_equal(lock.word, 1); /* or a change could be lost */
  part->changes++;
}

static struct property_reading event(uint32_t thread, uint32_t rule)
{
  return (struct property_reading){.thread = thread - 1, .rule = rule};
}

static bool holds(uint32_t thread, uint32_t rule)
{
  const struct property_reading reading = event(thread, rule);
  return choice_holds(&reading, &self);
}

static void read_event(uint32_t thread, uint32_t rule)
{
  const struct property_reading reading = event(thread, rule);
  choice_read(&reading);
}

static void test_nothing_is_explored(void **unused)
{
  (void)unused;
  assert_false(choices_are_made());
  assert_false(holds(1, 0));
  assert_false(choice_let_go());
  choices_end(CHOICES_ENFORCED_DEADLOCK); /* nobody to tell */
}

static void test_all_are_noted(void **unused)
{
  (void)unused;
  memset(&shared, 0, sizeof shared);
  shared.end = CHOICES_ENFORCED_DEADLOCK; /* of the run before */
  choices_begin(&shared);
  assert_true(choices_are_made());
  for (unsigned i = 0; i < 3; i++) {
    assert_false(holds(2, 5));
    assert_false(holds(2, 5)); /* looking twice is no second event */
    read_event(2, 5);
  }
  assert_int_equal(shared.count, 3);
  assert_int_equal(shared.read, 3);
  for (uint16_t i = 0; i < 3; i++) {
    assert_int_equal(shared.list[i].nth, i);
    assert_int_equal(shared.event[i].nth, i);
    assert_int_equal(shared.event[i].thread, 2);
    assert_int_equal(shared.event[i].rule, 5);
  }
  assert_int_equal(shared.end, CHOICES_RUNNING);
  choices_end(CHOICES_PROGRAM_DEADLOCK);
  assert_int_equal(shared.end, CHOICES_PROGRAM_DEADLOCK);
}

static void test_second_event_is_held(void **unused)
{
  (void)unused;
  memset(&shared, 0, sizeof shared);
  shared.told = 2;
  shared.list[0] = (struct property_choice){.thread = 1, .rule = 3};
  shared.list[1] = (struct property_choice){.thread = 1, .rule = 3, .nth = 1, .held = true};
  choices_begin(&shared);
  assert_false(choice_let_go()); /* it has not come yet */
  assert_false(holds(1, 3));
  read_event(1, 3);
  assert_false(holds(2, 3)); /* another thread's */
  read_event(2, 3);
  assert_false(holds(1, 4)); /* another event */
  assert_true(holds(1, 3));
  assert_true(holds(1, 3));
  const struct property_reading unknown = event(1, 3);
  assert_false(choice_holds(&unknown, NULL)); /* of a thread that is not known */
  assert_int_equal(only_part.changes, 0);
  assert_true(choice_let_go());
  assert_int_equal(only_part.changes, 1);
  assert_false(holds(1, 3));
  assert_false(choice_let_go()); /* there is no other one */
}

static void test_too_many(void **unused)
{
  (void)unused;
  memset(&shared, 0, sizeof shared);
  choices_begin(&shared);
  for (uint32_t i = 0; i < CHOICES_MOST + 10; i++) {
    assert_false(holds(i + 1, 0));
    read_event(i + 1, 0);
    if (i % 1024 == 0) /* the search for each is linear */
      i += 1000;
  }
  shared.count = shared.read = CHOICES_MOST;
  assert_false(holds(CHOICES_MOST + 100, 7));
  read_event(CHOICES_MOST + 100, 7);
  assert_int_equal(shared.count, CHOICES_MOST);
  assert_int_equal(shared.read, CHOICES_MOST);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nothing_is_explored),
      cmocka_unit_test(test_second_event_is_held),
      cmocka_unit_test(test_all_are_noted),
      cmocka_unit_test(test_too_many),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
