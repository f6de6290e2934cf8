/* SPDX-License-Identifier: Apache-2.0
 *
 * What was changed, for a search; see changed_since.h.
 */
#include "cli/find/changed_since.h"
#include "change/git.h"
#include "change/impact_map.h"
#include "file/paths.h"
#include "frontend/libclang.h"
#include "session/console.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ERROR_SIZE 512

/* What is known on the way from a revision to a map. */
struct survey {
  struct git git;
  struct diff diff;
  struct compile_commands commands;
  struct source_facts new, old;
  struct impact impact;
  char error[ERROR_SIZE];
};

/* ---- which commands ---- */

static bool find_commands(struct survey *s, const char *program)
{
  if (!compile_commands_of_program(&s->commands, program, s->error, sizeof s->error))
    return false;
  char *here = getcwd(NULL, 0), *beside = path_folder(program);
  bool good =
      here && beside &&
      (s->commands.count || compile_commands_search(&s->commands, beside, s->git.root, s->error, sizeof s->error)) &&
      (s->commands.count || compile_commands_search(&s->commands, here, s->git.root, s->error, sizeof s->error));
  if (good && !s->commands.count) {
    snprintf(s->error, sizeof s->error,
             "how %s was compiled is not known: build it with heddle cc, or put a compile_commands.json here", program);
    good = false;
  }
  free(here);
  free(beside);
  return good;
}

/* ---- reading the sources ---- */

/* A source that cannot be read is said, and its lines are not known. */
static bool add_source(struct survey *s, struct source_facts *facts, const struct compile_command *command,
                       const struct source_text *other)
{
  char problem[ERROR_SIZE] = "";
  if (access(command->source, R_OK) != 0)
    return true;
  if (!source_facts_add(facts, command, other, problem, s->error, sizeof s->error))
    return false;
  if (problem[0] && !other)
    console_note("--changed: %s", problem);
  return true;
}

static bool removes_lines(const struct diff_file *f)
{
  for (size_t i = 0; i < f->hunks; i++)
    if (f->hunk[i].old_count)
      return true;
  return false;
}

/* The old version of a file, read in the place of the new one. */
static bool add_old(struct survey *s, const struct diff_file *f)
{
  char path[PATH_MAX];
  if (!f->old_path || !f->new_path || !removes_lines(f) ||
      snprintf(path, sizeof path, "%s/%s", s->git.root, f->new_path) >= PATH_MAX)
    return true;
  for (size_t i = 0; i < s->commands.count; i++) {
    char real[PATH_MAX];
    if (!realpath(s->commands.command[i].source, real) || strcmp(real, path) != 0)
      continue;
    struct source_text other = {.path = s->commands.command[i].source};
    char *text = git_old_text(&s->git, f->old_path, &other.length);
    other.text = text;
    bool good = !text || add_source(s, &s->old, &s->commands.command[i], &other);
    free(text);
    return good;
  }
  return true;
}

static bool read_sources(struct survey *s)
{
  bool good = source_facts_open(&s->new, s->git.root) && source_facts_open(&s->old, s->git.root);
  for (size_t i = 0; good && i < s->commands.count; i++)
    good = add_source(s, &s->new, &s->commands.command[i], NULL);
  for (size_t i = 0; good && i < s->diff.files; i++)
    good = add_old(s, &s->diff.file[i]);
  bool finished = source_facts_finish(&s->new) && source_facts_finish(&s->old);
  return good && finished;
}

static bool make_survey(struct survey *s, const char *revision, const char *program)
{
  snprintf(s->error, sizeof s->error, "no memory left");
  if (!git_open(&s->git, revision, s->error, sizeof s->error) || !libclang_open(s->error, sizeof s->error) ||
      !find_commands(s, program))
    return false;
  char *text = git_diff(&s->git, s->error, sizeof s->error);
  bool good =
      text && diff_parse(&s->diff, text) && read_sources(s) && impact_find(&s->impact, &s->diff, &s->new, &s->old);
  free(text);
  return good;
}

static void survey_close(struct survey *s)
{
  impact_free(&s->impact);
  source_facts_close(&s->new);
  source_facts_close(&s->old);
  compile_commands_free(&s->commands);
  diff_free(&s->diff);
  git_close(&s->git);
}

/* ---- what is told ---- */

/* Of one program, kept until the end: its tests are searched one by one. */
struct analysis {
  struct analysis *next;
  char *program;
  struct json_changed told;
  struct changed_map *map;
};

static struct analysis *analyses;

static bool keep_points(struct json_changed *told, const struct survey *s)
{
  char point[1024];
  told->points = calloc(s->impact.points + 1, sizeof *told->points);
  for (size_t i = 0; told->points && i < s->impact.points; i++) {
    impact_format(&s->impact, &s->impact.point[i], point, sizeof point);
    if (!(told->points[told->point_count] = strdup(point)))
      return false;
    told->point_count++;
  }
  return told->points;
}

/* False, with the error in the survey. */
static bool analyse(struct analysis *a, struct survey *s, const char *revision)
{
  if (!make_survey(s, revision, a->program))
    return false;
  a->map = impact_map(&s->impact, s->git.root, a->program, s->error, sizeof s->error);
  if (!a->map)
    return false;
  snprintf(s->error, sizeof s->error, "no memory left");
  a->told.revision = strdup(revision);
  a->told.base = strdup(s->git.base);
  return a->told.revision && a->told.base && keep_points(&a->told, s);
}

