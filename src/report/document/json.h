/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON document of --json, with jansson. Keys are part of the command line's contract: they may be added to, not
 * renamed. Nothing here decides or computes but the rate.
 */
#ifndef HEDDLE_REPORT_JSON_H
#define HEDDLE_REPORT_JSON_H

#include "core/planned.h"
#include "report/document/coverage_document.h"
#include "report/document/predictions.h"
#include "report/page/pace.h"
#include "report/story/story.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One bug. Its message, place and threads are taken from the story. */
struct json_bug {
  const struct story *story; /* story->bug must be set; story->schedule is the path of the .hd file, NULL for none */
  uint64_t preemptions;      /* of the schedule that was written */
  bool replayed;             /* shown again in a fresh process */
  bool known;                /* it is in the baseline; false: no key */
  int64_t first_seen;        /* by an earlier search: milliseconds since 1970; 0: no key */
  const char *blame;         /* which switch is to blame: a JSON object (blame_text.h); NULL: no key */
  const char *minimised;     /* the smallest test that fails: a JSON object (minimised.h); NULL: no key */
};

/* Of all executions there are. */
struct json_estimate {
  bool known; /* false: all numbers are written as 0, with "known": false */
  double executions, low, high;
};

/* What was changed since a revision (--changed). */
struct json_changed {
  char *revision;
  char *base; /* the commit it was compared with */
  const char *heuristic;
  char **points; /* unit:function:line:field, each * where any will do */
  size_t point_count;
};

struct json_document {
  const char *version; /* of heddle */
  const char *command; /* "explore" */
  const char *program;
  const char *const *args; /* of the program; may be NULL */
  size_t arg_count;
  const char *strategy;
  const struct json_changed *changed; /* what was looked at first; NULL: no key */
  const char *equivalence; /* what was taken for the same, if that is not the order of all that depends; NULL: no key */
  const char *reset;       /* the mode in use */
  const char *reset_reason; /* why not the one before it; NULL: no key */
  uint64_t seed;
  uint64_t executions; /* complete ones */
  uint64_t blocked_executions;
  double asking;           /* seconds to find out what to run next; 0: that is not measured */
  struct planned planned;  /* no executions: no key */
  uint64_t cut_executions; /* that heddle ended itself; they prove nothing */
  bool complete;
  uint64_t losses;   /* why not, beside the time: a set of LOST_* (core/loss.h) */
  bool found_before; /* why not, too: a bug that was told before the search was resumed; false: no key */
  bool instrumented;
  const char *unseen_modules; /* without memory hooks, separated by ", "; NULL or empty: no key */
  uint64_t steps;
  double seconds;
  struct json_estimate estimate;
  const struct json_bug *bugs;
  size_t bug_count;
  uint64_t suppressed;                        /* bugs that are not among them; 0: no key */
  const struct pace *pace;                    /* NULL: no key */
  const struct predictions_view *predictions; /* NULL: no key */
  const struct coverage_view *coverage;       /* NULL: no keys */
  const char *error;                          /* why heddle could not do it; NULL: no key */
};

/* The document as text, malloc'ed, with a final newline; NULL when there is no memory. Text that is no UTF-8 is
 * escaped, numbers that are no numbers become 0. */
char *json_format(const struct json_document *document);

/* One bug as it stands in a document; the same. */
char *json_bug_text(const struct json_bug *bug);

/* Writes it to a file, atomically; "-" is standard output. False with one line in error. */
bool json_write(const struct json_document *document, const char *path, char *error, size_t error_size);

#endif
