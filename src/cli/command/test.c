/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle test: the tests of a program made with a test framework, each in a session of its own. Samples schedules of
 * one test after the other, within limits that hold for each, and tells of each whether it failed. What a framework
 * needs to run one test alone is framework.c's.
 */
#include "cli/command/commands.h"
#include "cli/find/framework.h"
#include "cli/find/hunt.h"
#include "cli/help/help.h"
#include "cli/option/documents.h"
#include "report/document/suite_document.h"
#include "report/story/terminal_text.h"
#include "session/console.h"
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define TEST_EXECUTIONS 1000
#define TEST_SECONDS 10.0
#define SHRINK_SECONDS 2.0 /* for the bugs of one test */

struct test_run {
  const struct listed_test *listed;
  struct options options; /* those of the command, with the arguments that choose this test */
  struct test_arguments arguments;
  struct hunt hunt;
  bool open; /* hunt is */
  struct json_bug *bugs;
  char reset_reason[256];
  struct suite_test *test; /* what is told of it */
};

struct testing {
  const struct options *options;
  struct test_list list;
  struct test_run *trials;
  struct suite_report report;
  unsigned name_columns;
  bool uninstrumented;                              /* some test ran so, with threads */
  char opaque[sizeof((struct control *)0)->opaque]; /* the module that synchronises unseen; empty for none */
};

/* ---- one test ---- */

static void end_trial(struct test_run *t, enum suite_verdict verdict, const char *remark)
{
  t->test->verdict = verdict;
  snprintf(t->test->remark, sizeof t->test->remark, "%s", remark);
  t->test->document.error = verdict == SUITE_ERROR ? t->test->remark : NULL;
}

/* "queue_test.Queue.TakesInOrder": files about a test are named after it. */
static void name_files(struct test_run *t)
{
  char *stem = t->hunt.files.stem;
  size_t used = strlen(stem);
  snprintf(stem + used, sizeof t->hunt.files.stem - used, ".%s", t->listed->name);
  for (char *c = stem; *c; c++)
    if (strchr("/ \t'\"\\*?<>|&;$`()#", *c))
      *c = '_';
}

static bool open_trial(struct testing *s, struct test_run *t)
{
  t->options = *s->options;
  t->options.json = NULL;
  if (!test_arguments_make(&t->arguments, s->list.framework, t->listed->name, s->options)) {
    end_trial(t, SUITE_ERROR, "no memory left");
    return false;
  }
  t->options.args = t->arguments.words;
  t->options.arg_count = t->arguments.count;
  if (hunt_open(&t->hunt, "test", &t->options, false) != 0) {
    end_trial(t, SUITE_ERROR, console_last_error());
    return false;
  }
  t->open = true;
  t->hunt.shrink_seconds = SHRINK_SECONDS;
  t->hunt.config.framework = s->list.framework;
  snprintf(t->hunt.config.test, sizeof t->hunt.config.test, "%s", t->listed->name);
  name_files(t);
  return true;
}

static void close_trial(struct test_run *t)
{
  free(t->bugs);
  if (t->open)
    hunt_close(&t->hunt);
  free(t->arguments.words);
}

/* The rest of the document of the test alone. */
static bool fill_document(struct test_run *t, const struct session_result *result)
{
  const struct hunt *hunt = &t->hunt;
  t->bugs = calloc(hunt->finding_count + 1, sizeof *t->bugs);
  if (!t->bugs)
    return false;
  for (size_t i = 0; i < hunt->finding_count; i++)
    t->bugs[i] = json_bug_of(&hunt->findings[i]);
  memcpy(t->reset_reason, result->reset_reason, sizeof t->reset_reason);
  struct json_document *d = &t->test->document;
  d->args = (const char *const *)t->options.args;
  d->arg_count = t->options.arg_count;
  d->reset = reset_name[result->reset < RESET_COUNT ? result->reset : RESET_AUTO];
  d->reset_reason = *t->reset_reason ? t->reset_reason : NULL;
  d->executions = result->executions;
  d->blocked_executions = result->blocked;
  d->cut_executions = result->cut;
  d->instrumented = result->instrumented;
  d->losses = result->missed;
  d->steps = result->steps;
  d->seconds = result->seconds;
  d->bugs = t->bugs;
  d->bug_count = hunt->finding_count;
  return true;
}

