/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps of a story as rows, and how wide their columns are, so that what is said at the end of a line is never cut.
 * Decides nothing else; of no concern outside the stories on a terminal.
 */
#ifndef HEDDLE_REPORT_STORY_COLUMNS_H
#define HEDDLE_REPORT_STORY_COLUMNS_H

#include "report/story/story.h"
#include "report/story/story_words.h"

#define INDENT 4 /* of sentences and rows */

struct story_row {
  size_t event, last; /* two, when it stands for several events alike */
  bool marked;        /* another thread than in the row before */
  bool preempted;     /* and the one before did not stop by itself */
  bool internal;      /* a plain access inside of a library: that it happens tells something, not with which value */
  unsigned times;
  uint64_t skipped; /* steps since the row before that are not told */
  const char *phrase;
  char name[THREAD_NAME_SIZE], place[PLACE_SIZE], object[OBJECT_SIZE], value[VALUE_SIZE], remark[128];
};

struct columns {
  unsigned name, place, phrase, object, value;
  bool lines; /* places are lines alone: all are of the file that the headline names */
};

/* Columns of the terminal, at least 60. */
unsigned story_width(const struct story *story);

struct columns measure_columns(const struct story *story, const struct story_row *rows, size_t count);

/* "bank.c:22", or ":22" where the file need not be said. */
const char *place_told(const char *place, const struct columns *columns);

#endif
