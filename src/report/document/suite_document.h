/* SPDX-License-Identifier: Apache-2.0
 *
 * What heddle suite and heddle test tell of many tests: a table or a line for each, TAP version 13, JUnit XML, JSON.
 * Keys of the JSON document may be added to, not renamed. Nothing here decides.
 */
#ifndef HEDDLE_REPORT_SUITE_DOCUMENT_H
#define HEDDLE_REPORT_SUITE_DOCUMENT_H

#include "report/document/json.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Of a test. Complete and incomplete are an exhaustive search's, passed and skipped those of a sampling one. */
enum suite_verdict {
  SUITE_COMPLETE,
  SUITE_BUG,
  SUITE_INCOMPLETE,
  SUITE_ERROR,
  SUITE_PASSED,
  SUITE_SKIPPED,
  SUITE_VERDICTS
};

extern const char *const suite_verdict_name[SUITE_VERDICTS];

struct suite_test {
  const char *name;
  enum suite_verdict verdict;
  char remark[1024];             /* the bug, the error, what limits the verdict; empty for nothing */
  uint64_t slices;               /* of time it got */
  struct json_document document; /* what heddle explore would have written of it */
};

struct suite_report {
  const char *command;   /* "suite" or "test" */
  const char *file;      /* the list of tests, or the program that has them */
  const char *framework; /* test only */
  const char *policy;    /* suite only, and its budget */
  double budget, seconds;
  bool interrupted;
  struct suite_test *tests;
  size_t count;
};

/* The part of the test's executions that was run, by the estimate, from 0 to 1. */
double suite_share(const struct suite_test *test);

size_t suite_count(const struct suite_report *report, enum suite_verdict verdict);

/* Columns and colour as in struct story. */
void suite_table(FILE *out, const struct suite_report *report, unsigned width, bool colour);

/* For test, when it is over: "ok      Queue.TakesInOrder  1,000 executions in 34 ms"; and the last line. name_columns
 * is the width of the longest name. */
void suite_line(FILE *out, const struct suite_test *test, unsigned name_columns, unsigned width, bool colour);
void suite_summary(FILE *out, const struct suite_report *report, bool colour);

/* TAP: the plan, then each test when it is over; or all at once. */
void suite_tap_plan(FILE *out, size_t count);
void suite_tap_point(FILE *out, const struct suite_test *test, size_t number);
void suite_tap(FILE *out, const struct suite_report *report);

void suite_junit(FILE *out, const struct suite_report *report);

/* The document as text, malloc'ed, with a final newline; NULL when there is no memory. */
char *suite_json(const struct suite_report *report);

#endif
