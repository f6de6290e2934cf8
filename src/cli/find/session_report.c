/* SPDX-License-Identifier: Apache-2.0
 *
 * From a session to words, see the header. Sizes read from the control block are checked: the tested program may have
 * written there.
 */
#include "cli/find/session_report.h"
#include "cli/command/doctor.h"
#include "report/story/story_words.h"
#include "session/console.h"
#include "session/images.h"
#include "session/worker.h"
#include "strategy/schedule_replay.h"
#include <stdlib.h>
#include <string.h>

void replay_schedule(const struct target *target, const struct control_config *config,
                     const struct schedule_record *schedule, enum reset_mode reset, bool trace, double grace,
                     struct session_result *result)
{
  struct session_request request = {
      .target = target, .config = *config, .schedule = schedule, .workers = 1, .grace = grace, .last = true};
  request.config.strategy = STRATEGY_replay;
  request.config.reset = reset;
  request.config.executions = 1;
  request.config.keep_going = 0;
  request.config.trace = trace;
  request.config.output_all = 0;
  session_run(&request, result);
}

void symbols_from_control(struct symbols *symbols, const struct control *control)
{
  if (!symbols || !control || !control->maps_bytes)
    return;
  uint64_t bytes = control->maps_bytes < CONTROL_SIZE_OF(MAPS) ? control->maps_bytes : CONTROL_SIZE_OF(MAPS);
  char *text = strndup(CONTROL_AT(control, CONTROL_MAPS_OFFSET), bytes);
  if (text)
    symbols_load_maps(symbols, text);
  free(text);
  symbols_load_biases(symbols, control->module_bias, control->modules);
  images_load(symbols, control);
}

static const struct monitor_trace *monitors_of(const struct control *control)
{
  uint64_t bytes = 0;
  const struct monitor_trace *t = worker_answer(control, ANSWER_MONITORS, &bytes);
  return control->config.trace && bytes == sizeof *t && t->readings ? t : NULL;
}

struct story story_from_session(const struct session_result *result, const struct bug *bug, struct symbols *symbols)
{
  const struct control *control = result->control;
  uint64_t total = control->config.trace ? control->trace_events : 0;
  uint64_t kept = total < CONTROL_TRACE_MAX ? total : CONTROL_TRACE_MAX;
  const struct trace_event *events = CONTROL_AT(control, CONTROL_TRACE_OFFSET);
  struct story story = {
      .bug = bug,
      .events = total ? events : NULL,
      .event_count = kept,
      .event_total = total,
      .left = total ? events + kept : NULL,
      .left_count = !total                              ? 0
                    : control->trace_left < MAX_THREADS ? control->trace_left
                                                        : MAX_THREADS,
      .monitors = monitors_of(control),
      .threads = control->thread,
      .thread_count = control->threads < MAX_THREADS ? control->threads : MAX_THREADS,
      .symbols = symbols,
      .width = console_width(),
      .colour = console_colour(),
  };
  story_learn_blocks(&story);
  return story;
}

const char *reach_text(const struct session_result *result, char out[REACH_TEXT])
{
  uint64_t bytes = 0;
  const struct reach_line *reach = result->control ? worker_answer(result->control, ANSWER_REACH, &bytes) : NULL;
  char before[COUNT_SIZE], done[COUNT_SIZE], of[COUNT_SIZE];
  if (bytes < sizeof *reach || !reach->segments) {
    snprintf(out, REACH_TEXT, "period schedules: none of a segment yet");
    return out;
  }
  bool whole = reach->done >= reach->of;
  format_count(whole ? reach->segments : reach->segments - 1, before);
  if (whole)
    snprintf(out, REACH_TEXT, "period schedules: all of at most %s segments", before);
  else
    snprintf(out, REACH_TEXT, "period schedules: all of at most %s segment%s, %s of %s with one more", before,
             reach->segments == 2 ? "" : "s", format_count(reach->done, done), format_count(reach->of, of));
  return out;
}

void print_program_output(const struct session_result *result)
{
  const struct control *control = result->control;
  if (!control || !control->output_bytes)
    return;
  uint64_t bytes = control->output_bytes < CONTROL_SIZE_OF(OUTPUT) ? control->output_bytes : CONTROL_SIZE_OF(OUTPUT);
  FILE *out = console_out();
  fputs("  the program's output:\n", out);
  print_indented(out, CONTROL_AT(control, CONTROL_OUTPUT_OFFSET), bytes);
}

void print_session_error(const struct session_result *result, struct symbols *symbols)
{
  if (!*result->error)
    return; /* it was told when it happened */
  char place[256] = "";
  if (result->error_pc)
    symbols_format_place(symbols, result->error_pc, place, sizeof place);
  console_error("%s%s%s%s", result->end == SESSION_DIVERGED ? "diverged: " : "", result->error, *place ? ", at " : "",
                place);
  if (result->error_output)
    print_indented(stderr, result->error_output, result->error_output_bytes);
  if (result->end == SESSION_FAILED && result->status == STATUS_FAILED && !result->executions)
    doctor_explain();
}
