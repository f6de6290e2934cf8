/* SPDX-License-Identifier: Apache-2.0
 *
 * Telling of coverage; see coverage_document.h. Growth is plotted over the logarithm of the number of executions: most
 * is seen early.
 */
#include "report/document/coverage_document.h"
#include "report/document/build_json.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define PLOT_COLUMNS 48
#define SAMPLES 64 /* of the growth in JSON */
#define LISTED 6   /* of what is missing, on a terminal */
#define PLACE_SIZE 256

/* Of the sites in the program's code. */
struct share {
  size_t covered, total;
};

static bool address_of(const struct coverage_view *v, const struct call_site *site, uintptr_t *pc)
{
  const char *slash = strrchr(v->program, '/');
  return v->symbols && symbols_module_address(v->symbols, slash ? slash + 1 : v->program, site->offset, pc);
}

static bool is_covered(const struct coverage_view *v, const struct call_site *site)
{
  const struct covered *c = v->covered;
  uintptr_t pc;
  size_t low = 0, high = c->point_count;
  if (!address_of(v, site, &pc))
    return false;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (c->points[middle].pc < pc)
      low = middle + 1;
    else
      high = middle;
  }
  return low < c->point_count && c->points[low].pc == pc;
}

static struct share share_of(const struct coverage_view *v, bool access)
{
  struct share s = {0};
  for (size_t i = 0; i < v->site_count; i++)
    if (v->sites[i].access == access) {
      s.total++;
      s.covered += is_covered(v, &v->sites[i]);
    }
  return s;
}

static void place_of(const struct coverage_view *v, uintptr_t pc, char place[PLACE_SIZE])
{
  if (v->symbols)
    symbols_format_place(v->symbols, pc, place, PLACE_SIZE);
  else
    snprintf(place, PLACE_SIZE, "0x%" PRIxPTR, pc);
}

/* ---- on a terminal ---- */

/* The number of executions at that share of the plot. */
static uint64_t at_share(uint64_t executions, double share)
{
  return executions > 1 ? (uint64_t)llround(pow((double)executions, share)) : executions;
}

static size_t member(const struct growth *g, unsigned which)
{
  return which == 0 ? g->points : which == 1 ? g->pairs : g->both;
}

static void plot_line(FILE *out, const struct covered *c, unsigned which, const char *name)
{
  static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  struct growth end = covered_by(c, c->executions);
  size_t most = member(&end, which == 2 ? 1 : which); /* both orders on the scale of all pairs */
  fprintf(out, "  %-16s ", name);
  for (unsigned i = 0; i < PLOT_COLUMNS; i++) {
    struct growth g = covered_by(c, at_share(c->executions, (double)i / (PLOT_COLUMNS - 1)));
    size_t n = member(&g, which);
    fputs(!n ? " " : bars[most ? (n * 8 - 1) / most : 0], out);
  }
  fprintf(out, "  %zu\n", member(&end, which));
}

static void plot(FILE *out, const struct covered *c)
{
  static const char *const names[] = {"points", "pairs", "in both orders"};
  char last[32];
  for (unsigned i = 0; i < 3; i++)
    plot_line(out, c, i, names[i]);
  snprintf(last, sizeof last, "%" PRIu64, c->executions);
  fprintf(out, "  %-16s 1%*s executions\n", "", PLOT_COLUMNS - 1, last);
}

static void print_missing_calls(FILE *out, const struct coverage_view *v)
{
  size_t listed = 0, more = 0;
  char place[PLACE_SIZE], last[PLACE_SIZE] = "";
  uintptr_t pc;
  for (size_t i = 0; i < v->site_count; i++) {
    if (v->sites[i].access || is_covered(v, &v->sites[i]) || !address_of(v, &v->sites[i], &pc))
      continue;
    place_of(v, pc, place);
    if (strcmp(place, last) == 0)
      continue;
    memcpy(last, place, sizeof last);
    if (listed == LISTED)
      more++;
    else
      fputs(listed++ ? ", " : "    not reached: ", out), print_escaped(out, place);
  }
  if (listed)
    fprintf(out, more ? " and %zu more\n" : "\n", more);
}

static void print_one_way_pairs(FILE *out, const struct coverage_view *v)
{
  const struct covered *c = v->covered;
  size_t listed = 0, more = 0;
  for (size_t i = 0; i < c->pair_count; i++) {
    const struct covered_pair *p = &c->pairs[i];
    bool forth = p->first[0] != COVERAGE_NEVER;
    if (forth == (p->first[1] != COVERAGE_NEVER))
      continue;
    if (listed == LISTED) {
      more++;
      continue;
    }
    char first[PLACE_SIZE], second[PLACE_SIZE];
    place_of(v, forth ? p->low : p->high, first);
    place_of(v, forth ? p->high : p->low, second);
    fputs(listed++ ? ", " : "    in one order only: ", out);
    print_escaped(out, first);
    fputs(" before ", out);
    print_escaped(out, second);
  }
  if (listed)
    fprintf(out, more ? " and %zu more\n" : "\n", more);
}

