/* SPDX-License-Identifier: Apache-2.0
 *
 * The runs that find the switch to blame, see the header: orders of whole threads first, in case the program fails in
 * all of them; then beginnings of the schedule, the longest first, until one passes; then the patterns that the switch
 * made, each by itself.
 */
#include "cli/find/blame_trials.h"
#include "cli/find/session_report.h"
#include "cli/find/simplify.h"
#include "report/blame/blame_deadlock.h"
#include "report/blame/blame_shape.h"
#include "report/story/story_words.h"
#include "session/console.h"
#include "session/worker.h"
#include <stdlib.h>
#include <string.h>

#define SEEK_EXECUTIONS 5000 /* to find a schedule that passes and make it short */

static void show_progress(void *context, struct control *control)
{
  const struct blame *b = context;
  uint64_t bytes;
  const struct trials *trials = worker_answer(control, ANSWER_TRIALS, &bytes);
  live_draw(&(struct live){.executions = trials ? trials->done : 0,
                           .total = b->trials->count,
                           .elapsed = now_seconds() - b->started,
                           .left = -1,
                           .remark = "which switch is to blame?"});
}

/* Runs what is in blame->trials; afterwards it has the verdicts, of those that were run when it is interrupted. *kept:
 * the schedule of the first that passed, malloc'ed. False: an error was printed. */
static bool run_trials(struct blame *b, const struct blame_request *q, struct schedule_record **kept)
{
  struct session_request request = {.target = q->target,
                                    .config = *q->config,
                                    .trials = b->trials,
                                    .schedule = q->schedule,
                                    .workers = 1,
                                    .seconds = q->seconds,
                                    .grace = q->grace,
                                    .look = show_progress,
                                    .context = b};
  request.config.strategy = STRATEGY_localise;
  request.config.reset = q->reset;
  request.config.target_key = q->bug->key;
  request.config.executions = 0;
  request.config.keep_going = 1;
  struct session_result result;
  b->trials->done = 0;
  session_run(&request, &result);
  b->view.interrupted |= result.end == SESSION_INTERRUPTED;
  bool good = result.end == SESSION_DONE || result.end == SESSION_TIME || result.end == SESSION_INTERRUPTED;
  uint64_t bytes;
  const struct trials *trials = good && result.control ? worker_answer(result.control, ANSWER_TRIALS, &bytes) : NULL;
  if (trials) {
    memcpy(b->trials->trial, trials->trial, b->trials->count * sizeof *trials->trial);
    for (uint32_t i = 0; i < b->trials->count; i++)
      if (b->trials->trial[i].verdict >= TRIAL_VERDICTS)
        b->trials->trial[i].verdict = TRIAL_CUT;
    b->trials->done = trials->done < b->trials->count ? trials->done : b->trials->count;
    *kept = result.best;
    result.best = NULL;
  } else if (!good) {
    print_session_error(&result, q->symbols);
  }
  session_free(&result);
  live_erase();
  return good;
}

static bool any_passes(const struct trials *trials)
{
  for (uint32_t i = 0; i < trials->done; i++)
    if (trials->trial[i].verdict == TRIAL_PASSES)
      return true;
  return false;
}

/* ---- orders of whole threads ---- */

/* Each thread goes first once, the others follow by chance. *passes: it can do without a switch that is not forced;
 * *fails: it never does. */
static bool try_serially(struct blame *b, const struct blame_request *q, bool *passes, bool *fails)
{
  b->trials->count = q->schedule->threads;
  b->trials->all = 0;
  for (uint32_t i = 0; i < q->schedule->threads; i++)
    b->trials->trial[i] = (struct trial){.first = i};
  bool good = run_trials(b, q, &b->passing_schedule);
  *passes = any_passes(b->trials);
  *fails = good && b->trials->done == b->trials->count;
  for (uint32_t i = 0; i < b->trials->done; i++)
    *fails &= b->trials->trial[i].verdict == TRIAL_FAILS;
  b->view.serial_runs = b->trials->done;
  return good;
}

static void find_passing(struct blame *b, const struct blame_request *q)
{
  struct control_config config = *q->config;
  struct session_result result;
  config.reset = q->reset;
  b->passing_schedule = simplify_schedule(&(struct simplify){.target = q->target,
                                                             .config = &config,
                                                             .seconds = q->seconds,
                                                             .grace = q->grace,
                                                             .executions = SEEK_EXECUTIONS},
                                          &result);
  session_free(&result);
  b->view.passes = b->passing_schedule;
}

