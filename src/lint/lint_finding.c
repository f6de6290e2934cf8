/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of findings, what a comment or a baseline says of them; see the header.
 */
#include "lint/lint_finding.h"
#include "file/input_file.h"
#include "file/output_file.h"
#include "file/titled_lines.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const finding_state_name[FINDING_STATES] = {"new", "bounded", "suppressed", "known", "unchanged"};

void finding_clear(struct lint_finding *f)
{
  for (size_t i = 0; i < f->places; i++) {
    free(f->place[i].file);
    free(f->place[i].function);
    free(f->place[i].callee);
    free(f->place[i].text);
  }
  free(f->place);
  free(f->file);
  free(f->function);
  free(f->message);
  free(f->condition);
  free(f->fix_old);
  free(f->fix_new);
  *f = (struct lint_finding){0};
}

void findings_close(struct findings *f)
{
  for (size_t i = 0; i < f->count; i++)
    finding_clear(&f->finding[i]);
  free(f->finding);
  *f = (struct findings){0};
}

struct lint_finding *findings_add(struct findings *f)
{
  if (f->count == f->room) {
    const size_t room = f->room ? 2 * f->room : 32;
    struct lint_finding *grown = realloc(f->finding, room * sizeof *grown);
    f->failed |= !grown;
    if (!grown)
      return NULL;
    f->finding = grown;
    f->room = room;
  }
  f->finding[f->count] = (struct lint_finding){0};
  return &f->finding[f->count++];
}

char *finding_text(struct findings *f, const char *format, ...)
{
  char *text = NULL;
  va_list arguments;
  va_start(arguments, format);
  const bool made = vasprintf(&text, format, arguments) >= 0;
  va_end(arguments);
  f->failed |= !made;
  return made ? text : NULL;
}

void finding_add_place(struct findings *f, struct lint_finding *finding, struct finding_place place)
{
  struct finding_place *grown = realloc(finding->place, (finding->places + 1) * sizeof *grown);
  f->failed |= !grown;
  if (!grown) {
    free(place.file);
    free(place.function);
    free(place.callee);
    free(place.text);
    return;
  }
  finding->place = grown;
  finding->place[finding->places++] = place;
}

static int by_place(const void *left, const void *right)
{
  const struct lint_finding *a = left, *b = right;
  const int files = strcmp(a->file, b->file);
  if (files)
    return files;
  if (a->line != b->line)
    return a->line < b->line ? -1 : 1;
  if (a->rule != b->rule)
    return a->rule < b->rule ? -1 : 1;
  return a->key < b->key ? -1 : a->key > b->key;
}

void findings_sort(struct findings *f)
{
  if (f->count)
    qsort(f->finding, f->count, sizeof *f->finding, by_place);
}

size_t findings_in(const struct findings *f, enum finding_state state)
{
  size_t count = 0;
  for (size_t i = 0; i < f->count; i++)
    count += f->finding[i].state == state;
  return count;
}

/* ---- comments ---- */

#define IGNORE "heddle-lint: ignore"

/* Whether the line has such a comment, and it is about the rule. */
static bool line_ignores(const char *line, const char *rule)
{
  const char *at = strstr(line, IGNORE);
  if (!at)
    return false;
  at += strlen(IGNORE);
  bool named = false;
  while (*at == ' ' || *at == ',') {
    at += strspn(at, " ,");
    const size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz-0123456789");
    if (length == strlen(rule) && !strncmp(at, rule, length))
      return true;
    named |= length;
    at += length;
    if (!length)
      break;
  }
  return !named;
}

static bool file_ignores(const char *path, uint32_t line, const char *rule)
{
  char why[256], *text = NULL;
  size_t room = 0;
  bool ignores = false;
  FILE *in = input_open(path, why, sizeof why);
  for (uint32_t number = 1; in && number <= line && !ignores && input_line(&text, &room, in, NULL) >= 0; number++)
    ignores = number + 1 >= line && line_ignores(text, rule);
  free(text);
  if (in)
    fclose(in);
  return ignores;
}

void findings_suppress(struct findings *f, const char *(*rule_name)(unsigned rule))
{
  for (size_t i = 0; i < f->count; i++) {
    struct lint_finding *one = &f->finding[i];
    if (one->state != FINDING_NEW)
      continue;
    bool ignored = file_ignores(one->file, one->line, rule_name(one->rule));
    for (size_t k = 0; k < one->places && !ignored; k++)
      ignored = one->place[k].kind == PLACE_CALL &&
                file_ignores(one->place[k].file, one->place[k].line, rule_name(one->rule));
    if (ignored)
      one->state = FINDING_SUPPRESSED;
  }
}

/* ---- baselines ---- */

#define FIRST_LINE "# heddle lint baseline 1"

static void mark_known(struct findings *f, uint64_t key)
{
  for (size_t i = 0; i < f->count; i++)
    if (f->finding[i].key == key && f->finding[i].state == FINDING_NEW)
      f->finding[i].state = FINDING_KNOWN;
}

static bool take_line(void *data, const char *line)
{
  if (*line == '#' || strspn(line, " \t\r\n") == strlen(line))
    return true;
  if (strspn(line, "0123456789abcdef") != 16 || !isspace((unsigned char)line[16]))
    return false;
  mark_known(data, strtoull(line, NULL, 16));
  return true;
}

bool findings_known(struct findings *f, const char *path, char *error, size_t error_size)
{
  return titled_lines_read(path, FIRST_LINE, take_line, f,
                           "this is no line of a baseline (heddle lint --write-baseline writes one)", error,
                           error_size);
}

bool findings_write_baseline(const struct findings *f, const char *path, const char *(*rule_name)(unsigned rule),
                             char *error, size_t error_size)
{
  struct output_file output;
  if (!output_file_open(&output, path, FILE_LINT_BASELINE, error, error_size))
    return false;
  fputs(FIRST_LINE "\n", output.file);
  for (size_t i = 0; i < f->count; i++) {
    const struct lint_finding *one = &f->finding[i];
    if (one->state == FINDING_NEW || one->state == FINDING_KNOWN)
      fprintf(output.file, "%016" PRIx64 " %s in %s()\n", one->key, rule_name(one->rule),
              one->function ? one->function : "");
  }
  return output_file_close(&output, error, error_size);
}
