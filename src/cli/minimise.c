/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle minimise: the smallest part of a stress test that still fails. Find a failing schedule, or take one; leave out
 * threads and calls (strategy/minimise.c does it, in the tested process); replay the result in a fresh process; write it
 * as a test of its own and look for the failure in that.
 */
#include "cli/minimise.h"
#include "cli/cc.h"
#include "cli/commands.h"
#include "cli/hunt.h"
#include "cli/recorded.h"
#include "cli/result_file.h"
#include "cli/say.h"
#include "cli/standalone.h"
#include "strategy/replay.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MINIMISE_SECONDS 60.0
#define USUAL_STEPS 100000 /* the default elsewhere; stress tests are long */
#define MINIMISE_STEPS 1000000
#define SAMPLED 20000      /* executions of the reduced test, */
#define SAMPLE_SECONDS 5.0 /* before all of them are explored */

/* A failing execution of the whole test. */
struct failure {
  struct schedule_record *schedule;
  struct control_config config;
  uint64_t key;
  uint32_t kind;
  const char *message, *where; /* NULL: still to be found */
};

static double time_left(const struct minimisation *m)
{
  double left = m->until - now_seconds();
  return left > 0.1 ? left : 0.1;
}

/* ---- finding ---- */

static void describe(struct minimisation *m, const struct session_result *result, const struct bug *bug)
{
  char error[256];
  struct symbols *symbols = symbols_open(m->target->path, error, sizeof error);
  symbols_from_control(symbols, result->control);
  struct story story = story_from_session(result, bug, symbols);
  bug_message(&story, m->message, sizeof m->message);
  bug_where(&story, m->where, sizeof m->where);
  symbols_close(symbols);
  m->report.kind = bug_kind_name[bug->kind];
  m->report.message = m->message;
  m->report.where = m->where;
}

/* Searches all of the test. False: nothing was found, or an error was printed (then *status is not 0). */
static bool find_failure(struct minimisation *m, struct failure *f, int *status)
{
  struct session_request request = {.target = m->target,
                                    .workers = m->options->jobs ? (unsigned)m->options->jobs : core_count(),
                                    .seconds = time_left(m),
                                    .grace = m->options->grace,
                                    .live = true,
                                    .notes = true};
  struct session_result result;
  request.config = f->config;
  request.config.strategy = STRATEGY_portfolio;
  session_run(&request, &result);
  m->report.runs_to_fail = result.executions;
  if (result.end == SESSION_FAILED || result.end == SESSION_DIVERGED) {
    print_session_error(&result, NULL);
    *status = result.status ? result.status : STATUS_FAILED;
  } else if (result.end == SESSION_INTERRUPTED) {
    say_error("interrupted");
    *status = STATUS_FAILED;
  }
  for (size_t i = 0; i < result.bug_count && !f->schedule; i++) {
    struct session_bug *found = &result.bugs[i];
    if (!found->schedule || !bug_is_fatal(&found->bug, &f->config) || found->bug.kind == BUG_HANG)
      continue;
    describe(m, &result, &found->bug);
    f->key = found->bug.key;
    f->kind = found->bug.kind;
    f->schedule = found->schedule;
    found->schedule = NULL;
    m->report.runs_to_fail = found->bug.execution + 1;
  }
  session_free(&result);
  return f->schedule;
}

/* ---- reducing ---- */

static void look(void *context, struct control *control)
{
  struct minimisation *m = context;
  static char remark[64];
  double now = now_seconds();
  if (control->minimised.failed)
    snprintf(remark, sizeof remark, "%u threads, %u calls are left",
             subset_thread_count(&control->minimised.kept), subset_call_count(&control->minimised.kept));
  live_draw(&(struct live){.executions = control->executions + control->cut + control->blocked,
                           .elapsed = now - m->started,
                           .left = m->until - now,
                           .remark = remark});
}

/* Into m->kept; the schedule with which it fails, malloc'ed, or NULL: an error was printed. */
static struct schedule_record *reduce(struct minimisation *m, const struct failure *f)
{
  struct session_request request = {.target = m->target,
                                    .config = f->config,
                                    .schedule = f->schedule,
                                    .workers = 1,
                                    .seconds = time_left(m),
                                    .grace = m->options->grace,
                                    .look = look,
                                    .context = m};
  request.config.strategy = STRATEGY_minimise;
  request.config.target_key = f->key;
  request.config.target_kind = f->kind;
  request.config.keep_going = 1;
  request.config.stress_threads = m->calls.threads;
  request.config.stress_calls = m->calls.calls;
  request.config.lookahead = (uint32_t)m->options->lookahead;
  request.config.lookahead_whole = m->options->scope;
  request.config.retries = (uint32_t)m->options->retries;
  struct session_result result;
  session_run(&request, &result);
  m->report.runs = result.executions + result.cut + result.blocked;
  m->report.seconds = result.seconds;
  m->report.complete = result.end == SESSION_DONE;
  struct schedule_record *best = result.best;
  result.best = NULL;
  if (result.control && result.control->minimised.failed)
    m->kept = result.control->minimised.kept;
  else if (result.end == SESSION_FAILED)
    print_session_error(&result, NULL);
  else
    say_error("the failure does not show again when its schedule is followed: is the test nondeterministic?");
  if (m->kept.threads == 0) {
    free(best);
    best = NULL;
  }
  session_free(&result);
  return best;
}

