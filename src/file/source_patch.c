/* SPDX-License-Identifier: Apache-2.0
 *
 * Edits of a source file; see source_patch.h. A diff is made from the edits themselves, not by comparing texts: each
 * group of edits on neighbouring lines is a change of those lines, and changes that are near each other are one hunk.
 */
#include "file/source_patch.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AROUND 3 /* lines of context, as patch(1) expects */

void source_patch_open(struct source_patch *patch, const char *text, size_t length)
{
  *patch = (struct source_patch){.text = text, .length = length};
}

void source_patch_close(struct source_patch *patch)
{
  for (size_t i = 0; i < patch->edits; i++)
    free(patch->edit[i].text);
  free(patch->edit);
  *patch = (struct source_patch){0};
}

/* ---- places ---- */

/* Where the line behind a place begins; the end of the text behind the last. */
static size_t next_line(const struct source_patch *p, size_t place)
{
  const char *end = memchr(p->text + place, '\n', p->length - place);
  return end ? (size_t)(end - p->text) + 1 : p->length;
}

size_t source_patch_place(const struct source_patch *p, size_t line, size_t column)
{
  size_t begin = 0;
  for (size_t i = 1; i < line; i++)
    begin = next_line(p, begin);
  const size_t next = next_line(p, begin), end = next > begin && p->text[next - 1] == '\n' ? next - 1 : next;
  const size_t wanted = begin + (column ? column - 1 : 0);
  return wanted < end ? wanted : end;
}

size_t source_patch_line_begin(const struct source_patch *p, size_t place)
{
  while (place && p->text[place - 1] != '\n')
    place--;
  return place;
}

size_t source_patch_line(const struct source_patch *p, size_t place)
{
  size_t line = 1;
  for (size_t i = 0; i < place && i < p->length; i++)
    line += p->text[i] == '\n';
  return line;
}

/* ---- edits ---- */

/* An insertion may stand at either end of a range, not inside. */
static bool overlap(const struct source_edit *a, size_t from, size_t to)
{
  return a->from < to && from < a->to;
}

bool source_patch_replace(struct source_patch *p, size_t from, size_t to, const char *text)
{
  if (from > to || to > p->length)
    return false;
  for (size_t i = 0; i < p->edits; i++)
    if (overlap(&p->edit[i], from, to))
      return false;
  if (p->edits == p->room) {
    size_t room = p->room ? 2 * p->room : 8;
    struct source_edit *more = realloc(p->edit, room * sizeof *more);
    if (!more)
      return false;
    p->edit = more;
    p->room = room;
  }
  char *copy = strdup(text);
  if (!copy)
    return false;
  size_t at = p->edits;
  for (; at && (p->edit[at - 1].from > from || (p->edit[at - 1].from == from && p->edit[at - 1].to > to)); at--)
    p->edit[at] = p->edit[at - 1];
  p->edit[at] = (struct source_edit){from, to, copy};
  p->edits++;
  return true;
}

bool source_patch_insert(struct source_patch *p, size_t place, const char *text)
{
  return source_patch_replace(p, place, place, text);
}

/* The text from one place to another with the edits [first, past) that lie between them. */
static void put_edited(FILE *out, const struct source_patch *p, size_t from, size_t to, size_t first, size_t past)
{
  for (size_t i = first; i < past; i++) {
    fwrite(p->text + from, 1, p->edit[i].from - from, out);
    fputs(p->edit[i].text, out);
    from = p->edit[i].to;
  }
  fwrite(p->text + from, 1, to - from, out);
}

char *source_patch_apply(const struct source_patch *p, size_t *length)
{
  char *text = NULL;
  FILE *out = open_memstream(&text, length);
  if (!out)
    return NULL;
  put_edited(out, p, 0, p->length, 0, p->edits);
  if (fclose(out) == 0)
    return text;
  free(text);
  return NULL;
}

/* ---- diff ---- */

/* Whole lines that are replaced by others: of the text as it was, from one place to another. */
struct text_change {
  size_t from, to;
  size_t line, lines; /* the first one, from 1, and how many */
  char *text;         /* malloc'ed: what stands there then */
  size_t length, new_lines;
};

static size_t count_lines(const char *text, size_t length)
{
  size_t lines = 0;
  for (size_t i = 0; i < length; i++)
    lines += text[i] == '\n';
  return lines + (length && text[length - 1] != '\n');
}

static bool begins_line(const struct source_patch *p, size_t place)
{
  return place == 0 || p->text[place - 1] == '\n';
}

static bool ends_line(const char *text)
{
  const size_t n = strlen(text);
  return n && text[n - 1] == '\n';
}

/* Whether it only puts whole lines between others. */
static bool is_new_lines(const struct source_patch *p, const struct source_edit *e)
{
  return e->from == e->to && begins_line(p, e->from) && ends_line(e->text);
}

/* Where the lines end that an edit touches. */
static size_t touched_end(const struct source_patch *p, const struct source_edit *e)
{
  const bool whole = *e->text ? ends_line(e->text) : begins_line(p, e->from);
  if (is_new_lines(p, e) || (e->to > e->from && begins_line(p, e->to) && whole))
    return e->to;
  return next_line(p, e->to);
}

