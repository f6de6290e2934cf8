/* SPDX-License-Identifier: Apache-2.0
 *
 * Events put into the sources; see pin.h. Before and behind a statement they are lines of their own; in conditions and
 * in `return` they stand in the expression (HD_FIRST, HD_THEN).
 */
#include "report/pin/pin.h"
#include "report/pin/pin_split.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void cannot_at(struct pin *p, const struct pin_place *place, const char *why)
{
  const struct pin_file *f = &p->file[place->file];
  struct source_patch lines;
  source_patch_open(&lines, f->text, f->length);
  const char *slash = strrchr(f->path, '/');
  if (!p->problem[0])
    snprintf(p->problem, sizeof p->problem, "%s: %.100s:%zu", why, slash ? slash + 1 : f->path,
             source_patch_line(&lines, place->statement.from));
}

/* ---- the events of a place ---- */

static bool is_told(const struct pin *p, size_t event)
{
  for (size_t i = 0; i < event; i++)
    if (!p->left_out[i / 2] && !strcmp(p->event[i].name, p->event[event].name))
      return true;
  return false;
}

static void put_event(FILE *out, const struct pin *p, const struct pin_event *e)
{
  size_t from, to;
  const struct pin_place *place = &p->place[e->place];
  const struct pin_file *f = &p->file[place->file];
  const bool wakes = e->wakes && find_wait_mutex(f->code, &place->statement, &from, &to);
  if (wakes)
    fprintf(out, "HD_WAKE(%.*s, ", (int)(to - from), f->text + from);
  if (e->nth > 1)
    fprintf(out, "HD_EVENT_NTH(%u, %s)", e->nth, e->name);
  else
    fprintf(out, "HD_EVENT(%s)", e->name);
  fputs(wakes ? ");" : ";", out);
}

/* All of a slot, with something before and behind each; malloc'ed, empty if there are none. */
static char *events_of(const struct pin *p, uint32_t place, enum pin_slot slot, const char *before, const char *behind)
{
  char *text = NULL;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  if (!out)
    return NULL;
  for (int round = 0; round < 2; round++) { /* what was done is told before anybody waits, but for late wake-ups */
    const bool done = (round == 0) != (slot == PIN_BEHIND);
    for (size_t i = 0; i < 2 * p->pairs; i++) {
      const struct pin_event *e = &p->event[i];
      if (p->left_out[i / 2] || e->place != place || e->slot != slot || e->behind != done || is_told(p, i))
        continue;
      fputs(before, out);
      put_event(out, p, e);
      fputs(behind, out);
    }
  }
  if (fclose(out) == 0)
    return text;
  free(text);
  return NULL;
}

/* ---- where it stands ---- */

static char *indent_of(const struct pin_file *f, size_t place)
{
  size_t begin = place;
  while (begin && f->text[begin - 1] != '\n')
    begin--;
  size_t end = begin;
  while (end < f->length && (f->text[end] == ' ' || f->text[end] == '\t'))
    end++;
  return strndup(f->text + begin, end - begin);
}

static bool begins_line(const struct pin_file *f, size_t place)
{
  while (place && (f->text[place - 1] == ' ' || f->text[place - 1] == '\t'))
    place--;
  return place == 0 || f->text[place - 1] == '\n';
}

/* But for a comment. */
static bool ends_line(const struct pin_file *f, size_t place)
{
  while (place < f->length && (f->code[place] == ' ' || f->code[place] == '\t'))
    place++;
  return place == f->length || f->code[place] == '\n';
}

static size_t line_begin(const struct pin_file *f, size_t place)
{
  while (place && f->text[place - 1] != '\n')
    place--;
  return place;
}

/* ---- edits ---- */

/* A comma that is not in parentheses would end the argument of a macro. */
static bool has_comma(const char *code, size_t from, size_t to)
{
  size_t open = 0;
  for (; from < to; from++) {
    open += code[from] == '(';
    open -= code[from] == ')';
    if (!open && code[from] == ',')
      return true;
  }
  return false;
}

