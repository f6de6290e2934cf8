/* SPDX-License-Identifier: Apache-2.0
 *
 * The language of orderings: what texts mean, told by printing what was understood, and what is wrong with those that
 * mean nothing; and what conditions say, by tables of truth.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "language/order_parse.h"
#include <stdio.h>
#include <string.h>

/* ---- texts ---- */

static const struct {
  const char *text, *means; /* its rules, one behind the other */
} valid[] = {
    {"", ""},
    {"a -> b", "a -> b;"},
    {"a->b", "a -> b;"},
    {"a -> b, c -> d", "a -> b;c -> d;"},
    {"a -> b c -> d", "a -> b;c -> d;"},
    {"a -> b,", "a -> b;"},
    {"afterAdd1 -> beforeTake1, [beforeTake2] -> beforeAdd2", "afterAdd1 -> beforeTake1;[beforeTake2] -> beforeAdd2;"},
    {"a && b || c -> d", "a && b || c -> d;"},
    {"a || b && c -> d", "a || b && c -> d;"},
    {"(a || b) && c -> d", "(a || b) && c -> d;"},
    {"a && (b || c) -> d", "a && (b || c) -> d;"},
    {"a && (b && c) -> d", "a && b && c -> d;"},
    {"((a)) -> b", "a -> b;"},
    {"([a] || b) && [c@t] -> d@u", "([a] || b) && [c@t] -> d@u;"},
    {"start@t -> a, a -> end@t", "start@t -> a;a -> end@t;"},
    {"[start@t] -> a", "[start@t] -> a;"},
    {"a -> start@t", "a -> start@t;"},
    {"queue.after_add -> queue.before_take@main", "queue.after_add -> queue.before_take@main;"},
    {"a . b -> c", "a.b -> c;"},
    {"# first\na -> b # then\n# [c\nc -> d", "a -> b;c -> d;"},
    {"a\n  ->\n\tb", "a -> b;"},
    {"a@t -> b, a@u -> b", "a@t -> b;a@u -> b;"},
    {"a -> c, b -> c", "a -> c;b -> c;"},
    {"my.start -> end.of", "my.start -> end.of;"},
    {"a || b -> c, c -> a", "a || b -> c;c -> a;"}, /* by b there is a way */
    {"_x9 -> Block", "_x9 -> Block;"},
    {"a@T2 -> b@T2.1, [c@T10.2.3] -> d", "a@T2 -> b@T2.1;[c@T10.2.3] -> d;"}, /* by who created them */
    {"block -> c", "block -> c;"}, /* only with a thread it is what threads do */
};

static const struct {
  const char *text;
  unsigned line, column;
  const char *why;
} invalid[] = {
    {"a", 1, 2, "expected `->`, `&&` or `||`, found the end"},
    {"a b -> c", 1, 3, "expected `->`, `&&` or `||`, found `b`"},
    {"a ->", 1, 5, "expected an event after `->`, found the end"},
    {"-> a", 1, 1, "expected an event, `[` or `(`, found `->`"},
    {", a -> b", 1, 1, "expected an event, `[` or `(`, found `,`"},
    {"a -> b,, c -> d", 1, 8, "expected `,`, another ordering or the end, found `,`"},
    {"a -> b -> c", 1, 8, "expected `,`, another ordering or the end, found `->`"},
    {"a -> [b]", 1, 6, "what waits is an event, and whether its thread is blocked cannot: no `[` after `->`"},
    {"[a -> b", 1, 4, "expected `]`, found `->`"},
    {"[] -> b", 1, 2, "expected an event after `[`, found `]`"},
    {"[[a]] -> b", 1, 2, "expected an event after `[`, found `[`"},
    {"[a && b] -> c", 1, 4, "expected `]`, found `&&`"},
    {"(a || b -> c", 1, 9, "expected `)`, `&&` or `||`, found `->`"},
    {"a) -> b", 1, 2, "expected `->`, `&&` or `||`, found `)`"},
    {"() -> b", 1, 2, "expected an event, `[` or `(`, found `)`"},
    {"a & b -> c", 1, 3, "expected `->`, `&&` or `||`, found `&`"},
    {"a &&\n  || b -> c", 2, 3, "expected an event, `[` or `(`, found `||`"},
    {"!a -> b", 1, 1, "expected an event, `[` or `(`, found `!`"},
    {"a -> 1b", 1, 6, "expected an event after `->`, found `1`"},
    {"a.-> b", 1, 3, "expected a name after `.`, found `->`"},
    {"a@ -> b", 1, 4, "expected the name of a thread after `@`, found `->`"},
    {"a@t.1u -> b", 1, 3, "this name is too long"},
    {"a@t.u -> b", 1, 4, "expected `->`, `&&` or `||`, found `.`"},
    {"start -> a", 1, 7, "expected `@` and a thread after `start`, found `->`"},
    {"a -> end", 1, 9, "expected `@` and a thread after `end`, found the end"},
    {"block@t -> a", 1, 1,
     "that a thread blocks is no event; `[event]` asks whether the thread of the event is blocked"},
    {"a -> a", 1, 1, "a would have to happen before itself"},
    {"a -> b,\nb -> a", 1, 1, "b would have to happen before itself: it waits for a, and a for it"},
    {"x -> a, a -> b, [b] && y -> x", 1, 1, "a would have to happen before itself: it waits for x, and x for it"},
    {"(a && c) || (a && d) -> b, b -> a", 1, 1, "b would have to happen before itself: it waits for a, and a for it"},
    {"end@t -> a@t", 1, 1, "a@t would have to happen before itself: it waits for end@t, and end@t for it"},
    {"a@t -> start@t", 1, 1, "start@t would have to happen before itself: it waits for a@t, and a@t for it"},
    {"a -> b, a@t -> c", 1, 1, "a is written with its thread elsewhere, as a@t: name it here, too"},
    {"a_name_that_is_longer_than_any_name_of_an_event_has_a_right_to_be -> b", 1, 1, "this name is too long"},
    {"a -> b@a_thread_whose_name_is_too_long", 1, 8, "this name is too long"},
    {"((((((((((((((((((((((((((a)))))))))))))))))))))))))) -> b", 1, 25,
     "there are too many parentheses in each other"},
};

