/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle suite: many tests, one budget of time. Each test is an exhaustive exploration that goes on in slices: what is
 * left of it stays in its division, and the policy (estimate/allocate.h) says who gets the next slice. A test ends when
 * it is complete, with its first bug, or when heddle cannot run it; the others are incomplete when the time is
 * up. */
#include "cli/command/commands.h"
#include "cli/find/cluster_hunt.h"
#include "cli/help/help.h"
#include "cli/option/documents.h"
#include "cli/option/result_file.h"
#include "cli/option/suite_file.h"
#include "estimate/allocate.h"
#include "report/document/suite_document.h"
#include "session/console.h"
#include "session/losses.h"
#include <stdlib.h>
#include <string.h>

#define SUITE_SECONDS 60.0
#define SLICE 0.2           /* seconds: the start of a process takes a few hundredths of it */
#define SLICE_LEAST 0.01    /* when there are more tests than time */
#define SLICE_ELSEWHERE 2.0 /* seconds on a cluster: until its workers have begun takes some tenths */
#define STALLED_MOST 2.0    /* seconds without the end of one execution */
#define SHRINK_SECONDS 2.0  /* for the bugs of one test */

static const char *const policy_name[] = {"round-robin", "shortest", "coverage"};

struct suite_run {
  struct options options; /* those of the suite, with the program of this test */
  struct hunt hunt;
  struct division division;
  struct cluster_search cluster; /* for what one slice here leaves */
  bool open;                     /* hunt and division are */
  bool over;
  double seconds;      /* explored */
  double seconds_here; /* of these, in this epoch of the division: before, it counted other executions */
  double stalled;      /* seconds since the last execution, while there was none */
  uint64_t epoch;
  struct json_bug *bugs;
  char reset_reason[256];
  struct suite_test *test; /* what is told of it */
};

struct suite {
  const struct options *options;
  struct suite_file file;
  struct suite_run *trials;
  struct suite_report report;
  double started, slice, slice_elsewhere;
};

static double time_left(const struct suite *s)
{
  return s->started + s->report.budget - now_seconds();
}

static void end_trial(struct suite_run *t, enum suite_verdict verdict, const char *remark)
{
  t->over = true;
  t->test->verdict = verdict;
  snprintf(t->test->remark, sizeof t->test->remark, "%s", remark);
}

/* What it is was said already, but not of which test. */
static void end_in_error(struct suite_run *t, const char *why)
{
  end_trial(t, SUITE_ERROR, why);
  console_error("the test \"%s\" could not be run", t->test->name);
}

/* ---- opening ---- */

static void open_trial(struct suite *s, struct suite_run *t, const struct suite_entry *entry)
{
  t->test->name = entry->name;
  t->cluster = NO_CLUSTER;
  t->options = *s->options;
  t->options.operands = entry->words;
  t->options.operand_count = entry->operand_count;
  t->options.args = entry->words + entry->operand_count;
  t->options.arg_count = entry->word_count - entry->operand_count;
  t->options.json = t->options.sarif = NULL;
  t->test->document = (struct json_document){.version = HEDDLE_VERSION,
                                             .command = "suite",
                                             .program = entry->words[0],
                                             .args = (const char *const *)t->options.args,
                                             .arg_count = t->options.arg_count,
                                             .strategy = strategy_table[s->options->strategy]->name,
                                             .reset = reset_name[s->options->reset],
                                             .seed = s->options->seed};
  if (hunt_open(&t->hunt, "suite", &t->options, true) != 0) {
    end_in_error(t, console_last_error());
    return;
  }
  t->open = true;
  cluster_hunt_prepare(&t->hunt);
  t->hunt.shrink_seconds = SHRINK_SECONDS;
  t->test->document.changed = t->hunt.changed.told;
  if (!division_open(&t->division))
    end_trial(t, SUITE_ERROR, "no memory left");
}

static void close_trial(struct suite_run *t)
{
  free(t->bugs);
  if (!t->open)
    return;
  cluster_hunt_close(&t->hunt, &t->cluster);
  division_close(&t->division);
  hunt_close(&t->hunt);
}

