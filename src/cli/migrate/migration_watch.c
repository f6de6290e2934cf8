/* SPDX-License-Identifier: Apache-2.0
 *
 * A test that sleeps, watched: run under control with sleeps that end in time, each step looked at; then the orders
 * that its sleeps stand for.
 */
#include "cli/find/session_report.h"
#include "cli/migrate/migration.h"
#include "core/trace_event.h"
#include "session/console.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MOST 200000 /* of a run: a test is short */

void migration_verdict(const struct session_result *result, const struct control_config *config, struct verdict *out)
{
  *out = (struct verdict){0};
  for (size_t i = 0; i < result->bug_count && !out->failed; i++) {
    const struct bug *bug = &result->bugs[i].bug;
    if (!bug_is_fatal(bug, config))
      continue;
    out->failed = true;
    out->kind = bug->kind;
    snprintf(out->text, sizeof out->text, "%s", bug->text);
  }
}

/* ---- from the events of a run to its steps ---- */

static bool is_join(uint16_t op)
{
  return op == OP_JOIN || op == OP_TIMEDJOIN;
}

static enum sleep_step_kind kind_of(const struct trace_event *e)
{
  if (e->op == OP_EVENT && e->text[0] == 'm' && isdigit((unsigned char)e->text[1]))
    return STEP_MARK;
  return e->op == OP_SLEEP ? STEP_SLEPT : e->op == OP_CREATE ? STEP_CREATE : is_join(e->op) ? STEP_JOIN : STEP_OTHER;
}

static struct sleep_step step_of(const struct trace_event *e)
{
  const enum sleep_step_kind kind = kind_of(e);
  return (struct sleep_step){.thread = e->thread,
                             .kind = kind,
                             .what = kind == STEP_MARK ? (uint32_t)strtoul(e->text + 1, NULL, 10) : (uint32_t)e->arg,
                             .blocked = e->waited_since != 0,
                             .joins = is_join(e->op),
                             .since = e->waited_since,
                             .step = e->step};
}

static bool is_sound(const struct migration *m, const struct sleep_step *s)
{
  return s->thread < MAX_THREADS && (s->kind != STEP_MARK || s->what < m->marks.marks);
}

static bool take_steps(struct migration *m, const struct session_result *result, struct sleep_run *run)
{
  const struct story story = story_from_session(result, NULL, NULL);
  if (story.event_total > STEPS_MOST) {
    console_error("%s takes more than %d steps; that is no test whose sleeps could be followed", m->path, STEPS_MOST);
    return false;
  }
  run->step = calloc(story.event_count + 1, sizeof *run->step);
  if (!run->step) {
    console_error("no memory left");
    return false;
  }
  for (size_t i = 0; i < story.event_count; i++) {
    const struct sleep_step s = step_of(&story.events[i]);
    if (is_sound(m, &s))
      run->step[run->steps++] = s;
  }
  for (size_t i = 0; i < story.left_count; i++) {
    const struct sleep_step s = step_of(&story.left[i]);
    if (is_sound(m, &s))
      run->left[run->left_count++] = s;
  }
  return true;
}

/* ---- the runs ---- */

static bool watch_once(struct migration *m, const struct target *target, unsigned number, struct verdict *verdict)
{
  struct session_result result;
  struct session_request request = {.target = target, .workers = 1, .grace = m->options->grace};
  config_from_options(&request.config, m->options);
  request.config.strategy = number ? STRATEGY_random : STRATEGY_rr;
  request.config.seed = number;
  request.config.executions = 1;
  request.config.trace = 1;
  request.config.sleeps = SLEEPS_EXACT;
  request.config.races = request.config.leaks = RACES_IGNORE;
  session_run(&request, &result);
  bool done = result.end == SESSION_DONE && result.control;
  if (!done)
    print_session_error(&result, NULL);
  migration_verdict(&result, &request.config, verdict);
  done = done && take_steps(m, &result, &m->run[number]);
  session_free(&result);
  return done;
}

/* All have the same verdict, or the sleeps do not decide it. */
static bool watch_all(struct migration *m, const struct target *target)
{
  for (unsigned i = 0; i < MIGRATION_RUNS; i++) {
    struct verdict verdict;
    if (!watch_once(m, target, i, &verdict))
      return false;
    if (!i)
      m->verdict = verdict;
    if (verdict.failed == m->verdict.failed)
      continue;
    console_error("%s passes in one run and fails in another (%s) though its sleeps end in time: they do not decide "
                  "its verdict, so no schedule can keep it",
                  m->path, verdict.failed ? verdict.text : m->verdict.text);
    return false;
  }
  return true;
}

/* The numbered test, with our header behind its own, and lines that are still its own. */
static bool number_marks(const struct migration *m, struct source_patch *patch)
{
  char header[PATH_MAX + 64];
  snprintf(header, sizeof header, "#include <heddle_schedule.h>\n#line %zu \"%s\"\n",
           source_patch_line(patch, m->file.after_includes), m->path);
  return source_patch_insert(patch, m->file.after_includes, header) && sleep_marks_number(&m->marks, &m->file, patch);
}

bool migration_watch(struct migration *m)
{
  char program[PATH_MAX];
  struct source_patch patch;
  struct target target = {0};
  source_patch_open(&patch, m->text, m->length);
  const bool numbered = number_marks(m, &patch);
  if (!numbered)
    console_error("no memory left");
  bool done = numbered && migration_build(m, &patch, "watched", BUILD_CONTROLLED, program) &&
              target_open(&target, program, m->options->args, m->options->arg_count);
  source_patch_close(&patch);
  done = done && watch_all(m, &target);
  target_close(&target);
  if (!done)
    return false;
  done = sleep_orders_find(&m->orders, &m->marks, &m->file, m->run, MIGRATION_RUNS) &&
         sleep_edits_open(&m->edits, &m->marks, &m->file, &m->orders, &m->run[0]);
  if (!done)
    console_error("no memory left");
  return done;
}
