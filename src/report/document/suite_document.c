/* SPDX-License-Identifier: Apache-2.0
 *
 * What heddle suite and heddle test tell, see the header.
 */
#include "report/document/suite_document.h"
#include "estimate/scaled.h"
#include "report/document/build_json.h"
#include "report/story/story_words.h"
#include "report/story/terminal_text.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NAME_COLUMNS 40 /* at most; a longer name moves its line */
#define VERDICT_SIZE 64

const char *const suite_verdict_name[SUITE_VERDICTS] = {"complete", "bug", "incomplete", "error", "passed", "skipped"};

double suite_share(const struct suite_test *test)
{
  const struct json_document *d = &test->document;
  double share = d->estimate.known && d->estimate.executions > 0 ? (double)d->executions / d->estimate.executions : 0;
  return d->complete || share > 1 ? 1 : share;
}

size_t suite_count(const struct suite_report *report, enum suite_verdict verdict)
{
  size_t n = 0;
  for (size_t i = 0; i < report->count; i++)
    n += report->tests[i].verdict == verdict;
  return n;
}

static uint64_t executions_of_all(const struct suite_report *report)
{
  uint64_t n = 0;
  for (size_t i = 0; i < report->count; i++)
    n += report->tests[i].document.executions;
  return n;
}

/* "complete", "incomplete 12 %" */
static const char *verdict_text(const struct suite_test *test, char out[VERDICT_SIZE])
{
  double percent = 100 * suite_share(test);
  if (test->verdict != SUITE_INCOMPLETE)
    snprintf(out, VERDICT_SIZE, "%s", suite_verdict_name[test->verdict]);
  else if (percent > 0 && percent < 0.001)
    snprintf(out, VERDICT_SIZE, "incomplete < 0.001 %%");
  else
    snprintf(out, VERDICT_SIZE, "incomplete %.*f %%", percent > 0 && percent < 1 ? 3 : 0, percent < 99 ? percent : 99);
  return out;
}

static const char *estimate_text(const struct suite_test *test, char out[SCALED_TEXT_SIZE])
{
  const struct json_estimate *e = &test->document.estimate;
  if (!e->known)
    return "-";
  double whole = e->executions < 1e15 ? (double)(uint64_t)(e->executions + 0.5) : e->executions;
  return scaled_text(scaled_from_double(whole), out);
}

static const unsigned verdict_style[SUITE_VERDICTS] = {STYLE_PLAIN,  STYLE_BAD,  STYLE_DIM,
                                                       STYLE_REMARK, STYLE_GOOD, STYLE_DIM};

/* ---- the table ---- */

static void print_row(FILE *out, const struct suite_test *test, const unsigned pads[2], unsigned width, bool colour)
{
  char verdict[VERDICT_SIZE], estimate[SCALED_TEXT_SIZE], numbers[96];
  struct line line;
  line_begin(&line, out, width ? width : UINT16_MAX, colour);
  line_put(&line, STYLE_PLAIN, test->name, pads[0]);
  line_put(&line, verdict_style[test->verdict], verdict_text(test, verdict), pads[1]);
  int used = snprintf(numbers, sizeof numbers, "%11" PRIu64 " %11s %8.2f", test->document.executions,
                      estimate_text(test, estimate), test->document.seconds);
  line_put(&line, STYLE_PLAIN, numbers, (unsigned)used + 2);
  line_put(&line, STYLE_PLAIN, test->remark, 0);
  line_end(&line);
}

static void print_summary(FILE *out, const struct suite_report *report)
{
  static const char *const many[] = {"complete", "bugs", "incomplete", "errors"};
  fprintf(out, "%zu test%s:", report->count, report->count == 1 ? "" : "s");
  for (enum suite_verdict v = SUITE_COMPLETE; v <= SUITE_ERROR; v++) {
    size_t n = suite_count(report, v);
    fprintf(out, " %zu %s%s", n, n == 1 ? suite_verdict_name[v] : many[v], v < SUITE_ERROR ? "," : ";");
  }
  uint64_t executions = executions_of_all(report);
  fprintf(out, " %" PRIu64 " execution%s in %.1f s of %.6g s (%s)%s\n", executions, executions == 1 ? "" : "s",
          report->seconds, report->budget, report->policy, report->interrupted ? ", interrupted" : "");
}