/* ---- a slice ---- */

/* Replays and tells what the slice found. */
static void reproduce(struct suite_run *t, const struct session_result *result)
{
  char message[512], where[256], name[256];
  escape_text(t->test->name, name, sizeof name);
  fprintf(console_out(), "%s:\n", name);
  hunt_reproduce_all(&t->hunt, result, true);
  if (!hunt_news(&t->hunt))
    return;
  size_t first = 0;
  while (t->hunt.findings[first].known)
    first++;
  bug_message(&t->hunt.findings[first].story, message, sizeof message);
  bug_where(&t->hunt.findings[first].story, where, sizeof where);
  end_trial(t, SUITE_BUG, message);
  if (*where)
    snprintf(t->test->remark, sizeof t->test->remark, "%s, %s", message, where);
}

static void judge(struct suite_run *t, const struct session_result *result)
{
  if (result->bug_count)
    reproduce(t, result);
  if (t->over || result->end == SESSION_INTERRUPTED)
    return;
  char lost[LOSS_TEXT];
  bool finished = frontier_is_finished(&t->division.frontier);
  if (t->hunt.unreproduced) {
    end_in_error(t, "a bug does not show again in a fresh process");
  } else if (result->end == SESSION_FAILED || result->end == SESSION_DIVERGED || t->stalled >= STALLED_MOST ||
             (finished && !result->executions)) {
    hunt_finish(&t->hunt, result); /* it tells why */
    end_in_error(t, console_last_error());
  } else if (result->complete) {
    end_trial(t, SUITE_COMPLETE, "");
  } else if (finished) {
    end_trial(t, SUITE_INCOMPLETE, loss_text(result, "", lost));
  }
}

static void count_time(struct suite_run *t, const struct session_result *result)
{
  const struct division *d = &t->division;
  bool anew = t->epoch != d->epoch;
  t->epoch = d->epoch;
  t->seconds += result->seconds;
  t->seconds_here = anew ? result->seconds : t->seconds_here + result->seconds;
  t->stalled = anew || d->tally.executions ? 0 : t->stalled + result->seconds;
}

static void estimate(struct suite_run *t)
{
  struct json_estimate *e = &t->test->document.estimate;
  struct forecast_answer answer;
  division_predict(&t->division); /* at the end of a slice it must not be behind */
  *e = (struct json_estimate){0};
  if (!forecast_get(&t->division.forecast, &answer) || !answer.known)
    return;
  const struct scaled *from[] = {&answer.total, &answer.low, &answer.high};
  double *to[] = {&e->executions, &e->low, &e->high};
  e->known = true;
  for (size_t i = 0; i < 3; i++) {
    double x = scaled_to_double(*from[i]);
    *to[i] = x < 1e300 ? x : 1e300;
  }
}

/* What is told of the test, as far as it is. */
static void note_progress(struct suite_run *t, const struct session_result *result)
{
  struct json_document *d = &t->test->document;
  const struct handed *tally = &t->division.tally;
  double done = (double)tally->executions;
  t->test->slices++;
  d->executions = tally->executions;
  d->blocked_executions = tally->blocked;
  d->cut_executions = tally->cut;
  d->steps = tally->steps;
  d->seconds = t->seconds;
  d->complete = result->complete && tally->executions;
  d->losses = result->missed;
  d->instrumented |= result->instrumented;
  if (result->reset && result->reset < RESET_COUNT)
    d->reset = reset_name[result->reset];
  if (*result->reset_reason) {
    memcpy(t->reset_reason, result->reset_reason, sizeof t->reset_reason);
    d->reset_reason = t->reset_reason;
  }
  estimate(t);
  if (result->complete)
    d->estimate = (struct json_estimate){true, done, done, done};
}

