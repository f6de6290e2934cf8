/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle minimise: the smallest part of a stress test that still fails. Finds a failing schedule, or takes one;
 * reduced_test.c makes the test smaller.
 */
#include "cli/command/minimise.h"
#include "cli/command/commands.h"
#include "cli/find/cluster_hunt.h"
#include "cli/find/saved_schedule.h"
#include "cli/find/specifications.h"
#include "cli/help/help.h"
#include "cli/option/documents.h"
#include "cli/option/result_file.h"
#include "session/console.h"
#include "session/samples.h"
#include <stdlib.h>
#include <string.h>

#define MINIMISE_SECONDS 60.0

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

/* One search of all of the test. False: there is no use in another. */
static bool search_whole(struct minimisation *m, struct failure *f, const struct cluster_search *cluster,
                         uint64_t round, int *status)
{
  struct session_request request = {.target = m->target,
                                    .workers = m->options->jobs ? (unsigned)m->options->jobs : core_count(),
                                    .seconds = minimisation_time_left(m),
                                    .grace = m->options->grace,
                                    .live = true,
                                    .notes = true};
  struct session_result result;
  request.config = f->config;
  request.config.strategy = STRATEGY_portfolio;
  request.config.seed += round;
  struct samples samples = {.fixed = true};
  if (cluster)
    request.samples = &samples;
  cluster_hunt_use(cluster, m->options, &request);
  session_run(&request, &result);
  samples_close(&samples);
  bool hung = result.bug_count && result.end != SESSION_INTERRUPTED;
  uint64_t before = m->report.runs_to_fail;
  m->report.runs_to_fail += result.executions;
  if (result.end == SESSION_FAILED || result.end == SESSION_DIVERGED) {
    print_session_error(&result, NULL);
    *status = result.status ? result.status : STATUS_FAILED;
  } else if (result.end == SESSION_INTERRUPTED) {
    console_error("interrupted");
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
    m->report.runs_to_fail = before + found->bug.execution + 1;
  }
  session_free(&result);
  return hung && !f->schedule && *status == STATUS_OK;
}

/* Searches all of the test. A hang ends a search, but may only be a test that takes long when all its threads stand in
 * each other's way: another schedule is looked for. False: nothing was found, or an error was printed (then *status is
 * not 0). */
static bool find_failure(struct minimisation *m, struct failure *f, int *status)
{
  const struct options *o = m->options;
  struct cluster_search cluster = NO_CLUSTER;
  if (o->cluster && !cluster_search_open(&cluster, o->cluster, m->target, NULL, o->grace))
    *status = STATUS_FAILED;
  const struct cluster_search *others = o->cluster ? &cluster : NULL;
  for (uint64_t round = 0; !*status && search_whole(m, f, others, round, status) && now_seconds() < m->until; round++)
    ;
  cluster_search_close(&cluster, true);
  return f->schedule;
}

/* ---- telling ---- */

static int save_json(const struct minimisation *m, int status)
{
  char *text = m->options->json ? minimised_json(&m->report) : NULL;
  bool saved =
      !m->options->json || result_file_write("--json", m->options->json, FILE_JSON, text, text ? strlen(text) : 0);
  free(text);
  return saved || status == STATUS_BUG ? status : STATUS_FAILED;
}

static int compare_free(struct minimisation *m)
{
  if (!minimise_free(m))
    return STATUS_FAILED;
  minimisation_count(m);
  if (!m->report.kind)
    console_line("no failure in %llu free runs of the whole test", (unsigned long long)m->report.runs_to_fail);
  else if (!m->options->quiet) {
    minimised_headline(console_out(), &m->report);
    minimised_print(console_out(), &m->report);
  }
  return save_json(m, m->report.kind ? STATUS_BUG : STATUS_OK);
}

/* hunt: of an ordinary program; NULL: it is a stress test. */
static int minimise_guided(struct minimisation *m, struct failure *f, struct hunt *hunt)
{
  int status = STATUS_OK;
  if (!f->schedule && !find_failure(m, f, &status)) {
    if (status == STATUS_OK)
      console_line("no failure found in %llu execution%s of the whole test", (unsigned long long)m->report.runs_to_fail,
                   m->report.runs_to_fail == 1 ? "" : "s");
    return save_json(m, status);
  }
  if (!m->options->quiet)
    minimised_headline(console_out(), &m->report);
  return save_json(m, hunt ? minimise_program_failure(m, f, hunt) : minimise_failure(m, f));
}

/* ---- the command ---- */