void suite_table(FILE *out, const struct suite_report *report, unsigned width, bool colour)
{
  unsigned pads[2] = {6, 10};
  for (size_t i = 0; i < report->count; i++) {
    char verdict[VERDICT_SIZE];
    unsigned name = text_width(report->tests[i].name) + 2;
    unsigned columns = text_width(verdict_text(&report->tests[i], verdict)) + 2;
    pads[0] = name > pads[0] && name <= NAME_COLUMNS ? name : pads[0];
    pads[1] = columns > pads[1] ? columns : pads[1];
  }
  fprintf(out, "%-*s%-*s%11s %11s %8s\n", (int)pads[0], "test", (int)pads[1], "verdict", "executions", "estimated",
          "seconds");
  for (size_t i = 0; i < report->count; i++)
    print_row(out, &report->tests[i], pads, width, colour);
  print_summary(out, report);
}

/* ---- a line for each test ---- */

static const char *time_text(double seconds, char out[32])
{
  snprintf(out, 32, seconds < 1 ? "%.0f ms" : "%.1f s", seconds < 1 ? seconds * 1000 : seconds);
  return out;
}

void suite_line(FILE *out, const struct suite_test *test, unsigned name_columns, unsigned width, bool colour)
{
  static const char *const words[SUITE_VERDICTS] = {
      [SUITE_BUG] = "FAILED", [SUITE_ERROR] = "error", [SUITE_PASSED] = "ok", [SUITE_SKIPPED] = "skipped"};
  char numbers[96], seconds[32];
  struct line line;
  line_begin(&line, out, width ? width : UINT16_MAX, colour);
  line_put(&line, verdict_style[test->verdict], words[test->verdict], 8);
  line_put(&line, STYLE_PLAIN, test->name, (name_columns < NAME_COLUMNS ? name_columns : NAME_COLUMNS) + 2);
  if (test->verdict != SUITE_SKIPPED) {
    snprintf(numbers, sizeof numbers, "%" PRIu64 " execution%s in %s", test->document.executions,
             test->document.executions == 1 ? "" : "s", time_text(test->document.seconds, seconds));
    line_put(&line, STYLE_PLAIN, numbers, *test->remark ? text_width(numbers) + 2 : 0);
  }
  line_put(&line, STYLE_PLAIN, test->remark, 0);
  line_end(&line);
}

void suite_summary(FILE *out, const struct suite_report *report, bool colour)
{
  char text[160], seconds[32];
  const size_t bugs = suite_count(report, SUITE_BUG), errors = suite_count(report, SUITE_ERROR);
  const size_t skipped = suite_count(report, SUITE_SKIPPED);
  const uint64_t executions = executions_of_all(report);
  struct line line;
  snprintf(text, sizeof text, "%zu test%s: %zu ok, %zu failed", report->count, report->count == 1 ? "" : "s",
           suite_count(report, SUITE_PASSED), bugs);
  if (errors)
    append(text, sizeof text, ", %zu error%s", errors, errors == 1 ? "" : "s");
  if (skipped)
    append(text, sizeof text, ", %zu skipped", skipped);
  append(text, sizeof text, "; %" PRIu64 " execution%s in %s", executions, executions == 1 ? "" : "s",
         time_text(report->seconds, seconds));
  line_begin(&line, out, UINT16_MAX, colour);
  line_put(&line, bugs ? STYLE_BAD : errors ? STYLE_REMARK : STYLE_GOOD, text, 0);
  line_end(&line);
}

/* ---- TAP ---- */

