/* SPDX-License-Identifier: Apache-2.0
 *
 * Specifications of properties: what is read, and, of wrong ones, the place and the sentence.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/property_code.h"
#include "language/property_spec.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct spec spec;

#define EVENTS "event a before() : call(f(..)) {}\nevent b before() : call(g(..)) {}\n"

static const struct {
  unsigned line, column;
  const char *error, *text;
} wrong[] = {
    {1, 1, "expected the name of a property, found \"(\"", "(list_t *l) {}"},
    {1, 3, "expected \"(\", found \"{\"", "P { ere: a @fail {} }"},
    {1, 7, "expected a type and a name, found \")\"", "P(list) { }"},
    {1, 11, "\"x\" is there twice", "P(int *x, long x) { }"},
    {1, 31, "there are more than 4 parameters", "P(T *a, T *b, T *c, T *d,     T *e) {}"},
    {1, 12, "values cannot be of type float or double", "P(double   x) {}"},
    {1, 1, "\"P\" has no events", "P() { ere: a @fail {} }"},
    {2, 35, "expected an event, or the property, as in \"ere:\", found \"}\"",
     "P() {\nevent a before() : call(f(..)) {} }"},
    {2, 7, "expected the name of the event, found \"before\"", "P() {\nevent \"before\" before() : call(f(..)) {} }"},
    {2, 9, "expected \"before\" or \"after\", found \"(\"", "P() {\nevent a () : call(f(..)) {} }"},
    {2, 18, "what a function returns is not known before its call; the event must be \"after\"",
     "P() {\nevent a before() returning(int x) : call(f(..)) {} }"},
    {2, 18, "expected \":\", found \"call\"", "P() {\nevent a before() call(f(..)) {} }"},
    {2, 20, "expected where the event happens, as in call(f(..)), found \"{\"", "P() {\nevent a before() : {} }"},
    {2, 20,
     "\"within\" is not known; events are told by call, mark, access, read, write, lock, unlock, threadStart, "
     "threadEnd, "
     "target, arg, thread, signal, condition, threadName and threadBlocked",
     "P() {\nevent a before() : within(f) {} }"},
    {2, 25, "expected the name of a variable, found \"1\"", "P() {\nevent a before() : read(1) {} }"},
    {2, 32, "expected the name of a variable, found \")\"", "P() {\nevent a before() : write(queue.) {} }"},
    {2, 26, "an access of a variable is an event before it happens; the event must be \"before\"",
     "P() {\nevent a after() : access(x) {} }"},
    {2, 25, "expected the name of a function, perhaps with \"*\" in it, and \"(..)\"",
     "P() {\nevent a before() : call(void f(..)) {} }"},
    {2, 26, "expected \"(\", found the end of the text", "P() {\nevent a before() : call(f"},
    {2, 47, "\"y\" is no value of this event", "P() {\nevent a before(int x) : call(f(..)) && target(y) {} }"},
    {2, 44, "arguments are numbered from 1 to 6", "P() {\nevent a before(int x) : call(f(..)) && arg(7, x) {} }"},
    {2, 58, "\"x\" is what the function returns",
     "P() {\nevent a after() returning(int x) : call(f(..)) && target(x) {} }"},
    {2, 45, "\"z\" is neither a value of this event nor a variable of the monitor",
     "P() {\nevent a before() : call(f(..)) && condition(z > 0) {} }"},
    {2, 50, "expected an expression, found \")\"", "P() {\nevent a before() : call(f(..)) && condition(1 >  ) {} }"},
    {2, 45, "\"0x\" is no number that fits into 64 bits",
     "P() {\nevent a before() : call(f(..)) && condition(0x == 1) {} }"},
    {2, 46, "expected the name of a thread, found \"main\"",
     "P() {\nevent a before() : call(f(..)) && threadName(main) {} }"},
    {2, 35, "threadBlocked() holds a thread back; write \"enforce\" before the property",
     "P() {\nevent a before() : call(f(..)) && threadBlocked(t) {} }"},
    {2, 34, "\"n\" is no variable of the monitor, so nothing can be assigned to it",
     "P() {\nevent a before() : call(f(..)) { n = 1; } }"},
    {3, 36, "expected \"=\", \"+=\", \"-=\", \"++\" or \"--\", found \"==\"",
     "P() { long n;\n\nevent a before() : call(f(..)) { n == 1; } }"},
    {2, 1, "only numbers, pointers and names of threads, as in \"char name[16]\", can be variables",
     "P() {\nint name [20]; }"},
    {2, 17, "expected \"\": who it names is said by mop_self_name(), found \"main\"",
     "P() {\nchar name[20] = \"main\"; }"},
    {3, 48, "mop_self_name() is for a variable of the monitor",
     "P() {\nchar n[20] = \"\";\nevent a before() : call(f(..)) { mop_self_name(m); } ere: a @fail {} }"},
    {2, 49, "the name of a thread has 1 to 15 characters",
     "enforce P() {\nevent a before() : call(f(..)) && threadBlocked(\"\") {} ere: a @nonfail {} }"},
    {2, 49, "\"t\" is neither a value of this event nor a variable of the monitor",
     "enforce P() {\nevent a before() : call(f(..)) && threadBlocked(t) {} ere: a @nonfail {} }"},
    {2, 10, "expected a number, found \"x\"", "P() {\nlong n = x; }"},
    {3, 7, "there are two events \"a\"",
     "P() {\nevent a before() : call(f(..)) {}\nevent a before() : call(g(..)) {}\nere: a @fail {} }"},
    {2, 7, "\"U\" is a word of the formalisms, so no event can be called so",
     "P() {\nevent U before() : call(f(..)) {}\nere: U @fail {} }"},
    {4, 8, "there is no event \"c\"; there are: a, b", "P() {\n" EVENTS "ere: a c @fail {} }"},
    {4, 12, "expected \")\", found \"@\"", "P() {\n" EVENTS "ere: ( a b @fail {} }"},
    {4, 8, "expected a handler, as in \"@fail {}\", found \")\"", "P() {\n" EVENTS "ere: a ) @fail {} }"},
    {4, 6, "\"<*>\" speaks of the past; this formula, \"ltl\", is of the future",
     "P() {\n" EVENTS "ltl: <*> a @violation {} }"},
    {4, 10, "\"U\" speaks of the future; this formula, \"ptltl\", is of the past",
     "P() {\n" EVENTS "ptltl: a U b @violation {} }"},
    {4, 18, "event \"a\" leads from state \"s\" to two states",
     "P() {\n" EVENTS "fsm: s [ a -> s, a -> q ] q [] @fail {} }"},
    {4, 19, "state \"q\" is led to, but not described", "P() {\n" EVENTS "fsm: s [ a -> q ] @fail {} }"},
    {4, 12, "state \"s\" is described twice", "P() {\n" EVENTS "fsm: s [ ] s [] @fail {} }"},
    {4, 27, "there is no state \"q\"", "P() {\n" EVENTS "fsm: s [] alias nothing = q @nothing {} }"},
    {4, 6, "\"a\" is an event, so it cannot stand on the left side of a production",
     "P() {\n" EVENTS "cfg: a -> b @fail {} }"},
    {4, 11, "expected an event, a nonterminal or \"epsilon\", found \"|\"",
     "P() {\n" EVENTS "cfg: S -> | a @fail {} }"},
    {4, 11, "there is no event \"T\"; there are: a, b", "P() {\n" EVENTS "cfg: S -> T a @fail {} }"},
    {4, 12, "after \"#\" there can only be \"epsilon\", \"fail\" or \"succeed\"",
     "P() {\n" EVENTS "srs: a -> #none . @fail {} }"},
    {4, 19, "expected \".\", found \"@\"", "P() {\n" EVENTS "srs: a b -> #fail @fail {} }"},
    {4, 10, "\"match\" is no category of fsm; these are: fail", "P() {\n" EVENTS "fsm: s[]@match {} }"},
    {4, 9,
     "the first event leads to \"nonfail\"; write \"enforce\" before the property if it must never be left, or "
     "\"@fail\"",
     "P() {\n" EVENTS "ere: a @nonfail {} }"},
    {4, 18, "a property has one handler, beside \"@deadlock\"", "P() {\n" EVENTS "ere: a @fail {} @match {} }"},
    {4, 9, "\"@deadlock\" is for properties that are enforced", "P() {\n" EVENTS "ere: a @deadlock {} }"},
    {4, 16,
     "expected a message, as in { \"closed twice\" }, \"call\" and a function, \"lua\" and a script, or \"}\", found "
     "\"abort\"",
     "P() {\n" EVENTS "ere: a @fail { abort(); } }"},
    {4, 8, "\"P\" has no handler that says which category is meant, as in \"@fail {}\"", "P() {\n" EVENTS "ere: a }"},
    {4, 17, "expected \"}\", found the end of the text", "P() {\n" EVENTS "ere: a @fail {} "},
};

static void wrong_ones(void **unused)
{
  (void)unused;
  unsigned failed = 0;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct tokens t;
    tokens_begin(&t, wrong[i].text, COMMENTS_LIKE_C);
    assert_false(spec_read(&t, &spec));
    if (t.error.line != wrong[i].line || t.error.column != wrong[i].column || strcmp(t.error.text, wrong[i].error)) {
      print_message("%s\n  says %u:%u: %s\n", wrong[i].text, t.error.line, t.error.column, t.error.text);
      failed++;
    }
  }
  assert_int_equal(failed, 0);
  assert_true(sizeof wrong / sizeof *wrong >= 40);
}

/* As deep as it gets, each ends with a sentence and not with a full stack. */
static void deep_ones(void **unused)
{
  (void)unused;
  static const char *const begins[] = {"P() { event a before() : ", "P() {" EVENTS "ere: ", "P() {" EVENTS "ltl: ",
                                       "P() { event a before() : call(f(..)) && condition(",
                                       "P() { long n; event a before() : call(f(..)) { "};
  static const char *const repeated[] = {"(", "~", "! [] ", "- ", "if (n) "};
  for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
    size_t length = strlen(begins[i]), unit = strlen(repeated[i]), count = 1000000;
    char *text = malloc(length + count * unit + 1);
    memcpy(text, begins[i], length);
    for (size_t k = 0; k < count; k++)
      memcpy(text + length + k * unit, repeated[i], unit);
    text[length + count * unit] = 0;
    struct tokens t;
    tokens_begin(&t, text, COMMENTS_LIKE_C);
    assert_false(spec_read(&t, &spec));
    assert_string_equal(t.error.text, "this is nested too deeply");
    free(text);
  }
}

