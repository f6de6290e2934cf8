/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages: an execution to look at and step through in a browser, and an overview of a whole run. Each is one file that
 * needs no other and no network: a template, styles and scripts (src/report/page/) and the data as JSON in between.
 *
 * What is on a page depends on the execution alone, as in a trace log. Text that comes from the program is data in it,
 * never markup. Printing cannot fail but for memory; the caller checks ferror(out).
 */
#ifndef HEDDLE_REPORT_PAGE_H
#define HEDDLE_REPORT_PAGE_H

#include "report/document/json.h"
#include "report/document/trace_log.h"
#include "report/story/story.h"
#include <stdbool.h>
#include <stdio.h>

#define PAGE_EVENTS 250000 /* of a longer execution the last ones: the bug is at its end */

/* The page of one execution. False: there is no memory. */
bool page_write(FILE *out, const struct story *story, const struct trace_origin *origin);

/* A bug that an earlier search left in the same folder. */
struct overview_bug {
  const char *name, *kind, *message, *where, *state;
  int64_t last; /* seen, milliseconds since 1970 */
  bool page;    /* NAME.html is there */
};

/* What an overview shows. */
struct overview {
  const char *title;
  const char *document;     /* of --json, of a search or of many tests; pages and schedules lie next to the overview */
  const char *const *words; /* the command line, without `heddle` */
  size_t word_count;
  const struct overview_bug *known;
  size_t known_count;
};

bool overview_write(FILE *out, const struct overview *overview);

#endif