/* In a fresh process that is told what to leave out by its environment. */
static bool shows_again(struct minimisation *m, const struct failure *f,
                        const struct schedule_record *schedule)
{
  struct session_result result;
  bool shows = false;
  if (!stress_keep(&m->kept) || schedule->segments > REPLAY_SEGMENTS)
    return false;
  replay_schedule(m->target, &f->config, schedule, RESET_EXEC, false, m->options->grace, &result);
  for (size_t i = 0; i < result.bug_count; i++)
    shows |=
        result.bugs[i].bug.key == f->key || (f->kind == BUG_DEADLOCK && result.bugs[i].bug.kind == f->kind);
  session_free(&result);
  stress_keep(NULL);
  return shows;
}

/* ---- the test of its own ---- */

static const char *source_of(const struct minimisation *m, const struct stress_calls *left)
{
  const struct options *o = m->options;
  return o->operand_count == 1 && is_source_file(o->operands[0]) ? o->operands[0] : left->file;
}

/* The schedule of the failure among what the search found: by kind and words, but for deadlocks, which name their threads. */
static const char *schedule_of(const struct minimisation *m, const struct failure *f, const struct hunt *hunt)
{
  char message[sizeof m->message];
  for (size_t i = 0; i < hunt->finding_count; i++) {
    const struct finding *found = &hunt->findings[i];
    bug_message(&found->story, message, sizeof message);
    if (found->bug.kind == f->kind && (f->kind == BUG_DEADLOCK || !strcmp(message, m->report.message)))
      return found->path;
  }
  return NULL;
}

/* The schedule of the larger program, followed as well as can be (strategy/shrink.c checks its schedule first, once): the
 * driver takes no steps of its own, so the threads of the two programs do nearly the same. */
static void try_schedule(struct hunt *hunt, const struct schedule_record *schedule)
{
  struct session_result result;
  struct session_request request = {.target = &hunt->target,
                                    .config = hunt->config,
                                    .schedule = schedule,
                                    .workers = 1,
                                    .grace = hunt->options->grace};
  request.config.strategy = STRATEGY_shrink;
  request.config.executions = 1;
  session_run(&request, &result);
  hunt_confirm_all(hunt, &result, true);
  session_free(&result);
}

static void search_alone(struct minimisation *m, struct hunt *hunt)
{
  struct session_result result;
  struct division division;
  hunt_search(hunt, SAMPLED, SAMPLE_SECONDS, &result);
  hunt_confirm_all(hunt, &result, true);
  if (!hunt->finding_count && !interrupt_count() && division_open(&division)) {
    session_free(&result);
    hunt->config.strategy = STRATEGY_dpor;
    hunt_explore(hunt, &division, time_left(m), NULL, NULL, &result);
    hunt_confirm_all(hunt, &result, true);
    division_close(&division);
  }
  session_free(&result);
}

/* Looks for the failure in the reduced test, tells it and writes its schedule. The path of that, or NULL. */
static char *fail_alone(struct minimisation *m, const struct failure *f, const struct schedule_record *best,
                        char *test)
{
  struct options options = *m->options;
  options.operands = &test;
  options.operand_count = 1;
  options.args = NULL;
  options.arg_count = 0;
  options.json = options.sarif = NULL;
  options.races = f->kind == BUG_RACE ? RACES_FAIL : RACES_IGNORE;
  options.leaks = f->kind == BUG_LEAK ? RACES_FAIL : RACES_IGNORE;
  options.strategy = STRATEGY_portfolio;
  struct hunt hunt;
  if (hunt_open(&hunt, "minimise", &options, true))
    return NULL;
  try_schedule(&hunt, best);
  if (!schedule_of(m, f, &hunt))
    search_alone(m, &hunt);
  const char *schedule = schedule_of(m, f, &hunt);
  char *path = schedule ? strdup(schedule) : NULL;
  if (!path)
    say_error(
        "%s was written, but does not fail: was the test compiled with options of its own? CFLAGS has them",
        test);
  hunt_close(&hunt);
  return path;
}

/* ---- telling ---- */

static void count_kept(struct minimisation *m)
{
  m->report.after = (struct test_size){subset_thread_count(&m->kept), subset_call_count(&m->kept)};
}

static int save_json(const struct minimisation *m, int status)
{
  char *text = m->options->json ? minimised_json(&m->report) : NULL;
  bool saved =
      !m->options->json || result_file_write("--json", m->options->json, text, text ? strlen(text) : 0);
  free(text);
  return saved || status == STATUS_BUG ? status : STATUS_FAILED;
}

