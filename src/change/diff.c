/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading differences; see the header.
 */
#include "change/diff.h"
#include <stdlib.h>
#include <string.h>

#define LINES_MOST 100000000u /* of a file: no numbers are beyond it */

struct reader {
  struct diff *diff;
  struct diff_file *file; /* that is told of; NULL: none yet */
  uint64_t skip;          /* so many lines are the text of a hunk */
  bool failed;
};

void diff_free(struct diff *d)
{
  for (size_t i = 0; i < d->files; i++) {
    free(d->file[i].old_path);
    free(d->file[i].new_path);
    free(d->file[i].hunk);
  }
  free(d->file);
  *d = (struct diff){0};
}

static void add_file(struct reader *r)
{
  struct diff *d = r->diff;
  if (d->files == d->room) {
    size_t room = d->room ? 2 * d->room : 16;
    struct diff_file *grown = realloc(d->file, room * sizeof *grown);
    r->failed |= !grown;
    if (!grown)
      return;
    d->file = grown;
    d->room = room;
  }
  r->file = &d->file[d->files++];
  *r->file = (struct diff_file){0};
}

static void add_hunk(struct reader *r, struct diff_hunk hunk)
{
  struct diff_file *f = r->file;
  if (f->hunks == f->room) {
    size_t room = f->room ? 2 * f->room : 16;
    struct diff_hunk *grown = realloc(f->hunk, room * sizeof *grown);
    r->failed |= !grown;
    if (!grown)
      return;
    f->hunk = grown;
    f->room = room;
  }
  f->hunk[f->hunks++] = hunk;
}

/* ---- paths ---- */

static char unescaped(const char **at)
{
  static const char letters[] = "abfnrtv\"\\", meaning[] = "\a\b\f\n\r\t\v\"\\";
  const char *c = *at, *letter = *c ? strchr(letters, *c) : NULL;
  int value = 0;
  if (letter) {
    *at = c + 1;
    return meaning[letter - letters];
  }
  for (int i = 0; i < 3 && *c >= '0' && *c <= '7'; i++)
    value = value * 8 + (*c++ - '0');
  *at = c;
  return (char)value;
}

/* What stands behind `--- ` or `+++ `: a path with the prefix a/ or b/, in quotes if it has odd characters, with a tab
 * behind it if it has blanks; or /dev/null. NULL: none, or no memory. */
static char *path_in(const char *at, size_t length)
{
  char *path = strndup(at, length), *out = path;
  if (!path)
    return NULL;
  const char *from = path;
  if (*from == '"') {
    for (from++; *from && *from != '"';)
      if (*from == '\\' && from[1]) {
        from++;
        *out++ = unescaped(&from);
      } else {
        *out++ = *from++;
      }
    *out = 0;
  } else {
    path[strcspn(path, "\t\r")] = 0;
  }
  bool prefixed = (path[0] == 'a' || path[0] == 'b') && path[1] == '/' && path[2];
  if (!prefixed) {
    free(path);
    return NULL;
  }
  memmove(path, path + 2, strlen(path + 2) + 1);
  return path;
}

static void set_path(char **path, const char *at, size_t length)
{
  free(*path);
  *path = path_in(at, length);
}

/* ---- lines ---- */

/* A number; false: there is none, or it is too large for any file. */
static bool take_number(const char **at, uint32_t *out)
{
  uint64_t n = 0;
  const char *c = *at;
  for (; *c >= '0' && *c <= '9' && n <= LINES_MOST; c++)
    n = n * 10 + (uint64_t)(*c - '0');
  bool good = c != *at && n <= LINES_MOST;
  *at = c;
  *out = (uint32_t)n;
  return good;
}

/* `12,3`; the count is one if it is not told. */
static bool take_range(const char **at, char sign, uint32_t *line, uint32_t *count)
{
  *count = 1;
  if (**at != sign)
    return false;
  ++*at;
  if (!take_number(at, line))
    return false;
  if (**at != ',')
    return true;
  ++*at;
  return take_number(at, count);
}

/* `@@ -12,3 +14 @@` */
static void read_hunk(struct reader *r, const char *at)
{
  struct diff_hunk h;
  at += 3;
  if (!take_range(&at, '-', &h.old_line, &h.old_count) || *at++ != ' ' ||
      !take_range(&at, '+', &h.new_line, &h.new_count) || strncmp(at, " @@", 3) != 0)
    return;
  r->skip = (uint64_t)h.old_count + h.new_count;
  add_hunk(r, h);
}

static bool begins(const char *line, size_t length, const char *with)
{
  return length >= strlen(with) && !strncmp(line, with, strlen(with));
}

static void read_line(struct reader *r, const char *line, size_t length)
{
  bool of_text = length && (line[0] == '+' || line[0] == '-' || line[0] == ' ');
  if (r->skip && of_text) { /* lines that say where a file has no newline at its end are not counted */
    r->skip--;
    return;
  }
  if (begins(line, length, "diff --git ")) {
    r->skip = 0;
    add_file(r);
  } else if (!r->file) {
    return;
  } else if (begins(line, length, "--- ") && !r->file->hunks) {
    set_path(&r->file->old_path, line + 4, length - 4);
  } else if (begins(line, length, "+++ ") && !r->file->hunks) {
    set_path(&r->file->new_path, line + 4, length - 4);
  } else if (begins(line, length, "Binary files ") || begins(line, length, "GIT binary patch")) {
    r->file->binary = true;
  } else if (begins(line, length, "@@ -")) {
    read_hunk(r, line);
  }
}

bool diff_parse(struct diff *d, const char *text)
{
  *d = (struct diff){0};
  struct reader r = {.diff = d};
  while (*text && !r.failed) {
    size_t length = strcspn(text, "\n");
    read_line(&r, text, length);
    text += length + (text[length] == '\n');
  }
  if (r.failed)
    diff_free(d);
  return !r.failed;
}

uint32_t diff_new_line(const struct diff_file *f, uint32_t old_line)
{
  int64_t shift = 0;
  for (size_t i = 0; i < f->hunks; i++) {
    const struct diff_hunk *h = &f->hunk[i];
    uint32_t first = h->old_count ? h->old_line : h->old_line + 1; /* that comes after it, if nothing was removed */
    if (old_line < first)
      break;
    if (old_line < first + h->old_count)
      return 0;
    shift += (int64_t)h->new_count - h->old_count;
  }
  int64_t line = (int64_t)old_line + shift;
  return line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0;
}
