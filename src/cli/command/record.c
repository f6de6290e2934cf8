/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle record: one run of the program, with all its events, in a file for heddle predict.
 */
#include "cli/command/commands.h"
#include "cli/find/hunt.h"
#include "cli/find/trace_recorder.h"
#include "cli/help/help.h"
#include "cli/option/result_file.h"
#include "report/document/trace_summary.h"
#include "session/console.h"
#include <stdlib.h>
#include <string.h>

/* From the trace, which is not in its place yet. */
static bool write_document(const struct options *o, const char *path)
{
  char error[256] = "";
  if (!o->json)
    return true;
  struct trace_reader *reader = trace_open(path, error, sizeof error);
  char *text = reader ? trace_summary_json(reader, HEDDLE_VERSION, error, sizeof error) : NULL;
  if (!text)
    console_error("%s: %s", path, error);
  bool good = text && result_file_write("--json", o->json, FILE_JSON, text, strlen(text));
  free(text);
  trace_close(reader);
  return good;
}

static void tell(const struct hunt *hunt, const struct trace_recorder *r, const struct session_result *result,
                 const char *path, long bytes)
{
  char events[COUNT_SIZE], seconds[COUNT_SIZE];
  console_line("recorded %s event%s of %u thread%s in %s: %s, %ld bytes", format_count(r->writer.events, events),
               r->writer.events == 1 ? "" : "s", r->thread_count, r->thread_count == 1 ? "" : "s",
               format_seconds(result->seconds, seconds), path, bytes);
  if (!result->instrumented && result->max_threads > 1)
    console_note("only calls were recorded; build with heddle cc to see memory accesses");
  for (size_t i = 0; i < result->bug_count; i++)
    if (bug_is_fatal(&result->bugs[i].bug, &hunt->config))
      console_note("the run did not pass: %s", result->bugs[i].bug.text);
}

/* The trace in its place, and what is said of it. */
static int keep(const struct hunt *hunt, const struct trace_recorder *r, const struct session_result *result,
                struct output_file *output, const char *path)
{
  char error[1024], open_file[32];
  long bytes = ftell(r->file);
  snprintf(open_file, sizeof open_file, "/proc/self/fd/%d", fileno(output->file));
  bool documented = write_document(hunt->options, output->temporary ? output->temporary : open_file);
  if (!output_file_close(output, error, sizeof error)) {
    console_error("%s", error);
    return STATUS_FAILED;
  }
  tell(hunt, r, result, path, bytes);
  return documented ? STATUS_OK : STATUS_FAILED;
}

static int record(struct hunt *hunt, const char *path)
{
  struct trace_recorder recorder;
  struct session_result result;
  struct output_file output;
  char error[1024];
  int status = STATUS_FAILED;
  if (!output_file_open(&output, path, FILE_TRACE, error, sizeof error)) {
    console_error("%s", error);
    return STATUS_USAGE;
  }
  trace_recorder_open(&recorder, output.file, hunt->target.path);
  deadline_set(hunt->options->seconds);
  record_run(hunt, &recorder, hunt->options->seconds < 0 ? 0 : hunt->options->seconds, &result);
  bool whole = trace_recorder_finish(&recorder);
  if (result.end == SESSION_DONE && whole) {
    status = keep(hunt, &recorder, &result, &output, path);
  } else {
    output_file_drop(&output);
    if (result.end == SESSION_DONE || result.end == SESSION_TIME)
      console_error(recorder.failed ? "%s could not be written" : "the run did not come to its end; %s was not kept",
                    path);
    else
      status = hunt_finish(hunt, &result);
  }
  session_free(&result);
  trace_recorder_close(&recorder);
  return status;
}

int cmd_record(int argc, char **argv)
{
  struct options options;
  struct hunt hunt;
  if (!options_parse(&options, FOR_RECORD, argc, argv))
    return STATUS_USAGE;
  if (options.help)
    return help_command("record", options.all_options);
  if (options.strategy == STRATEGY_COUNT)
    options.strategy = STRATEGY_rr;
  if (!options.into)
    options.into = "heddle.trace";
  int status = hunt_open(&hunt, "record", &options, true);
  if (status)
    return status;
  status = record(&hunt, options.into);
  hunt_close(&hunt);
  return status;
}
