/* SPDX-License-Identifier: Apache-2.0
 *
 * States of objects while a program runs, by the protocol of their type.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/automaton_table.h"
#include "strategy/typestates.h"
#include <stdlib.h>
#include <string.h>

enum { OPEN = 1, SEND, CLOSE, OF_ANOTHER_TYPE, UNKNOWN };

static struct control_config config = {
    .calls = 5,
    .call = {{.type = "conn", .name = "conn_open"},
             {.type = "conn", .name = "conn_send"},
             {.type = "conn", .name = "conn_close"},
             {.type = "file", .name = "conn_send"},
             {.type = "conn", .name = "conn_flush"}},
};

/* Shut, open: open leads from one to the other, close back, send is for open ones. Numbered otherwise than
 * functions. */
static struct plan_protocol protocol = {
    .states = 2,
    .methods = 3,
    .type = "conn",
    .method = {"conn_close", "conn_send", "conn_open"},
    .next = {NO_STATE, NO_STATE, 1, 0, 1, NO_STATE},
};

static struct typestates states;

static struct operation call(uint32_t object, uint32_t function)
{
  return (struct operation){.kind = OP_CALL, .object = object, .arg = function};
}

/* Whether it is allowed; then it is made. */
static bool made(uint32_t object, uint32_t function)
{
  struct operation op = call(object, function);
  bool allowed = typestates_allow(&states, &op);
  typestates_call(&states, &op);
  return allowed;
}

static int begin(void **unused)
{
  (void)unused;
  typestates_begin(&states, &protocol, &config);
  return 0;
}

/* It is the state that counts, not that send comes after close. */
static void open_again(void **unused)
{
  (void)unused;
  assert_true(made(7, OPEN));
  assert_true(made(7, CLOSE));
  assert_true(made(7, OPEN));
  assert_true(made(7, SEND));
  assert_true(made(7, CLOSE));
  assert_false(made(7, SEND));
}

static void each_for_itself(void **unused)
{
  (void)unused;
  assert_true(made(7, OPEN));
  assert_false(made(8, SEND));
  assert_true(made(7, SEND));
  assert_true(made(8, SEND)); /* it was wrong already */
}

static void not_of_the_protocol(void **unused)
{
  (void)unused;
  assert_true(made(7, OF_ANOTHER_TYPE));
  assert_true(made(7, UNKNOWN));
  assert_false(made(7, SEND));
}

static void made_anew(void **unused)
{
  (void)unused;
  struct operation op = call(7, OPEN);
  assert_true(made(7, OPEN));
  assert_false(typestates_allow(&states, &op));
  op.traits = OP_MAKES;
  assert_true(typestates_allow(&states, &op));
  typestates_call(&states, &op);
  assert_true(made(7, SEND));
}

static void no_more_room(void **unused)
{
  (void)unused;
  for (uint32_t object = 1; object < TYPESTATES; object++)
    assert_true(made(object, OPEN));
  assert_true(made(TYPESTATES, SEND)); /* nothing is known of it */
  assert_false(made(TYPESTATES / 2, OPEN));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(open_again, begin),          cmocka_unit_test_setup(each_for_itself, begin),
      cmocka_unit_test_setup(not_of_the_protocol, begin), cmocka_unit_test_setup(made_anew, begin),
      cmocka_unit_test_setup(no_more_room, begin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
