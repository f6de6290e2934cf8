/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle migrate: a test that synchronises by sleeping, and how it says its order instead (cli/migrate/migration.h).
 */
#include "cli/command/commands.h"
#include "cli/compile/cc.h"
#include "cli/help/help.h"
#include "cli/migrate/migration.h"
#include "file/output_file.h"
#include "session/console.h"
#include <stdlib.h>
#include <string.h>

/* ---- what stays ---- */

static const char *why_it_stays(enum sleep_stays stays)
{
  switch (stays) {
  case SLEEP_IN_CALLED:
    return "is in code that the test calls, or that simulates work";
  case SLEEP_IN_SOME:
    return "is in an #if: what builds without it do is not known";
  case SLEEP_POLLS:
    return "waits by polling for what a condition variable could tell";
  case SLEEP_UNREACHED:
    return "was not reached";
  case SLEEP_VARIES:
    return "is not reached as often in one run as in another";
  case SLEEP_UNSEEN:
    return "lets a thread act that comes to no place of the test's own code, where an event could stand";
  case SLEEP_ALONE:
    return "orders nothing: nobody else does anything meanwhile, it only simulates work";
  case SLEEP_GOES:
    break;
  }
  return "";
}

static void tell_staying(const struct migration *m, size_t statement, enum sleep_stays why)
{
  const struct c_statement *s = &m->file.statement[statement];
  struct source_patch lines;
  source_patch_open(&lines, m->text, m->length);
  console_line("%s:%zu: %s() stays: it %s", m->path, source_patch_line(&lines, s->begin), s->call, why_it_stays(why));
  source_patch_close(&lines);
}

/* How many sleeps go. */
static size_t tell_sleeps(const struct migration *m)
{
  size_t going = 0;
  for (size_t i = 0; i < m->marks.marks; i++) {
    if (m->marks.mark[i].kind != MARK_SLEEP)
      continue;
    if (m->orders.stays[i] == SLEEP_GOES)
      going++;
    else
      tell_staying(m, m->marks.mark[i].statement, m->orders.stays[i]);
  }
  for (size_t i = 0; i < m->marks.left_count; i++)
    tell_staying(m, m->marks.left[i],
                 m->file.statement[m->marks.left[i]].conditional ? SLEEP_IN_SOME : SLEEP_IN_CALLED);
  return going;
}

/* ---- the proof ---- */

static void tell_proof(const struct migration *m)
{
  const struct proof *p = &m->proof;
  char count[COUNT_SIZE];
  const char *does = m->verdict.failed ? "fails" : "passes";
  format_count(p->executions, count);
  const char *plural = p->executions == 1 ? "" : "s";
  if (p->complete)
    console_line("proved   the new test %s in every interleaving that keeps its schedule (complete, %s execution%s)",
                 does, count, plural);
  else if (p->finished)
    console_line("proved   the new test %s in every interleaving that keeps its schedule and in which timeouts come in "
                 "time (%s execution%s)",
                 does, count, plural);
  else
    console_line("tried    the new test %s in %s execution%s that keep its schedule; not complete", does, count,
                 plural);
  console_line("         and in %llu of %llu free runs; with sleeps it %s in %d of %d runs in which they end in time",
               (unsigned long long)p->kept.runs, (unsigned long long)p->kept.runs, does, MIGRATION_RUNS,
               MIGRATION_RUNS);
  if (p->slept.loose)
    console_line("         %llu of %llu free runs with sleeps did not keep that order",
                 (unsigned long long)p->slept.loose, (unsigned long long)p->slept.runs);
}

static void tell_time(const struct migration *m)
{
  const struct free_tally *slept = &m->proof.slept, *kept = &m->proof.kept;
  const double before = slept->seconds / (double)slept->runs, after = kept->seconds / (double)kept->runs;
  console_line("time     %.1f ms a run with sleeps, %.1f ms without: %.1f times as fast", 1000 * before, 1000 * after,
               before / after);
}

static void tell_failure(const struct migration *m)
{
  const struct proof *p = &m->proof;
  const char *does = m->verdict.failed ? "fails" : "passes";
  if (p->depends_on_time)
    console_error(
        "%s cannot be migrated: what it says depends on how long the sleeps take that stay, so time itself is "
        "what it tests: %s",
        m->path, p->verdict.text);
  else if (!p->ran || p->verdict.failed != m->verdict.failed)
    console_error("%s cannot be migrated: it %s with sleeps, but not in every interleaving that keeps the schedule%s%s",
                  m->path, does, p->verdict.failed ? ": " : "", p->verdict.text);
  else
    console_error("%s cannot be migrated: it %s with sleeps, but with the schedule %llu of %llu free runs fail%s%s",
                  m->path, does, (unsigned long long)p->kept.failed, (unsigned long long)p->kept.runs,
                  p->kept.failed ? ": " : "", p->kept.text);
}

/* ---- the change ---- */

static bool show(const struct migration *m, const struct source_patch *patch)
{
  char *diff = source_patch_diff(patch, m->path, m->path);
  if (!diff)
    console_error("no memory left");
  else if (!console_quiet())
    fputs(diff, console_out());
  free(diff);
  return diff;
}

static bool apply(const struct migration *m, const struct source_patch *patch)
{
  char error[512];
  size_t length;
  char *text = source_patch_apply(patch, &length);
  const bool done = text && output_file_change(m->path, m->text, m->length, text, length, error, sizeof error);
  if (!done)
    console_error("%s", text ? error : "no memory left");
  else
    console_line("changed  %s; link it with -lheddle-enforce to keep its schedule in ordinary runs", m->path);
  free(text);
  return done;
}

/* What was found is tried, and then told. */
static int propose(struct migration *m, struct source_patch *patch)
{
  if (!sleep_edits_make(&m->edits, patch, false)) {
    console_error("no memory left");
    return STATUS_FAILED;
  }
  if (!show(m, patch) || !migration_prove(m, patch))
    return STATUS_FAILED;
  if (!migration_is_proved(m)) {
    tell_failure(m);
    return STATUS_FAILED;
  }
  tell_proof(m);
  tell_time(m);
  return !m->options->apply || apply(m, patch) ? STATUS_OK : STATUS_FAILED;
}

static int migrate(struct migration *m)
{
  struct source_patch patch;
  if (!migration_watch(m))
    return STATUS_FAILED;
  const size_t going = tell_sleeps(m);
  if (!going) {
    console_error("%s has no sleep that orders something, in code of its own", m->path);
    return STATUS_FAILED;
  }
  source_patch_open(&patch, m->text, m->length);
  const int status = propose(m, &patch);
  source_patch_close(&patch);
  return status;
}

int cmd_migrate(int argc, char **argv)
{
  struct options options;
  struct migration m;
  if (!options_parse(&options, FOR_MIGRATE, argc, argv))
    return STATUS_USAGE;
  if (options.help)
    return help_command("migrate", options.all_options);
  for (size_t i = 0; i < options.operand_count; i++)
    if (!is_source_file(options.operands[i])) {
      console_error("%s is no source file; migrate takes the test's own: heddle migrate TEST.c", options.operands[i]);
      return STATUS_USAGE;
    }
  if (!options.operand_count) {
    console_error("migrate needs the source of a test: heddle migrate TEST.c");
    return STATUS_USAGE;
  }
  if (!migration_open(&m, &options))
    return STATUS_USAGE;
  const int status = migrate(&m);
  migration_close(&m);
  return status;
}
