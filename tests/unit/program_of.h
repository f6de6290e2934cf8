/* SPDX-License-Identifier: Apache-2.0
 *
 * Trace programs from traces in their text form, for tests.
 */
#ifndef HEDDLE_TESTS_PROGRAM_OF_H
#define HEDDLE_TESTS_PROGRAM_OF_H

#include "predict/program/guards.h"
#include "predict/program/trace_program.h"
#include <stdlib.h>
#include <string.h>

#define TRACE_HEADER "heddle-trace 1 text\n"

struct built {
  struct trace_reader *reader;
  const struct trace *tables;
  struct trace_program *program;
  char *text;
};

/* The events come that many times. */
static inline struct built build_with(const char *trace, unsigned rounds, const struct program_options *options)
{
  struct built b = {0};
  size_t header = sizeof TRACE_HEADER - 1, length = strlen(trace);
  char error[256];
  struct event e;
  b.text = malloc(header + rounds * length + 1);
  assert_non_null(b.text);
  memcpy(b.text, TRACE_HEADER, header);
  for (unsigned i = 0; i < rounds; i++)
    memcpy(b.text + header + i * length, trace, length);
  b.text[header + rounds * length] = 0;
  b.reader = trace_from_text(b.text, error, sizeof error);
  assert_non_null(b.reader);
  struct program_builder *builder = program_begin(options);
  assert_non_null(builder);
  while (trace_next(b.reader, &e, error, sizeof error))
    program_event(builder, trace_tables(b.reader), &e);
  assert_string_equal(error, "");
  b.tables = trace_tables(b.reader);
  b.program = program_end(builder, b.tables);
  assert_non_null(b.program);
  return b;
}

static inline struct built build_repeated(const char *trace, unsigned rounds)
{
  return build_with(trace, rounds, &(struct program_options){0});
}

static inline struct built build(const char *trace, bool loop_guards)
{
  return build_with(trace, 1, &(struct program_options){.loop_guards = loop_guards});
}

/* With conditions inferred from the accesses to memory. */
static inline struct built build_inferring(const char *trace, struct guards **guards)
{
  *guards = guards_begin();
  assert_non_null(*guards);
  for (unsigned pass = 0; pass < 2; pass++) {
    char error[256], *text = malloc(sizeof TRACE_HEADER + strlen(trace));
    struct event e;
    assert_non_null(text);
    strcpy(stpcpy(text, TRACE_HEADER), trace);
    struct trace_reader *r = trace_from_text(text, error, sizeof error);
    assert_non_null(r);
    while (trace_next(r, &e, error, sizeof error))
      if (pass)
        guards_event(*guards, trace_tables(r), &e);
      else
        guards_survey(*guards, &e);
    assert_string_equal(error, "");
    trace_close(r);
    free(text);
  }
  assert_true(guards_end(*guards));
  return build_with(trace, 1, &(struct program_options){.guards = *guards});
}

static inline void release_built(struct built *b)
{
  program_free(b->program);
  trace_close(b->reader);
  free(b->text);
}

#endif
