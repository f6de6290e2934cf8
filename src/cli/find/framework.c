/* SPDX-License-Identifier: Apache-2.0
 *
 * Test frameworks, see the header. A framework is known by strings that its library must contain, or that must name the
 * library, so that it is found in stripped programs too; nothing here looks at code.
 */
#include "cli/find/framework.h"
#include "cli/find/hunt.h"
#include "session/console.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const framework_title[FRAMEWORK_COUNT] = {"none", "cmocka", "Check", "Criterion", "GoogleTest"};

#define LIST_SECONDS 30.0

/* ---- which one ---- */

static const struct {
  enum test_framework framework;
  const char *text;
} marks[] = {
    {FRAMEWORK_CRITERION, "libcriterion.so"},   {FRAMEWORK_CMOCKA, "libcmocka.so"},
    {FRAMEWORK_CMOCKA, "CMOCKA_TEST_ABORT"},    {FRAMEWORK_CHECK, "libcheck.so"},
    {FRAMEWORK_CHECK, "CK_RUN_CASE"},           {FRAMEWORK_GOOGLETEST, "libgtest.so"},
    {FRAMEWORK_GOOGLETEST, "gtest_list_tests"},
};

static enum test_framework framework_in(const char *bytes, size_t size)
{
  for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
    if (memmem(bytes, size, marks[i].text, strlen(marks[i].text)))
      return marks[i].framework;
  return FRAMEWORK_NONE;
}

/* A library within the program is reached if heddle cc linked it (worlds/threads/framework/libcheck.c). */
static bool is_out_of_reach(enum test_framework framework, const char *bytes, size_t size)
{
  static const char wrapped[] = "__wrap__tcase_add_test", shared[] = "libcheck.so";
  return framework == FRAMEWORK_CHECK && !memmem(bytes, size, wrapped, strlen(wrapped)) &&
         !memmem(bytes, size, shared, strlen(shared));
}

static enum test_framework refuse(const struct target *target, enum test_framework framework)
{
  if (framework)
    console_error("%s has Check inside it and was not linked by heddle cc, so its tests cannot be run one by one; "
                  "link it with heddle cc, or check it as a whole: CK_FORK=no heddle check %s",
                  target->label, target->label);
  else
    console_error("%s is made with none of cmocka, Check, Criterion and GoogleTest; heddle check takes any program",
                  target->label);
  return FRAMEWORK_NONE;
}

/* FRAMEWORK_NONE: an error was printed. */
static enum test_framework framework_of(const struct target *target)
{
  struct stat st;
  int fd = open(target->path, O_RDONLY | O_CLOEXEC);
  void *bytes =
      fd >= 0 && fstat(fd, &st) == 0 ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  if (bytes == MAP_FAILED)
    console_error("%s cannot be read: %s", target->label, strerror(errno));
  if (fd >= 0)
    close(fd);
  if (bytes == MAP_FAILED)
    return FRAMEWORK_NONE;
  enum test_framework framework = framework_in(bytes, (size_t)st.st_size);
  bool usable = framework && !is_out_of_reach(framework, bytes, (size_t)st.st_size);
  munmap(bytes, (size_t)st.st_size);
  return usable ? framework : refuse(target, framework);
}

/* ---- what tests ---- */

static bool add_test(struct test_list *list, const char *name, const char *left_out)
{
  for (size_t i = 0; i < list->count; i++) /* a name stands for all tests that have it */
    if (!strcmp(list->tests[i].name, name))
      return true;
  struct listed_test *grown = realloc(list->tests, (list->count + 1) * sizeof *grown);
  if (!grown)
    return false;
  list->tests = grown;
  struct listed_test *test = &grown[list->count];
  test->name = strdup(name);
  test->left_out = left_out ? strdup(left_out) : NULL;
  list->count++;
  return test->name && (!left_out || test->left_out) && strlen(name) < TEST_NAME_SIZE;
}

/* A line of the runtime. */
static bool read_listed(struct test_list *list, char *line)
{
  char *why = strchr(line, '\t');
  if (line[0] == TEST_LISTED)
    return add_test(list, line + 1, NULL);
  if (line[0] != TEST_LEFT_OUT || !why)
    return true;
  *why = 0;
  return add_test(list, line + 1, why + 1);
}

/* "Suite.", then its tests, indented: "  Test" or "  Test/0  # GetParam() = 3". */
static bool read_googletest(struct test_list *list, char *line, char suite[TEST_NAME_SIZE])
{
  char name[2 * TEST_NAME_SIZE];
  char *comment = strstr(line, "  # ");
  if (comment)
    *comment = 0;
  size_t length = strlen(line);
  if (line[0] != ' ') {
    bool is_suite = length > 1 && line[length - 1] == '.' && !strpbrk(line, " \t");
    snprintf(suite, TEST_NAME_SIZE, "%s", is_suite ? line : "");
    return true;
  }
  if (strncmp(line, "  ", 2) || strchr(line + 2, ' ') || !*suite)
    return true;
  snprintf(name, sizeof name, "%s%s", suite, line + 2);
  return add_test(list, name, strstr(name, "DISABLED_") ? "it is disabled" : NULL);
}

