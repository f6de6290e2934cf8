/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle shrink: a schedule file with the same bug and as few preemptions and context switches as can be found. What is
 * written was replayed in a fresh process.
 */
#include "cli/command/commands.h"
#include "cli/find/saved_schedule.h"
#include "cli/find/session_report.h"
#include "cli/find/simplify.h"
#include "cli/help/help.h"
#include "cli/option/result_file.h"
#include "report/story/terminal_text.h"
#include "session/console.h"
#include <stdlib.h>
#include <string.h>

#define SHRINK_SECONDS 10.0
#define SHARE 0.8 /* of --time, for shrinking; the result is replayed in what is left */

/* FILE-small.hd for FILE.hd; malloc'ed, NULL when there is no memory. */
static char *small_name(const char *path)
{
  static const char tail[] = "-small.hd";
  size_t n = strlen(path);
  n -= n > 3 && !strcmp(path + n - 3, ".hd") ? 3 : 0;
  char *name = malloc(n + sizeof tail);
  if (name) {
    memcpy(name, path, n);
    memcpy(name + n, tail, sizeof tail);
  }
  return name;
}

/* In a fresh process, as a file's schedule is. False: the bug does not show, or an error was printed. */
static bool shows_again(const struct saved_schedule *r, const struct options *o, struct schedule_record *schedule)
{
  struct session_result result;
  replay_schedule(&r->target, &r->config, schedule, r->reset, false, o->grace, &result);
  const struct bug *bug = result.end == SESSION_DONE ? saved_schedule_bug(r, &result) : NULL;
  bool shown = bug && saved_schedule_is_same(r, &result, bug);
  session_free(&result);
  return shown;
}

static bool write_small(struct saved_schedule *r, struct schedule_record *schedule, const char *path)
{
  char error[512] = "no memory left";
  struct schedule_places places = schedule_places_of(r->symbols);
  struct schedule_record *whole = r->file.record;
  schedule->strategy = whole->strategy;
  schedule->execution = whole->execution;
  r->file.record = schedule;
  bool written = saved_schedule_sign(&r->file, path, &r->target) &&
                 schedule_file_write(&r->file, path, &places, error, sizeof error);
  r->file.record = whole;
  if (!written)
    console_error("the schedule was not written: %s", error);
  return written;
}

static int shrink(struct saved_schedule *r, const struct options *o, const char *path)
{
  struct session_result result;
  struct schedule_record *whole = r->file.record, *small;
  small = simplify_schedule(&(struct simplify){.target = &r->target,
                                               .config = &r->config,
                                               .schedule = whole,
                                               .key = r->file.bug.key,
                                               .seconds = o->seconds < 0 ? SHRINK_SECONDS : SHARE * o->seconds,
                                               .grace = o->grace},
                            &result);
  uint64_t runs = result.executions + result.cut + result.blocked;
  bool failed = result.end == SESSION_FAILED || result.end == SESSION_DIVERGED;
  int status = STATUS_FAILED;
  if (failed)
    print_session_error(&result, r->symbols);
  else if (!small)
    console_error("the bug of %s does not show when its schedule is followed; heddle replay says what does", r->path);
  else if (!shows_again(r, o, small))
    console_error("%s", time_is_up()
                            ? "there was no time left to replay the shorter schedule; give it more --time"
                            : "the shorter schedule does not show the bug in a fresh process: the program does "
                              "not repeat itself");
  else if (write_small(r, small, path))
    status = STATUS_OK;
  if (status == STATUS_OK) {
    char count[COUNT_SIZE], preemptions[COUNT_SIZE], word[4096];
    console_line("%u context switch%s, %s; before %u, %u (%s run%s)", small->segments - 1,
                 small->segments == 2 ? "" : "es", format_preemptions(schedule_preemptions(small), preemptions),
                 whole->segments - 1, schedule_preemptions(whole), format_count(runs, count), runs == 1 ? "" : "s");
    shell_word(path, word, sizeof word);
    console_line("  replay   heddle replay %s", word);
  }
  session_free(&result);
  free(small);
  return status;
}

int cmd_shrink(int argc, char **argv)
{
  struct options options;
  if (!options_parse(&options, FOR_SHRINK, argc, argv))
    return STATUS_USAGE;
  if (options.help)
    return help_command("shrink", options.all_options);
  struct saved_schedule saved;
  deadline_set(options.seconds);
  char *name = NULL;
  if (!options.into && options.operand_count == 1)
    options.into = name = small_name(options.operands[0]);
  int status = result_files_check(&options) ? saved_schedule_open(&saved, "shrink", &options) : STATUS_USAGE;
  if (status) {
    free(name);
    return status;
  }
  if (!saved.file.has_bug) {
    console_error("%s is of no bug: there is nothing that a shorter schedule must show", saved.path);
    status = STATUS_USAGE;
  } else if (saved.file.bug.kind == BUG_HANG) {
    console_error("%s is of a hang: its schedule must stay fair to all threads", saved.path);
    status = STATUS_USAGE;
  } else {
    status = options.into ? shrink(&saved, &options, options.into) : STATUS_FAILED;
  }
  free(name);
  saved_schedule_close(&saved);
  return status;
}