/* HD_THEN(value, events) around a part of the text. */
static bool wrap(struct pin_file *f, size_t from, size_t to, const char *first, const char *then)
{
  while (from < to && isspace((unsigned char)f->text[from]))
    from++;
  while (from < to && isspace((unsigned char)f->text[to - 1]))
    to--;
  const bool comma = has_comma(f->code, from, to);
  char *begin = NULL, *end = NULL;
  bool good = from < to && asprintf(&begin, "%s%s%s%s%s", *first ? "HD_FIRST(" : "", first, *first ? ", " : "",
                                    *then ? "HD_THEN(" : "", comma ? "(" : "") >= 0;
  good = good && asprintf(&end, "%s%s%s%s%s", comma ? ")" : "", *then ? ", " : "", then, *then ? ")" : "",
                          *first ? ")" : "") >= 0;
  good = good && source_patch_insert(&f->patch, from, begin) && source_patch_insert(&f->patch, to, end);
  free(begin);
  free(end);
  return good;
}

/* "HD_EVENT(a); HD_EVENT(b)" of "HD_EVENT(a); HD_EVENT(b); ". */
static void as_argument(char *events)
{
  size_t n = strlen(events);
  while (n && (events[n - 1] == ' ' || events[n - 1] == ';'))
    events[--n] = 0;
}

static bool edit_inside(struct pin *p, uint32_t number)
{
  struct pin_place *place = &p->place[number];
  struct pin_file *f = &p->file[place->file];
  const struct source_statement *s = &place->statement;
  size_t from, to;
  char *indent = indent_of(f, s->from), *inner = NULL, *split = NULL;
  if (place->writes && indent && asprintf(&inner, "%s  ", indent) >= 0) {
    char *lines = events_of(p, number, PIN_INSIDE, inner, "\n");
    split = lines ? split_update(f->text, f->code, s, indent, lines) : NULL;
    free(lines);
  }
  bool good = split && source_patch_replace(&f->patch, s->from, s->to, split);
  if (!split && find_operand_text(f->code, s, place->operand, &from, &to)) {
    char *events = events_of(p, number, PIN_INSIDE, "", " ");
    if (events)
      as_argument(events);
    good = events && wrap(f, from, to, "", events);
    free(events);
  }
  if (!good)
    cannot_at(p, place, "the switch lies inside a statement that heddle cannot take apart");
  free(inner);
  free(indent);
  free(split);
  return good;
}

/* Where the line behind that of a place begins; 0: there is none. */
static size_t next_line(const struct pin_file *f, size_t place)
{
  const char *end = memchr(f->text + place, '\n', f->length - place);
  return end ? (size_t)(end - f->text) + 1 : 0;
}

/* Lines of their own, or beside it if it shares its line with others, or is a body without braces. */
static bool edit_around(struct pin *p, uint32_t number)
{
  struct pin_place *place = &p->place[number];
  struct pin_file *f = &p->file[place->file];
  const struct source_statement *s = &place->statement;
  const bool own = !s->bare && begins_line(f, s->from);
  const bool last = !s->bare && ends_line(f, s->to) && next_line(f, s->to);
  char *indent = indent_of(f, s->from);
  char *before = indent ? events_of(p, number, PIN_BEFORE, own ? indent : "", own ? "\n" : " ") : NULL;
  char *behind = indent ? events_of(p, number, PIN_BEHIND, last ? indent : " ", last ? "\n" : "") : NULL;
  bool good = before && behind;
  const bool braces = good && s->bare && (*before || *behind);
  if (braces)
    good = source_patch_insert(&f->patch, s->from, "{ ");
  if (good && *before)
    good = source_patch_insert(&f->patch, own ? line_begin(f, s->from) : s->from, before);
  if (good && *behind)
    good = source_patch_insert(&f->patch, last ? next_line(f, s->to) : s->to, behind);
  if (good && braces)
    good = source_patch_insert(&f->patch, s->to, " }");
  free(indent);
  free(before);
  free(behind);
  return good || pin_cannot(p, "there is no memory");
}

/* Conditions, and the values of jumps. */
static bool edit_value(struct pin *p, uint32_t number, bool also_before)
{
  struct pin_place *place = &p->place[number];
  struct pin_file *f = &p->file[place->file];
  char *before = also_before ? events_of(p, number, PIN_BEFORE, "", " ") : strdup("");
  char *behind = events_of(p, number, PIN_BEHIND, "", " ");
  bool good = before && behind;
  if (good && (*before || *behind)) {
    as_argument(before);
    as_argument(behind);
    good = wrap(f, place->statement.value_from, place->statement.value_to, before, behind);
  }
  free(before);
  free(behind);
  if (!good)
    cannot_at(p, place, "no event can be placed in this expression");
  return good;
}

