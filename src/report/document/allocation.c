/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of allocation policies: how soon tests are complete, and how evenly they are covered, against round
 * robin. */
#include "report/document/estimate_document.h"
#include "report/story/story.h"
#include <math.h>
#include <stdlib.h>

/* The share of the time of all tests that is given to compare coverage. */
#define BUDGET_PERCENT 10

static const struct column {
  const char *name;
  enum allocation_knowledge knows;
  enum guess guess;
  enum estimator estimator;
} columns[] = {
    {"re-eager", KNOWS_ESTIMATES, GUESS_EAGER, ESTIMATOR_RE},
    {"re-lazy", KNOWS_ESTIMATES, GUESS_LAZY, ESTIMATOR_RE},
    {"wbe-eager", KNOWS_ESTIMATES, GUESS_EAGER, ESTIMATOR_WBE},
    {"wbe-lazy", KNOWS_ESTIMATES, GUESS_LAZY, ESTIMATOR_WBE},
    {.name = "forecast", .knows = KNOWS_FORECAST},
};
enum { ESTIMATED = sizeof columns / sizeof columns[0], COLUMNS = ESTIMATED + 1 };

static struct allocation_rule column_rule(enum allocation_policy policy, size_t column)
{
  const struct column *c = &columns[column];
  return (struct allocation_rule){policy, c->knows, c->guess, c->estimator};
}

static const struct allocation_rule round_robin = {.policy = POLICY_ROUND_ROBIN};
static const struct allocation_rule optimal = {.policy = POLICY_SHORTEST_REMAINING, .knows = KNOWS_TRUTH};

/* What a table is made of: a row of `count` values for each column. */
struct table {
  size_t count;
  double *base; /* round robin's */
  double *cell[COLUMNS];
  double *unused; /* what the simulation also tells */
};

static bool table_init(struct table *t, size_t count)
{
  double *all = calloc(count * (COLUMNS + 2), sizeof *all);
  *t = (struct table){.count = count, .base = all};
  if (!all)
    return false;
  for (size_t c = 0; c < COLUMNS; c++)
    t->cell[c] = all + (c + 1) * count;
  t->unused = all + (COLUMNS + 1) * count;
  return true;
}

static void print_row(FILE *out, const struct table *t, size_t row)
{
  for (size_t c = 0; c < COLUMNS; c++)
    fprintf(out, " %11.2f", t->cell[c][row]);
  fputc('\n', out);
}

static void print_means(FILE *out, const struct table *t)
{
  for (size_t c = 0; c < COLUMNS; c++) {
    double sum = 0;
    for (size_t i = 0; i < t->count; i++)
      sum += t->cell[c][i];
    fprintf(out, " %11.2f", sum / (double)t->count);
  }
  fputc('\n', out);
}

/* ---- how soon ---- */

static bool fill_completion(struct table *t, const struct recorded_test *tests)
{
  size_t done;
  if (!allocation_simulate(tests, t->count, &round_robin, INFINITY, t->unused, t->base, &done))
    return false;
  for (size_t c = 0; c < COLUMNS; c++) {
    struct allocation_rule rule = c < ESTIMATED ? column_rule(POLICY_SHORTEST_REMAINING, c) : optimal;
    if (!allocation_simulate(tests, t->count, &rule, INFINITY, t->unused, t->cell[c], &done))
      return false;
    for (size_t k = 0; k < t->count; k++)
      t->cell[c][k] /= t->base[k] > 0 ? t->base[k] : 1;
  }
  return true;
}

static bool print_completion(FILE *out, const struct recorded_test *tests, size_t count)
{
  struct table t;
  bool good = table_init(&t, count) && fill_completion(&t, tests);
  if (good) {
    fputs("time to complete k tests, shortest remaining first, as a fraction of round robin's\n", out);
    fprintf(out, "%-24s", "k");
    for (size_t c = 0; c < ESTIMATED; c++)
      fprintf(out, " %11s", columns[c].name);
    fprintf(out, " %11s\n", "optimal");
    for (size_t k = 0; k < count; k++) {
      fprintf(out, "%-24zu", k + 1);
      print_row(out, &t, k);
    }
    fprintf(out, "%-24s", "mean");
    print_means(out, &t);
  }
  free(t.base);
  return good;
}

/* ---- how evenly ---- */

static double time_of_all(const struct recorded_test *tests, size_t count)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += tests[i].time;
  return sum;
}

/* Round robin is the first column here. */
static bool fill_coverage(struct table *t, const struct recorded_test *tests, double budget)
{
  size_t done;
  double all = time_of_all(tests, t->count);
  for (size_t c = 0; c < COLUMNS; c++) {
    struct allocation_rule rule = c ? column_rule(POLICY_SMALLEST_COVERAGE, c - 1) : round_robin;
    if (!allocation_simulate(tests, t->count, &rule, budget, t->cell[c], t->unused, &done))
      return false;
    for (size_t i = 0; i < t->count; i++)
      t->cell[c][i] = coverage_error(t->cell[c][i], tests[i].time, budget, all);
  }
  return true;
}

static bool print_coverage(FILE *out, const struct recorded_test *tests, size_t count)
{
  struct table t;
  char text[SCALED_TEXT_SIZE], name[256];
  double budget = time_of_all(tests, count) * BUDGET_PERCENT / 100;
  bool good = table_init(&t, count) && fill_coverage(&t, tests, budget);
  if (good) {
    fprintf(out, "\ncoverage error, smallest coverage first, in %d %% of the time of all tests (%s units)\n",
            BUDGET_PERCENT, scaled_text(scaled_from_double(budget), text));
    fprintf(out, "%-24s %11s", "test", "round-robin");
    for (size_t c = 0; c < ESTIMATED; c++)
      fprintf(out, " %11s", columns[c].name);
    fputc('\n', out);
    for (size_t i = 0; i < count; i++) {
      escape_text(tests[i].name, name, sizeof name);
      fprintf(out, "%-24s", name);
      print_row(out, &t, i);
    }
    fprintf(out, "%-24s", "mean");
    print_means(out, &t);
  }
  free(t.base);
  return good;
}

bool allocation_print(FILE *out, const struct recorded_test *tests, size_t count)
{
  return print_completion(out, tests, count) && print_coverage(out, tests, count);
}