void coverage_print(FILE *out, const struct coverage_view *v)
{
  const struct covered *c = v->covered;
  struct share calls = share_of(v, false), accesses = share_of(v, true);
  struct growth end = covered_by(c, c->executions);
  fprintf(out, "coverage: %zu scheduling point%s", c->point_count, c->point_count == 1 ? "" : "s");
  if (v->site_count)
    fprintf(out, "; of the program's code %zu of %zu calls that synchronise, %zu of %zu memory accesses", calls.covered,
            calls.total, accesses.covered, accesses.total);
  fputs("\n", out);
  print_missing_calls(out, v);
  fprintf(out, "  %zu pair%s of conflicting operations, %zu of them seen in both orders\n", end.pairs,
          end.pairs == 1 ? "" : "s", end.both);
  print_one_way_pairs(out, v);
  if (c->executions > 1)
    plot(out, c);
  if (c->lost)
    fprintf(out, "  %" PRIu64 " more could not be kept\n", c->lost);
}

static const char *expectation_of(const struct hotspot *h)
{
  return h->expectation < EXPECTATION_COUNT ? expectation_name[h->expectation] : "unknown";
}

/* Of a session; what an execution misses is a bug of its own. */
static bool is_missed(const struct hotspot *h)
{
  return h->expectation == EXPECT_SOMETIMES && !h->executions;
}

void hotspots_print(FILE *out, const struct covered *c)
{
  for (size_t i = 0; i < c->hotspot_count; i++) {
    const struct hotspot *h = &c->hotspots[i];
    char name[256], where[256];
    escape_text(h->name, name, sizeof name);
    escape_text(h->where, where, sizeof where);
    fprintf(out, "%s %s \"%s\", %s: reached in %" PRIu64 " of %" PRIu64 " execution%s\n", is_missed(h) ? "✗" : " ",
            expectation_of(h), name, where, h->executions, c->executions, c->executions == 1 ? "" : "s");
  }
}

/* ---- as JSON ---- */

static json_t *share_value(struct share share, bool *good)
{
  json_t *value = container(json_object(), good);
  set(value, "covered", integer(share.covered), good);
  set(value, "total", integer(share.total), good);
  return value;
}

static json_t *growth_value(const struct covered *c, bool *good)
{
  json_t *list = container(json_array(), good);
  uint64_t last = 0;
  for (unsigned i = 0; i < SAMPLES; i++) {
    struct growth g = covered_by(c, at_share(c->executions, (double)i / (SAMPLES - 1)));
    if (g.executions == last)
      continue;
    json_t *value = container(json_object(), good);
    last = g.executions;
    set(value, "executions", integer(g.executions), good);
    set(value, "points", integer(g.points), good);
    set(value, "pairs", integer(g.pairs), good);
    set(value, "both_orders", integer(g.both), good);
    add(list, value, good);
  }
  return list;
}

static json_t *first_value(uint64_t first)
{
  return first == COVERAGE_NEVER ? json_null() : integer(first);
}

static json_t *pairs_value(const struct coverage_view *v, bool *good)
{
  json_t *list = container(json_array(), good);
  for (size_t i = 0; i < v->covered->pair_count; i++) {
    const struct covered_pair *p = &v->covered->pairs[i];
    json_t *value = container(json_object(), good);
    char place[PLACE_SIZE];
    place_of(v, p->low, place);
    set(value, "one", text_value(place), good);
    place_of(v, p->high, place);
    set(value, "other", text_value(place), good);
    set(value, "one_first", first_value(p->first[0]), good);
    set(value, "other_first", first_value(p->first[1]), good);
    add(list, value, good);
  }
  return list;
}

static json_t *sets_value(const struct coverage_view *v, bool *good)
{
  json_t *value = container(json_object(), good);
  struct growth end = covered_by(v->covered, v->covered->executions);
  set(value, "points", integer(v->covered->point_count), good);
  set(value, "calls", share_value(share_of(v, false), good), good);
  set(value, "accesses", share_value(share_of(v, true), good), good);
  set(value, "pairs", integer(end.pairs), good);
  set(value, "both_orders", integer(end.both), good);
  set(value, "growth", growth_value(v->covered, good), good);
  set(value, "pair_list", pairs_value(v, good), good);
  return value;
}

static json_t *hotspots_value(const struct covered *c, bool *good)
{
  json_t *list = container(json_array(), good);
  for (size_t i = 0; i < c->hotspot_count; i++) {
    const struct hotspot *h = &c->hotspots[i];
    json_t *value = container(json_object(), good);
    set(value, "name", text_value(h->name), good);
    set(value, "where", text_value(h->where), good);
    set(value, "expected", text_value(expectation_of(h)), good);
    set(value, "executions", integer(h->executions), good);
    set(value, "first", first_value(h->first), good);
    set(value, "met", json_boolean(!is_missed(h)), good);
    add(list, value, good);
  }
  return list;
}

void coverage_json(json_t *root, const struct coverage_view *v, bool *good)
{
  if (v->sets)
    set(root, "coverage", sets_value(v, good), good);
  if (v->covered->hotspot_count)
    set(root, "hotspots", hotspots_value(v->covered, good), good);
}
