/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle bugs: what is known in the output folder, and whether each bug still shows. Status 1: one does that is not in
 * the baseline; 3: of one it cannot be said.
 */
#include "cli/command/commands.h"
#include "cli/find/baseline.h"
#include "cli/find/known_bugs.h"
#include "cli/find/saved_schedule.h"
#include "cli/help/help.h"
#include "cli/option/result_file.h"
#include "report/story/terminal_text.h"
#include "session/console.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* What its schedule shows now. */
static enum bug_state replay(const struct options *o, char *path)
{
  struct options own = *o;
  struct saved_schedule saved;
  struct session_result result;
  own.operands = &path;
  own.operand_count = 1;
  own.force = true; /* that it was rebuilt is what one wants to know */
  if (saved_schedule_open(&saved, "bugs", &own) != 0)
    return BUG_UNCLEAR;
  saved_schedule_run(&saved, &own, true, &result);
  const struct bug *bug = result.end == SESSION_DONE ? saved_schedule_bug(&saved, &result) : NULL;
  enum bug_state state = result.end != SESSION_DONE || result.outside ? BUG_UNCLEAR : BUG_PASSES;
  if (bug)
    state = saved_schedule_is_same(&saved, &result, bug) ? BUG_FAILS : BUG_UNCLEAR;
  session_free(&result);
  saved_schedule_close(&saved);
  return state;
}

static void replay_all(const struct options *o, struct known_bugs *known)
{
  for (size_t i = 0; i < known->count && !interrupt_count(); i++) {
    char *path = known_bugs_file(o->out, known->bug[i].name, ".hd");
    known->bug[i].state = path ? replay(o, path) : BUG_UNCLEAR;
    free(path);
  }
}

/* Under the lock: a search may have seen more meanwhile. */
static bool save_states(const struct options *o, const struct known_bugs *looked_at)
{
  char error[512];
  struct known_bugs known;
  bool saved = known_bugs_open(&known, o->out, true, error, sizeof error);
  for (size_t i = 0; saved && i < looked_at->count; i++)
    for (size_t k = 0; k < known.count; k++)
      if (!strcmp(known.bug[k].name, looked_at->bug[i].name) && known.bug[k].last == looked_at->bug[i].last)
        known.bug[k].state = looked_at->bug[i].state;
  if (saved) {
    saved = known_bugs_save(&known, error, sizeof error);
    known_bugs_close(&known);
  }
  if (!saved)
    console_error("%s", error);
  return saved;
}

static const char *date_text(int64_t at, char out[32])
{
  const time_t seconds = (time_t)(at / 1000);
  struct tm local;
  if (!localtime_r(&seconds, &local) || !strftime(out, 32, "%Y-%m-%d %H:%M", &local))
    snprintf(out, 32, "?");
  return out;
}

static void print(const struct known_bug *bug, bool accepted)
{
  static const char *const mark[BUG_STATES] = {[BUG_FAILS] = "✗", [BUG_PASSES] = "✓", [BUG_UNCLEAR] = "?"};
  char first[32], last[32];
  FILE *out = console_out();
  fprintf(out, "%s %-12s ", mark[bug->state], bug->name);
  print_escaped(out, bug->message);
  fputs(*bug->where ? "  " : "", out);
  print_escaped(out, bug->where);
  fprintf(out, "\n  %s%s; seen %s", bug_state_word[bug->state], accepted ? ", in the baseline" : "",
          date_text(bug->first, first));
  if (bug->searches > 1)
    fprintf(out, " to %s, by %llu searches", date_text(bug->last, last), (unsigned long long)bug->searches);
  fputc('\n', out);
}

static int list(const struct options *o, const struct known_bugs *known, const struct baseline *baseline)
{
  size_t news = 0, unclear = 0, count[BUG_STATES] = {0};
  char rest[64] = "";
  for (size_t i = 0; i < known->count; i++) {
    const struct known_bug *bug = &known->bug[i];
    const bool accepted = baseline_has(baseline, &bug->identity);
    print(bug, accepted);
    count[bug->state]++;
    news += bug->state == BUG_FAILS && !accepted;
    unclear += bug->state == BUG_UNCLEAR && !accepted;
  }
  if (count[BUG_UNCLEAR])
    snprintf(rest, sizeof rest, ", of %zu it cannot be said", count[BUG_UNCLEAR]);
  console_line("%zu bug%s in %s: %zu still %s, %zu pass%s%s", known->count, known->count == 1 ? "" : "s", o->out,
               count[BUG_FAILS], count[BUG_FAILS] == 1 ? "fails" : "fail", count[BUG_PASSES],
               count[BUG_PASSES] == 1 ? "es" : "", rest);
  return news ? STATUS_BUG : unclear ? STATUS_FAILED : STATUS_OK;
}

static int run(const struct options *o, struct known_bugs *known, const struct baseline *baseline)
{
  char error[512];
  struct stat status;
  if (!o->list) {
    replay_all(o, known);
    if (interrupt_count()) {
      console_error("interrupted");
      return STATUS_FAILED;
    }
    if (stat(o->out, &status) == 0 && known->count && !save_states(o, known))
      return STATUS_FAILED;
  }
  const int result = list(o, known, baseline);
  if (!o->write_baseline)
    return result;
  if (!baseline_write(known, o->write_baseline, error, sizeof error)) {
    console_error("%s", error);
    return STATUS_FAILED;
  }
  console_line("written to %s", o->write_baseline);
  return STATUS_OK;
}

int cmd_bugs(int argc, char **argv)
{
  struct options options;
  struct known_bugs known;
  struct baseline baseline = {0};
  char error[512];
  if (!options_parse(&options, FOR_BUGS, argc, argv))
    return STATUS_USAGE;
  if (options.help)
    return help_command("bugs", options.all_options);
  if (options.operand_count) {
    console_error("bugs takes no file: it lists those of the folder %s (--out names another)", options.out);
    return STATUS_USAGE;
  }
  if (!result_files_check(&options))
    return STATUS_USAGE;
  if ((options.baseline && !baseline_read(&baseline, options.baseline, error, sizeof error)) ||
      !known_bugs_open(&known, options.out, false, error, sizeof error)) {
    console_error("%s", error);
    baseline_free(&baseline);
    return STATUS_USAGE;
  }
  const int status = run(&options, &known, &baseline);
  known_bugs_close(&known);
  baseline_free(&baseline);
  return status;
}
