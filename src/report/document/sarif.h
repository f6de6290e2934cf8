/* SPDX-License-Identifier: Apache-2.0
 *
 * SARIF 2.1.0, the format in which tools of code review and code scanning take findings (OASIS Standard, 27 March
 * 2020). It is made of the same data as the JSON document; one run holds the bugs of all its parts. Nothing here
 * decides or computes; texts are those of the stories.
 */
#ifndef HEDDLE_REPORT_SARIF_H
#define HEDDLE_REPORT_SARIF_H

#include "report/document/json.h"
#include <stddef.h>

/* What was looked at: one program, or one test of several. */
struct sarif_part {
  const char *test; /* its name; NULL when there is only one */
  const struct json_document *document;
};

struct sarif_log {
  const char *const *words; /* the command line, without "heddle" */
  size_t word_count;
  int status; /* exit status */
  const struct sarif_part *parts;
  size_t part_count;
};

/* The log as text, malloc'ed, with a final newline; NULL when there is no memory. Text that is no UTF-8 is escaped.
 * Paths below the current folder are relative to it (%SRCROOT%). */
char *sarif_format(const struct sarif_log *log);

#endif