/* The calls that are left, told and written as a test. */
static int finish_guided(struct minimisation *m, const struct failure *f, const struct schedule_record *best)
{
  struct stress_calls left;
  struct outfiles files;
  stress_keep(&m->kept);
  bool listed = stress_calls_open(&left, m->target);
  stress_keep(NULL);
  if (!listed)
    return STATUS_FAILED;
  m->report.calls = left.list;
  m->report.call_count = left.count;
  outfiles_init(&files, m->options->out, m->target->label);
  char *test = outfiles_check(&files) ? outfiles_reserve_test(&files) : NULL, *schedule = NULL;
  if (test && !standalone_write(test, source_of(m, &left), &left)) {
    unlink(test);
    free(test);
    test = NULL;
  }
  m->report.test = test;
  if (!m->options->quiet)
    minimised_print(say_out(), &m->report);
  if (test)
    m->report.schedule = schedule = fail_alone(m, f, best, test);
  int status = save_json(m, test && schedule ? STATUS_BUG : STATUS_FAILED);
  free(schedule);
  free(test);
  outfiles_free(&files);
  stress_calls_close(&left);
  return status;
}

static int minimise_guided_by(struct minimisation *m, struct failure *f)
{
  int status = STATUS_OK;
  if (!f->schedule && !find_failure(m, f, &status)) {
    if (status == STATUS_OK)
      say("no failure found in %llu executions of the whole test",
          (unsigned long long)m->report.runs_to_fail);
    return save_json(m, status);
  }
  struct schedule_record *best = reduce(m, f);
  if (!best)
    return save_json(m, STATUS_FAILED);
  count_kept(m);
  m->report.replayed = shows_again(m, f, best);
  if (m->report.replayed) {
    status = finish_guided(m, f, best);
  } else {
    say_error("the reduced test does not fail again in a fresh process: is it nondeterministic?");
    status = save_json(m, STATUS_FAILED);
  }
  free(best);
  return status;
}

static int compare_free(struct minimisation *m)
{
  if (!minimise_free(m))
    return STATUS_FAILED;
  count_kept(m);
  if (!m->report.kind)
    say("no failure in %llu free runs of the whole test", (unsigned long long)m->report.runs_to_fail);
  else if (!m->options->quiet)
    minimised_print(say_out(), &m->report);
  return save_json(m, m->report.kind ? STATUS_BUG : STATUS_OK);
}

/* ---- the command ---- */

static int minimise(const struct options *o, const struct target *target, struct failure *f)
{
  static const char *const how[] = {"guided", "uncontrolled", "random"};
  struct minimisation m = {.options = o, .target = target};
  if (!stress_keep(NULL) || !stress_calls_open(&m.calls, target))
    return STATUS_USAGE;
  m.started = now_seconds();
  m.until = m.started + (o->seconds < 0 ? MINIMISE_SECONDS : o->seconds);
  m.report = (struct minimised){.program = target->label,
                                .how = how[o->how],
                                .lookahead = (uint32_t)o->lookahead,
                                .scope = o->scope ? "trace" : "thread",
                                .retries = (uint32_t)o->retries,
                                .seed = o->seed,
                                .message = m.message,
                                .where = m.where,
                                .before = {m.calls.threads, (uint32_t)m.calls.count}};
  if (f->schedule) {
    m.report.kind = bug_kind_name[f->kind];
    m.report.message = f->message;
    m.report.where = f->where;
  }
  int status = o->how == MINIMISE_GUIDED ? minimise_guided_by(&m, f) : compare_free(&m);
  stress_calls_close(&m.calls);
  return status;
}

static bool is_schedule(const char *name)
{
  size_t n = strlen(name);
  return n > 3 && !strcmp(name + n - 3, ".hd");
}

static int minimise_recorded(const struct options *o)
{
  struct recorded recorded;
  int status = recorded_open(&recorded, "minimise", o);
  if (status)
    return status;
  struct failure f = {.schedule = recorded.file.record,
                      .config = recorded.config,
                      .key = recorded.file.bug.key,
                      .message = recorded.file.bug.message,
                      .where = recorded.file.bug.where,
                      .kind = recorded.file.bug.kind};
  recorded.target.label = recorded.target.name;
  if (recorded.file.has_bug)
    status = minimise(o, &recorded.target, &f);
  else {
    say_error("%s has no bug: there is nothing to keep", recorded.path);
    status = STATUS_USAGE;
  }
  recorded_close(&recorded);
  return status;
}

static int minimise_program(const struct options *o)
{
  struct hunt hunt;
  int status = hunt_open(&hunt, "minimise", o, true);
  if (status)
    return status;
  struct failure f = {.config = hunt.config};
  f.config.races = f.config.leaks = RACES_IGNORE;
  status = minimise(o, &hunt.target, &f);
  free(f.schedule);
  hunt_close(&hunt);
  return status;
}

int cmd_minimise(int argc, char **argv)
{
  struct options options;
  if (!options_parse(&options, FOR_MINIMISE, argc, argv))
    return STATUS_USAGE;
  if (options.help)
    return help_command("minimise");
  if (options.max_steps == USUAL_STEPS)
    options.max_steps = MINIMISE_STEPS;
  bool file = options.operand_count == 1 && is_schedule(options.operands[0]);
  if (file && !result_file_check("--json", options.json, RESULT_JSON))
    return STATUS_USAGE;
  return file ? minimise_recorded(&options) : minimise_program(&options);
}