/* Lines before it, when what stands behind it is in its value. */
static bool edit_before(struct pin *p, uint32_t number)
{
  struct pin_place *place = &p->place[number];
  struct pin_file *f = &p->file[place->file];
  const struct source_statement *s = &place->statement;
  const bool own = begins_line(f, s->from);
  char *indent = indent_of(f, s->from);
  char *before = indent ? events_of(p, number, PIN_BEFORE, own ? indent : "", own ? "\n" : " ") : NULL;
  bool good = before && (!*before || source_patch_insert(&f->patch, own ? line_begin(f, s->from) : s->from, before));
  free(indent);
  free(before);
  return good || pin_cannot(p, "there is no memory");
}

static bool edit_place(struct pin *p, uint32_t number)
{
  const struct pin_place *place = &p->place[number];
  const struct source_statement *s = &place->statement;
  if (place->split && !edit_inside(p, number))
    return false;
  switch (s->kind) {
  case STATEMENT_LOOP:
    return edit_value(p, number, true);
  case STATEMENT_IF:
    return s->bare ? edit_value(p, number, true) : edit_before(p, number) && edit_value(p, number, false);
  case STATEMENT_JUMP:
    return s->bare ? edit_value(p, number, true) : edit_before(p, number) && edit_value(p, number, false);
  default:
    return edit_around(p, number);
  }
}

static bool has_events(const struct pin *p, uint32_t place)
{
  for (size_t i = 0; i < 2 * p->pairs; i++)
    if (!p->left_out[i / 2] && p->event[i].place == place)
      return true;
  return false;
}

/* ---- the schedule, and the header ---- */

static bool is_header(const char *path)
{
  const char *dot = strrchr(path, '.');
  return dot && (!strcmp(dot, ".h") || !strcmp(dot, ".hpp") || !strcmp(dot, ".hh"));
}

/* Behind the text of HD_PIN's first argument, a line an ordering. */
static void put_schedule(FILE *out, const struct pin *p)
{
  fprintf(out, "HD_PIN(%s,\n       \"", p->name);
  for (const char *at = p->schedule; *at; at++) {
    if (*at == '\n')
      fputs(" \"\n       \"", out);
    else
      fputc(*at, out);
  }
  fputs("\");\n", out);
}

static bool edit_head(struct pin *p, struct pin_file *f, bool with_schedule)
{
  char *text = NULL;
  size_t bytes;
  const size_t place = behind_includes(f->text, f->length);
  FILE *out = open_memstream(&text, &bytes);
  if (!out)
    return pin_cannot(p, "there is no memory");
  fputs("#include <heddle_schedule.h>\n", out);
  if (with_schedule) {
    fputc('\n', out);
    put_schedule(out, p);
    if (place < f->length && f->text[place] != '\n')
      fputc('\n', out);
  }
  const bool good = fclose(out) == 0 && source_patch_insert(&f->patch, place, text);
  free(text);
  return good || pin_cannot(p, "there is no memory");
}

/* The next place behind one, by where they stand in the text: what is behind a statement comes before what is before
 * the next. p->places: there is none. */
static uint32_t next_place(const struct pin *p, uint32_t after)
{
  uint32_t best = p->places;
  for (uint32_t i = 0; i < p->places; i++) {
    const size_t from = p->place[i].statement.value_from;
    const bool later = after == p->places || from > p->place[after].statement.value_from ||
                       (from == p->place[after].statement.value_from && i > after);
    if (later && i != after && (best == p->places || from < p->place[best].statement.value_from))
      best = i;
  }
  return best;
}

bool pin_edit(struct pin *p)
{
  bool scheduled = false;
  for (uint32_t i = 0; i < p->files; i++) {
    p->file[i].edited = false;
    source_patch_open(&p->file[i].patch, p->file[i].text, p->file[i].length);
  }
  for (uint32_t i = next_place(p, p->places); i < p->places; i = next_place(p, i)) {
    if (!has_events(p, i))
      continue;
    p->file[p->place[i].file].edited = true;
    if (!edit_place(p, i))
      return false;
  }
  for (uint32_t i = 0; i < p->files; i++) {
    struct pin_file *f = &p->file[i];
    if (!f->edited)
      continue;
    const bool with_schedule = !scheduled && !is_header(f->path);
    if (!edit_head(p, f, with_schedule))
      return false;
    scheduled |= with_schedule;
  }
  return scheduled || pin_cannot(p, "all its events would stand in headers, and the schedule has no place");
}