/* As a double-quoted scalar of YAML. */
static void put_yaml(FILE *out, const char *key, const char *text)
{
  char escaped[2048];
  escape_text(text, escaped, sizeof escaped);
  fprintf(out, "  %s: \"", key);
  for (const char *c = escaped; *c; c++)
    fprintf(out, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
  fputs("\"\n", out);
}

/* A description: a # would begin a directive. */
static void put_description(FILE *out, const char *text)
{
  char escaped[1024];
  escape_text(text, escaped, sizeof escaped);
  for (const char *c = escaped; *c; c++)
    fprintf(out, "%s%c", *c == '#' ? "\\" : "", *c);
}

static const char *schedule_of(const struct suite_test *test)
{
  return test->document.bug_count ? test->document.bugs[0].story->schedule : NULL;
}

/* What a bug is, where, and how to see it again. */
static void put_bug(FILE *out, const struct suite_test *test)
{
  const struct story *story = test->document.bugs[0].story;
  char where[256], command[4096];
  bug_where(story, where, sizeof where);
  put_yaml(out, "kind", bug_kind_name[story->bug->kind]);
  if (*where)
    put_yaml(out, "where", where);
  fprintf(out, "  seed: %" PRIu64 "\n  execution: %" PRIu64 "\n", test->document.seed, story->bug->execution + 1);
  if (!story->schedule)
    return;
  snprintf(command, sizeof command, "heddle replay %s", story->schedule);
  put_yaml(out, "schedule", story->schedule);
  put_yaml(out, "replay", command);
}

/* What is incomplete is no failure: TODO says so. */
void suite_tap_point(FILE *out, const struct suite_test *test, size_t number)
{
  char verdict[VERDICT_SIZE], estimate[SCALED_TEXT_SIZE];
  bool no_time = test->verdict == SUITE_INCOMPLETE && !test->slices;
  bool fine =
      test->verdict == SUITE_COMPLETE || test->verdict == SUITE_PASSED || test->verdict == SUITE_SKIPPED || no_time;
  fprintf(out, "%s %zu - ", fine ? "ok" : "not ok", number);
  put_description(out, test->name);
  if (no_time)
    fputs(" # SKIP no time was left", out);
  else if (test->verdict == SUITE_SKIPPED)
    fputs(" # SKIP ", out), put_description(out, test->remark);
  else if (test->verdict == SUITE_INCOMPLETE)
    fprintf(out, " # TODO %s", verdict_text(test, verdict));
  fputs("\n  ---\n", out);
  put_yaml(out, "verdict", suite_verdict_name[test->verdict]);
  if (*test->remark)
    put_yaml(out, "message", test->remark);
  if (test->document.bug_count)
    put_bug(out, test);
  fprintf(out, "  executions: %" PRIu64 "\n", test->document.executions);
  if (test->document.estimate.known)
    put_yaml(out, "estimated", estimate_text(test, estimate));
  fprintf(out, "  seconds: %.3f\n  ...\n", test->document.seconds);
}

void suite_tap_plan(FILE *out, size_t count)
{
  fprintf(out, "TAP version 13\n1..%zu\n", count);
}

void suite_tap(FILE *out, const struct suite_report *report)
{
  suite_tap_plan(out, report->count);
  for (size_t i = 0; i < report->count; i++)
    suite_tap_point(out, &report->tests[i], i + 1);
}

/* ---- JUnit ---- */

/* Text from anywhere as XML: control characters, which it cannot hold, as \x1b; the two characters that are none. */
static void put_xml(FILE *out, const char *text)
{
  char escaped[4096];
  escape_text(text, escaped, sizeof escaped);
  for (const char *c = escaped; *c; c++)
    if (!strncmp(c, "\xef\xbf\xbe", 3) || !strncmp(c, "\xef\xbf\xbf", 3))
      fputs("?", out), c += 2;
    else if (*c == '&' || *c == '<' || *c == '>' || *c == '"')
      fprintf(out, "&#%d;", *c);
    else
      fputc(*c, out);
}

static void put_attribute(FILE *out, const char *name, const char *text)
{
  fprintf(out, " %s=\"", name);
  put_xml(out, text);
  fputc('"', out);
}

/* The steps that matter, a line each. */
static void put_story(FILE *out, const struct story *story)
{
  char thread[THREAD_NAME_SIZE], place[PLACE_SIZE];
  for (size_t i = 0; i < story->step_count; i++) {
    const struct story_step *step = &story->steps[i];
    describe_thread(story, step->thread, thread);
    describe_place(story, step->pc, place);
    fprintf(out, "\n%s ", step->marked ? "▸" : " ");
    put_xml(out, thread);
    fprintf(out, "%*s ", strlen(thread) < 5 ? 5 - (int)strlen(thread) : 0, "");
    put_xml(out, place);
    fputs("  ", out);
    put_xml(out, step->text);
  }
}

static void put_verdict(FILE *out, const struct suite_test *test)
{
  static const char *const elements[SUITE_VERDICTS] = {
      [SUITE_BUG] = "failure", [SUITE_INCOMPLETE] = "skipped", [SUITE_ERROR] = "error", [SUITE_SKIPPED] = "skipped"};
  char verdict[VERDICT_SIZE], message[VERDICT_SIZE + sizeof test->remark + 2];
  const char *element = elements[test->verdict], *schedule = schedule_of(test);
  if (!element)
    return;
  snprintf(message, sizeof message, "%s%s%s", verdict_text(test, verdict), *test->remark ? ": " : "", test->remark);
  fprintf(out, "      <%s", element);
  put_attribute(out, "message", test->verdict == SUITE_INCOMPLETE ? message : test->remark);
  if (test->document.bug_count)
    put_attribute(out, "type", bug_kind_name[test->document.bugs[0].story->bug->kind]);
  fputc('>', out);
  if (schedule) {
    fputs("heddle replay ", out);
    put_xml(out, schedule);
    put_story(out, test->document.bugs[0].story);
  }
  fprintf(out, "</%s>\n", element);
}

/* The class of a test of a framework is its group, as the framework's own report has it. */
static void put_names(FILE *out, const struct suite_report *report, const char *name)
{
  const char *dot = report->framework ? strrchr(name, '.') : NULL;
  char *group = dot && dot > name && dot[1] ? strndup(name, (size_t)(dot - name)) : NULL;
  put_attribute(out, "classname", group ? group : report->file);
  put_attribute(out, "name", group ? dot + 1 : name);
  free(group);
}

static void put_case(FILE *out, const struct suite_test *test, const struct suite_report *report)
{
  char estimate[SCALED_TEXT_SIZE];
  fputs("    <testcase", out);
  put_names(out, report, test->name);
  fprintf(out, " time=\"%.3f\">\n", test->document.seconds);
  put_verdict(out, test);
  fprintf(out, "      <system-out>executions: %" PRIu64, test->document.executions);
  if (test->document.estimate.known)
    fprintf(out, ", estimated: %s", estimate_text(test, estimate));
  fputs("</system-out>\n    </testcase>\n", out);
}

void suite_junit(FILE *out, const struct suite_report *report)
{
  fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- heddle -->\n<testsuites>\n  <testsuite", out);
  put_attribute(out, "name", report->file);
  fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\">\n", report->count,
          suite_count(report, SUITE_BUG), suite_count(report, SUITE_ERROR),
          suite_count(report, SUITE_INCOMPLETE) + suite_count(report, SUITE_SKIPPED), report->seconds);
  for (size_t i = 0; i < report->count; i++)
    put_case(out, &report->tests[i], report);
  fputs("  </testsuite>\n</testsuites>\n", out);
}

