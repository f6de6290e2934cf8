/* SPDX-License-Identifier: Apache-2.0
 *
 * From a failing execution of a stress test to the smallest part that fails: leave out threads and calls
 * (strategy/minimisation.c does it, in the tested process); replay the result in a fresh process; write it as a test of
 * its own; look for the failure in that, and for the switch that is to blame.
 */
#include "cli/command/minimise.h"
#include "cli/compile/cc.h"
#include "cli/find/hunt.h"
#include "cli/find/standalone.h"
#include "cli/option/documents.h"
#include "session/console.h"
#include "session/worker.h"
#include "strategy/schedule_replay.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SAMPLED 20000      /* executions of the reduced test, */
#define SAMPLE_SECONDS 5.0 /* before all of them are explored */
#define MESSAGE_COMPARED 300

/* ---- reducing ---- */

static void look(void *context, struct control *control)
{
  struct minimisation *m = context;
  static char remark[64];
  double now = now_seconds();
  uint64_t bytes;
  const struct reduced *reduced = worker_answer(control, ANSWER_SUBSET, &bytes);
  if (reduced) {
    unsigned threads = subset_thread_count(&reduced->kept), calls = subset_call_count(&reduced->kept);
    snprintf(remark, sizeof remark, "%u thread%s, %u call%s left", threads, threads == 1 ? "" : "s", calls,
             calls == 1 ? "" : "s");
  }
  live_draw(&(struct live){.executions = control->executions + control->cut + control->blocked,
                           .elapsed = now - m->started,
                           .left = m->until - now,
                           .remark = remark});
}

struct schedule_record *minimisation_reduce(struct minimisation *m, const struct failure *f)
{
  struct session_request request = {.target = m->target,
                                    .config = f->config,
                                    .schedule = f->schedule,
                                    .workers = 1,
                                    .seconds = minimisation_time_left(m),
                                    .grace = m->options->grace,
                                    .look = look,
                                    .context = m};
  request.config.strategy = STRATEGY_minimise;
  request.config.target_key = f->key;
  request.config.target_kind = f->kind;
  request.config.keep_going = 1;
  request.config.stress_threads = m->list ? f->config.kept.threads : m->calls.threads;
  request.config.stress_calls = m->list ? f->config.kept.calls : m->calls.calls;
  request.config.lookahead = m->options->lookahead;
  request.config.lookahead_whole = m->options->lookahead_whole;
  request.config.retries = m->options->retries;
  struct session_result result;
  session_run(&request, &result);
  m->report.runs = result.executions + result.cut + result.blocked;
  m->report.seconds = result.seconds;
  m->report.complete = result.end == SESSION_DONE;
  struct schedule_record *best = result.best;
  result.best = NULL;
  uint64_t bytes;
  const struct reduced *reduced = result.control ? worker_answer(result.control, ANSWER_SUBSET, &bytes) : NULL;
  if (reduced && !reduced->fails_in_turns)
    m->kept = reduced->kept;
  else if (reduced)
    console_error("the test fails also when its threads run one after the other, so a part that fails would show "
                  "nothing: heddle check tells of it");
  else if (result.end == SESSION_FAILED)
    print_session_error(&result, NULL);
  else
    console_error("the failure does not show again when its schedule is followed: is the test nondeterministic?");
  if (m->kept.threads == 0) {
    free(best);
    best = NULL;
  }
  session_free(&result);
  return best;
}

/* In a fresh process that is told what to leave out by its environment. */
static bool shows_again(struct minimisation *m, const struct failure *f, const struct schedule_record *schedule)
{
  struct session_result result;
  bool shows = false;
  if (schedule->segments > REPLAY_SEGMENTS || !stress_keep(&m->kept))
    return false;
  replay_schedule(m->target, &f->config, schedule, RESET_EXEC, false, m->options->grace, &result);
  for (size_t i = 0; i < result.bug_count; i++)
    shows |= result.bugs[i].bug.key == f->key || (f->kind == BUG_DEADLOCK && result.bugs[i].bug.kind == f->kind);
  session_free(&result);
  stress_keep(NULL);
  return shows;
}

/* ---- the test of its own ---- */

/* The file that has the stress test. What else the program was compiled from here goes with the reduced test: into
 * m->sources, whose first is to be that. False: no memory. */