static void read_right(const char *text)
{
  struct tokens t;
  tokens_begin(&t, text, COMMENTS_LIKE_C);
  if (!spec_read(&t, &spec))
    fail_msg("%u:%u: %s", t.error.line, t.error.column, t.error.text);
}

static void safe_iteration(void **unused)
{
  (void)unused;
  read_right("enforce SafeIteration(list_t *l, iter_t *i) {\n"
             "creation event create after(list_t *l) returning(iter_t *i) : call(iter_new(..)) && target(l) {}\n"
             "event modify before(list_t *l) : (call(list_add*(..)) || call(list_remove*(..)) || call(list_clear(..)))"
             " && target(l) {}\n"
             "event next before(iter_t *i) : call(iter_next(..)) && target(i) {}\n"
             "event done after(iter_t *i) returning(int b) : call(iter_has_next(..)) && target(i) && condition(!b) {}\n"
             "fsm: na [ create -> init ]  init [ next -> unsafe  done -> safe ]\n"
             "unsafe [ next -> unsafe  done -> safe ]  safe [ modify -> safe  done -> safe  next -> safe ]\n"
             "@nonfail {}   @deadlock { \"deadlock\" } }");
  assert_true(spec.enforced);
  assert_int_equal(spec.parameters, 2);
  assert_true(spec.parameter[1].is_pointer);
  assert_int_equal(spec.events, 4);
  assert_true(spec.event[0].creation && spec.event[0].after && spec.event[0].returned[1]);
  assert_false(spec.event[1].creation);
  assert_int_equal(spec.event[3].value[1].width, 4);
  assert_int_equal(spec.states, 4);
  assert_int_equal(spec.arrows, 8);
  assert_int_equal(spec.reach, CATEGORY_FAIL);
  assert_int_equal(spec.leave, 0);
}

