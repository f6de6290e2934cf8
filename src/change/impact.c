/* SPDX-License-Identifier: Apache-2.0
 *
 * Impacted code points; see the header.
 */
#include "change/impact.h"
#include <stdlib.h>
#include <string.h>

static void add(struct impact *m, struct impact_point point)
{
  if (m->points == m->room) {
    size_t room = m->room ? 2 * m->room : 64;
    struct impact_point *grown = realloc(m->point, room * sizeof *grown);
    m->failed |= !grown;
    if (!grown)
      return;
    m->point = grown;
    m->room = room;
  }
  m->point[m->points++] = point;
}

static bool has_code(const struct source_facts *f, uint32_t file, uint32_t line)
{
  size_t count;
  const struct source_item *item = source_facts_lines(f, file, line, line, &count);
  return count && item->kind == SOURCE_CODE; /* the first kind */
}

/* A line without code is none. */
static void add_line(struct impact *m, uint32_t file, uint32_t line)
{
  const struct source_function *f = source_facts_function(m->facts, file, line);
  if (f && has_code(m->facts, file, line))
    add(m, (struct impact_point){.file = file, .line = line, .function = f->name, .field = UINT32_MAX});
}

static void add_field(struct impact *m, uint32_t field, bool global)
{
  if (field != UINT32_MAX)
    add(m, (struct impact_point){
               .file = UINT32_MAX, .line = UINT32_MAX, .function = UINT32_MAX, .field = field, .global = global});
}

static void add_lines(struct impact *m, uint32_t file, uint32_t first, uint32_t last)
{
  for (uint32_t line = first; line <= last; line++)
    add_line(m, file, line);
}

/* ---- the difference ---- */

/* What stands in the line and is no code: a field, a variable, a macro that is used elsewhere. */
static void add_declared(struct impact *m, uint32_t file, uint32_t line)
{
  size_t count;
  const struct source_item *item = source_facts_lines(m->facts, file, line, line, &count);
  for (size_t i = 0; i < count; i++) {
    if (item[i].kind == SOURCE_DECLARED)
      add_field(m, item[i].what, item[i].id);
    else if (item[i].kind == SOURCE_MACRO)
      add_line(m, item[i].what, (uint32_t)item[i].id);
  }
}

/* The first statement of the function behind the line; its last line if there is none. */
static void add_what_follows(struct impact *m, uint32_t file, uint32_t line)
{
  const struct source_function *f = source_facts_function(m->facts, file, line);
  if (!f)
    f = source_facts_function(m->facts, file, line + 1);
  if (!f)
    return;
  size_t count;
  const struct source_item *item = source_facts_lines(m->facts, file, line + 1, f->last, &count);
  for (size_t i = 0; i < count; i++)
    if (item[i].kind == SOURCE_STATEMENT) {
      add_line(m, file, item[i].line);
      return;
    }
  add(m, (struct impact_point){.file = file, .line = f->last, .function = f->name, .field = UINT32_MAX});
}

static bool overlap(uint32_t first, uint32_t count, const struct source_region *r)
{
  return count && first <= r->last && first + count > r->first;
}

/* Regions under a lock into which lines came, be they what takes or releases it: a region that became longer or shorter
 * looks in a difference as if what is beside its bounds had moved. */
static void add_new_regions(struct impact *m, const struct diff_file *d, uint32_t file)
{
  for (size_t i = 0; i < m->facts->regions; i++) {
    const struct source_region *r = &m->facts->region[i];
    bool touched = false;
    for (size_t h = 0; r->file == file && h < d->hunks; h++)
      touched |= overlap(d->hunk[h].new_line, d->hunk[h].new_count, r);
    if (touched)
      add_lines(m, file, r->first, r->last);
  }
}

/* The same for lines that went: what is left of those that were in the region. */
static void add_old_regions(struct impact *m, const struct diff_file *d, uint32_t file, const struct source_facts *old)
{
  uint32_t number = d->old_path ? source_facts_find(old, d->new_path) : UINT32_MAX;
  for (size_t i = 0; number != UINT32_MAX && i < old->regions; i++) {
    const struct source_region *r = &old->region[i];
    bool touched = false;
    for (size_t h = 0; r->file == number && h < d->hunks; h++)
      touched |= overlap(d->hunk[h].old_line, d->hunk[h].old_count, r);
    for (uint32_t line = r->first; touched && line <= r->last; line++)
      if (diff_new_line(d, line))
        add_line(m, file, diff_new_line(d, line));
  }
}

/* Fields that the removed lines used, and that there still are. */
static void add_removed_fields(struct impact *m, const struct diff_file *d, const struct source_facts *old)
{
  uint32_t number = d->old_path ? source_facts_find(old, d->new_path) : UINT32_MAX;
  for (size_t i = 0; number != UINT32_MAX && i < d->hunks; i++) {
    const struct diff_hunk *h = &d->hunk[i];
    size_t count = 0;
    const struct source_item *item =
        h->old_count ? source_facts_lines(old, number, h->old_line, h->old_line + h->old_count - 1, &count) : NULL;
    for (size_t k = 0; k < count; k++)
      if (item[k].kind == SOURCE_USE)
        add_field(m, source_facts_find(m->facts, old->text[item[k].what]), item[k].id);
  }
}

