/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle replay: run a schedule file again, once or many times, each time in a fresh process. Status 1: the bug shows
 * again; 0: the run passes; 3: the program did not follow the schedule.
 */
#include "cli/command/commands.h"
#include "cli/find/gdb_replay.h"
#include "cli/find/hunt.h"
#include "cli/find/saved_schedule.h"
#include "cli/find/session_report.h"
#include "cli/find/trace_file.h"
#include "cli/help/help.h"
#include "cli/option/result_file.h"
#include "session/console.h"
#include "session/losses.h"
#include <string.h>

struct tally {
  uint64_t shown; /* a bug */
  uint64_t passed;
  uint64_t failed; /* diverged, could not be run, or its trace could not be written */
};

static int status_of(const struct tally *tally, const struct session_result *last)
{
  if (tally->failed)
    return last->status == STATUS_USAGE ? STATUS_USAGE : STATUS_FAILED;
  return tally->shown ? STATUS_BUG : STATUS_OK;
}

static void print_failure(const struct saved_schedule *r, const struct session_result *result)
{
  if (result->end == SESSION_INTERRUPTED) {
    console_error("interrupted");
    return;
  }
  print_session_error(result, r->symbols);
}

/* False: the trace could not be written. */
static bool print_run(const struct saved_schedule *r, const struct options *o, const struct session_result *result)
{
  const struct bug *bug = saved_schedule_bug(r, result);
  struct story story = story_from_session(result, bug, r->symbols);
  story.schedule = NULL;
  FILE *out = console_out();
  struct trace_origin origin = saved_schedule_origin(r);
  if (o->trace)
    trace_print(out, &story);
  if (bug && (o->trace || o->quiet))
    story_headline(out, &story);
  else if (bug)
    story_print(out, &story);
  if (o->output == OUTPUT_ALL || (o->output == OUTPUT_FAILING && bug && !o->quiet))
    print_program_output(result);
  if (bug && !saved_schedule_is_same(r, result, bug))
    console_line("another bug than the recorded one shows (%s)", r->file.bug.message);
  else if (bug)
    console_line("the bug shows again");
  else
    console_line("the run passes: %s%s%s", r->file.has_bug ? "the recorded bug does not show (" : "no bug shows",
                 r->file.has_bug ? r->file.bug.message : "", r->file.has_bug ? ")" : "");
  return !o->trace_file || trace_file_write(o->trace_file, o->trace_format, &story, &origin);
}

static void save_json(const struct saved_schedule *r, const struct options *o, const struct session_result *result,
                      const struct tally *tally)
{
  const struct bug *bug = result->control ? saved_schedule_bug(r, result) : NULL;
  struct story story = {0};
  if (bug)
    story = story_from_session(result, bug, r->symbols);
  story.schedule = r->path;
  struct json_bug json_bug = {.story = &story, .preemptions = schedule_preemptions(r->file.record), .replayed = true};
  struct json_document document = {
      .command = "replay",
      .program = r->target.name,
      .args = (const char *const *)r->target.args,
      .arg_count = r->target.arg_count,
      .strategy = "replay",
      .reset = reset_name[r->reset],
      .seed = r->file.seed,
      .executions = tally->shown + tally->passed,
      .instrumented = result->instrumented,
      .steps = result->steps,
      .seconds = result->seconds,
      .bugs = &json_bug,
      .bug_count = bug != NULL,
      .error = *result->error ? result->error : NULL,
  };
  write_json(o, &document);
}

/* The first run is told, the others are counted; the last result stays for the caller. */
static struct tally replay_all(const struct saved_schedule *r, const struct options *o, struct session_result *result)
{
  struct tally tally = {0};
  for (uint64_t i = 0; i < o->times && !interrupt_count(); i++) {
    if (i)
      session_free(result);
    saved_schedule_run(r, o, i == 0, result);
    if (result->end != SESSION_DONE) {
      tally.failed++;
      print_failure(r, result);
      break; /* the next one would tell the same */
    }
    const struct bug *bug = saved_schedule_bug(r, result);
    bool shown = bug && (o->times == 1 || saved_schedule_is_same(r, result, bug));
    if (!bug && result->outside) { /* it did not get as far as the bug */
      tally.failed++;
      print_outside(result->outside, r->symbols);
      break;
    }
    tally.shown += shown;
    tally.passed += !shown;
    if (i == 0 && !print_run(r, o, result))
      tally.failed++;
  }
  return tally;
}

int cmd_replay(int argc, char **argv)
{
  struct options options;
  if (!options_parse(&options, FOR_REPLAY, argc, argv))
    return STATUS_USAGE;
  if (options.help)
    return help_command("replay", options.all_options);
  if (!trace_file_check(&options) || !result_files_check(&options))
    return STATUS_USAGE;
  if (options.gdb &&
      (options.times > 1 || options.trace || options.trace_file || options.json || options.client || options.init)) {
    console_error("--gdb goes with neither --times, --trace, --trace-file, --json, --client nor --init");
    return STATUS_USAGE;
  }
  if (options.step && !options.gdb) {
    console_error("--step is where gdb is to stand; it needs --gdb");
    return STATUS_USAGE;
  }
  struct saved_schedule saved;
  int status = saved_schedule_open(&saved, "replay", &options);
  if (status)
    return status;
  if (options.gdb) {
    status = debugger_run(&saved, &options);
    saved_schedule_close(&saved);
    return status;
  }
  struct session_result result = {0};
  struct tally tally = replay_all(&saved, &options, &result);
  if (options.times > 1 && tally.shown + tally.passed)
    console_line("%llu of %llu replays show the bug", (unsigned long long)tally.shown,
                 (unsigned long long)options.times);
  save_json(&saved, &options, &result, &tally);
  status = status_of(&tally, &result);
  session_free(&result);
  saved_schedule_close(&saved);
  return status;
}