static bool divide_sources(struct minimisation *m, const char **source)
{
  const struct options *o = m->options;
  *source = m->left.file;
  m->sources = calloc(o->operand_count + 1, sizeof *m->sources);
  m->source_count = 1;
  for (size_t i = 0; m->sources && i < o->operand_count; i++) {
    if (o->operand_count == 1 && is_source_file(o->operands[i]))
      *source = o->operands[i];
    else if (is_source_file(o->operands[i]) && strcmp(o->operands[i], m->left.file))
      m->sources[m->source_count++] = o->operands[i];
  }
  return m->sources;
}

/* Messages of other kinds have the names of threads, which have other numbers in the reduced test, or sizes; of
 * properties those of primitives have them, those of specifications are what is the same wherever it comes. A schedule
 * file has the beginning of a long one. */
static bool is_same(const struct minimisation *m, const struct failure *f, const struct finding *found)
{
  char text[sizeof m->message];
  if (found->bug.kind != f->kind || f->kind == BUG_DEADLOCK)
    return found->bug.kind == f->kind;
  if (f->kind == BUG_ASSERTION || f->kind == BUG_EXIT || f->kind == BUG_PROPERTY) {
    bug_message(&found->story, text, sizeof text);
    bool same = !strncmp(text, m->report.message, MESSAGE_COMPARED);
    if (same || f->kind != BUG_PROPERTY)
      return same;
  }
  bug_where(&found->story, text, sizeof text);
  return !strcmp(text, m->report.where);
}

/* The failure among what the search found. */
static const struct finding *same_failure(const struct minimisation *m, const struct failure *f,
                                          const struct hunt *hunt)
{
  for (size_t i = 0; i < hunt->finding_count; i++)
    if (is_same(m, f, &hunt->findings[i]))
      return &hunt->findings[i];
  return NULL;
}

/* The schedule of the larger program, followed as well as can be (strategy/schedule_shrink.c checks its schedule first,
 * once): the driver takes no steps of its own, so the threads of the two programs do nearly the same. */
void minimisation_retell(struct hunt *hunt, const struct schedule_record *schedule)
{
  struct session_result result;
  struct session_request request = {.target = &hunt->target,
                                    .config = hunt->config,
                                    .schedule = schedule,
                                    .workers = 1,
                                    .grace = hunt->options->grace};
  request.config.strategy = STRATEGY_shrink;
  request.config.executions = 1;
  session_run(&request, &result);
  hunt_reproduce_all(hunt, &result, true);
  session_free(&result);
}

static void search_alone(struct minimisation *m, const struct failure *f, struct hunt *hunt)
{
  struct session_result result;
  struct division division;
  hunt_search(hunt, SAMPLED, SAMPLE_SECONDS, &result);
  hunt_reproduce_all(hunt, &result, true);
  if (!same_failure(m, f, hunt) && !interrupt_count() && division_open(&division)) {
    session_free(&result);
    hunt->config.strategy = STRATEGY_dpor;
    hunt_explore(hunt, &division, minimisation_time_left(m), NULL, NULL, &result);
    hunt_reproduce_all(hunt, &result, true);
    division_close(&division);
  }
  session_free(&result);
}

struct options minimisation_options(const struct minimisation *m, const struct failure *f)
{
  struct options options = *m->options;
  options.json = options.sarif = NULL;
  options.races = f->kind == BUG_RACE ? RACES_FAIL : RACES_IGNORE;
  options.leaks = f->kind == BUG_LEAK ? RACES_FAIL : RACES_IGNORE;
  options.strategy = STRATEGY_portfolio;
  options.explain = true;
  return options;
}

bool give_input(struct target *to, const struct target *from)
{
  free(to->input);
  to->input = malloc(from->input_bytes + 1);
  if (!to->input) {
    console_error("no memory left");
    return false;
  }
  memcpy(to->input, from->input ? from->input : "", from->input_bytes);
  to->input_bytes = from->input_bytes;
  return true;
}

static void print_not_seen(const struct minimisation *m, const struct hunt *hunt)
{
  if (interrupt_count())
    console_error("interrupted; %s was written, but was not seen to fail yet", m->test);
  else if (hunt->finding_count)
    console_error("%s was written, but fails in another way", m->test);
  else if (now_seconds() >= m->until)
    console_error("%s was written, but was not seen to fail in the time; heddle check has more", m->test);
  else
    console_error("%s was written, but does not fail: was the test compiled with options of its own? CFLAGS has "
                  "them",
                  m->test);
}

