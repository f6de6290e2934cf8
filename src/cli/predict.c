/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle predict: record one run, analyse it, then try to bring about what it predicts. Only what really happened, and
 * happened again in a fresh process, is a bug.
 */
#include "cli/commands.h"
#include "cli/hunt.h"
#include "cli/plan.h"
#include "cli/recording.h"
#include "cli/say.h"
#include "predict/goodlock.h"
#include "report/predictions.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREDICT_SECONDS 60.0
#define PREDICT_RUNS 100

struct forecast_run {
  struct hunt hunt;
  const struct options *options;
  struct trace_reader *reader;
  struct predictions predictions;
  struct goodlock_summary locks;
  uint64_t events;
  struct tried *tried;
  double started, seconds;
};

/* ---- the run ---- */

/* The trace of a run made now, in a file that nobody else sees. NULL: an error was printed. */
static FILE *record_now(struct forecast_run *f, struct session_result *result)
{
  struct recording recording;
  FILE *file = tmpfile();
  if (!file) {
    say_error("no temporary file can be made: %s", strerror(errno));
    return NULL;
  }
  bool good = recording_open(&recording, file, f->hunt.target.path);
  if (good) {
    record_run(&f->hunt, &recording, f->seconds / 2, result);
    good = recording_finish(&recording) && result->end == SESSION_DONE;
  }
  recording_close(&recording);
  if (good)
    return file;
  fclose(file);
  return NULL;
}

static bool open_trace(struct forecast_run *f, struct session_result *result)
{
  char error[256], path[64];
  const char *from = f->options->from;
  if (from) {
    f->reader = trace_open(from, error, sizeof error);
    if (!f->reader)
      say_error("%s: %s", from, error);
    return f->reader != NULL;
  }
  FILE *file = record_now(f, result);
  if (!file)
    return false;
  snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
  f->reader = trace_open(path, error, sizeof error);
  if (!f->reader)
    say_error("the run cannot be read: %s", error);
  fclose(file);
  return f->reader != NULL;
}

/* ---- the analyses ---- */

static bool analyse(struct forecast_run *f)
{
  char error[256];
  struct event e;
  const struct options *o = f->options;
  const struct trace *tables = trace_tables(f->reader);
  struct goodlock_options locks = {.naming = o->naming,
                                   .k = (unsigned)o->depth,
                                   .max_length = (uint32_t)o->max_cycle,
                                   .start_order = o->start_order};
  struct goodlock *g = goodlock_open(&locks);
  bool good = g != NULL;
  while (good && trace_next(f->reader, &e, error, sizeof error)) {
    goodlock_event(g, tables, &e);
    f->events++;
  }
  if (good && *error) {
    say_error("%s: %s", o->from ? o->from : "the recorded run", error);
    good = false;
  } else if (good) {
    goodlock_finish(g, tables, &f->predictions, &f->locks);
    good = !f->predictions.failed;
  }
  if (!good && !*error)
    say_error("no memory left");
  goodlock_close(g);
  return good;
}

/* ---- trying ---- */

static void try_one(struct forecast_run *f, struct tried *tried)
{
  const struct options *o = f->options;
  struct plan plan;
  struct plan_options options = {o->naming, (unsigned)o->depth, o->no_contexts, o->no_yield};
  plan_make(&plan, trace_tables(f->reader), tried->prediction, &options);
  struct session_request request = {.target = &f->hunt.target,
                                    .config = f->hunt.config,
                                    .workers = 1,
                                    .grace = o->grace,
                                    .live = true,
                                    .plan = &plan,
                                    .seconds = f->started + f->seconds - now_seconds()};
  struct session_result result;
  request.config.strategy = STRATEGY_confirm;
  request.config.executions = o->runs ? o->runs : PREDICT_RUNS;
  request.config.keep_going = true;
  request.config.races = plan.kind == PLAN_RACE ? RACES_REPORT : RACES_IGNORE;
  request.config.leaks = RACES_IGNORE;
  request.config.detectors = RACE_BY_PENDING;
  if (request.seconds <= 0)
    return;
  session_run(&request, &result);
  tried->runs = result.executions;
  tried->seconds = result.seconds;
  if (result.control)
    tried->outcome = result.control->plan_outcome;
  size_t before = f->hunt.finding_count;
  if (tried->outcome.target || result.bug_count)
    hunt_confirm_all(&f->hunt, &result, true);
  tried->reported = f->hunt.finding_count > before;
  session_free(&result);
}

static void try_all(struct forecast_run *f)
{
  for (size_t i = 0; i < f->predictions.count && !interrupt_count(); i++) {
    f->tried[i].prediction = &f->predictions.list[i];
    if (!f->options->only_predict)
      try_one(f, &f->tried[i]);
    tried_print(say_out(), trace_tables(f->reader), &f->tried[i]);
  }
}

/* ---- the end ---- */

static void summarise(const struct forecast_run *f)
{
  size_t confirmed = 0;
  char events[COUNT_SIZE];
  for (size_t i = 0; i < f->predictions.count; i++)
    confirmed += f->tried[i].outcome.target > 0;
  say("%zu prediction%s from %s events, %zu confirmed, %zu bug%s", f->predictions.count,
      f->predictions.count == 1 ? "" : "s", format_count(f->events, events), confirmed, f->hunt.finding_count,
      f->hunt.finding_count == 1 ? "" : "s");
  if (f->locks.length_hit || f->locks.memory_hit)
    say_note("there may be more circles of locks: a limit was reached (--max-cycle)");
}

static int predict(struct forecast_run *f)
{
  struct session_result result = {0};
  int status = STATUS_FAILED;
  f->started = now_seconds();
  if (!open_trace(f, &result))
    status = result.end == SESSION_FAILED ? hunt_finish(&f->hunt, &result) : STATUS_FAILED;
  else if (analyse(f)) {
    f->tried = calloc(f->predictions.count + 1, sizeof *f->tried);
    if (f->tried)
      try_all(f);
    summarise(f);
    result.executions = 1;
    struct predictions_view view = {trace_tables(f->reader), f->tried, f->predictions.count};
    f->hunt.predictions = &view;
    status = hunt_finish(&f->hunt, &result);
  }
  session_free(&result);
  trace_close(f->reader);
  predictions_free(&f->predictions);
  free(f->tried);
  return status;
}

int cmd_predict(int argc, char **argv)
{
  struct options options;
  if (!options_parse(&options, FOR_PREDICT, argc, argv))
    return STATUS_USAGE;
  if (options.help)
    return help_command("predict");
  if (options.strategy == STRATEGY_COUNT)
    options.strategy = STRATEGY_rr;
  struct forecast_run f = {.options = &options};
  f.seconds = options.seconds < 0 ? PREDICT_SECONDS : options.seconds;
  int status = hunt_open(&f.hunt, "predict", &options, true);
  if (status)
    return status;
  status = predict(&f);
  hunt_close(&f.hunt);
  return status;
}
