/* SPDX-License-Identifier: Apache-2.0
 *
 * What heddle estimate tells of one trace, see the header.
 */
#include "report/document/estimate_document.h"
#include "report/document/build_json.h"
#include "report/story/story.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table ---- */

static const char *answer_text(const struct technique_answer *answer, char out[SCALED_TEXT_SIZE])
{
  return answer->known ? scaled_text(answer->value, out) : "none";
}

static void print_technique(FILE *out, const struct evaluation *e, int g, int r, int f)
{
  char time[SCALED_TEXT_SIZE], branches[SCALED_TEXT_SIZE];
  fprintf(out, "%-9s %-10s %-12s", guess_names[g], estimator_names[r], fit_names[f]);
  for (int c = 0; c < CHECKPOINT_END; c++) {
    const struct technique_answer *answer = &e->answers[MEASURE_TIME][g][r][f][c];
    if (e->complete && answer->known)
      fprintf(out, " %6.1f", accuracy(e->truth[MEASURE_TIME], answer));
    else
      fprintf(out, " %6s", e->complete ? "none" : "-");
  }
  fprintf(out, " %12s %12s\n", answer_text(&e->answers[MEASURE_TIME][g][r][f][CHECKPOINT_END], time),
          answer_text(&e->answers[MEASURE_BRANCHES][g][r][f][CHECKPOINT_END], branches));
}

static double forecast_accuracy(const struct evaluation *e, int m, size_t checkpoint)
{
  struct technique_answer answer = {true, e->forecasts[m][checkpoint].total};
  return accuracy(e->truth[m], &answer);
}

static void print_default(FILE *out, const struct evaluation *e)
{
  char time[SCALED_TEXT_SIZE], branches[SCALED_TEXT_SIZE];
  fprintf(out, "%-33s", "forecast");
  for (size_t c = 0; c < CHECKPOINT_END; c++)
    if (e->complete)
      fprintf(out, " %6.1f", forecast_accuracy(e, MEASURE_TIME, c));
    else
      fprintf(out, " %6s", "-");
  fprintf(out, " %12s %12s  default\n", scaled_text(e->forecasts[MEASURE_TIME][CHECKPOINT_END].total, time),
          scaled_text(e->forecasts[MEASURE_BRANCHES][CHECKPOINT_END].total, branches));
}

static void print_forecast(FILE *out, const struct evaluation *e, size_t checkpoint)
{
  char total[SCALED_TEXT_SIZE], low[SCALED_TEXT_SIZE], high[SCALED_TEXT_SIZE];
  if (checkpoint == CHECKPOINT_END)
    fputs("expected in all:", out);
  else
    fprintf(out, "after %2u %%:", checkpoint_percent[checkpoint]);
  for (int m = 0; m < MEASURE_COUNT; m++) {
    const struct forecast_answer *a = &e->forecasts[m][checkpoint];
    const char *unit = m == MEASURE_TIME ? "units of time" : "branches";
    if (a->known)
      fprintf(out, "%s %s %s (%s to %s)", m ? "," : "", scaled_text(a->total, total), unit, scaled_text(a->low, low),
              scaled_text(a->high, high));
    else if (m)
      fputs(" not known yet", out);
  }
  fputc('\n', out);
}

void evaluation_print(FILE *out, const char *trace, const struct evaluation *e)
{
  char time[SCALED_TEXT_SIZE], name[256];
  escape_text(trace, name, sizeof name);
  fprintf(out, "%s: %" PRIu64 " branch%s, %" PRIu64 " node%s, %s units of time, %s\n\n", name, e->branches,
          e->branches == 1 ? "" : "es", e->nodes, e->nodes == 1 ? "" : "s",
          scaled_text(scaled_from_double(e->truth[MEASURE_TIME]), time),
          e->complete ? "complete" : "not complete, so no accuracy is known");
  fprintf(out, "%-33s%-21s estimate at the end\n", "", "accuracy in % after");
  fprintf(out, "%-9s %-10s %-12s", "strategy", "estimator", "fit");
  for (int c = 0; c < CHECKPOINT_END; c++)
    fprintf(out, " %4u %%", checkpoint_percent[c]);
  fprintf(out, " %12s %12s\n", "time", "branches");
  for (int g = 0; g < GUESS_COUNT; g++)
    for (int r = 0; r < ESTIMATOR_COUNT; r++)
      for (int f = 0; f < FIT_COUNT; f++)
        print_technique(out, e, g, r, f);
  print_default(out, e);
  fputs("\nforecast\n", out);
  for (size_t c = 0; e->complete && c < CHECKPOINT_END; c++)
    print_forecast(out, e, c);
  if (!e->complete)
    print_forecast(out, e, CHECKPOINT_END);
}

