/* SPDX-License-Identifier: Apache-2.0
 *
 * What heddle estimate tells: the techniques side by side, as a table and as JSON, and the tables of allocation
 * policies. Keys of the JSON document may be added to, not renamed. Nothing here estimates.
 */
#ifndef HEDDLE_REPORT_ESTIMATE_DOCUMENT_H
#define HEDDLE_REPORT_ESTIMATE_DOCUMENT_H

#include "estimate/allocate.h"
#include "estimate/evaluate.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

void evaluation_print(FILE *out, const char *trace, const struct evaluation *evaluation);

/* The document as text, malloc'ed, with a final newline; NULL when there is no memory. */
char *evaluation_json(const char *trace, const struct evaluation *evaluation);

/* Simulates the policies over the tests (at least one, each of a length above 0) and prints what came of it. False: no
 * memory. */
bool allocation_print(FILE *out, const struct recorded_test *tests, size_t count);

#endif