/* ---- the switch ---- */

static void plan_trials(struct blame *b, const struct blame_request *q)
{
  uint32_t first[MAX_THREADS];
  b->trials->count = 0;
  b->trials->all = q->all;
  for (uint32_t at = blame_switches(q->schedule); at > 0 && b->trials->count < TRIALS_MOST; at--) {
    uint32_t n = q->random ? q->random : blame_candidates(&b->trace, at, first);
    for (uint32_t i = 0; i < n && b->trials->count < TRIALS_MOST; i++)
      b->trials->trial[b->trials->count++] =
          (struct trial){.segments = at + 1, .first = q->random ? TRIAL_ANY : first[i], .label = at};
  }
}

static bool find_switch(struct blame *b, const struct blame_request *q)
{
  struct schedule_record *kept = NULL;
  plan_trials(b, q);
  if (!run_trials(b, q, &kept))
    return false;
  if (kept) { /* nearer to the failing one than an order of whole threads */
    free(b->passing_schedule);
    b->passing_schedule = kept;
  }
  uint32_t done = b->trials->done, switches = blame_switches(q->schedule);
  bool decided = any_passes(b->trials) || (done == b->trials->count && done < TRIALS_MOST);
  b->view.at = decided ? blame_decide(b->trials->trial, done, switches) : done ? b->trials->trial[done - 1].label : 0;
  b->view.verdict = !decided ? BLAME_TOO_LONG : b->view.at ? BLAME_SWITCH : BLAME_UNFAITHFUL;
  struct trial *ran = calloc(done + 1, sizeof *ran);
  if (!ran) {
    console_error("no memory left");
    return false;
  }
  memcpy(ran, b->trials->trial, done * sizeof *ran);
  b->view.trials = ran;
  b->view.trial_count = done;
  return true;
}

/* ---- the pattern ---- */

/* Tries each pattern by itself. Those that do not make it fail are dropped when there are some that do. */
static bool confirm_patterns(struct blame *b, const struct blame_request *q)
{
  uint32_t of[2 * PATTERNS_MOST], n = 0;
  struct schedule_record *kept = NULL;
  for (uint32_t i = 0; i < b->view.pattern_count; i++)
    for (uint32_t k = blame_trials(&b->trace, b->view.at, &b->patterns[i], &b->trials->trial[n]); k > 0; k--)
      of[n++] = i;
  b->trials->count = n;
  b->trials->all = 1;
  if (!n)
    return true;
  if (!run_trials(b, q, &kept))
    return false;
  free(kept);
  b->view.other_runs = b->trials->done;
  bool any = false;
  for (uint32_t i = 0; i + 1 < b->trials->done; i += 2) {
    const struct trial *tight = &b->trials->trial[i], *loose = tight + 1;
    uint32_t verdict = tight->verdict == TRIAL_DIVERGED ? loose->verdict : tight->verdict;
    b->patterns[of[i]].confirmed = verdict == TRIAL_FAILS;
    any |= b->patterns[of[i]].confirmed;
  }
  size_t left = 0;
  for (size_t i = 0; i < b->view.pattern_count; i++)
    if (!any || b->patterns[i].confirmed)
      b->patterns[left++] = b->patterns[i];
  b->view.pattern_count = left;
  return true;
}

static void trace_passing(struct blame *b, const struct blame_request *q)
{
  if (!b->passing_schedule)
    return;
  replay_schedule(q->target, q->config, b->passing_schedule, RESET_EXEC, true, q->grace, &b->passing);
  if (b->passing.end != SESSION_DONE || !b->passing.control)
    return;
  b->passing_story = story_from_session(&b->passing, NULL, q->symbols);
  if (blame_trace_open(&b->passing_trace, b->passing_story.events, b->passing_story.event_count, b->passing_schedule)) {
    b->view.passing = &b->passing_story;
    b->view.passing_trace = &b->passing_trace;
  }
}

/* Steps around some switch, which the one to blame and the trials tell better. */
static bool is_around_switch(enum pattern_kind kind)
{
  return kind <= PATTERN_EARLY || kind == PATTERN_SPLIT || kind == PATTERN_PAIR || kind == PATTERN_CHECK_APART;
}

