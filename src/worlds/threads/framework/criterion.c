/* SPDX-License-Identifier: Apache-2.0
 *
 * Criterion: its runner gives each test a fresh process, where nothing is controlled. So in a session about a test the
 * functions of its library that run tests and take the results of their checks are ours: the test runs here, within
 * its fixtures, and a failed check is the bug. The structures are those of Criterion 2.4; reading them is all that is
 * done with them.
 */
#include "core/without_libc.h"
#include "worlds/threads/framework/testing.h"
#include "worlds/threads/runtime.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NORMAL_TEST };

struct extra_data { /* struct criterion_test_extra_data in criterion/types.h, and so on */
  int sentinel, compiler, language, kind;
  void *parameters;
  const char *identifier, *file;
  unsigned line;
  void (*init)(void);
  void (*fini)(void);
  int signal, exit_code;
  bool disabled;
};

struct test {
  const char *name, *category;
  void (*run)(void);
  struct extra_data *data;
};

struct suite {
  const char *name;
  struct extra_data *data;
};

struct node { /* of an ordered set; the element follows it */
  struct node *next;
};

struct set {
  struct node *first;
};

struct suite_tests {
  struct suite suite;
  struct set *tests;
};

struct test_set {
  struct set *suites;
};

struct check { /* struct criterion_assert_stats */
  const char *message;
  bool passed;
  unsigned line;
  const char *file;
};

enum { RAW_VALUE, TEXT_VALUE };

struct value { /* struct cri_assert_param */
  const char *name;
  const char *text; /* of a TEXT_VALUE */
  int type;
};

struct check_tree { /* struct cri_assert_node */
  const char *expression;
  const char *message;
  struct value values[4];
  unsigned passed : 1;
  unsigned dynamic : 1;
  uint32_t children : 30;
  uint32_t room;
  struct check_tree *child;
};

struct test_set *criterion_initialize(void);
int criterion_handle_args(int argc, char **argv, bool unknown_are_errors);
int criterion_run_all_tests(struct test_set *set);
void criterion_finalize(struct test_set *set);
void criterion_internal_test_setup(void);
void criterion_internal_test_main(void (*body)(void));
void criterion_internal_test_teardown(void);
void criterion_send_assert(struct check *check);
void cri_assert_node_send(const char *file, size_t line, struct check_tree *tree);
void criterion_test_die(const char *format, ...) __attribute__((format(printf, 1, 2)));
void criterion_skip_test(const char *format, ...) __attribute__((format(printf, 1, 2)));
void criterion_abort_test(void);

static const struct suite_tests *running_suite; /* set before it is used, in every execution */
static const struct test *running;

/* ---- Criterion's main ---- */

static struct test_set *all_tests;

/* What Criterion does to its process and what it learns of the program is the same for every execution. */
void criterion_boot(void)
{
  if (optional_symbol("criterion_initialize")) /* else it only looked like a program of Criterion's */
    all_tests = REAL(criterion_initialize)();
}

IN_PLACE_OF(criterion_initialize, hd__criterion_initialize);
EXPORT struct test_set *hd__criterion_initialize(void)
{
  return testing() == FRAMEWORK_CRITERION ? all_tests : REAL(criterion_initialize)();
}

/* True: tests shall be run. */
IN_PLACE_OF(criterion_handle_args, hd__criterion_handle_args);
EXPORT int hd__criterion_handle_args(int argc, char **argv, bool unknown_are_errors)
{
  return testing() == FRAMEWORK_CRITERION || REAL(criterion_handle_args)(argc, argv, unknown_are_errors);
}

IN_PLACE_OF(criterion_finalize, hd__criterion_finalize);
EXPORT void hd__criterion_finalize(struct test_set *set)
{
  if (testing() != FRAMEWORK_CRITERION)
    REAL(criterion_finalize)(set);
}

/* ---- the test ---- */

static const char *reason_to_leave_out(const struct suite *suite, const struct test *test)
{
  if (test->data->disabled || (suite->data && suite->data->disabled))
    return "it is disabled";
  if (test->data->kind != NORMAL_TEST)
    return "it has parameters";
  if (test->data->signal || test->data->exit_code)
    return "it is to die, and needs a process of its own for that";
  return NULL;
}

static void run_or_list(const struct suite_tests *suite, const struct test *test)
{
  const char *reason = reason_to_leave_out(&suite->suite, test);
  if (reason) {
    test_left_out(suite->suite.name, test->name, reason);
  } else if (test_chosen(suite->suite.name, test->name)) {
    running_suite = suite;
    running = test;
    test->run();
  }
}