/* The bug that counts is the first that is no known one: those that end executions come before others. */
static void print_bug(struct test_run *t)
{
  char message[512], where[256];
  size_t first = 0;
  while (t->hunt.findings[first].known)
    first++;
  const struct story *story = &t->hunt.findings[first].story;
  bug_message(story, message, sizeof message);
  bug_where(story, where, sizeof where);
  end_trial(t, SUITE_BUG, message);
  if (*where)
    snprintf(t->test->remark, sizeof t->test->remark, "%s, %s", message, where);
}

static void judge(struct test_run *t, const struct session_result *result)
{
  char name[TEST_NAME_SIZE * 4];
  if (result->bug_count) {
    escape_text(t->listed->name, name, sizeof name);
    fprintf(console_out(), "%s:\n", name);
  }
  hunt_reproduce_all(&t->hunt, result, true);
  bool over = result->end == SESSION_DONE || result->end == SESSION_TIME;
  if (hunt_news(&t->hunt))
    print_bug(t);
  else if (t->hunt.unreproduced)
    end_trial(t, SUITE_ERROR, "a bug does not show again in a fresh process");
  else if (result->end == SESSION_INTERRUPTED)
    end_trial(t, SUITE_SKIPPED, "interrupted");
  else if (over && result->executions)
    end_trial(t, SUITE_PASSED, result->max_threads > 1 ? "" : "only one thread");
  else
    end_trial(t, SUITE_ERROR, hunt_finish(&t->hunt, result) ? console_last_error() : "no execution came to its end");
}

static uint64_t executions_of(const struct options *o)
{
  return o->max_executions ? o->max_executions : o->seconds < 0 ? TEST_EXECUTIONS : 0;
}

static void run_trial(struct testing *s, struct test_run *t)
{
  const struct options *o = s->options;
  struct session_result result;
  if (t->listed->left_out) {
    end_trial(t, SUITE_SKIPPED, t->listed->left_out);
    return;
  }
  if (!open_trial(s, t))
    return;
  deadline_set(o->seconds);
  hunt_search(&t->hunt, executions_of(o), o->seconds < 0 ? TEST_SECONDS : o->seconds, &result);
  judge(t, &result);
  if (!fill_document(t, &result))
    end_trial(t, SUITE_ERROR, "no memory left");
  s->uninstrumented |= result.executions && !result.instrumented && result.max_threads > 1;
  if (result.control)
    memcpy(s->opaque, result.control->opaque, sizeof s->opaque);
  session_free(&result);
}

/* ---- all of them ---- */

static void print_trial(const struct testing *s, const struct test_run *t, size_t number)
{
  if (s->options->tap) {
    suite_tap_point(stdout, t->test, number);
    fflush(stdout);
  } else if (!s->options->quiet || t->test->verdict == SUITE_BUG || t->test->verdict == SUITE_ERROR) {
    suite_line(console_out(), t->test, s->name_columns, console_width(), console_colour());
    fflush(console_out());
  }
}

static int print_end(const struct testing *s)
{
  const struct suite_report *r = &s->report;
  if (!s->options->tap && !s->options->quiet)
    suite_summary(console_out(), r, console_colour());
  if (s->uninstrumented)
    console_note("only calls are scheduling points; build with heddle cc to see memory accesses");
  if (*s->opaque)
    console_note("%.*s synchronises by instructions heddle does not see: only accesses that are pending at the "
                 "same time count as data races",
                 (int)sizeof s->opaque, s->opaque);
  if (r->interrupted)
    console_error("interrupted; the tests after it were not run");
  int status = suite_count(r, SUITE_BUG)                       ? STATUS_BUG
               : r->interrupted || suite_count(r, SUITE_ERROR) ? STATUS_FAILED
                                                               : STATUS_OK;
  bool written = documents_write(s->options, r, status);
  return status == STATUS_OK && !written ? STATUS_FAILED : status;
}

