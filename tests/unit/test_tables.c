/* SPDX-License-Identifier: Apache-2.0
 *
 * The lists of operations, kinds of bugs and objects, and strategies: complete, without doubles, and found by
 * name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/bug.h"
#include "core/control.h"
#include "core/event_ring.h"
#include "core/operation.h"
#include "core/plan.h"
#include "core/strategy.h"
#include "core/subset.h"
#include "core/trials.h"
#include <string.h>

/* A word for files and command lines: lower case letters and hyphens. */
static bool is_word(const char *name)
{
  return name && *name && strspn(name, "abcdefghijklmnopqrstuvwxyz-") == strlen(name);
}

static void every_operation_has_a_name_and_is_found_by_it(void **unused)
{
  (void)unused;
  for (unsigned i = 0; i < OP_COUNT; i++) {
    assert_true(is_word(op_table[i].name));
    assert_true(op_table[i].phrase && *op_table[i].phrase);
    assert_in_range(op_table[i].object, 0, OBJECT_KIND_COUNT - 1);
    assert_int_equal(op_by_name(op_table[i].name), i); /* so there are no two of one name */
  }
  assert_int_equal(op_by_name("no-such-operation"), OP_COUNT);
  assert_int_equal(op_by_name(""), OP_COUNT);
  assert_int_equal(op_by_name("READ"), OP_COUNT);
}

static void an_operation_is_named_after_its_object(void **unused)
{
  (void)unused;
  static const struct {
    const char *prefix;
    enum object_kind object;
  } groups[] = {{"mutex-", OBJECT_MUTEX},   {"spin-", OBJECT_SPIN},      {"cond-", OBJECT_COND},
                {"rwlock-", OBJECT_RWLOCK}, {"sem-", OBJECT_SEM},        {"barrier-", OBJECT_BARRIER},
                {"once-", OBJECT_ONCE},     {"futex-", OBJECT_FUTEX},    {"fd-", OBJECT_FD},
                {"queue-", OBJECT_QUEUE},   {"semset-", OBJECT_SEMSET},  {"aio-", OBJECT_AIO},
                {"atomic-", OBJECT_MEMORY}, {"channel-", OBJECT_CHANNEL}};
  for (unsigned i = 0; i < OP_COUNT; i++)
    for (unsigned g = 0; g < sizeof groups / sizeof groups[0]; g++) {
      bool named = !strncmp(op_table[i].name, groups[g].prefix, strlen(groups[g].prefix));
      if (groups[g].object == OBJECT_MEMORY ? named : named || op_table[i].object == groups[g].object)
        assert_int_equal(op_table[i].object == groups[g].object, named);
    }
}

static void memory_operations_are_those_on_memory(void **unused)
{
  (void)unused;
  for (unsigned i = 0; i < OP_COUNT; i++) {
    assert_int_equal(op_is_memory((enum op_kind)i), op_table[i].object == OBJECT_MEMORY);
    if (op_writes_memory((enum op_kind)i))
      assert_true(op_is_memory((enum op_kind)i));
    if (op_is_memory((enum op_kind)i))
      assert_false(op_table[i].blocks);
  }
  static const enum op_kind writes[] = {OP_WRITE, OP_ATOMIC_STORE, OP_ATOMIC_RMW, OP_FREE};
  unsigned count = 0;
  for (unsigned i = 0; i < OP_COUNT; i++)
    count += op_writes_memory((enum op_kind)i);
  assert_int_equal(count, 4);
  for (unsigned i = 0; i < 4; i++)
    assert_true(op_writes_memory(writes[i]));
}

/* What can give up by itself never blocks; what waits for others only always can. */
static void timed_and_trying_operations_do_not_block(void **unused)
{
  (void)unused;
  for (unsigned i = 0; i < OP_COUNT; i++) {
    const char *name = op_table[i].name;
    if (strstr(name, "-try") || (strstr(name, "timed") && i != OP_COND_TIMEDWAKE))
      assert_false(op_table[i].blocks);
    if (strstr(name, "timed") || i == OP_YIELD || i == OP_SLEEP || i == OP_TESTCANCEL || i == OP_PROCESS_POLL)
      assert_true(op_gives_way((enum op_kind)i));
    else
      assert_false(op_gives_way((enum op_kind)i));
  }
  static const enum op_kind blocking[] = {OP_JOIN,          OP_MUTEX_LOCK,     OP_SPIN_LOCK,    OP_COND_WAKE,
                                          OP_RWLOCK_RDLOCK, OP_RWLOCK_WRLOCK,  OP_SEM_WAIT,     OP_BARRIER_LEAVE,
                                          OP_ONCE_ENTER,    OP_FUTEX_BLOCK,    OP_FD_WAIT,      OP_QUEUE_SEND,
                                          OP_QUEUE_RECEIVE, OP_SEMSET_OPERATE, OP_AIO_WAIT,     OP_PROCESS_WAIT,
                                          OP_CHANNEL_SEND,  OP_CHANNEL_POLL,   OP_PROCESS_LEND, OP_PROCESS_GO_ON};
  for (unsigned i = 0; i < sizeof blocking / sizeof blocking[0]; i++)
    assert_true(op_table[blocking[i]].blocks);
}

