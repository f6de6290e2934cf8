/* SPDX-License-Identifier: Apache-2.0
 *
 * The words of one step of a trace log, shared by its formats. Of no concern outside of them.
 */
#ifndef HEDDLE_REPORT_TRACE_LOG_LINE_H
#define HEDDLE_REPORT_TRACE_LOG_LINE_H

#include "report/document/build_json.h"
#include "report/document/trace_log.h"
#include "report/story/story_words.h"

struct trace_line {
  const struct trace_event *event;
  bool left; /* not performed: the thread stood before it at the end */
  char thread[THREAD_NAME_SIZE];
  char place[PLACE_SIZE];           /* "bank.c:22" */
  char phrase[48];                  /* "writes", "waits to lock", "about to write" */
  char object[OBJECT_SIZE];         /* may be empty, as the following ones */
  char result[VALUE_SIZE];          /* value read, or result of a call; of an update: value after it */
  char before[VALUE_SIZE];          /* of an update */
  char holder[THREAD_NAME_SIZE];    /* another thread, which holds the lock */
  char signal[32];                  /* in whose handler it is */
  const struct trace_event *source; /* of a message that it receives; NULL for none */
};

void trace_line_fill(const struct story *story, const struct trace_event *event, bool left, struct trace_line *line);

/* Columns of a line of text; begin with phrase = TRACE_PHRASE. */
struct trace_columns {
  unsigned name, place, phrase;
  bool in_words; /* how many others are about to access the same, for who does not know the log */
};
#define TRACE_PHRASE 8

/* Widens the columns so that these events fit. */
void trace_measure(const struct story *story, const struct trace_event *events, size_t count, bool left,
                   struct trace_columns *columns);

/* One line of the story's width and colour. */
void trace_print_line(FILE *out, const struct story *story, const struct trace_event *event, bool left,
                      const struct trace_columns *columns);

/* All of it, as an object. */
json_t *trace_line_value(const struct story *story, const struct trace_line *line, bool *good);

/* What was run, as the keys of a file's head. */
void trace_origin_keys(json_t *object, const struct trace_origin *origin, bool *good);

/* A process, with where it came from. */
json_t *process_value(const struct story *story, uint32_t process, const struct trace_origin *origin, bool *good);

/* The bug that the execution shows; null for none. */
json_t *trace_bug_value(const struct story *story, bool *good);

#endif