static void add_file(struct impact *m, const struct diff_file *d, const struct source_facts *old)
{
  uint32_t file = d->new_path ? source_facts_find(m->facts, d->new_path) : UINT32_MAX;
  if (file == UINT32_MAX || d->binary)
    return;
  for (size_t i = 0; i < d->hunks; i++) {
    const struct diff_hunk *h = &d->hunk[i];
    for (uint32_t line = h->new_line; line - h->new_line < h->new_count; line++) {
      add_line(m, file, line);
      add_declared(m, file, line);
    }
    if (!h->new_count)
      add_what_follows(m, file, h->new_line);
  }
  add_new_regions(m, d, file);
  add_old_regions(m, d, file, old);
  add_removed_fields(m, d, old);
}

/* ---- fields ---- */

static void add_fields_between(struct impact *m, uint32_t file, uint32_t first, uint32_t last)
{
  size_t count;
  const struct source_item *item = source_facts_lines(m->facts, file, first, last, &count);
  for (size_t i = 0; i < count; i++)
    if (item[i].kind == SOURCE_USE)
      add_field(m, item[i].what, item[i].id);
}

static void add_fields_of_function(struct impact *m, uint64_t id)
{
  for (size_t i = 0; i < m->facts->functions; i++) {
    const struct source_function *f = &m->facts->function[i];
    if (f->id == id)
      add_fields_between(m, f->file, f->first, f->last);
  }
}

/* Of the lines, and one call further. */
static void add_fields(struct impact *m)
{
  for (size_t p = 0, lines = m->points; p < lines; p++) {
    struct impact_point point = m->point[p];
    size_t count = 0;
    const struct source_item *item = NULL;
    if (point.field == UINT32_MAX) {
      add_fields_between(m, point.file, point.line, point.line);
      item = source_facts_lines(m->facts, point.file, point.line, point.line, &count);
    }
    for (size_t i = 0; i < count; i++)
      if (item[i].kind == SOURCE_CALL)
        add_fields_of_function(m, item[i].id);
  }
}

/* ---- order ---- */

static int by_place(const void *left, const void *right)
{
  const struct impact_point *a = left, *b = right;
  const uint64_t x[] = {a->file, a->line, a->field, a->global}, y[] = {b->file, b->line, b->field, b->global};
  for (size_t i = 0; i < sizeof x / sizeof *x; i++)
    if (x[i] != y[i])
      return x[i] < y[i] ? -1 : 1;
  return 0;
}

static void tidy(struct impact *m)
{
  size_t kept = 0;
  if (m->points)
    qsort(m->point, m->points, sizeof *m->point, by_place);
  for (size_t i = 0; i < m->points; i++)
    if (!kept || by_place(&m->point[kept - 1], &m->point[i]) != 0)
      m->point[kept++] = m->point[i];
  m->points = kept;
}

static int by_name(const void *left, const void *right, void *facts)
{
  char *const *text = ((const struct source_facts *)facts)->text;
  return strcmp(text[((const struct impact_point *)left)->field], text[((const struct impact_point *)right)->field]);
}

/* Fields come last; they are told in the order of their names. */
static void sort_fields(struct impact *m)
{
  size_t lines = 0;
  while (lines < m->points && m->point[lines].field == UINT32_MAX)
    lines++;
  if (lines < m->points)
    qsort_r(m->point + lines, m->points - lines, sizeof *m->point, by_name, (void *)m->facts);
}

bool impact_find(struct impact *m, const struct diff *diff, const struct source_facts *new,
                 const struct source_facts *old)
{
  *m = (struct impact){.facts = new};
  for (size_t i = 0; i < diff->files; i++)
    add_file(m, &diff->file[i], old);
  tidy(m);
  add_fields(m);
  tidy(m);
  sort_fields(m);
  if (m->failed)
    impact_free(m);
  return m->facts;
}

void impact_free(struct impact *m)
{
  free(m->point);
  *m = (struct impact){0};
}

/* ---- questions ---- */

bool impact_has_lines(const struct impact *m, uint32_t file, uint32_t first, uint32_t last)
{
  size_t low = 0, high = m->points; /* the first that is not before them */
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const struct impact_point *p = &m->point[middle];
    if (p->file < file || (p->file == file && p->line < first))
      low = middle + 1;
    else
      high = middle;
  }
  return low < m->points && m->point[low].file == file && m->point[low].line <= last;
}

void impact_format(const struct impact *m, const struct impact_point *p, char *out, size_t size)
{
  char *const *text = m->facts->text;
  if (p->field != UINT32_MAX)
    snprintf(out, size, "*:*:*:%s", text[p->field]);
  else
    snprintf(out, size, "%s:%s:%u:*", text[p->file], text[p->function], p->line);
}