static void object_kinds_have_different_names(void **unused)
{
  (void)unused;
  for (unsigned i = 0; i < OBJECT_KIND_COUNT; i++) {
    assert_true(object_kind_name[i] && *object_kind_name[i]);
    for (unsigned k = 0; k < i; k++)
      assert_string_not_equal(object_kind_name[i], object_kind_name[k]);
  }
}

/* The spelling of the JSON contract. */
static void bug_kinds_are_spelt_as_promised(void **unused)
{
  (void)unused;
  static const char *const promised[] = {"assertion", "crash", "deadlock", "race",     "memory",
                                         "leak",      "hang",  "exit",     "property", "schedule"};
  assert_int_equal(BUG_KIND_COUNT, sizeof promised / sizeof promised[0]);
  for (unsigned i = 0; i < BUG_KIND_COUNT; i++) {
    assert_true(bug_kind_by_name(promised[i]) < BUG_KIND_COUNT);
    assert_int_equal(bug_kind_by_name(bug_kind_name[i]), i);
  }
  assert_int_equal(bug_kind_by_name("typo"), BUG_KIND_COUNT);
  assert_string_equal(bug_kind_name[BUG_DEADLOCK], "deadlock");
}

static void strategies_are_complete(void **unused)
{
  (void)unused;
  for (unsigned i = 0; i < STRATEGY_COUNT; i++) {
    const struct strategy *s = strategy_table[i];
    assert_true(is_word(s->name));
    assert_true(strategy_help[i] && *strategy_help[i]);
    assert_int_equal(strategy_by_name(s->name), i);
    if (i == STRATEGY_auto) /* no process is given it */
      continue;
    assert_non_null(s->begin);
    assert_non_null(s->pick);
    assert_non_null(s->choose);
    assert_non_null(s->end);
    assert_true(s->state_size > 0);
  }
  assert_string_equal(strategy_table[STRATEGY_pct]->name, "pct");
  assert_int_equal(strategy_by_name("none"), STRATEGY_COUNT);
}

static void ways_to_reset_have_names(void **unused)
{
  (void)unused;
  assert_string_equal(reset_name[RESET_AUTO], "auto");
  assert_string_equal(reset_name[RESET_SNAPSHOT], "snapshot");
  assert_string_equal(reset_name[RESET_FORK], "fork");
  assert_string_equal(reset_name[RESET_EXEC], "exec");
}

/* The areas behind the control block do not overlap. */
static void the_control_mapping_has_room_for_all(void **unused)
{
  (void)unused;
  assert_true(sizeof(struct control) <= CONTROL_SIZE_OF(BLOCK));
  assert_true(CONTROL_TRACE_MAX * sizeof(struct trace_event) <= CONTROL_SIZE_OF(TRACE));
  assert_true(sizeof(struct event_ring) <= CONTROL_SIZE_OF(EVENTS));
  assert_true(sizeof(struct coverage) <= CONTROL_SIZE_OF(COVERAGE));
  assert_true(sizeof(struct plan) <= JOB_PLAN_MOST);
  assert_true(sizeof(struct trials) <= JOB_TRIALS_MOST);
  assert_true(sizeof(struct trials) <= ANSWER_TRIALS_MOST);
  assert_true(sizeof(struct plan_outcome) <= ANSWER_OUTCOME_MOST);
  assert_true(sizeof(struct subset) <= ANSWER_SUBSET_MOST);
  assert_true((uint64_t)JOB_INPUT_LAST <= (uint64_t)CONTROL_JOB_LAST); /* the last part of each */
  assert_true((uint64_t)ANSWER_LOCATIONS_LAST <= (uint64_t)CONTROL_ANSWER_LAST);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_operation_has_a_name_and_is_found_by_it),
      cmocka_unit_test(an_operation_is_named_after_its_object),
      cmocka_unit_test(memory_operations_are_those_on_memory),
      cmocka_unit_test(timed_and_trying_operations_do_not_block),
      cmocka_unit_test(object_kinds_have_different_names),
      cmocka_unit_test(bug_kinds_are_spelt_as_promised),
      cmocka_unit_test(strategies_are_complete),
      cmocka_unit_test(ways_to_reset_have_names),
      cmocka_unit_test(the_control_mapping_has_room_for_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