static void code(void **unused)
{
  (void)unused;
  read_right("P(int *x) { long n = 3; long m;\n"
             "event a before(int *x, unsigned char c, unsigned long u) : call(f(..)) && target(x) && arg(2, c) && "
             "arg(3, u) && condition(c * 2 + 1 == 7 && !(n < 2 || u - 1 > 5)) { if (c > 1) n += c; m = n - -1; m--; }\n"
             "ere: a @fail {} }");
  assert_int_equal(spec.event[0].value[1].width, 1);
  assert_false(spec.event[0].value[1].is_signed);
  assert_int_equal(spec.event[0].value[2].width, 8);
  const struct point *condition = NULL;
  for (uint32_t i = 0; i < spec.points; i++)
    if (spec.point[i].kind == POINT_CONDITION)
      condition = &spec.point[i];
  assert_non_null(condition);
  assert_true(condition->uses_variables);
  int64_t variable[] = {3, 0}, value[] = {0, 3, 6};
  assert_int_equal(property_code_run(&spec.code[condition->code], value, variable), 1);
  value[2] = 7;
  assert_int_equal(property_code_run(&spec.code[condition->code], value, variable), 0);
  property_code_run(&spec.code[spec.event[0].body], value, variable);
  assert_int_equal(variable[0], 6);
  assert_int_equal(variable[1], 6);
  value[1] = 1;
  property_code_run(&spec.code[spec.event[0].body], value, variable);
  assert_int_equal(variable[0], 6);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(wrong_ones), cmocka_unit_test(deep_ones),
                                     cmocka_unit_test(safe_iteration), cmocka_unit_test(code)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
