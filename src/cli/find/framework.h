/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs made with a test framework: which one it is, what tests there are, and how one of them is run alone.
 *
 * GoogleTest is asked by arguments; for the others the runtime lists and selects (worlds/threads/framework/testing.h),
 * told through the configuration of the session.
 */
#ifndef HEDDLE_CLI_FRAMEWORK_H
#define HEDDLE_CLI_FRAMEWORK_H

#include "cli/option/options.h"
#include "core/control.h"
#include <stdbool.h>
#include <stddef.h>

struct listed_test {
  char *name;
  char *left_out; /* why it cannot be run here; NULL: it can */
};

struct test_list {
  enum test_framework framework;
  struct listed_test *tests;
  size_t count;
};

/* As the framework itself is written. */
extern const char *const framework_title[FRAMEWORK_COUNT];

/* Finds out the framework of the program of the options, starts the program once, and lists its tests; at least one is
 * there. Returns 0, or the exit status; an error was printed. */
int list_tests(struct test_list *list, const struct options *options);
void test_list_free(struct test_list *list);

/* The program's own arguments and those that choose a test. Must not be moved. */
struct test_arguments {
  char **words; /* malloc'ed; the strings are borrowed */
  size_t count;
  char filter[TEST_NAME_SIZE + 32];
};

/* test NULL: those that list all. False when there is no memory. */
bool test_arguments_make(struct test_arguments *arguments, enum test_framework framework, const char *test,
                         const struct options *options);

#endif