static void texts_mean_what_they_say(void **unused)
{
  (void)unused;
  for (size_t i = 0; i < sizeof valid / sizeof valid[0]; i++) {
    struct ordering o;
    struct order_error error = {0};
    char means[512];
    size_t n = 0;
    if (!order_parse(valid[i].text, &o, &error))
      fail_msg("\"%s\": %u:%u: %s", valid[i].text, error.line, error.column, error.text);
    means[0] = 0;
    for (unsigned k = 0; k < o.rules; k++) {
      n += ordering_rule_text(&o, &o.rule[k], means + n, sizeof means - n);
      n += (size_t)snprintf(means + n, sizeof means - n, ";");
    }
    assert_string_equal(means, valid[i].means);
  }
}

static void errors_say_where_and_why(void **unused)
{
  (void)unused;
  print_message("%zu valid texts, %zu wrong texts\n", sizeof valid / sizeof valid[0],
                sizeof invalid / sizeof invalid[0]);
  for (size_t i = 0; i < sizeof invalid / sizeof invalid[0]; i++) {
    struct ordering o;
    struct order_error error = {0};
    if (order_parse(invalid[i].text, &o, &error))
      fail_msg("\"%s\" was understood", invalid[i].text);
    if (error.line != invalid[i].line || error.column != invalid[i].column || strcmp(error.text, invalid[i].why) != 0)
      fail_msg("\"%s\": %u:%u: %s, not %u:%u: %s", invalid[i].text, error.line, error.column, error.text,
               invalid[i].line, invalid[i].column, invalid[i].why);
  }
}

/* One more than there is room for is said, at its place; the last that fits does. */
static void there_is_an_end_to_everything(void **unused)
{
  (void)unused;
  char text[4096];
  struct ordering o;
  struct order_error error = {0};
  size_t n = 0;
  for (unsigned i = 0; i < ORDERING_EVENTS - 1; i++)
    n += (size_t)sprintf(text + n, "%se%u", i ? "||" : "", i);
  strcpy(text + n, "->x");
  assert_true(order_parse(text, &o, &error));
  assert_int_equal(o.events, ORDERING_EVENTS);
  strcpy(text + n, "||y->x");
  assert_false(order_parse(text, &o, &error));
  assert_string_equal(error.text, "there are more than 64 events");
  assert_int_equal(error.column, strlen(text));
  n = 0;
  for (unsigned i = 0; i < ORDERING_RULES + 1; i++)
    n += (size_t)sprintf(text + n, "a->b,");
  assert_false(order_parse(text, &o, &error));
  assert_string_equal(error.text, "there are more than 64 orderings");
  assert_int_equal(error.column, 5 * ORDERING_RULES + 1);
}

/* ---- meanings ---- */

static struct ordering parsed(const char *text)
{
  struct ordering o;
  struct order_error error = {0};
  if (!order_parse(text, &o, &error))
    fail_msg("\"%s\": %u:%u: %s", text, error.line, error.column, error.text);
  return o;
}

