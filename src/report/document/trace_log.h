/* SPDX-License-Identifier: Apache-2.0
 *
 * The trace log: every step of one execution, and what each thread was about to do when it ended. As text for a person,
 * as JSON for programs, and as the trace events that chrome://tracing and ui.perfetto.dev open. Unlike a story it
 * chooses nothing. It depends on the execution alone: neither times nor the way the program was put back to its start
 * are in it, so that the logs of two runs of a schedule can be compared byte by byte.
 *
 * The version grows when a reader of the old form could misread the new one. Printing cannot fail but for memory; the
 * caller checks ferror(out).
 */
#ifndef HEDDLE_REPORT_TRACE_LOG_H
#define HEDDLE_REPORT_TRACE_LOG_H

#include "report/story/story.h"
#include <stdbool.h>
#include <stdio.h>

#define TRACE_LOG_VERSION 1

enum trace_format { TRACE_BY_NAME, TRACE_TEXT, TRACE_JSON, TRACE_CHROME };

/* What was run. */
struct trace_origin {
  const char *program;
  const char *const *args;
  size_t arg_count;
  const char *schedule; /* path of the .hd file; NULL: none */
  const char *client;   /* its client (--client); NULL: none */
};

/* One line a step, in columns of the story's width and colour; without a headline. For a terminal. */
void trace_print(FILE *out, const struct story *story);

/* The format that the end of a file's name asks for: `.perfetto.json`, `.chrome.json`, `.json`, or any. */
enum trace_format trace_format_of(const char *path);

/* Whole files; the first by the name of its format. False: there is no memory. */
bool trace_write(FILE *out, enum trace_format format, const struct story *story, const struct trace_origin *origin);
bool trace_text(FILE *out, const struct story *story, const struct trace_origin *origin);
bool trace_json(FILE *out, const struct story *story, const struct trace_origin *origin);
bool trace_chrome(FILE *out, const struct story *story, const struct trace_origin *origin);

#endif
