/* SPDX-License-Identifier: Apache-2.0
 *
 * Regions of a trace program; see region.h.
 */
#include "predict/program/region.h"
#include <stdlib.h>

#define SIBLINGS 1024 /* nestings that a new one is compared with: so that time stays linear */

static bool append(struct body *body, const struct program_line *line)
{
  if (body->count == body->room) {
    uint32_t room = body->room ? 2 * body->room : 16;
    struct program_line *grown = realloc(body->line, room * sizeof *grown);
    if (!grown)
      return false;
    body->line = grown;
    body->room = room;
  }
  body->line[body->count++] = *line;
  return true;
}

static bool same_line(const struct program_line *a, const struct program_line *b)
{
  return a->kind == b->kind && a->flags == b->flags && a->object == b->object && a->site == b->site;
}

static bool same_lines(const struct program_line *a, const struct program_line *b, uint32_t length)
{
  uint32_t i = 0;
  while (i < length && same_line(&a[i], &b[i]))
    i++;
  return i == length;
}

/* The lines from unit on are a complete nesting: was it there before? */
static void close_unit(struct body *body, uint32_t scope, uint32_t unit)
{
  uint32_t length = body->count - unit;
  body->line[unit].jump = length;
  for (uint32_t i = scope, n = 0; i < unit && n < SIBLINGS; i += body->line[i].jump, n++)
    if (body->line[i].jump == length && same_lines(&body->line[i], &body->line[unit], length)) {
      body->count = unit;
      return;
    }
}

static bool take(struct body *body, struct region *r, const struct program_line *line)
{
  if (r->count == r->room) {
    uint32_t room = r->room ? 2 * r->room : 8;
    struct region_lock *grown = realloc(r->held, room * sizeof *grown);
    if (!grown)
      return false;
    r->held = grown;
    r->room = room;
  }
  r->held[r->count++] = (struct region_lock){.object = line->object, .unit = body->count, .scope = body->count + 1};
  return append(body, line);
}

static bool release(struct body *body, struct region *r, const struct program_line *line)
{
  uint32_t i = r->count;
  while (i > 0 && r->held[i - 1].object != line->object)
    i--;
  if (!append(body, line))
    return false;
  if (!i) { /* taken before the region: what follows is under other locks */
    r->count = 0;
    r->scope = body->count;
    return true;
  }
  uint32_t unit = r->held[i - 1].unit;
  for (uint32_t j = i; j < r->count; j++) {
    r->held[j].unit = unit;
    r->held[j - 1] = r->held[j];
  }
  r->count--;
  struct region_lock *top = r->count ? &r->held[r->count - 1] : NULL;
  if (top && top->unit == unit)
    top->scope = body->count;
  else
    close_unit(body, top ? top->scope : r->scope, unit);
  return true;
}

bool region_add(struct body *body, struct region *r, const struct program_line *line)
{
  if (line->kind == LINE_ACQ || line->kind == LINE_SHARE)
    return take(body, r, line);
  if (line->kind == LINE_REL)
    return release(body, r, line);
  r->count = 0;
  r->scope = body->count + 1;
  return append(body, line);
}

void region_free(struct region *r)
{
  free(r->held);
  *r = (struct region){0};
}
