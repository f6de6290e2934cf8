/* SPDX-License-Identifier: Apache-2.0
 *
 * What heddle minimise tells: the size of the test before and after, what that took, and the calls that are left; on a
 * terminal and as JSON. Keys of the document may be added to, not renamed.
 */
#ifndef HEDDLE_REPORT_MINIMISED_H
#define HEDDLE_REPORT_MINIMISED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct test_size {
  uint32_t threads, calls; /* calls of all threads together */
};

struct test_call {
  uint32_t thread, call;
  const char *operation;
  uint32_t a, b;
  const char *text, *where; /* of an ordinary program: the call as written, and its place; else NULL */
};

/* A function or a thread of an ordinary program that cannot be left out. */
struct test_stay {
  char *what;
  const char *why; /* a sentence without its end */
  char *where;
};

struct minimised {
  const char *program;
  const char *how; /* "guided", "uncontrolled", "random" */
  uint32_t lookahead, retries;
  const char *scope;
  uint64_t seed;
  const char *kind, *message, *where; /* of the failure; NULL: none was seen */
  uint64_t runs_to_fail;
  struct test_size before, after;
  const struct test_call *calls; /* that are left */
  size_t call_count;
  char *const *threads; /* of an ordinary program: names of those that are left, NULL for the others; else NULL */
  size_t thread_count;
  const struct test_stay *stays;
  size_t stay_count;
  uint64_t runs; /* of candidates */
  double seconds;
  bool complete;        /* nothing was left to try */
  bool replayed;        /* the reduced test failed again in a fresh process */
  const char *test;     /* the file that was written; NULL for none */
  const char *schedule; /* with which it fails; NULL for none */
  const char *bug;      /* the failure of that test, a JSON object (json.h); NULL: not seen */
};

/* The failure. */
void minimised_headline(FILE *out, const struct minimised *m);
/* What is left, below that. */
void minimised_print(FILE *out, const struct minimised *m);

/* The document as text, malloc'ed, with a final newline; NULL when there is no memory. */
char *minimised_json(const struct minimised *m);

/* What was left and what that took, as one JSON object, for the document of another command; the same. */
char *minimised_text(const struct minimised *m);

#endif
