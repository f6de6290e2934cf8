/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces for tests of predictions, in the text form, put together from shapes; and running an analysis over
 * them. */
#ifndef HEDDLE_TESTS_PREDICT_SCRIPT_H
#define HEDDLE_TESTS_PREDICT_SCRIPT_H

#include "predict/trace/trace.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct script {
  char *text;
  size_t used, room;
};

__attribute__((format(printf, 2, 3))) static inline void script_line(struct script *s, const char *format, ...)
{
  va_list args;
  if (s->room - s->used < 256) {
    s->room = 2 * s->room + 1024;
    s->text = realloc(s->text, s->room);
    assert_non_null(s->text);
  }
  if (!s->used)
    s->used = (size_t)sprintf(s->text, "heddle-trace 1 text\n");
  va_start(args, format);
  s->used += (size_t)vsnprintf(s->text + s->used, s->room - s->used, format, args);
  va_end(args);
  s->used += (size_t)sprintf(s->text + s->used, "\n");
}

/* A thread locks the words "LOCK SITE" one inside the other, and unlocks the innermost first. */
static inline void nest(struct script *s, const char *thread, unsigned count, const char *const locks[])
{
  char lock[64], site[64];
  for (unsigned i = 0; i < count; i++) {
    assert_int_equal(sscanf(locks[i], "%63s %63s", lock, site), 2);
    script_line(s, "%s mutex-lock %s @ %s", thread, lock, site);
  }
  for (unsigned i = count; i > 0; i--) {
    assert_int_equal(sscanf(locks[i - 1], "%63s", lock), 1);
    script_line(s, "%s mutex-unlock %s", thread, lock);
  }
}

#define NEST(script, thread, ...)                                                                                      \
  nest(script, thread, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), (const char *const[]){__VA_ARGS__})

/* Opens the script's trace; its text lives until script_free(). */
static inline struct trace_reader *script_open(const struct script *s)
{
  char error[256] = "";
  struct trace_reader *r = trace_from_text(s->text, error, sizeof error);
  assert_string_equal(error, "");
  return r;
}

static inline bool script_next(struct trace_reader *r, struct event *e)
{
  char error[256];
  bool more = trace_next(r, e, error, sizeof error);
  assert_string_equal(error, "");
  return more;
}

static inline void script_free(struct script *s)
{
  free(s->text);
  *s = (struct script){0};
}

#endif
