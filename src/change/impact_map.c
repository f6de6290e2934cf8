/* SPDX-License-Identifier: Apache-2.0
 *
 * From points to addresses; see the header.
 */
#include "change/impact_map.h"
#include "core/address_name.h"
#include "debuginfo/line_pieces.h"
#include "debuginfo/symbols.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* A bit of a range begins or ends. */
struct edge {
  uint64_t at;
  uint32_t bits;
  int32_t by; /* 1 or -1 */
};

struct drawing {
  const struct impact *impact;
  const char *root;
  bool *functions; /* of the facts: has a point */
  bool *by_line; /* of the texts: a field that is known by the lines that use it, since it has no address of its own */
  char file_name[PATH_MAX];
  uint32_t file; /* its number */
  struct edge *edge;
  size_t edges, room;
  bool failed;
};

static void add_edge(struct drawing *d, uint64_t at, uint32_t bits, int32_t by)
{
  if (d->edges == d->room) {
    size_t room = d->room ? 2 * d->room : 256;
    struct edge *grown = realloc(d->edge, room * sizeof *grown);
    d->failed |= !grown;
    if (!grown)
      return;
    d->edge = grown;
    d->room = room;
  }
  d->edge[d->edges++] = (struct edge){at, bits, by};
}

static void add_range(struct drawing *d, uint64_t from, uint64_t to, uint32_t bits)
{
  if (!bits || to <= from)
    return;
  add_edge(d, name_in_zone(ZONE_MODULES, from), bits, 1); /* the program is the first module */
  add_edge(d, name_in_zone(ZONE_MODULES, to), bits, -1);
}

/* ---- lines ---- */

/* Pieces of one file come one after the other, so it is looked for once. */
static uint32_t file_number(struct drawing *d, const char *path)
{
  char real[PATH_MAX];
  if (!strncmp(path, d->file_name, sizeof d->file_name))
    return d->file;
  snprintf(d->file_name, sizeof d->file_name, "%s", path);
  size_t length = strlen(d->root);
  bool below = realpath(path, real) && !strncmp(real, d->root, length) && real[length] == '/';
  d->file = below ? source_facts_find(d->impact->facts, real + length + 1) : UINT32_MAX;
  return d->file;
}

static bool uses_field(const struct drawing *d, uint32_t file, uint32_t line)
{
  size_t count;
  const struct source_item *item = source_facts_lines(d->impact->facts, file, line, line, &count);
  for (size_t i = 0; i < count; i++)
    if (item[i].kind == SOURCE_USE && d->by_line[item[i].what])
      return true;
  return false;
}

static uint32_t bits_of(const struct drawing *d, uint32_t file, uint32_t line)
{
  const struct source_function *f = source_facts_function(d->impact->facts, file, line);
  uint32_t bits = 0;
  if (impact_has_lines(d->impact, file, 0, UINT32_MAX))
    bits |= CHANGED_BIT(MATCH_UNIT) | CHANGED_BIT(MATCH_UNIT_ON_STACK);
  if (f && d->functions[f - d->impact->facts->function])
    bits |= CHANGED_BIT(MATCH_FUNCTION) | CHANGED_BIT(MATCH_FUNCTION_ON_STACK);
  if (impact_has_lines(d->impact, file, line, line))
    bits |= CHANGED_BIT(MATCH_LINE) | CHANGED_BIT(MATCH_LINE_ON_STACK);
  if (uses_field(d, file, line))
    bits |= CHANGED_BIT(MATCH_FIELD);
  return bits;
}

#define ON_STACK                                                                                                       \
  (CHANGED_BIT(MATCH_UNIT_ON_STACK) | CHANGED_BIT(MATCH_FUNCTION_ON_STACK) | CHANGED_BIT(MATCH_LINE_ON_STACK))

static void add_piece(void *context, const struct line_piece *piece)
{
  struct drawing *d = context;
  uint32_t file = file_number(d, piece->file);
  if (file == UINT32_MAX)
    return;
  uint32_t bits = bits_of(d, file, piece->line);
  add_range(d, piece->from, piece->to, piece->inlined ? bits & ON_STACK : bits);
}

/* ---- fields ---- */

/* Global variables are known by their addresses, what has none by its lines. */
static void add_fields(struct drawing *d, const char *program)
{
  char error[256];
  struct symbols *symbols = symbols_open(program, error, sizeof error);
  for (size_t i = 0; i < d->impact->points; i++) {
    const struct impact_point *p = &d->impact->point[i];
    uint64_t place, bytes;
    if (p->field == UINT32_MAX)
      continue;
    if (p->global && symbols && symbols_find_variable(symbols, d->impact->facts->text[p->field], &place, &bytes))
      add_range(d, place, place + bytes, CHANGED_BIT(MATCH_FIELD));
    else
      d->by_line[p->field] = true;
  }
  symbols_close(symbols);
}

/* ---- the map ---- */

static int by_address(const void *left, const void *right)
{
  const struct edge *a = left, *b = right;
  return a->at < b->at ? -1 : a->at > b->at;
}

static uint32_t bits_set(const uint32_t *depth)
{
  uint32_t bits = 0;
  for (unsigned i = 0; i < MATCH_COUNT; i++)
    bits |= depth[i] ? CHANGED_BIT(i) : 0;
  return bits;
}

/* Overlapping ranges become ranges side by side. NULL: no memory, or too many. */
static struct changed_map *flatten(struct drawing *d)
{
  struct changed_map *map = calloc(1, sizeof *map + (d->edges + 1) * sizeof map->range[0]);
  uint32_t depth[MATCH_COUNT] = {0};
  if (!map || d->failed || d->edges > CHANGED_RANGES) {
    free(map);
    return NULL;
  }
  if (d->edges)
    qsort(d->edge, d->edges, sizeof *d->edge, by_address);
  for (size_t i = 0; i < d->edges; i++) {
    struct changed_range *last = map->count ? &map->range[map->count - 1] : NULL;
    uint32_t before = bits_set(depth);
    uint64_t since = i ? d->edge[i - 1].at : 0;
    if (before && since < d->edge[i].at) {
      if (last && last->to == since && last->bits == before)
        last->to = d->edge[i].at;
      else
        map->range[map->count++] = (struct changed_range){since, d->edge[i].at, before};
    }
    for (unsigned b = 0; b < MATCH_COUNT; b++)
      if (d->edge[i].bits & CHANGED_BIT(b))
        depth[b] += (uint32_t)d->edge[i].by;
  }
  return map;
}

struct changed_map *impact_map(const struct impact *impact, const char *root, const char *program, char *error,
                               size_t error_size)
{
  const struct source_facts *f = impact->facts;
  struct changed_map *map = NULL;
  struct drawing d = {.impact = impact, .root = root};
  d.functions = calloc(f->functions + 1, sizeof *d.functions);
  d.by_line = calloc(f->texts + 1, sizeof *d.by_line);
  snprintf(error, error_size, "no memory left for what was changed");
  if (d.functions && d.by_line) {
    for (size_t i = 0; i < f->functions; i++)
      d.functions[i] = impact_has_lines(impact, f->function[i].file, f->function[i].first, f->function[i].last);
    add_fields(&d, program);
    if (line_pieces(program, add_piece, &d, error, error_size))
      map = flatten(&d);
  }
  free(d.functions);
  free(d.by_line);
  free(d.edge);
  return map;
}