/* Whether x may happen, for all sets of a, b and c that have happened, as a number. */
static unsigned truth(const char *condition)
{
  char text[128];
  unsigned bits = 0;
  snprintf(text, sizeof text, "%s -> x", condition);
  struct ordering o = parsed(text);
  for (unsigned set = 0; set < 8; set++) {
    struct ordering_moment at = {0};
    for (unsigned i = 0; i < 3; i++) {
      unsigned event = ordering_event_of(&o, ORDERING_MARK, (const char *[]){"a", "b", "c"}[i], NULL);
      at.occurred |= event && set >> i & 1 ? ORDERING_BIT(event - 1) : 0;
    }
    bits |= (unsigned)ordering_admits(&o, ordering_event_of(&o, ORDERING_MARK, "x", NULL) - 1, at) << set;
  }
  return bits;
}

static void conditions_are_boolean(void **unused)
{
  (void)unused;
  const unsigned a = 0xaa, b = 0xcc, c = 0xf0;
  assert_int_equal(truth("a"), a);
  assert_int_equal(truth("a && b"), a & b);
  assert_int_equal(truth("a || b"), a | b);
  assert_int_equal(truth("a || b && c"), a | (b & c));
  assert_int_equal(truth("a && b || c"), (a & b) | c);
  assert_int_equal(truth("(a || b) && c"), (a | b) & c);
  assert_int_equal(truth("a && (b || c)"), a & (b | c));
  assert_int_equal(truth("(a || b) && (b || c) && (a || c)"), (a | b) & (b | c) & (a | c));
}

static void a_bracket_wants_the_thread_blocked(void **unused)
{
  (void)unused;
  struct ordering o = parsed("[a] || b -> x, c -> x");
  unsigned a = ordering_event_of(&o, ORDERING_MARK, "a", NULL) - 1,
           x = ordering_event_of(&o, ORDERING_MARK, "x", NULL) - 1;
  unsigned c = ordering_event_of(&o, ORDERING_MARK, "c", NULL) - 1;
  char text[256];
  assert_true(o.event[a].bracketed && !o.event[c].bracketed);
  assert_int_equal(o.guarded, ORDERING_BIT(x));
  assert_int_equal(ordering_brackets(&o, x), ORDERING_BIT(a));
  assert_false(ordering_admits(&o, x, (struct ordering_moment){ORDERING_BIT(a) | ORDERING_BIT(c), 0}));
  assert_false(ordering_admits(&o, x, (struct ordering_moment){ORDERING_BIT(c), ORDERING_BIT(a)}));
  assert_false(ordering_admits(&o, x, (struct ordering_moment){ORDERING_BIT(a), ORDERING_BIT(a)}));
  assert_true(ordering_admits(&o, x, (struct ordering_moment){ORDERING_BIT(a) | ORDERING_BIT(c), ORDERING_BIT(a)}));
  ordering_unmet_text(&o, x, (struct ordering_moment){ORDERING_BIT(a), 0}, text, sizeof text);
  assert_string_equal(text, "[a], whose thread is not blocked; b, which has not happened; c, which has not happened");
}

static void events_are_known_by_name_and_thread(void **unused)
{
  (void)unused;
  struct ordering o = parsed("a@t -> b, a@u -> b, start@t -> c, c -> end@t");
  unsigned of_t = ordering_event_of(&o, ORDERING_MARK, "a", "t"), of_u = ordering_event_of(&o, ORDERING_MARK, "a", "u");
  assert_true(of_t && of_u && of_t != of_u);
  assert_int_equal(ordering_event_of(&o, ORDERING_MARK, "a", "v"), 0);
  assert_int_equal(ordering_event_of(&o, ORDERING_MARK, "a", NULL), 0);
  assert_int_equal(ordering_event_of(&o, ORDERING_MARK, "b", "v"), ordering_event_of(&o, ORDERING_MARK, "b", NULL));
  assert_int_equal(ordering_event_of(&o, ORDERING_MARK, "start", "t"), 0);
  assert_true(ordering_event_of(&o, ORDERING_START, NULL, "t"));
  assert_int_equal(ordering_event_of(&o, ORDERING_START, NULL, "u"), 0);
  assert_int_equal(ordering_event_of(&o, ORDERING_END, NULL, NULL), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_mean_what_they_say),           cmocka_unit_test(errors_say_where_and_why),
      cmocka_unit_test(there_is_an_end_to_everything),      cmocka_unit_test(conditions_are_boolean),
      cmocka_unit_test(a_bracket_wants_the_thread_blocked), cmocka_unit_test(events_are_known_by_name_and_thread),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