/* ---- JSON ---- */

/* jansson's steal-and-set functions accept NULL values and report them, so one check at the end is enough. */
/* As it stands in the table: what a terminal would act on is escaped. */
static json_t *escaped_value(const char *text)
{
  char escaped[4096];
  escape_text(text, escaped, sizeof escaped);
  return json_string(escaped);
}

/* The document of the test alone, with the keys that a suite adds. */
static json_t *test_value(const struct suite_test *test, bool *good)
{
  char *text = json_format(&test->document);
  json_t *value = text ? json_loads(text, 0, NULL) : NULL;
  free(text);
  set(value, "name", escaped_value(test->name), good);
  set(value, "verdict", json_string(suite_verdict_name[test->verdict]), good);
  set(value, "remark", escaped_value(test->remark), good);
  set(value, "share", json_real(suite_share(test)), good);
  set(value, "slices", json_integer((json_int_t)test->slices), good);
  return value;
}

static json_t *summary_value(const struct suite_report *report, bool *good)
{
  json_t *value = json_object();
  for (enum suite_verdict v = 0; v < SUITE_VERDICTS; v++)
    set(value, suite_verdict_name[v], json_integer((json_int_t)suite_count(report, v)), good);
  return value;
}

char *suite_json(const struct suite_report *report)
{
  bool good = true;
  json_t *root = json_object(), *tests = json_array();
  set(root, "heddle", json_string(HEDDLE_VERSION), &good);
  set(root, "command", json_string(report->command), &good);
  set(root, "file", escaped_value(report->file), &good);
  if (report->framework)
    set(root, "framework", json_string(report->framework), &good);
  if (report->policy) {
    set(root, "policy", json_string(report->policy), &good);
    set(root, "budget", json_real(report->budget), &good);
  }
  set(root, "seconds", json_real(report->seconds), &good);
  set(root, "interrupted", json_boolean(report->interrupted), &good);
  set(root, "executions", json_integer((json_int_t)executions_of_all(report)), &good);
  set(root, "verdicts", summary_value(report, &good), &good);
  for (size_t i = 0; i < report->count; i++)
    if (json_array_append_new(tests, test_value(&report->tests[i], &good)) != 0)
      good = false;
  set(root, "tests", tests, &good);
  char *text = good ? dump_document(root) : NULL;
  json_decref(root);
  return text;
}