/* What is of a known shape needs no other explanation. But three accesses, and critical sections, are those around the
 * switch, and tried. */
static bool find_shape(struct blame *b)
{
  const bool found = blame_shape(&b->story, &b->patterns[0]);
  b->view.pattern_count = found && !is_around_switch(b->patterns[0].kind);
  return b->view.pattern_count;
}

/* Memory that a library allocated has no name to tell. */
static bool is_nameless(const struct story *story, const struct pattern *p)
{
  const struct trace_event *e = &story->events[p->event[0]];
  return e->block_pc && in_library(story, e->block_pc);
}

/* No three accesses tell it: two that come in the other order in the run that passed, or a lock that was left in
 * between. */
static void find_order(struct blame *b, const struct blame_request *q)
{
  struct pattern flip, split;
  const bool flipped = b->view.passing && blame_flip(&b->trace, &b->passing_trace, b->view.at, q->bug, &flip);
  if (flipped)
    b->patterns[0] = flip;
  if ((!flipped || is_nameless(&b->passing_story, &flip)) && blame_split(&b->story, blame_first_step(&b->view), &split))
    b->patterns[0] = split;
  else if (!flipped)
    return;
  b->view.pattern_count = 1;
}

static bool find_patterns(struct blame *b, const struct blame_request *q)
{
  trace_passing(b, q);
  if (!q->strict && find_shape(b))
    return true;
  b->view.pattern_count = blame_patterns(&b->trace, b->view.at, q->strict, b->patterns);
  bool triple = b->view.pattern_count && b->patterns[0].kind < PATTERN_ORDER;
  if (!triple && !q->strict && blame_wake(&b->story, blame_first_step(&b->view), &b->patterns[0])) {
    b->view.pattern_count = 1;
    return true;
  }
  if (!triple && !q->strict)
    find_order(b, q);
  return !triple || confirm_patterns(b, q);
}

/* It fails before there is any switch, and passes with one: what comes too early then? */
static bool find_needed(struct blame *b, const struct blame_request *q)
{
  b->view.verdict = BLAME_NEEDS_SWITCH;
  b->view.passes = b->passing_schedule;
  trace_passing(b, q);
  b->view.pattern_count = b->view.passing && blame_flip(&b->trace, &b->passing_trace, 0, q->bug, &b->patterns[0]);
  if (!b->view.pattern_count)
    find_shape(b);
  return true;
}

/* ---- all of it ---- */

static bool find(struct blame *b, const struct blame_request *q)
{
  bool passes, fails;
  b->view.patterns = b->patterns;
  if (q->schedule->threads < 2) {
    b->view.verdict = BLAME_ALWAYS;
    find_shape(b);
    return true;
  }
  if (q->bug->kind == BUG_RACE) {
    b->view.verdict = BLAME_RACE;
    return true;
  }
  if (!try_serially(b, q, &passes, &fails))
    return false;
  if (!passes && !fails) {
    b->view.verdict = BLAME_TOO_LONG;
    return true;
  }
  if (!passes) {
    b->view.verdict = BLAME_MISSING_SWITCH;
    find_passing(b, q);
    trace_passing(b, q);
    find_shape(b);
    return true;
  }
  if (!blame_switches(q->schedule))
    return find_needed(b, q);
  return find_switch(b, q) && (b->view.verdict != BLAME_SWITCH || find_patterns(b, q));
}

bool blame_open(struct blame *b, const struct blame_request *q)
{
  *b = (struct blame){.trials = calloc(1, sizeof *b->trials), .started = now_seconds()};
  b->story = story_from_session(q->failing, q->bug, q->symbols);
  b->view = (struct blame_view){.story = &b->story, .trace = &b->trace, .random = q->random > 0};
  if (!b->trials || !blame_trace_open(&b->trace, b->story.events, b->story.event_count, q->schedule)) {
    console_error("no memory left");
    return false;
  }
  return find(b, q);
}

void blame_close(struct blame *b)
{
  free((struct trial *)b->view.trials);
  free(b->trials);
  free(b->passing_schedule);
  blame_trace_close(&b->trace);
  blame_trace_close(&b->passing_trace);
  if (b->passing.control)
    session_free(&b->passing);
}