/* NULL: an error was printed. */
static const struct analysis *analysis_of(const char *program, const char *revision, const char *heuristic,
                                          bool *is_new)
{
  for (const struct analysis *a = analyses; a; a = a->next)
    if (!strcmp(a->program, program))
      return a;
  struct survey *s = calloc(1, sizeof *s);
  struct analysis *a = calloc(1, sizeof *a);
  *is_new = true;
  bool good = s && a && (a->program = strdup(program)) && analyse(a, s, revision);
  if (!good)
    console_error("--changed: %s", s && s->error[0] ? s->error : "no memory left");
  if (a) { /* what is incomplete is the end of the command */
    a->told.heuristic = heuristic;
    a->next = analyses;
    analyses = a;
  }
  if (s)
    survey_close(s);
  free(s);
  return good ? a : NULL;
}

static unsigned reach_of(const struct changed_map *map)
{
  uint64_t bits = 0;
  for (uint64_t i = 0; i < map->count; i++)
    bits |= map->range[i].bits;
  return bits & CHANGED_BIT(MATCH_LINE) ? 2 : bits ? 1 : 0;
}

bool changed_since_open(struct changed_since *c, const char *revision, const char *heuristic, struct target *target)
{
  *c = (struct changed_since){0};
  if (!revision)
    return true;
  const struct analysis *a = analysis_of(target->path, revision, heuristic, &c->is_news);
  if (!a || !a->map)
    return false;
  target->changed = malloc(changed_map_bytes(a->map));
  if (!target->changed) {
    console_error("no memory left");
    return false;
  }
  memcpy(target->changed, a->map, changed_map_bytes(a->map));
  c->told = &a->told;
  c->reach = reach_of(a->map);
  return true;
}

/* ---- words ---- */

#define TOLD_MOST 10 /* places; the rest is counted */

struct words {
  FILE *out;
  char *text;
  size_t size, places, left;
};

/* `queue.c:push:31:*`: where its parts end. False: it is a field. */
static bool parts_of(const char *point, int *unit, int *function, unsigned *line)
{
  const char *last = strrchr(point, ':'), *colon = last;
  const char *at[2] = {NULL, NULL};
  if (!strncmp(point, "*:", 2))
    return false;
  for (int i = 0; i < 2 && colon; i++) {
    const char *before = colon;
    for (before--; before > point && *before != ':';)
      before--;
    at[i] = colon = before;
  }
  *unit = (int)(at[1] - point);
  *function = (int)(at[0] - at[1] - 1);
  *line = (unsigned)strtoul(at[0] + 1, NULL, 10);
  return true;
}

static void put_place(struct words *w, const char *point, unsigned first, unsigned last, int unit, int function)
{
  if (++w->places > TOLD_MOST) {
    w->left++;
    return;
  }
  fprintf(w->out, "%s%.*s:%u", w->places > 1 ? ", " : "", unit, point, first);
  if (last > first)
    fprintf(w->out, "-%u", last);
  fprintf(w->out, " (%.*s)", function, point + unit + 1);
}

/* Lines one after the other are one place. */
static void put_lines(struct words *w, const struct json_changed *told)
{
  for (size_t i = 0; i < told->point_count;) {
    int unit, function;
    unsigned first, line;
    const char *point = told->points[i];
    if (!parts_of(point, &unit, &function, &first))
      break;
    unsigned last = first;
    while (++i < told->point_count) {
      int u, f;
      if (!parts_of(told->points[i], &u, &f, &line) || line != last + 1 || u != unit || f != function ||
          strncmp(point, told->points[i], (size_t)unit + (size_t)function + 1) != 0)
        break;
      last = line;
    }
    put_place(w, point, first, last, unit, function);
  }
}

static void put_fields(struct words *w, const struct json_changed *told)
{
  w->places = w->left = 0;
  for (size_t i = 0; i < told->point_count; i++) {
    if (strncmp(told->points[i], "*:*:*:", 6) != 0)
      continue;
    if (++w->places > TOLD_MOST)
      w->left++;
    else
      fprintf(w->out, "%s%s", w->places > 1 ? ", " : "", told->points[i] + 6);
  }
}

static void print(const char *before, const char *none, const struct json_changed *told,
                  void (*put)(struct words *, const struct json_changed *))
{
  struct words w = {0};
  w.out = open_memstream(&w.text, &w.size);
  if (!w.out)
    return;
  put(&w, told);
  if (w.left)
    fprintf(w.out, " and %zu more", w.left);
  if (fclose(w.out) == 0 && (w.places || none))
    console_line("%s%s", before, w.places ? w.text : none);
  free(w.text);
}

void changed_since_print(const struct changed_since *c)
{
  if (!c->told || !c->is_news)
    return;
  if (!c->told->point_count || !c->reach) {
    console_line("changed  nothing that this program is made of, since %s: the search is as without --changed",
                 c->told->revision);
    return;
  }
  print("changed  first looked at: ", "no line of code", c->told, put_lines);
  print("         and uses of ", NULL, c->told, put_fields);
}
