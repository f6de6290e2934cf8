/* SPDX-License-Identifier: Apache-2.0
 *
 * Building JSON documents with jansson: each step may fail for want of memory, so a flag is carried along and looked at
 * once, at the end. Text may come from anywhere. Long documents are written piece by piece: a head without its closing
 * brace, then arrays with one item a line. Of no concern outside the reports; knows nothing of what is in
 * them. */
#ifndef HEDDLE_REPORT_BUILD_JSON_H
#define HEDDLE_REPORT_BUILD_JSON_H

#include "report/story/story.h"
#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sets a key; a NULL value (no memory) marks the whole as failed. */
static inline void set(json_t *object, const char *key, json_t *value, bool *good)
{
  if (json_object_set_new(object, key, value) != 0)
    *good = false;
}

static inline void add(json_t *array, json_t *value, bool *good)
{
  if (json_array_append_new(array, value) != 0)
    *good = false;
}

/* A new array or object; marks the whole as failed when there is no memory. */
static inline json_t *container(json_t *fresh, bool *good)
{
  if (!fresh)
    *good = false;
  return fresh;
}

/* What is no UTF-8 is escaped. */
static inline json_t *text_value(const char *text)
{
  if (!text)
    return json_null();
  json_t *value = json_string(text);
  if (value)
    return value;
  const size_t size = strlen(text) * 4 + 1;
  char *escaped = malloc(size);
  if (!escaped)
    return NULL;
  escape_text(text, escaped, size);
  value = json_string(escaped);
  free(escaped);
  return value;
}

/* Its lines. */
static inline json_t *text_lines_value(const char *text, bool *good)
{
  json_t *value = container(json_array(), good);
  while (*text) {
    const size_t length = strcspn(text, "\n");
    char *line = strndup(text, length);
    add(value, line ? text_value(line) : NULL, good);
    free(line);
    text += length + (text[length] == '\n');
  }
  return value;
}

static inline json_t *integer(uint64_t number)
{
  return json_integer(number > INT64_MAX ? INT64_MAX : (json_int_t)number);
}

/* A seed is copied back to a command line: never rounded, as text when JSON's integers are too small for it. */
static inline json_t *seed_value(uint64_t seed)
{
  char text[24];
  snprintf(text, sizeof text, "%" PRIu64, seed);
  return seed > INT64_MAX ? json_string(text) : json_integer((json_int_t)seed);
}

/* A whole document as text, malloc'ed, with a final newline; NULL when there is no memory. */
static inline char *dump_document(const json_t *root)
{
  char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
  const size_t length = text ? strlen(text) : 0;
  char *whole = text ? realloc(text, length + 2) : NULL;
  if (!whole) {
    free(text);
    return NULL;
  }
  memcpy(whole + length, "\n", 2);
  return whole;
}

/* `{` and the members of an object that has some; takes it. */
static inline void write_head(FILE *out, json_t *head, bool *good)
{
  char *text = json_dumps(head, JSON_COMPACT);
  json_decref(head);
  if (!text) {
    *good = false;
    return;
  }
  fprintf(out, "%.*s", (int)strlen(text) - 1, text);
  free(text);
}

/* An item of an array on a line of its own; takes it. */
static inline void write_item(FILE *out, json_t *item, bool first, bool *good)
{
  fputs(first ? "\n" : ",\n", out);
  if (json_dumpf(item, out, JSON_COMPACT) != 0)
    *good = false;
  json_decref(item);
}

#endif
