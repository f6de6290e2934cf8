/* SPDX-License-Identifier: Apache-2.0
 *
 * Uniting what several workers and sessions covered; see coverage_document.h. Prints nothing.
 */
#include "report/document/coverage_document.h"
#include <stdlib.h>
#include <string.h>

static uint64_t shifted(uint64_t first, uint64_t from)
{
  return first == COVERAGE_NEVER ? COVERAGE_NEVER : first + from;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

static int by_place(const void *a, const void *b)
{
  const struct covered_point *x = a, *y = b;
  return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static int by_places(const void *a, const void *b)
{
  const struct covered_pair *x = a, *y = b;
  if (x->low != y->low)
    return x->low < y->low ? -1 : 1;
  return x->high < y->high ? -1 : x->high > y->high;
}

static void unite_points(struct covered *c)
{
  size_t kept = 0;
  if (c->point_count)
    qsort(c->points, c->point_count, sizeof *c->points, by_place);
  for (size_t i = 0; i < c->point_count; i++) {
    if (kept && c->points[kept - 1].pc == c->points[i].pc)
      c->points[kept - 1].first = earlier(c->points[kept - 1].first, c->points[i].first);
    else
      c->points[kept++] = c->points[i];
  }
  c->point_count = kept;
}

static void unite_pairs(struct covered *c)
{
  size_t kept = 0;
  if (c->pair_count)
    qsort(c->pairs, c->pair_count, sizeof *c->pairs, by_places);
  for (size_t i = 0; i < c->pair_count; i++) {
    struct covered_pair *last = kept ? &c->pairs[kept - 1] : NULL;
    if (!last || by_places(last, &c->pairs[i]) != 0) {
      c->pairs[kept++] = c->pairs[i];
      continue;
    }
    last->first[0] = earlier(last->first[0], c->pairs[i].first[0]);
    last->first[1] = earlier(last->first[1], c->pairs[i].first[1]);
  }
  c->pair_count = kept;
}

bool covered_add(struct covered *c, const struct coverage *sets)
{
  void *points = realloc(c->points, (c->point_count + COVERAGE_POINTS) * sizeof *c->points);
  c->points = points ? points : c->points;
  void *pairs = realloc(c->pairs, (c->pair_count + COVERAGE_PAIRS) * sizeof *c->pairs);
  c->pairs = pairs ? pairs : c->pairs;
  if (!points || !pairs)
    return false;
  for (size_t i = 0; i < COVERAGE_POINTS; i++)
    if (sets->point[i].pc)
      c->points[c->point_count++] =
          (struct covered_point){sets->point[i].pc, shifted(sets->point[i].first, c->executions)};
  for (size_t i = 0; i < COVERAGE_PAIRS; i++)
    if (sets->pair[i].low)
      c->pairs[c->pair_count++] = (struct covered_pair){
          sets->pair[i].low,
          sets->pair[i].high,
          {shifted(sets->pair[i].first[0], c->executions), shifted(sets->pair[i].first[1], c->executions)}};
  c->lost += sets->lost;
  unite_points(c);
  unite_pairs(c);
  return true;
}

static bool is_same(const struct hotspot *a, const struct hotspot *b)
{
  return !strncmp(a->where, b->where, sizeof a->where - 1) && !strncmp(a->name, b->name, sizeof a->name - 1);
}

void covered_add_hotspots(struct covered *c, const struct hotspot *hotspots, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    size_t at = 0;
    while (at < c->hotspot_count && !is_same(&c->hotspots[at], &hotspots[i]))
      at++;
    if (at == CONTROL_HOTSPOTS)
      continue;
    struct hotspot *h = &c->hotspots[at];
    if (at == c->hotspot_count) {
      *h = hotspots[i];
      h->name[sizeof h->name - 1] = h->where[sizeof h->where - 1] = 0; /* the tested process wrote it */
      h->executions = 0;
      h->first = COVERAGE_NEVER;
      c->hotspot_count++;
    }
    h->executions += hotspots[i].executions;
    h->first = earlier(h->first, shifted(hotspots[i].first, c->executions));
  }
}

void covered_free(struct covered *c)
{
  free(c->points);
  free(c->pairs);
  *c = (struct covered){0};
}

struct growth covered_by(const struct covered *c, uint64_t executions)
{
  struct growth g = {.executions = executions};
  for (size_t i = 0; i < c->point_count; i++)
    g.points += c->points[i].first < executions;
  for (size_t i = 0; i < c->pair_count; i++) {
    bool forth = c->pairs[i].first[0] < executions, back = c->pairs[i].first[1] < executions;
    g.pairs += forth || back;
    g.both += forth && back;
  }
  return g;
}

bool hotspots_met(const struct covered *c)
{
  for (size_t i = 0; i < c->hotspot_count; i++)
    if (c->hotspots[i].expectation == EXPECT_SOMETIMES && !c->hotspots[i].executions)
      return false;
  return true;
}
