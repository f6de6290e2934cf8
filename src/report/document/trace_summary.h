/* SPDX-License-Identifier: Apache-2.0
 *
 * What was recorded, as JSON: threads and objects with the names they have from run to run, and how many events of each
 * kind there are. Keys may be added to, not renamed.
 */
#ifndef HEDDLE_REPORT_TRACE_SUMMARY_H
#define HEDDLE_REPORT_TRACE_SUMMARY_H

#include "predict/trace/trace.h"

/* Reads the trace to its end. The document as text, malloc'ed, with a final newline; NULL with one line in error. */
char *trace_summary_json(struct trace_reader *reader, const char *version, char *error, size_t error_size);

#endif