/* Most tests are through in one slice, before a worker elsewhere would have begun. False: the test is over. */
static bool go_elsewhere(struct suite_run *t)
{
  bool goes = t->options.cluster && t->division.tally.executions;
  if (goes && !t->cluster.offer && !cluster_hunt_open(&t->hunt, &t->cluster)) {
    end_in_error(t, console_last_error());
    return false;
  }
  t->hunt.cluster = goes ? &t->cluster : NULL;
  return true;
}

static void run_slice(struct suite *s, struct suite_run *t)
{
  if (!go_elsewhere(t))
    return;
  const struct options *o = &t->options;
  double left = time_left(s), seconds = (t->hunt.cluster ? s->slice_elsewhere : s->slice) + t->stalled;
  struct session_request request = {.target = &t->hunt.target,
                                    .config = t->hunt.config,
                                    .workers = o->jobs ? (unsigned)o->jobs : core_count(),
                                    .seconds = seconds < left ? seconds : left,
                                    .grace = o->grace,
                                    .notes = !*t->reset_reason, /* each is told once */
                                    .division = &t->division};
  struct session_result result;
  cluster_hunt_use(t->hunt.cluster, o, &request);
  session_run(&request, &result);
  if (result.reset > t->hunt.config.reset && result.reset < RESET_COUNT && *result.reset_reason)
    t->hunt.config.reset = result.reset; /* need not be learnt again */
  count_time(t, &result);
  note_progress(t, &result);
  judge(t, &result);
  session_free(&result);
}

/* ---- who is next ---- */

/* By the forecast, be it as sure as it may: some order there must be. */
static double key_of(const struct suite *s, const struct suite_run *t)
{
  const struct division *d = &t->division;
  struct scaled whole = {0}, seconds = scaled_from_double(t->seconds_here);
  struct forecast_answer answer;
  if (d->tally.executions && forecast_get(&d->forecast, &answer)) {
    struct scaled pace = scaled_divide(seconds, scaled_from_double((double)d->tally.executions));
    whole = scaled_multiply(answer.total, pace);
  }
  return allocation_key(s->options->policy, t->test->slices, t->seconds_here, whole);
}

/* A test that had no slice yet, those that have what was changed first; NULL: all had. */
static struct suite_run *next_new(struct suite *s)
{
  struct suite_run *best = NULL;
  for (size_t i = 0; i < s->report.count; i++) {
    struct suite_run *t = &s->trials[i];
    if (!t->over && !t->test->slices && (!best || t->hunt.changed.reach > best->hunt.changed.reach))
      best = t;
  }
  return best;
}

/* NULL: all are over. */
static struct suite_run *next_trial(struct suite *s)
{
  struct suite_run *best = next_new(s); /* a slice of every test first */
  double least = 0;
  if (best)
    return best;
  for (size_t i = 0; i < s->report.count; i++) {
    struct suite_run *t = &s->trials[i];
    if (t->over)
      continue;
    double key = key_of(s, t);
    if (!best || key < least) {
      best = t;
      least = key;
    }
  }
  return best;
}

static void draw_live(const struct suite *s)
{
  struct live live = {.elapsed = now_seconds() - s->started, .left = time_left(s)};
  for (size_t i = 0; i < s->report.count; i++)
    live.executions += s->trials[i].division.tally.executions;
  live.bugs = suite_count(&s->report, SUITE_BUG);
  live.left = live.left > 0 ? live.left : 0;
  live_draw(&live);
}

static void explore(struct suite *s)
{
  struct suite_run *t;
  s->started = now_seconds();
  deadline_set(s->report.budget);
  while (!interrupt_count() && time_left(s) > 0.001 && (t = next_trial(s))) {
    draw_live(s);
    run_slice(s, t);
  }
  live_erase();
  s->report.seconds = now_seconds() - s->started;
  s->report.interrupted = interrupt_count() > 0;
  for (size_t i = 0; i < s->report.count; i++)
    if (!s->trials[i].test->slices && !s->trials[i].over)
      end_trial(&s->trials[i], SUITE_INCOMPLETE, s->report.interrupted ? "interrupted" : "no time was left for it");
}

/* ---- the end ---- */

