/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle show: what a schedule file says, and with --run the story of its bug, which is told from a traced replay.
 * Without it nothing that the file names is run or read.
 */
#include "cli/command/commands.h"
#include "cli/find/interactive.h"
#include "cli/find/pages.h"
#include "cli/find/saved_schedule.h"
#include "cli/find/session_report.h"
#include "cli/find/terminal.h"
#include "cli/find/trace_file.h"
#include "cli/help/help.h"
#include "cli/option/result_file.h"
#include "report/story/terminal_text.h"
#include "schedule/thread_name.h"
#include "session/console.h"
#include <inttypes.h>
#include <string.h>

static void print(const struct options *o, const struct session_result *result, const struct story *story)
{
  FILE *out = console_out();
  if (o->trace || !story->bug)
    trace_print(out, story);
  if (story->bug)
    story_print(out, story);
  else
    console_note("no bug shows in this schedule; this is its trace");
  if (o->output != OUTPUT_NONE)
    print_program_output(result);
}

static bool write_files(const struct saved_schedule *r, const struct options *o, const struct story *story)
{
  struct trace_origin origin = saved_schedule_origin(r);
  bool written = !o->trace_file || trace_file_write(o->trace_file, o->trace_format, story, &origin);
  return page_file_write(o, story, &origin) && written;
}

/* ---- the file alone ---- */

#define SWITCHES_TOLD 40 /* lines of the schedule: a screen */

static bool begins_with(const char *line, const char *word)
{
  return !strncmp(line, word, strlen(word));
}

static bool names_thread(const char *line)
{
  char name[THREAD_NAME_SIZE];
  const size_t length = strcspn(line, " ");
  if (length >= sizeof name)
    return *line == 'T' || *line == 'P';
  memcpy(name, line, length);
  name[length] = '\0';
  return thread_name_valid(name);
}

/* The lines of the schedule, as they are; they have places in the source as comments. */
static void print_schedule(FILE *out, const struct saved_schedule *r)
{
  size_t told = 0, more = 0;
  for (char *line = r->text, *end; line < r->text + r->length; line = end + 1) {
    end = memchr(line, '\n', (size_t)(r->text + r->length - line));
    if (!end)
      break; /* behind the last line, `end` */
    *end = '\0';
    if (!names_thread(line) && !begins_with(line, "choice "))
      continue;
    if (told == SWITCHES_TOLD) {
      more++;
      continue;
    }
    told++;
    fputs("    ", out);
    print_escaped(out, line);
    fputc('\n', out);
  }
  if (more)
    fprintf(out, "    … and %zu more\n", more);
}

static void print_line(FILE *out, const char *key, const char *text)
{
  fprintf(out, "  %-8s ", key);
  print_escaped(out, text);
  fputc('\n', out);
}

static int show_file(struct saved_schedule *r)
{
  FILE *out = console_out();
  const struct schedule_file *f = &r->file;
  uint32_t switches = f->record->segments ? f->record->segments - 1 : 0;
  char path[4096], preemptions[COUNT_SIZE];
  if (f->has_bug) {
    fputs("✗ ", out);
    print_escaped(out, f->bug.message);
    fputs(f->bug.where[0] ? "  " : "", out);
    print_escaped(out, f->bug.where);
    fputc('\n', out);
  }
  fputs("  program  ", out);
  print_saved_command(out, f, f->program);
  fputc('\n', out);
  if (f->test)
    print_line(out, "test", f->test);
  fprintf(out, "  found by %s, seed %" PRIu64 "\n", strategy_table[f->record->strategy]->name, f->seed);
  fprintf(out, "  %u thread%s, %u context switch%s, %s\n", f->record->threads, f->record->threads == 1 ? "" : "s",
          switches, switches == 1 ? "" : "es", format_preemptions(schedule_preemptions(f->record), preemptions));
  print_schedule(out, r);
  shell_word(r->path, path, sizeof path);
  fprintf(out, "  story    heddle show --run %s\n", path);
  return STATUS_OK;
}

/* What only a run can show. NULL: nothing of it is asked for. */
static const char *needs_run(const struct options *o)
{
  return o->interactive ? "-i" : o->trace ? "--trace" : o->trace_file ? "--trace-file" : o->html ? "--html" : NULL;
}

/* ---- a run ---- */

static int show(const struct saved_schedule *r, const struct options *o)
{
  struct session_result result;
  saved_schedule_run(r, o, true, &result);
  int status = STATUS_OK;
  if (result.end != SESSION_DONE) {
    print_session_error(&result, r->symbols);
    status = result.status == STATUS_USAGE ? STATUS_USAGE : STATUS_FAILED;
  } else {
    struct story story = story_from_session(&result, saved_schedule_bug(r, &result), r->symbols);
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
    return help_command("show", options.all_options);
  if (!options.run && needs_run(&options)) {
    console_error("%s shows a run of the program, and show runs nothing unless it is told to: add --run",
                  needs_run(&options));
    return STATUS_USAGE;
  }
  if (options.interactive && !terminal_is_there()) {
    console_error("show -i needs a terminal; heddle show --run --trace prints all steps");
    return STATUS_USAGE;
  }
  if (!trace_file_check(&options) || !result_files_check(&options))
    return STATUS_USAGE;
  struct saved_schedule saved;
  int status =
      options.run ? saved_schedule_open(&saved, "show --run", &options) : saved_schedule_read(&saved, "show", &options);
  if (status)
    return status;
  status = options.run ? show(&saved, &options) : show_file(&saved);
  saved_schedule_close(&saved);
  return status;
}
