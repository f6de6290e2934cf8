/* SPDX-License-Identifier: Apache-2.0
 *
 * A source with its schedule file in it; see side_edits.h.
 */
#include "language/side_edits.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As a string of C, with its quotes. */
static void put_string(FILE *out, const char *text)
{
  fputc('"', out);
  for (; *text; text++) {
    if (*text == '\n')
      fputs("\\n", out);
    else if (*text == '"' || *text == '\\')
      fprintf(out, "\\%c", *text);
    else
      fputc(*text, out);
  }
  fputc('"', out);
}

/* What was written to the stream, put in there. */
static bool insert_stream(struct side_edits *e, size_t place, FILE *out, char **text)
{
  const bool written = fclose(out) == 0;
  const bool done = written && source_patch_insert(&e->patch, place, *text);
  free(*text);
  return done;
}

/* The name that errors and debug information have, and the function that events call. */
static bool put_head(struct side_edits *e)
{
  char *text = NULL;
  size_t length;
  FILE *out = open_memstream(&text, &length);
  if (!out)
    return false;
  fprintf(out, "%svoid hd__event(const char *) __attribute__((weak));\n#line 1 ", e->cxx ? "extern \"C\" " : "");
  put_string(out, e->path);
  fputc('\n', out);
  return insert_stream(e, 0, out, &text);
}

bool side_edits_open(struct side_edits *e, const char *path, bool cxx, const char *text, size_t length)
{
  *e = (struct side_edits){.path = path, .cxx = cxx};
  source_patch_open(&e->patch, text, length);
  if (c_file_read(&e->file, text, length, cxx) && put_head(e))
    return true;
  side_edits_close(e);
  return false;
}

void side_edits_close(struct side_edits *e)
{
  c_file_free(&e->file);
  source_patch_close(&e->patch);
}

/* ---- events ---- */

/* The first statement that begins there or behind, in the order of the text; NULL: none. */
static const struct c_statement *statement_from(const struct side_edits *e, size_t place)
{
  const struct c_statement *first = NULL;
  for (size_t i = 0; i < e->file.statements; i++) {
    const struct c_statement *s = &e->file.statement[i];
    if (s->begin >= place && (!first || s->begin < first->begin))
      first = s;
  }
  return first;
}

bool side_edits_place(struct side_edits *e, unsigned line, const char *event, char *problem, size_t size)
{
  const struct c_statement *s = statement_from(e, source_patch_place(&e->patch, line, 1));
  const size_t found = s ? source_patch_line(&e->patch, s->begin) : 0;
  char *text;
  if (found != line) {
    if (found)
      snprintf(problem, size, "no statement begins there; the next one does on line %zu", found);
    else
      snprintf(problem, size, "no statement begins there, nor behind it");
    return false;
  }
  snprintf(problem, size, "no memory left");
  if (asprintf(&text, "%s{ if (hd__event) hd__event(\"%s\"); } ", s->in_list ? "" : "{ ", event) < 0)
    return false;
  const bool done =
      source_patch_insert(&e->patch, s->begin, text) && (s->in_list || source_patch_insert(&e->patch, s->end, " }"));
  free(text);
  return done;
}

/* ---- schedules ---- */

bool side_edits_declare(struct side_edits *e, const struct order_file *side, const char *name)
{
  static const char *const macros[] = {
      [ORDER_SCHEDULE] = "HD_SCHEDULE", [ORDER_PIN] = "HD_PIN", [ORDER_FORMULA] = "HD_FORMULA"};
  char *text = NULL;
  size_t length;
  FILE *out = side->schedules ? open_memstream(&text, &length) : NULL;
  if (!out)
    return !side->schedules;
  fputs("\n#include <heddle_schedule.h>\n", out);
  for (unsigned i = 0; i < side->schedules; i++) {
    const struct order_entry *entry = &side->schedule[i];
    fprintf(out, "#line %u ", entry->line);
    put_string(out, name);
    fprintf(out, "\n%s(%s, ", macros[entry->kind], entry->name);
    put_string(out, entry->text);
    fputs(");\n", out);
  }
  return insert_stream(e, e->patch.length, out, &text);
}

char *side_edits_text(struct side_edits *e, size_t *length)
{
  return source_patch_apply(&e->patch, length);
}