/* file: that has the failure, NULL: it is still to be found. hunt: of an ordinary program, NULL: it is a stress test.
 */
static int minimise(const struct options *o, const struct target *target, struct failure *f,
                    const struct schedule_file *file, struct hunt *hunt)
{
  struct minimisation m;
  deadline_set(o->seconds);
  if (!minimisation_open(&m, o, target, o->seconds < 0 ? MINIMISE_SECONDS : o->seconds))
    return STATUS_USAGE;
  if (file && o->how == MINIMISE_GUIDED) {
    m.report.kind = bug_kind_name[file->bug.kind];
    m.report.message = file->bug.message;
    m.report.where = file->bug.where;
  }
  int status = o->how == MINIMISE_GUIDED ? minimise_guided(&m, f, hunt) : compare_free(&m);
  minimisation_close(&m);
  return status;
}

static bool is_schedule(const char *name)
{
  size_t n = strlen(name);
  return n > 3 && !strcmp(name + n - 3, ".hd");
}

/* Whether the program is what the options take it for. False: an error was printed. */
static bool check_kind(const struct options *o, const struct target *target)
{
  if (o->calls && target->stress_test)
    console_error("%s is made with heddle_stress.h: its calls are known without --calls", target->label);
  else if (o->calls && o->how != MINIMISE_GUIDED)
    console_error("--how is for stress tests of heddle_stress.h: with --calls parts follow the schedule that failed");
  else
    return true;
  return false;
}

/* A hunt of the program of a schedule file, in which its bug can be told. */
static int minimise_saved_program(const struct options *o, const struct saved_schedule *saved, struct failure *f)
{
  struct options options = *o;
  struct hunt hunt;
  options.operands = &(char *){saved->target.path};
  options.operand_count = 1;
  options.args = saved->target.args;
  options.arg_count = saved->target.arg_count;
  options.spec = saved->file.spec;
  options.specs = saved->file.specs;
  int status = drop_input() ? hunt_open(&hunt, "minimise", &options, false) : STATUS_FAILED;
  if (status)
    return status;
  hunt.target.folder = saved->target.folder;
  status = give_input(&hunt.target, &saved->target) ? minimise(&options, &saved->target, f, &saved->file, &hunt)
                                                    : STATUS_FAILED;
  hunt_close(&hunt);
  return status;
}

static int minimise_recorded(const struct options *o)
{
  struct saved_schedule saved;
  int status = saved_schedule_open(&saved, "minimise", o);
  if (status)
    return status;
  struct failure f = {.schedule = saved.file.record,
                      .path = saved.path,
                      .config = saved.config,
                      .key = saved.file.bug.key,
                      .kind = saved.file.bug.kind};
  saved.target.label = saved.target.name;
  status = STATUS_USAGE;
  if (!saved.file.has_bug)
    console_error("%s has no bug: there is nothing to keep", saved.path);
  else if (saved.file.kept)
    console_error("%s is of a part already: minimise the whole program", saved.path);
  else if (check_kind(o, &saved.target))
    status = o->calls ? minimise_saved_program(o, &saved, &f) : minimise(o, &saved.target, &f, &saved.file, NULL);
  saved_schedule_close(&saved);
  return status;
}

static int minimise_program(const struct options *o)
{
  struct hunt hunt;
  int status = hunt_open(&hunt, "minimise", o, true);
  if (status)
    return status;
  cluster_hunt_prepare(&hunt);
  struct failure f = {.config = hunt.config};
  f.config.races = f.config.leaks = RACES_IGNORE;
  f.config.calls = 0; /* they are no steps */
  if (!properties_again(&f.config, &hunt.target, o->spec, o->specs))
    status = STATUS_USAGE;
  else
    status = check_kind(o, &hunt.target) ? minimise(o, &hunt.target, &f, NULL, o->calls ? &hunt : NULL) : STATUS_USAGE;
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
    return help_command("minimise", options.all_options);
  bool file = options.operand_count == 1 && is_schedule(options.operands[0]);
  if (options.program && !file) {
    console_error("--program is for the program of a schedule file");
    return STATUS_USAGE;
  }
  if (options.cluster && (file || options.how != MINIMISE_GUIDED)) {
    console_error("--cluster is for finding a failure: %s",
                  file ? "the file has one, and parts are tried here" : "with --how all is done here");
    return STATUS_USAGE;
  }
  if (!cluster_hunt_check(&options))
    return STATUS_USAGE;
  if (file && !result_files_check(&options))
    return STATUS_USAGE;
  return file ? minimise_recorded(&options) : minimise_program(&options);
}