/* The bugs and errors of each test, for the documents. */
static bool collect(struct suite *s)
{
  for (size_t i = 0; i < s->report.count; i++) {
    struct suite_run *t = &s->trials[i];
    struct json_document *d = &t->test->document;
    size_t count = t->open ? t->hunt.finding_count : 0;
    t->bugs = calloc(count + 1, sizeof *t->bugs);
    if (!t->bugs)
      return false;
    for (size_t k = 0; k < count; k++)
      t->bugs[k] = json_bug_of(&t->hunt.findings[k]);
    d->bugs = t->bugs;
    d->bug_count = count;
    if (t->test->verdict == SUITE_ERROR)
      d->error = t->test->remark;
  }
  return true;
}

static int tell(struct suite *s)
{
  const struct options *o = s->options;
  if (!collect(s)) {
    console_error("no memory left");
    return STATUS_FAILED;
  }
  if (o->tap)
    suite_tap(stdout, &s->report);
  else if (!o->quiet)
    suite_table(console_out(), &s->report, console_width(), console_colour());
  if (s->report.interrupted)
    console_error("interrupted; tests that were not over are incomplete");
  int status = suite_count(&s->report, SUITE_BUG)                              ? STATUS_BUG
               : s->report.interrupted || suite_count(&s->report, SUITE_ERROR) ? STATUS_FAILED
                                                                               : STATUS_OK;
  bool written = documents_write(o, &s->report, status);
  return status == STATUS_OK && !written ? STATUS_FAILED : status;
}

/* ---- the command ---- */

static bool check_options(struct options *o)
{
  if (o->operand_count != 1)
    console_error("suite takes one file that lists tests: heddle suite FILE");
  else
    return cluster_hunt_check(o) && documents_check(o);
  return false;
}

static int run_suite(struct suite *s)
{
  size_t count = s->file.count;
  int status = STATUS_FAILED;
  double share = s->report.budget / (2.0 * (double)count);
  s->slice = share > SLICE ? SLICE : share < SLICE_LEAST ? SLICE_LEAST : share;
  s->slice_elsewhere = share > SLICE_ELSEWHERE ? SLICE_ELSEWHERE : s->slice > share ? s->slice : share;
  s->trials = calloc(count, sizeof *s->trials);
  s->report.tests = calloc(count, sizeof *s->report.tests);
  s->report.count = count;
  if (!s->trials || !s->report.tests) {
    console_error("no memory left");
  } else {
    for (size_t i = 0; i < count; i++) {
      s->trials[i].test = &s->report.tests[i];
      s->report.tests[i].verdict = SUITE_INCOMPLETE;
      open_trial(s, &s->trials[i], &s->file.entries[i]);
    }
    explore(s);
    status = tell(s);
    for (size_t i = 0; i < count; i++)
      close_trial(&s->trials[i]);
  }
  free(s->trials);
  free(s->report.tests);
  return status;
}

int cmd_suite(int argc, char **argv)
{
  struct options options;
  if (!options_parse(&options, FOR_SUITE, argc, argv))
    return STATUS_USAGE;
  if (options.help)
    return help_command("suite", options.all_options);
  if (!check_options(&options))
    return STATUS_USAGE;
  if (options.tap)
    console_setup(options.quiet, options.plain, options.color, true);
  if (options.strategy == STRATEGY_COUNT)
    options.strategy = STRATEGY_dpor;
  struct suite suite = {.options = &options};
  suite.report.command = "suite";
  suite.report.file = options.operands[0];
  suite.report.policy = policy_name[options.policy];
  suite.report.budget = options.seconds < 0 ? SUITE_SECONDS : options.seconds;
  int status = STATUS_USAGE;
  if (options.cluster && cluster_count_cores(options.cluster) < 0)
    status = STATUS_FAILED; /* better now than for each test */
  else if (suite_file_read(&suite.file, options.operands[0]))
    status = drop_input() ? run_suite(&suite) : STATUS_FAILED;
  suite_file_free(&suite.file);
  return status;
}
