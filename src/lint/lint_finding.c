/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of findings, what a comment or a baseline says of them; see the header.
 */
#include "lint/lint_finding.h"
#include "core/hash.h"
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
const char *const lint_notice_name[NOTICE_KINDS] = {"lost", "partly", "large", "comment"};

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
  for (size_t i = 0; i < f->notices; i++)
    free(f->notice[i].text);
  free(f->finding);
  free(f->notice);
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

void findings_notice(struct findings *f, enum lint_notice_kind kind, const char *format, ...)
{
  if (f->notices == f->notice_room) {
    const size_t room = f->notice_room ? 2 * f->notice_room : 8;
    struct lint_notice *grown = realloc(f->notice, room * sizeof *grown);
    f->failed |= !grown;
    if (!grown)
      return;
    f->notice = grown;
    f->notice_room = room;
  }
  char *text = NULL;
  va_list arguments;
  va_start(arguments, format);
  const bool made = vasprintf(&text, format, arguments) >= 0;
  va_end(arguments);
  f->failed |= !made;
  if (made)
    f->notice[f->notices++] = (struct lint_notice){.kind = kind, .text = text};
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

/* Of a file that findings are in: the comments of that kind. */
struct ignoring_line {
  uint32_t line;
  char *text; /* behind the words above */
};
struct ignoring_file {
  const char *path; /* a finding's */
  struct ignoring_line *at;
  size_t count;
};
struct ignoring {
  struct findings *findings;
  const char *(*rule_name)(unsigned rule);
  unsigned rules;
  struct ignoring_file *file;
  size_t files;
};

/* The next name of a rule in the text, where it ends in *text; NULL: there is none. */
static const char *next_name(const char **text, size_t *length)
{
  const char *name = *text + strspn(*text, " ,");
  *length = name == *text ? 0 : strspn(name, "abcdefghijklmnopqrstuvwxyz-_0123456789");
  *text = name + *length;
  return *length ? name : NULL;
}

static bool is_rule(const struct ignoring *g, const char *name, size_t length)
{
  for (unsigned i = 0; i < g->rules; i++)
    if (strlen(g->rule_name(i)) == length && !strncmp(g->rule_name(i), name, length))
      return true;
  return false;
}

static void complain(struct ignoring *g, const char *path, const struct ignoring_line *l)
{
  const char *text = l->text, *name;
  for (size_t length; (name = next_name(&text, &length));)
    if (!is_rule(g, name, length))
      findings_notice(g->findings, NOTICE_COMMENT,
                      "%s:%" PRIu32 ": there is no rule %.*s to ignore; heddle lint --explain lists them", path,
                      l->line, (int)length, name);
}

static void add_comment(struct ignoring *g, struct ignoring_file *f, uint32_t line, const char *text)
{
  struct ignoring_line *grown = realloc(f->at, (f->count + 1) * sizeof *grown);
  char *copy = strdup(text);
  if (grown)
    f->at = grown;
  if (!grown || !copy) {
    free(copy);
    g->findings->failed = true;
    return;
  }
  f->at[f->count++] = (struct ignoring_line){.line = line, .text = copy};
  complain(g, f->path, &f->at[f->count - 1]);
}

static void read_comments(struct ignoring *g, struct ignoring_file *f)
{
  char why[256], *text = NULL;
  size_t room = 0;
  FILE *in = input_open(f->path, why, sizeof why);
  for (uint32_t number = 1; in && input_line(&text, &room, in, NULL) >= 0; number++) {
    const char *at = strstr(text, IGNORE);
    if (at)
      add_comment(g, f, number, at + strlen(IGNORE));
  }
  free(text);
  if (in)
    fclose(in);
}

/* Each file is read once. NULL: no memory left. */
static const struct ignoring_file *comments_of(struct ignoring *g, const char *path)
{
  for (size_t i = g->files; i-- > 0;) /* findings come sorted by file: it is the last one, mostly */
    if (!strcmp(g->file[i].path, path))
      return &g->file[i];
  struct ignoring_file *grown = realloc(g->file, (g->files + 1) * sizeof *grown);
  g->findings->failed |= !grown;
  if (!grown)
    return NULL;
  g->file = grown;
  g->file[g->files] = (struct ignoring_file){.path = path};
  read_comments(g, &g->file[g->files]);
  return &g->file[g->files++];
}

/* Whether the comment is about the rule: it names it, or none. */
static bool comment_ignores(const char *text, const char *rule)
{
  const char *name, *at = text;
  bool named = false;
  for (size_t length; (name = next_name(&at, &length)); named = true)
    if (length == strlen(rule) && !strncmp(name, rule, length))
      return true;
  return !named;
}

static bool place_ignores(struct ignoring *g, const char *path, uint32_t line, const char *rule)
{
  const struct ignoring_file *f = comments_of(g, path);
  for (size_t i = 0; f && i < f->count; i++)
    if ((f->at[i].line == line || f->at[i].line + 1 == line) && comment_ignores(f->at[i].text, rule))
      return true;
  return false;
}

static bool is_ignored(struct ignoring *g, const struct lint_finding *f)
{
  const char *rule = g->rule_name(f->rule);
  if (place_ignores(g, f->file, f->line, rule))
    return true;
  for (size_t i = 0; i < f->places; i++)
    if (f->place[i].kind == PLACE_CALL && place_ignores(g, f->place[i].file, f->place[i].line, rule))
      return true;
  return false;
}

void findings_suppress(struct findings *f, const char *(*rule_name)(unsigned rule), unsigned rules)
{
  struct ignoring g = {.findings = f, .rule_name = rule_name, .rules = rules};
  for (size_t i = 0; i < f->count; i++)
    if (f->finding[i].state == FINDING_NEW && is_ignored(&g, &f->finding[i]))
      f->finding[i].state = FINDING_SUPPRESSED;
  for (size_t i = 0; i < g.files; i++) {
    for (size_t k = 0; k < g.file[i].count; k++)
      free(g.file[i].at[k].text);
    free(g.file[i].at);
  }
  free(g.file);
}

/* ---- baselines ---- */

#define FIRST_LINE "# heddle lint baseline 2"

void findings_add_files_to_keys(struct findings *f, const char *folder)
{
  const size_t length = strlen(folder);
  for (size_t i = 0; i < f->count; i++) {
    const char *file = f->finding[i].file, *slash = strrchr(file, '/');
    const bool below = length && !strncmp(file, folder, length);
    f->finding[i].key = hash_string(f->finding[i].key, below ? file + length : slash ? slash + 1 : file);
  }
}

static void mark_known(struct findings *f, uint64_t key)
{
  for (size_t i = 0; i < f->count; i++)
    if (f->finding[i].key == key && f->finding[i].state == FINDING_NEW) {
      f->finding[i].state = FINDING_KNOWN;
      return;
    }
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