/* Returns whether all passed, as Criterion does. */
IN_PLACE_OF(criterion_run_all_tests, hd__criterion_run_all_tests);
EXPORT int hd__criterion_run_all_tests(struct test_set *set)
{
  if (testing() != FRAMEWORK_CRITERION)
    return REAL(criterion_run_all_tests)(set);
  for (const struct node *s = set->suites->first; s; s = s->next) {
    const struct suite_tests *suite = (const struct suite_tests *)(s + 1);
    for (const struct node *t = suite->tests->first; t; t = t->next)
      run_or_list(suite, (const struct test *)(t + 1));
  }
  return 1;
}

static void call(void (*fixture)(void))
{
  if (fixture)
    fixture();
}

/* These three are called by every test, in this order. */
IN_PLACE_OF(criterion_internal_test_setup, hd__criterion_internal_test_setup);
EXPORT void hd__criterion_internal_test_setup(void)
{
  if (testing() != FRAMEWORK_CRITERION) {
    REAL(criterion_internal_test_setup)();
    return;
  }
  call(running_suite->suite.data ? running_suite->suite.data->init : NULL);
  call(running->data->init);
}

IN_PLACE_OF(criterion_internal_test_main, hd__criterion_internal_test_main);
EXPORT void hd__criterion_internal_test_main(void (*body)(void))
{
  if (testing() == FRAMEWORK_CRITERION)
    body();
  else
    REAL(criterion_internal_test_main)(body);
}

IN_PLACE_OF(criterion_internal_test_teardown, hd__criterion_internal_test_teardown);
EXPORT void hd__criterion_internal_test_teardown(void)
{
  if (testing() != FRAMEWORK_CRITERION) {
    REAL(criterion_internal_test_teardown)();
    return;
  }
  call(running->data->fini);
  call(running_suite->suite.data ? running_suite->suite.data->fini : NULL);
}

/* ---- its checks ---- */

static _Noreturn void fail_at(const char *file, size_t line, const char *text, uintptr_t pc)
{
  char where[sizeof((struct bug *)0)->where];
  print_text(where, sizeof where, "%s:%zu", file, line);
  assertion_failed(where, text, pc);
}

IN_PLACE_OF(criterion_send_assert, hd__criterion_send_assert);
EXPORT void hd__criterion_send_assert(struct check *check)
{
  if (testing() != FRAMEWORK_CRITERION)
    REAL(criterion_send_assert)(check);
  else if (!check->passed)
    fail_at(check->file, check->line, check->message ? check->message : "", CALLER());
}

static void put(char *out, size_t size, const char *before, const char *text)
{
  size_t used = strlen(out);
  print_text(out + used, size - used, "%s%s", before, text);
}

/* "eq(int, x, 2): actual 1, expected 2", for each part of the check that failed. */
static void describe(char *out, size_t size, const struct check_tree *tree)
{
  const char *before = ": ";
  if (tree->expression && tree->expression[0])
    put(out, size, out[0] ? "; " : "", tree->expression);
  for (size_t i = 0; i < sizeof tree->values / sizeof *tree->values; i++) {
    const struct value *value = &tree->values[i];
    if (value->type != TEXT_VALUE || !value->name || !value->text)
      continue;
    put(out, size, before, value->name);
    put(out, size, " ", value->text);
    before = ", ";
  }
  for (uint32_t i = 0; i < tree->children; i++)
    if (!tree->child[i].passed)
      describe(out, size, &tree->child[i]);
}

/* Checks of criterion/new/assert.h: sent only when they fail. */
IN_PLACE_OF(cri_assert_node_send, hd__cri_assert_node_send);
EXPORT void hd__cri_assert_node_send(const char *file, size_t line, struct check_tree *tree)
{
  if (testing() != FRAMEWORK_CRITERION) {
    REAL(cri_assert_node_send)(file, line, tree);
    return;
  }
  char text[sizeof((struct bug *)0)->text] = "";
  if (tree->message)
    put(text, sizeof text, "", tree->message);
  describe(text, sizeof text, tree);
  fail_at(file, line, text, CALLER());
}

IN_PLACE_OF(criterion_test_die, hd__criterion_test_die);
EXPORT void hd__criterion_test_die(const char *format, ...)
{
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (testing() == FRAMEWORK_CRITERION)
    fail_at(running->data->file, running->data->line, text, CALLER());
  REAL(criterion_test_die)("%s", text);
}

/* A test that skips or gives up itself is over, without a verdict. */
IN_PLACE_OF(criterion_skip_test, hd__criterion_skip_test);
EXPORT void hd__criterion_skip_test(const char *format, ...)
{
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (testing() == FRAMEWORK_CRITERION)
    execution_exit(0);
  REAL(criterion_skip_test)("%s", text);
}

IN_PLACE_OF(criterion_abort_test, hd__criterion_abort_test);
EXPORT void hd__criterion_abort_test(void)
{
  if (testing() == FRAMEWORK_CRITERION)
    fail_at(running->data->file, running->data->line, "the test was aborted", CALLER());
  REAL(criterion_abort_test)();
}