static bool read_list(struct test_list *list, char *text)
{
  char suite[TEST_NAME_SIZE] = "";
  bool good = true;
  for (char *rest = text, *line; good && (line = strsep(&rest, "\n"));)
    good = list->framework == FRAMEWORK_GOOGLETEST ? read_googletest(list, line, suite) : read_listed(list, line);
  return good;
}

static int print_no_tests(const struct test_list *list, const struct target *target)
{
  console_error("%s names no test, though it is made with %s; heddle check %s runs it as a whole", target->label,
                framework_title[list->framework], target->label);
  return STATUS_USAGE;
}

static int print_failure(struct hunt *hunt, const struct session_result *result)
{
  char message[512], where[256];
  hunt->symbols = symbols_open(hunt->target.path, message, sizeof message);
  symbols_from_control(hunt->symbols, result->control);
  struct story story = {.bug = &result->bugs[0].bug, .symbols = hunt->symbols};
  bug_message(&story, message, sizeof message);
  bug_where(&story, where, sizeof where);
  console_error("%s failed while its tests were listed: %s%s%s (see heddle check %s)", hunt->target.label, message,
                *where ? ", " : "", where, hunt->target.label);
  return STATUS_FAILED;
}

static int read_session(struct test_list *list, struct hunt *hunt, const struct session_result *result)
{
  const struct control *control = result->control;
  if (result->end == SESSION_INTERRUPTED) {
    console_error("interrupted");
    return STATUS_FAILED;
  }
  if (result->bug_count)
    return print_failure(hunt, result);
  if (result->end != SESSION_DONE || !result->executions || !control)
    return hunt_finish(hunt, result);
  uint64_t bytes = control->output_bytes < CONTROL_SIZE_OF(OUTPUT) ? control->output_bytes : CONTROL_SIZE_OF(OUTPUT);
  char *text = strndup(CONTROL_AT(control, CONTROL_OUTPUT_OFFSET), bytes);
  bool good = text && read_list(list, text);
  free(text);
  if (!good)
    console_error("the tests of %s cannot be listed: a name is too long, or no memory is left", hunt->target.label);
  return !good ? STATUS_FAILED : list->count ? 0 : print_no_tests(list, &hunt->target);
}

bool test_arguments_make(struct test_arguments *arguments, enum test_framework framework, const char *test,
                         const struct options *options)
{
  static char listing[] = "--gtest_list_tests", plain[] = "--gtest_color=no", stopping[] = "--gtest_break_on_failure",
              letting_through[] = "--gtest_catch_exceptions=0";
  char **words = calloc(options->arg_count + 5, sizeof *words);
  *arguments = (struct test_arguments){.words = words, .count = options->arg_count};
  if (!words)
    return false;
  if (options->arg_count)
    memcpy(words, options->args, options->arg_count * sizeof *words);
  if (framework != FRAMEWORK_GOOGLETEST)
    return true;
  snprintf(arguments->filter, sizeof arguments->filter, "--gtest_filter=%s", test ? test : "*");
  char *const own[] = {arguments->filter, plain, stopping, test ? letting_through : listing};
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
    words[arguments->count++] = own[i];
  return true;
}

/* One execution in which names are told instead of tests run. */
static int run_listing(struct test_list *list, struct hunt *hunt)
{
  struct session_result result;
  hunt->config.framework = list->framework;
  hunt->config.list_tests = 1;
  hunt->config.strategy = STRATEGY_rr;
  hunt->config.races = hunt->config.leaks = RACES_IGNORE;
  hunt->config.exit_status = EXIT_STATUS_ANY;
  hunt_search(hunt, 1, LIST_SECONDS, &result);
  int status = read_session(list, hunt, &result);
  session_free(&result);
  return status;
}

int list_tests(struct test_list *list, const struct options *options)
{
  struct options own = *options;
  struct hunt hunt;
  struct test_arguments arguments;
  *list = (struct test_list){0};
  own.json = NULL;
  own.jobs = 1;
  own.output = OUTPUT_NONE;
  int status = hunt_open(&hunt, "test", &own, false);
  if (status)
    return status;
  status = STATUS_USAGE;
  list->framework = framework_of(&hunt.target);
  if (!test_arguments_make(&arguments, list->framework, NULL, &own)) {
    console_error("no memory left");
    status = STATUS_FAILED;
  } else if (list->framework) {
    hunt.target.args = arguments.words;
    hunt.target.arg_count = arguments.count;
    status = run_listing(list, &hunt);
  }
  hunt_close(&hunt);
  free(arguments.words);
  if (status)
    test_list_free(list);
  return status;
}

void test_list_free(struct test_list *list)
{
  for (size_t i = 0; i < list->count; i++) {
    free(list->tests[i].name);
    free(list->tests[i].left_out);
  }
  free(list->tests);
  *list = (struct test_list){0};
}
