/* SPDX-License-Identifier: Apache-2.0
 *
 * Trace programs as a person reads them, next to the source: a line for each operation with its place, guarded ones
 * indented.
 */
#include "predict/program/trace_program.h"
#include <string.h>

static const char *object_text(const struct trace_program *p, const struct trace *t, const struct program_line *line,
                               char *scratch, size_t size)
{
  uint32_t i = line->object;
  switch (line->kind) {
  case LINE_START:
  case LINE_JOIN:
    return t->threads[i].text;
  case LINE_SET:
  case LINE_ADD:
    if (p->variable[i].object)
      return t->objects[p->variable[i].object].text;
    snprintf(scratch, size, "variable-%u", i);
    return scratch;
  case LINE_IF:
    if (p->predicate[i].object)
      return t->objects[p->predicate[i].object].text;
    if (p->predicate[i].other)
      snprintf(scratch, size, "condition of variable-%u and variable-%u", p->predicate[i].variable,
               p->predicate[i].other);
    else
      snprintf(scratch, size, "condition of variable-%u", p->predicate[i].variable);
    return scratch;
  default:
    return i ? t->objects[i].text : "";
  }
}

void program_line_text(const struct trace_program *p, const struct trace *t, const struct program_line *line, char *out,
                       size_t size)
{
  char scratch[96];
  const char *object = object_text(p, t, line, scratch, sizeof scratch);
  const char *tries = line->flags & LINE_TRIES ? "TRY " : "";
  const char *name = line_name[line->kind];
  if (line->kind == LINE_END)
    snprintf(out, size, "}%s", line->flags & LINE_LOOPS ? " AGAIN" : "");
  else if (line->kind == LINE_IF)
    snprintf(out, size, "IF %s {", object);
  else if (line->kind == LINE_SET)
    snprintf(out, size, "SET %s %ld", object, (long)line->value);
  else if (line->kind == LINE_ADD)
    snprintf(out, size, "ADD %s %+ld", object, (long)line->value);
  else if (line->second)
    snprintf(out, size, "%s %s %s", name, object, t->objects[line->second].text);
  else
    snprintf(out, size, "%s%s %s", tries, name, object);
}

static void write_body(const struct trace_program *p, const struct trace *t, uint32_t thread, FILE *out)
{
  const struct body *body = &p->body[thread];
  unsigned depth = 1;
  fprintf(out, "%s:\n", t->threads[thread].text);
  for (uint32_t i = 0; i < body->count; i++) {
    const struct program_line *line = &body->line[i];
    char text[160];
    program_line_text(p, t, line, text, sizeof text);
    depth -= line->kind == LINE_END && depth > 1;
    int indent = (int)(2 * depth), width = 40 - indent > 0 ? 40 - indent : 1;
    if (line->kind == LINE_END)
      fprintf(out, "%*s%s\n", indent, "", text);
    else
      fprintf(out, "%*s%-*s %s #%u%s\n", indent, "", width, text, line->site ? t->sites[line->site].text : "?",
              line->occurrence, line->flags & LINE_SYNTHETIC ? " (did not happen)" : "");
    depth += line->kind == LINE_IF;
  }
}

void program_write(const struct trace_program *p, const struct trace *t, FILE *out)
{
  fprintf(out, "# trace program: %lu operations, %lu before reduction%s\n", (unsigned long)p->after,
          (unsigned long)p->before, p->truncated ? ", cut off" : "");
  if (p->problem[0])
    fprintf(out, "# %s\n", p->problem);
  for (uint32_t i = 1; i < p->variables; i++)
    if (!p->variable[i].object)
      fprintf(out, "# variable-%u is %ld at the start\n", i, (long)p->variable[i].starts);
  for (uint32_t thread = 1; thread < p->threads; thread++)
    write_body(p, t, thread, out);
}
