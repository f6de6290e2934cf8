/* SPDX-License-Identifier: Apache-2.0
 *
 * Communication deadlocks of a recorded run; see communication.h.
 */
#include "predict/communication/communication.h"
#include <stdio.h>

enum pass { SURVEY, CONDITIONS, PROGRAM };

struct passes {
  struct communication *c;
  struct program_builder *builder;
};

static void take(const struct passes *p, enum pass pass, const struct trace *t, const struct event *e)
{
  switch (pass) {
  case SURVEY:
    guards_survey(p->c->guards, e);
    break;
  case CONDITIONS:
    guards_event(p->c->guards, t, e);
    break;
  case PROGRAM:
    program_event(p->builder, t, e);
    break;
  }
}

/* The file from front to back; at the end of the last pass the program is complete. */
static bool read_through(struct passes *p, enum pass pass, const struct trace_reader *reader, char *error,
                         size_t error_size)
{
  struct event e;
  struct trace_reader *r = trace_again(reader, error, error_size);
  if (!r)
    return false;
  while (trace_next(r, &e, error, error_size))
    take(p, pass, trace_tables(r), &e);
  if (pass == PROGRAM) {
    p->c->program = program_end(p->builder, trace_tables(r));
    p->builder = NULL;
  }
  trace_close(r);
  return !*error;
}

static bool no_memory(char *error, size_t error_size)
{
  snprintf(error, error_size, "no memory left");
  return false;
}

static bool explore(struct communication *c, const struct trace_reader *reader, bool loop_guards,
                    const struct model_limits *limits, char *error, size_t error_size)
{
  struct program_options options = {.loop_guards = loop_guards, .guards = c->guards};
  struct passes p = {c, program_begin(&options)};
  if (!p.builder)
    return no_memory(error, error_size);
  model_free(&c->result);
  program_free(c->program);
  c->program = NULL;
  if (!read_through(&p, PROGRAM, reader, error, error_size)) {
    if (p.builder)
      program_free(program_end(p.builder, trace_tables(reader)));
    return false;
  }
  return (c->program && model_explore(c->program, limits, &c->result)) || no_memory(error, error_size);
}

bool communication_analyse(struct communication *c, const struct trace_reader *reader,
                           const struct communication_options *options, char *error, size_t error_size)
{
  *c = (struct communication){.guards = guards_begin()};
  struct passes p = {c, NULL};
  bool good = c->guards || no_memory(error, error_size);
  good = good && read_through(&p, SURVEY, reader, error, error_size) &&
         read_through(&p, CONDITIONS, reader, error, error_size) &&
         (guards_end(c->guards) || no_memory(error, error_size)) &&
         explore(c, reader, false, &options->limits, error, error_size);
  c->groups_once = c->result.groups;
  if (good && options->loop_guards) {
    good = explore(c, reader, true, &options->limits, error, error_size);
    c->groups_looping = c->result.groups;
  }
  if (!good)
    communication_free(c);
  return good;
}

void communication_free(struct communication *c)
{
  model_free(&c->result);
  program_free(c->program);
  guards_free(c->guards);
  *c = (struct communication){0};
}