/* ---- JSON ---- */

/* jansson's steal-and-set functions accept NULL values and report them, so one check at the end is enough. */
static json_t *scaled_value(struct scaled a, bool *good)
{
  char text[SCALED_TEXT_SIZE];
  json_t *value = json_object();
  double x = scaled_to_double(a);
  set(value, "text", json_string(scaled_text(a, text)), good);
  set(value, "value", isfinite(x) ? json_real(x) : json_null(), good);
  set(value, "log10", a.mantissa > 0 ? json_real(scaled_log10(a)) : json_null(), good);
  return value;
}

static json_t *technique_value(const struct evaluation *e, int m, const struct technique_answer *answers, bool *good)
{
  json_t *value = json_object(), *percent = json_object();
  char key[8];
  for (int c = 0; e->complete && c < CHECKPOINT_END; c++) {
    snprintf(key, sizeof key, "%u", checkpoint_percent[c]);
    set(percent, key, answers[c].known ? json_real(accuracy(e->truth[m], &answers[c])) : json_null(), good);
  }
  set(value, "accuracy", percent, good);
  const struct technique_answer *last = &answers[CHECKPOINT_END];
  set(value, "estimate", last->known ? scaled_value(last->value, good) : json_null(), good);
  return value;
}

static json_t *techniques_value(const struct evaluation *e, bool *good)
{
  json_t *list = json_array();
  for (int g = 0; g < GUESS_COUNT; g++)
    for (int r = 0; r < ESTIMATOR_COUNT; r++)
      for (int f = 0; f < FIT_COUNT; f++) {
        json_t *value = json_object();
        set(value, "strategy", json_string(guess_names[g]), good);
        set(value, "estimator", json_string(estimator_names[r]), good);
        set(value, "fit", json_string(fit_names[f]), good);
        set(value, "time", technique_value(e, MEASURE_TIME, e->answers[MEASURE_TIME][g][r][f], good), good);
        set(value, "branches", technique_value(e, MEASURE_BRANCHES, e->answers[MEASURE_BRANCHES][g][r][f], good), good);
        if (json_array_append_new(list, value) != 0)
          *good = false;
      }
  return list;
}

static json_t *forecast_value(const struct evaluation *e, int m, size_t checkpoint, bool *good)
{
  const struct forecast_answer *a = &e->forecasts[m][checkpoint];
  json_t *value = json_object();
  set(value, "known", json_boolean(a->known), good);
  set(value, "accuracy", e->complete ? json_real(forecast_accuracy(e, m, checkpoint)) : json_null(), good);
  set(value, "total", scaled_value(a->total, good), good);
  set(value, "low", scaled_value(a->low, good), good);
  set(value, "high", scaled_value(a->high, good), good);
  return value;
}

static json_t *forecasts_value(const struct evaluation *e, bool *good)
{
  json_t *value = json_object();
  char key[8];
  for (int c = 0; c < CHECKPOINT_COUNT; c++) {
    json_t *both = json_object();
    set(both, "time", forecast_value(e, MEASURE_TIME, c, good), good);
    set(both, "branches", forecast_value(e, MEASURE_BRANCHES, c, good), good);
    snprintf(key, sizeof key, "%u", checkpoint_percent[c]);
    set(value, key, both, good);
  }
  return value;
}

char *evaluation_json(const char *trace, const struct evaluation *e)
{
  bool good = true;
  json_t *root = json_object();
  set(root, "heddle", json_string(HEDDLE_VERSION), &good);
  set(root, "command", json_string("estimate"), &good);
  set(root, "trace", text_value(trace), &good);
  set(root, "complete", json_boolean(e->complete), &good);
  set(root, "nodes", json_integer((json_int_t)e->nodes), &good);
  set(root, "branches", json_integer((json_int_t)e->branches), &good);
  set(root, "time", json_real(e->truth[MEASURE_TIME]), &good);
  set(root, "techniques", techniques_value(e, &good), &good);
  set(root, "forecast", forecasts_value(e, &good), &good);
  char *text = good ? dump_document(root) : NULL;
  json_decref(root);
  return text;
}