/* Looks for the failure in the reduced test and tells it; its schedule is written. False: it does not fail. */
static bool fail_alone(struct minimisation *m, const struct failure *f, const struct schedule_record *best)
{
  struct options options = minimisation_options(m, f);
  struct hunt hunt;
  options.operands = m->sources; /* it is a program of its own */
  options.operand_count = m->source_count;
  options.args = NULL;
  options.arg_count = 0;
  if (!drop_input() || hunt_open(&hunt, "minimise", &options, true))
    return false;
  if (!give_input(&hunt.target, m->target)) {
    hunt_close(&hunt);
    return false;
  }
  minimisation_retell(&hunt, best);
  if (!same_failure(m, f, &hunt))
    search_alone(m, f, &hunt);
  const struct finding *found = same_failure(m, f, &hunt);
  if (found) {
    m->schedule = found->path ? strdup(found->path) : NULL;
    const struct json_bug bug = json_bug_of(found);
    m->bug = json_bug_text(&bug);
  } else
    print_not_seen(m, &hunt);
  hunt_close(&hunt);
  return found;
}

/* The calls that are left, told and written as a test. */
static int finish(struct minimisation *m, const struct failure *f, const struct schedule_record *best)
{
  struct outfiles files;
  bool listed = stress_keep(&m->kept) && stress_calls_open(&m->left, m->target);
  stress_keep(NULL);
  if (!listed)
    return STATUS_FAILED;
  m->report.calls = m->left.list;
  m->report.call_count = m->left.count;
  outfiles_init(&files, m->options->out, m->target->label);
  const char *source;
  if (divide_sources(m, &source) && outfiles_check(&files))
    m->test = m->sources[0] = outfiles_reserve_test(&files, f->path, source);
  if (m->test && !standalone_write(m->sources, m->source_count, source, &m->left)) {
    unlink(m->test);
    free(m->test);
    m->test = NULL;
  }
  outfiles_free(&files);
  m->report.test = m->test;
  if (!m->options->quiet)
    minimised_print(console_out(), &m->report);
  bool failed = m->test && fail_alone(m, f, best);
  m->report.schedule = m->schedule;
  m->report.bug = m->bug;
  return failed ? STATUS_BUG : STATUS_FAILED;
}

/* ---- all of it ---- */

int minimise_failure(struct minimisation *m, const struct failure *f)
{
  struct schedule_record *best = minimisation_reduce(m, f);
  if (!best)
    return STATUS_FAILED;
  int status = STATUS_FAILED;
  minimisation_count(m);
  m->report.replayed = shows_again(m, f, best);
  if (m->report.replayed)
    status = finish(m, f, best);
  else if (best->segments > REPLAY_SEGMENTS)
    console_error("the schedule of the reduced test is too long to be replayed; a test of fewer calls may do");
  else
    console_error("the reduced test does not fail again in a fresh process: is it nondeterministic?");
  free(best);
  return status;
}

bool minimisation_open(struct minimisation *m, const struct options *o, const struct target *target, double seconds)
{
  static const char *const how[] = {"guided", "uncontrolled", "random"};
  *m = (struct minimisation){.options = o, .target = target};
  if (o->calls && !(m->list = strdup(o->calls)))
    return false;
  if (!m->list && (!stress_keep(NULL) || !stress_calls_open(&m->calls, target)))
    return false;
  m->started = now_seconds();
  m->until = m->started + seconds;
  m->report = (struct minimised){.program = target->label,
                                 .how = how[o->how],
                                 .lookahead = (uint32_t)o->lookahead,
                                 .scope = o->lookahead_whole ? "trace" : "thread",
                                 .retries = (uint32_t)o->retries,
                                 .seed = o->seed,
                                 .message = m->message,
                                 .where = m->where,
                                 .before = {m->calls.threads, (uint32_t)m->calls.count}};
  return true;
}

void minimisation_close(struct minimisation *m)
{
  stress_calls_close(&m->calls);
  stress_calls_close(&m->left);
  parts_told_free(&m->parts);
  parts_told_free(&m->whole);
  free(m->list);
  free(m->test);
  free(m->sources);
  free(m->schedule);
  free(m->bug);
}

double minimisation_time_left(const struct minimisation *m)
{
  double left = m->until - now_seconds();
  return left > 0.1 ? left : 0.1;
}

void minimisation_count(struct minimisation *m)
{
  m->report.after = (struct test_size){subset_thread_count(&m->kept), subset_call_count(&m->kept)};
}