static int run_all(struct testing *s)
{
  struct suite_report *r = &s->report;
  double started = now_seconds();
  if (s->options->tap)
    suite_tap_plan(stdout, r->count);
  for (size_t i = 0; i < r->count; i++) {
    struct test_run *t = &s->trials[i];
    if (interrupt_count())
      end_trial(t, SUITE_SKIPPED, "interrupted");
    else
      run_trial(s, t);
    print_trial(s, t, i + 1);
  }
  r->interrupted = interrupt_count() > 0;
  r->seconds = now_seconds() - started;
  int status = print_end(s);
  for (size_t i = 0; i < r->count; i++)
    close_trial(&s->trials[i]);
  return status;
}

/* ---- the command ---- */

/* Takes those that match the filter from the list. */
static int choose(struct testing *s)
{
  const struct options *o = s->options;
  struct suite_report *r = &s->report;
  s->trials = calloc(s->list.count, sizeof *s->trials);
  r->tests = calloc(s->list.count, sizeof *r->tests);
  if (!s->trials || !r->tests) {
    console_error("no memory left");
    return STATUS_FAILED;
  }
  for (size_t i = 0; i < s->list.count; i++) {
    const struct listed_test *listed = &s->list.tests[i];
    if (o->filter && fnmatch(o->filter, listed->name, FNM_EXTMATCH) != 0)
      continue;
    unsigned columns = text_width(listed->name);
    s->name_columns = columns > s->name_columns ? columns : s->name_columns;
    r->tests[r->count] = (struct suite_test){
        .name = listed->name,
        .verdict = SUITE_ERROR,
        .document = {.version = HEDDLE_VERSION,
                     .command = "test",
                     .program = r->file,
                     .strategy = strategy_table[o->strategy]->name,
                     .reset = reset_name[o->reset],
                     .seed = o->seed},
    };
    s->trials[r->count] = (struct test_run){.listed = listed, .test = &r->tests[r->count]};
    r->count++;
  }
  if (r->count)
    return 0;
  console_error("no test of %s matches \"%s\"; heddle test --list %s names all %zu", r->file, o->filter, r->file,
                s->list.count);
  return STATUS_USAGE;
}

static int print_list(const struct testing *s)
{
  for (size_t i = 0; i < s->report.count; i++) {
    char name[TEST_NAME_SIZE * 4];
    const struct listed_test *listed = s->trials[i].listed;
    escape_text(listed->name, name, sizeof name);
    fputs(name, stdout);
    if (listed->left_out) {
      fputs("  (left out: ", stdout);
      print_escaped(stdout, listed->left_out);
      fputc(')', stdout);
    }
    fputc('\n', stdout);
  }
  return STATUS_OK;
}

int cmd_test(int argc, char **argv)
{
  struct options options;
  if (!options_parse(&options, FOR_TEST, argc, argv))
    return STATUS_USAGE;
  if (options.help)
    return help_command("test", options.all_options);
  if (!documents_check(&options))
    return STATUS_USAGE;
  if (options.tap)
    console_setup(options.quiet, options.plain, options.color, true);
  if (options.strategy == STRATEGY_COUNT)
    options.strategy = STRATEGY_portfolio;
  struct testing s = {.options = &options, .report = {.command = "test"}};
  int status = drop_input() ? list_tests(&s.list, &options) : STATUS_FAILED;
  if (!status) {
    s.report.file = options.operands[0];
    s.report.framework = framework_title[s.list.framework];
    status = choose(&s);
    if (!status)
      status = options.list ? print_list(&s) : run_all(&s);
  }
  free(s.trials);
  free(s.report.tests);
  test_list_free(&s.list);
  return status;
}
