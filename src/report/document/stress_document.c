/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting and telling free runs, see the header.
 */
#include "report/document/stress_document.h"
#include "report/story/story.h"
#include "report/story/terminal_text.h"
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *const mode_key[STRESS_MODES] = {"plain", "yields"};

/* ---- counting ---- */

static bool same_bug(const struct stress_outcome *a, const struct stress_outcome *b)
{
  return a->kind == b->kind && !strcmp(a->text, b->text) && !strcmp(a->where, b->where);
}

static struct stress_bug *bug_like(struct stress_report *report, const struct stress_outcome *outcome)
{
  for (size_t i = 0; i < report->bug_count; i++)
    if (same_bug(&report->bugs[i].outcome, outcome))
      return &report->bugs[i];
  struct stress_bug *bug = &report->bugs[STRESS_BUGS - 1];
  if (report->bug_count < STRESS_BUGS)
    bug = &report->bugs[report->bug_count++];
  bug->outcome = *outcome;
  if (report->bug_count == STRESS_BUGS) {
    snprintf(bug->outcome.text, sizeof bug->outcome.text, "in other ways");
    bug->outcome.where[0] = 0;
  }
  return bug;
}

void stress_count(struct stress_report *report, enum stress_mode mode, uint64_t run,
                  const struct stress_outcome *outcome)
{
  report->in[mode].runs++;
  report->in[mode].seconds += outcome->seconds;
  if (!outcome->bug)
    return;
  struct stress_bug *bug = bug_like(report, outcome);
  report->in[mode].failed++;
  if (!bug->in[mode].count++ || run < bug->in[mode].first)
    bug->in[mode].first = run;
}

/* ---- the table ---- */

enum { CELL = 24 };

static double mean_seconds(const struct stress_report *report, enum stress_mode mode)
{
  return report->in[mode].runs ? report->in[mode].seconds / (double)report->in[mode].runs : 0;
}

/* "12 (1.2 %), first 34" */
static void print_cell(FILE *out, const struct stress_report *report, const struct stress_bug *bug,
                       enum stress_mode mode)
{
  char text[96] = "never";
  double runs = (double)report->in[mode].runs;
  if (bug->in[mode].count)
    snprintf(text, sizeof text, "%" PRIu64 " (%.3g %%), first %" PRIu64, bug->in[mode].count,
             100 * (double)bug->in[mode].count / runs, bug->in[mode].first + 1);
  fprintf(out, "  %*s", CELL, text);
}

static void bug_text(const struct stress_outcome *o, char *out, size_t size)
{
  snprintf(out, size, "%s%s%s%s", o->text, *o->where ? " (" : "", o->where, *o->where ? ")" : "");
}

static void print_times(FILE *out, const struct stress_report *report, int width, unsigned modes)
{
  fprintf(out, "%-*s", width, "runs");
  for (unsigned m = 0; m < modes; m++)
    fprintf(out, "  %*" PRIu64, CELL, report->in[m].runs);
  fprintf(out, "\n%-*s", width, "mean time of a run");
  for (unsigned m = 0; m < modes; m++)
    fprintf(out, "  %*.2f ms", CELL - 3, 1e3 * mean_seconds(report, m));
  fputc('\n', out);
}

void stress_table(FILE *out, const struct stress_report *report)
{
  unsigned modes = report->yields ? STRESS_MODES : 1;
  int width = 18;
  char text[2 * STRESS_TEXT + 8], head[32];
  for (size_t i = 0; i < report->bug_count; i++) {
    bug_text(&report->bugs[i].outcome, text, sizeof text);
    int columns = (int)text_width(text);
    width = columns > width ? columns : width;
  }
  snprintf(head, sizeof head, "with yields (%u %%)", report->yields);
  fprintf(out, "%-*s  %*s", width, "bug", CELL, "plain");
  if (modes > 1)
    fprintf(out, "  %*s", CELL, head);
  fputc('\n', out);
  for (size_t i = 0; i < report->bug_count; i++) {
    bug_text(&report->bugs[i].outcome, text, sizeof text);
    fprintf(out, "%s%*s", text, width - (int)text_width(text), "");
    for (unsigned m = 0; m < modes; m++)
      print_cell(out, report, &report->bugs[i], m);
    fputc('\n', out);
  }
  if (!report->bug_count)
    fprintf(out, "%s\n", "none was seen");
  print_times(out, report, width, modes);
}

/* ---- JSON ---- */

/* Text from anywhere; what is no UTF-8 is escaped. */
static json_t *text_value(const char *text)
{
  char escaped[4096];
  json_t *value = json_string(text);
  if (value)
    return value;
  escape_text(text, escaped, sizeof escaped);
  return json_string(escaped);
}

static json_t *mode_value(const struct stress_report *report, enum stress_mode mode)
{
  return json_pack("{s:I, s:I, s:f, s:f}", "runs", (json_int_t)report->in[mode].runs, "failed",
                   (json_int_t)report->in[mode].failed, "seconds", report->in[mode].seconds, "mean_seconds",
                   mean_seconds(report, mode));
}

static json_t *bug_value(const struct stress_bug *bug, unsigned modes)
{
  json_t *value = json_pack("{s:s, s:o, s:o}", "kind", bug_kind_name[bug->outcome.kind], "message",
                            text_value(bug->outcome.text), "where", text_value(bug->outcome.where));
  for (unsigned m = 0; value && m < modes; m++) {
    json_t *first = bug->in[m].count ? json_integer((json_int_t)bug->in[m].first) : json_null();
    json_t *seen = json_pack("{s:I, s:o}", "count", (json_int_t)bug->in[m].count, "first_run", first);
    if (json_object_set_new(value, mode_key[m], seen) != 0) {
      json_decref(value);
      return NULL;
    }
  }
  return value;
}

static json_t *bug_values(const struct stress_report *report, unsigned modes)
{
  json_t *bugs = json_array();
  for (size_t i = 0; bugs && i < report->bug_count; i++)
    if (json_array_append_new(bugs, bug_value(&report->bugs[i], modes)) != 0) {
      json_decref(bugs);
      return NULL;
    }
  return bugs;
}

static json_t *arg_values(const struct stress_report *report)
{
  json_t *args = json_array();
  for (size_t i = 0; args && i < report->arg_count; i++)
    if (json_array_append_new(args, text_value(report->args[i])) != 0) {
      json_decref(args);
      return NULL;
    }
  return args;
}

char *stress_json(const struct stress_report *report)
{
  unsigned modes = report->yields ? STRESS_MODES : 1;
  json_t *root = json_pack("{s:s, s:s, s:o, s:o, s:i, s:b}", "heddle", HEDDLE_VERSION, "command", "stress", "program",
                           text_value(report->program), "args", arg_values(report), "yield_percent",
                           (int)report->yields, "interrupted", report->interrupted);
  bool good = root;
  for (unsigned m = 0; good && m < modes; m++)
    good = json_object_set_new(root, mode_key[m], mode_value(report, m)) == 0;
  good = good && json_object_set_new(root, "bugs", bug_values(report, modes)) == 0;
  char *text = good ? json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) : NULL, *whole = NULL;
  if (text && asprintf(&whole, "%s\n", text) < 0)
    whole = NULL;
  free(text);
  json_decref(root);
  return whole;
}
