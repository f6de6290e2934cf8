/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle show: the story of a bug, from its schedule file. The story is told from a traced replay, so it needs the
 * program.
 */
#include "cli/commands.h"
#include "cli/interactive.h"
#include "cli/pages.h"
#include "cli/recorded.h"
#include "cli/result_file.h"
#include "cli/say.h"
#include "cli/tell.h"
#include "cli/terminal.h"
#include "cli/trace_file.h"

static void print(const struct options *o, const struct session_result *result, const struct story *story)
{
  FILE *out = say_out();
  if (o->trace || !story->bug)
    trace_print(out, story);
  if (story->bug)
    story_print(out, story);
  else
    say_note("no bug shows in this schedule; this is its trace");
  if (o->output != OUTPUT_NONE)
    print_program_output(result);
}

static bool write_files(const struct recorded *r, const struct options *o, const struct story *story)
{
  struct trace_origin origin = recorded_origin(r);
  bool written = !o->trace_file || trace_file_write(o->trace_file, o->trace_format, story, &origin);
  return page_file_write(o, story, &origin) && written;
}

static int show(const struct recorded *r, const struct options *o)
{
  struct session_result result;
  recorded_run(r, o, true, &result);
  int status = STATUS_OK;
  if (result.end != SESSION_DONE) {
    print_session_error(&result, r->symbols);
    status = result.status == STATUS_USAGE ? STATUS_USAGE : STATUS_FAILED;
  } else {
    struct story story = story_from_session(&result, recorded_bug(r, &result), r->symbols);
    story.schedule = r->path;
    if (o->interactive)
      status = interactive_show(&story, r->path);
    else
      print(o, &result, &story);
    if (!write_files(r, o, &story))
      status = STATUS_FAILED;
  }
  session_free(&result);
  return status;
}

int cmd_show(int argc, char **argv)
{
  struct options options;
  if (!options_parse(&options, FOR_SHOW, argc, argv))
    return STATUS_USAGE;
  if (options.help)
    return help_command("show");
  if (options.interactive && !terminal_is_there()) {
    say_error("show -i needs a terminal; heddle show --trace prints all steps");
    return STATUS_USAGE;
  }
  if (!trace_file_check(&options) || !result_files_check(&options))
    return STATUS_USAGE;
  struct recorded recorded;
  int status = recorded_open(&recorded, "show", &options);
  if (status)
    return status;
  status = show(&recorded, &options);
  recorded_close(&recorded);
  return status;
}