/* Lines that both have at the beginning or at the end are none that change. */
static void trim_change(const struct source_patch *p, struct text_change *c)
{
  while (c->from < c->to) {
    const size_t n = next_line(p, c->from) - c->from;
    if (n > c->length || memcmp(p->text + c->from, c->text, n) || p->text[c->from + n - 1] != '\n')
      break;
    memmove(c->text, c->text + n, c->length - n);
    c->length -= n;
    c->from += n;
  }
  while (c->from < c->to) {
    const size_t begin = source_patch_line_begin(p, c->to - 1), n = c->to - begin;
    if (n > c->length || memcmp(p->text + begin, c->text + c->length - n, n) ||
        (c->length > n && c->text[c->length - n - 1] != '\n'))
      break;
    c->length -= n;
    c->to = begin;
  }
}

/* The change that begins with the edit *next, which becomes the first one behind it. */
static bool find_change(const struct source_patch *p, size_t *next, struct text_change *c)
{
  const size_t first = *next;
  *c = (struct text_change){.from = source_patch_line_begin(p, p->edit[first].from)};
  c->to = touched_end(p, &p->edit[first]);
  for (++*next; *next < p->edits && source_patch_line_begin(p, p->edit[*next].from) <= c->to; ++*next) {
    const size_t end = touched_end(p, &p->edit[*next]);
    c->to = end > c->to ? end : c->to;
  }
  FILE *out = open_memstream(&c->text, &c->length);
  if (!out)
    return false;
  put_edited(out, p, c->from, c->to, first, *next);
  if (fclose(out) != 0)
    return false;
  trim_change(p, c);
  c->line = source_patch_line(p, c->from);
  c->lines = count_lines(p->text + c->from, c->to - c->from);
  c->new_lines = count_lines(c->text, c->length);
  return true;
}

static void put_lines(FILE *out, char sign, const char *text, size_t length)
{
  while (length) {
    const char *end = memchr(text, '\n', length);
    const size_t n = end ? (size_t)(end - text) + 1 : length;
    fputc(sign, out);
    fwrite(text, 1, n, out);
    if (!end)
      fputs("\n\\ No newline at end of file\n", out);
    text += n;
    length -= n;
  }
}

/* So many lines back, or on. */
static size_t lines_before(const struct source_patch *p, size_t place, size_t lines)
{
  while (lines-- && place)
    place = source_patch_line_begin(p, place - 1);
  return place;
}

static size_t lines_after(const struct source_patch *p, size_t place, size_t lines)
{
  while (lines--)
    place = next_line(p, place);
  return place;
}

/* "12,4": a range without lines is named by the line before it. */
static void put_range(FILE *out, char sign, size_t line, size_t lines)
{
  fprintf(out, " %c%zu,%zu", sign, lines ? line : line - 1, lines);
}

/* moved: by how many lines what comes is further down than it was. */
static void put_hunk(FILE *out, const struct source_patch *p, const struct text_change *c, size_t changes,
                     ptrdiff_t *moved)
{
  const struct text_change *last = &c[changes - 1];
  const size_t from = lines_before(p, c->from, AROUND), to = lines_after(p, last->to, AROUND);
  const size_t line = source_patch_line(p, from), lines = count_lines(p->text + from, to - from);
  ptrdiff_t grows = 0;
  for (size_t i = 0; i < changes; i++)
    grows += (ptrdiff_t)c[i].new_lines - (ptrdiff_t)c[i].lines;
  fputs("@@", out);
  put_range(out, '-', line, lines);
  put_range(out, '+', (size_t)((ptrdiff_t)line + *moved), (size_t)((ptrdiff_t)lines + grows));
  fputs(" @@\n", out);
  size_t at = from;
  for (size_t i = 0; i < changes; i++) {
    put_lines(out, ' ', p->text + at, c[i].from - at);
    put_lines(out, '-', p->text + c[i].from, c[i].to - c[i].from);
    put_lines(out, '+', c[i].text, c[i].length);
    at = c[i].to;
  }
  put_lines(out, ' ', p->text + at, to - at);
  *moved += grows;
}

/* Those of changes [0, count) that stand in one hunk with the first. */
static size_t hunk_of(const struct source_patch *p, const struct text_change *c, size_t count)
{
  size_t n = 1;
  while (n < count && lines_before(p, c[n].from, AROUND) <= lines_after(p, c[n - 1].to, AROUND))
    n++;
  return n;
}

static bool find_changes(const struct source_patch *p, struct text_change *c, size_t *count)
{
  for (size_t next = 0; next < p->edits;) {
    if (!find_change(p, &next, &c[*count])) {
      free(c[*count].text);
      return false;
    }
    if (c[*count].lines || c[*count].new_lines)
      ++*count;
    else
      free(c[*count].text);
  }
  return true;
}

char *source_patch_diff(const struct source_patch *p, const char *before, const char *after)
{
  size_t bytes, count = 0;
  char *text = NULL;
  struct text_change *c = calloc(p->edits ? p->edits : 1, sizeof *c);
  bool good = c && find_changes(p, c, &count);
  FILE *out = good ? open_memstream(&text, &bytes) : NULL;
  if (out) {
    ptrdiff_t moved = 0;
    if (count)
      fprintf(out, "--- %s\n+++ %s\n", before, after);
    for (size_t i = 0, n; i < count; i += n)
      put_hunk(out, p, c + i, n = hunk_of(p, c + i, count - i), &moved);
    good = fclose(out) == 0;
  }
  for (size_t i = 0; i < count; i++)
    free(c[i].text);
  free(c);
  if (out && good)
    return text;
  free(text);
  return NULL;
}
