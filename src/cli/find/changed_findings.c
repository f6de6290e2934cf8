/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings and changed lines; see the header.
 */
#include "cli/find/changed_findings.h"
#include "change/diff.h"
#include "change/git.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct comparison {
  const struct whole_program *program;
  struct diff diff;
  const char *root; /* that the paths of the difference are below */
};

struct lines {
  uint32_t first, last;
};

/* Those of the innermost function around a line; the line alone if there is none. */
static struct lines function_around(const struct whole_program *p, const char *file, uint32_t line)
{
  struct lines around = {line, line};
  uint32_t fewest = UINT32_MAX;
  for (uint32_t i = 0; i < p->functions; i++) {
    const struct program_function *f = &p->function[i];
    const uint32_t first = p->unit[f->unit].syntax.node[f->node].line;
    if (line < first || line > f->last || f->last - first >= fewest || strcmp(f->file, file) != 0)
      continue;
    fewest = f->last - first;
    around = (struct lines){first, f->last};
  }
  return around;
}

/* Of a hunk that only removes lines, new_line is the one before them. */
static bool touches(const struct diff_hunk *h, struct lines l)
{
  if (!h->new_count)
    return h->new_line >= l.first && h->new_line < l.last;
  return h->new_line <= l.last && h->new_line + h->new_count > l.first;
}

static bool was_changed(const struct comparison *c, const char *file, uint32_t line)
{
  const size_t length = strlen(c->root);
  if (strncmp(file, c->root, length) != 0 || file[length] != '/')
    return false;
  const struct lines around = function_around(c->program, file, line);
  for (size_t i = 0; i < c->diff.files; i++) {
    const struct diff_file *f = &c->diff.file[i];
    if (!f->new_path || strcmp(f->new_path, file + length + 1) != 0)
      continue;
    for (size_t h = 0; h < f->hunks; h++)
      if (touches(&f->hunk[h], around))
        return true;
  }
  return false;
}

static void keep_changed(const struct comparison *c, struct findings *all)
{
  for (size_t i = 0; i < all->count; i++) {
    struct lint_finding *f = &all->finding[i];
    if (f->state != FINDING_NEW)
      continue;
    bool changed = was_changed(c, f->file, f->line);
    for (size_t k = 0; k < f->places && !changed; k++)
      changed = was_changed(c, f->place[k].file, f->place[k].line);
    if (!changed)
      f->state = FINDING_UNCHANGED;
  }
}

bool leave_unchanged_findings(struct findings *findings, const struct whole_program *program, const char *revision,
                              char *error, size_t error_size)
{
  struct git git = {0};
  struct comparison c = {.program = program};
  char *text = git_open(&git, revision, error, error_size) ? git_diff(&git, error, error_size) : NULL;
  const bool parsed = text && diff_parse(&c.diff, text);
  c.root = git.root;
  if (parsed)
    keep_changed(&c, findings);
  else if (text)
    snprintf(error, error_size, "no memory left");
  diff_free(&c.diff);
  free(text);
  git_close(&git);
  return parsed;
}
