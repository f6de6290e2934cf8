/* SPDX-License-Identifier: Apache-2.0
 *
 * Check: tests are added to a test case by one function of its library, and a failed check calls another one. Both are
 * ours here. Where the library is linked statically the dynamic linker does not lead to us, so heddle cc links with
 * --wrap for both names, and the definitions in the program are reached through its dynamic symbols, which the static
 * linker leaves there because we define them too.
 */
#include "core/without_libc.h"
#include "worlds/threads/framework/testing.h"
#include "worlds/threads/process/next_symbol.h"
#include "worlds/threads/runtime.h"
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct check_case { /* the beginning of struct TCase, in check_impl.h */
  const char *name;
};

struct check_test { /* TTest, as in check.h */
  const char *name;
  void (*function)(int);
  const char *file;
  int line;
};

typedef void add_function(struct check_case *tests, const struct check_test *test, int signal, int status, int start,
                          int end);
typedef void fail_function(const char *file, int line, const char *expression, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Under their own names they would be the program's, even here. */
static add_function add_test;
static fail_function check_failed;

/* The library's own: in the program, or in a library behind us. */
static void *library_symbol(const char *name, void *ours)
{
  void *found = find_symbol(RTLD_DEFAULT, name);
  return found && found != ours ? found : real_symbol(name);
}

static void add_test(struct check_case *tests, const struct check_test *test, int signal, int status, int start,
                     int end)
{
  if (testing() == FRAMEWORK_CHECK) {
    if (signal || status) {
      test_left_out(tests->name, test->name, "it is to die, and needs a process of its own for that");
      return;
    }
    if (!test_chosen(tests->name, test->name))
      return;
    setenv("CK_RUN_CASE", tests->name, 1); /* or the fixtures of all test cases would run */
  }
  add_function *real = (add_function *)library_symbol("_tcase_add_test", (void *)add_test);
  real(tests, test, signal, status, start, end);
}

EXPORT add_function _tcase_add_test __attribute__((alias("add_test")));
EXPORT add_function __wrap__tcase_add_test __attribute__((alias("add_test")));

/* What Check says of it: the expression, or a message that holds it already, or both. */
static _Noreturn void declare(const char *file, int line, const char *expression, const char *message, uintptr_t pc)
{
  static const char start[] = "Assertion '";
  char where[sizeof((struct bug *)0)->where], text[sizeof((struct bug *)0)->text];
  bool whole = !strncmp(message, start, strlen(start));
  print_text(where, sizeof where, "%s:%d", file, line);
  print_text(text, sizeof text, "%s%s%s", whole ? "" : expression, whole || !message[0] ? "" : ": ", message);
  if (text[0] == 'A')
    text[0] = 'a'; /* "assertion 'x == 2' failed" */
  assertion_failed(where, text, pc);
}

/* A bug in any execution, also in one that hd_explore() runs: from there is no way back to Check. */
static void check_failed(const char *file, int line, const char *expression, const char *format, ...)
{
  char message[512] = "";
  va_list args;
  va_start(args, format);
  if (format)
    vsnprintf(message, sizeof message, format, args);
  va_end(args);
  if (hd_self)
    declare(file, line, expression, message, CALLER());
  fail_function *real = (fail_function *)library_symbol("_ck_assert_failed", (void *)check_failed);
  real(file, line, expression, format ? "%s" : NULL, message);
}

EXPORT fail_function _ck_assert_failed __attribute__((alias("check_failed")));
EXPORT fail_function __wrap__ck_assert_failed __attribute__((alias("check_failed")));

/* ---- what Check does to the system ---- */

/* Check writes what a test tells it to a temporary file, which would have to be undone in the file system after each
 * execution. In memory it is undone like any descriptor; its name stays as it was given, and nothing has it. */
static bool is_message_file(const char *name)
{
  static const char end[] = "/check_XXXXXX";
  size_t length = strlen(name);
  return testing() == FRAMEWORK_CHECK && length >= strlen(end) && !strcmp(name + length - strlen(end), end);
}

EXPORT int mkstemp(char *name)
{
  return is_message_file(name) ? memfd_create("check", 0) : REAL(mkstemp)(name);
}

EXPORT int unlink(const char *name)
{
  return is_message_file(name) ? 0 : REAL(unlink)(name);
}
