/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether the test without sleeps says what the one with sleeps said: under control, in every interleaving that keeps
 * the schedule, as far as there is time; and in free runs, which also tell how long both take.
 */
#include "cli/find/freerun.h"
#include "cli/migrate/migration.h"
#include "session/console.h"
#include "session/deadline.h"
#include "session/supervisor.h"
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define EXPLORE_SECONDS 10.0
#define FREE_RUNS 50
#define TICK_MS 1
#define MODE "HEDDLE_SCHEDULE_MODE" /* of libheddle-enforce.so; what a passive run says of an event too early: */
#define NOT_KEPT "is not kept: "

/* ---- under control ---- */

static struct session_request request_for(const struct migration *m, const struct target *target, enum sleeps sleeps)
{
  struct session_request request = {.target = target, .workers = 1, .grace = m->options->grace};
  config_from_options(&request.config, m->options);
  request.config.sleeps = sleeps;
  request.config.races = request.config.leaks = RACES_IGNORE;
  return request;
}

/* A test that passes must pass in all of them. */
static bool explore(struct migration *m, const struct target *target, enum sleeps sleeps)
{
  struct session_result result;
  struct division division;
  struct proof *p = &m->proof;
  if (!division_open(&division)) {
    console_error("no memory left");
    return false;
  }
  struct session_request request = request_for(m, target, sleeps);
  request.config.strategy = STRATEGY_dpor;
  request.division = &division;
  request.seconds = m->options->seconds < 0 ? EXPLORE_SECONDS : m->options->seconds;
  session_run(&request, &result);
  division_close(&division);
  const bool done = result.end == SESSION_DONE || result.end == SESSION_TIME;
  if (!done)
    console_error("the new test cannot be explored: %s", result.error);
  p->ran = done;
  p->complete = result.complete;
  p->finished = result.finished && result.missed == LOST_SLEEPS;
  p->executions = result.executions;
  migration_verdict(&result, &request.config, &p->verdict);
  session_free(&result);
  return done;
}

/* Where sleeps stay, whether they decide: then the test is as it was, one that depends on time. */
static bool explore_late(struct migration *m, const struct target *target)
{
  const struct proof in_time = m->proof;
  if (!in_time.staying || in_time.verdict.failed)
    return true;
  if (!explore(m, target, SLEEPS_FREE))
    return false;
  const bool depends = m->proof.verdict.failed;
  if (!depends && !m->proof.complete)
    m->proof = in_time;
  m->proof.depends_on_time = depends;
  return true;
}

/* A test that fails must fail in each of some. */
static bool sample(struct migration *m, const struct target *target)
{
  struct proof *p = &m->proof;
  for (unsigned i = 0; i < FREE_RUNS; i++) {
    struct session_result result;
    struct session_request request = request_for(m, target, SLEEPS_EXACT);
    request.config.strategy = i ? STRATEGY_random : STRATEGY_rr;
    request.config.seed = i;
    request.config.executions = 1;
    session_run(&request, &result);
    migration_verdict(&result, &request.config, &p->verdict);
    const bool done = result.end == SESSION_DONE;
    session_free(&result);
    if (!done)
      return false;
    p->executions++;
    if (!p->verdict.failed)
      break;
  }
  p->ran = true;
  return true;
}

/* ---- free ---- */

static bool run_free(const struct migration *m, const struct target *target, uint64_t runs, struct free_tally *tally)
{
  struct free_program program;
  bool started = free_open(&program, target, 0);
  if (!started)
    return false;
  for (uint64_t i = 0; started && i < runs && (!tally->failed || m->verdict.failed); i++) {
    struct free_run run;
    struct stress_outcome outcome;
    started = free_start(&run, &program, STRESS_PLAIN, i);
    while (started && !free_look(&run, m->options->hang, 0, false, &outcome)) {
      struct pollfd fds[2] = {{.fd = run.end_fd, .events = POLLIN}, {.fd = run.output_fd, .events = POLLIN}};
      poll(fds, 2, TICK_MS);
    }
    if (!started)
      break;
    tally->runs++;
    tally->failed += outcome.bug;
    tally->seconds += outcome.seconds;
    tally->loose += memmem(run.tail, run.tail_used, NOT_KEPT, strlen(NOT_KEPT)) != NULL;
    if (outcome.bug)
      snprintf(tally->text, sizeof tally->text, "%s", outcome.text);
  }
  free_close(&program);
  return started;
}

/* Passive runs hold nobody, and tell what the schedule would have held. */
static bool build_and_run(struct migration *m, const struct source_patch *patch, const char *name, uint64_t runs,
                          struct free_tally *tally)
{
  char program[PATH_MAX];
  struct target target = {0};
  setenv(MODE, tally == &m->proof.slept ? "passive" : "active", 1);
  const bool done = migration_build(m, patch, name, BUILD_FREE, program) &&
                    target_open(&target, program, m->options->args, m->options->arg_count) &&
                    run_free(m, &target, runs, tally);
  target_close(&target);
  unsetenv(MODE);
  return done;
}

/* ---- both ---- */

static bool prove_controlled(struct migration *m, const struct source_patch *patch)
{
  char program[PATH_MAX];
  struct target target = {0};
  const bool done =
      migration_build(m, patch, "migrated", BUILD_CONTROLLED, program) &&
      target_open(&target, program, m->options->args, m->options->arg_count) &&
      (m->verdict.failed ? sample(m, &target) : explore(m, &target, SLEEPS_EXACT) && explore_late(m, &target));
  target_close(&target);
  return done;
}

static bool sleeps_stay(const struct migration *m)
{
  bool stays = m->marks.left_count;
  for (size_t i = 0; i < m->marks.marks; i++)
    stays |= m->marks.mark[i].kind == MARK_SLEEP && m->orders.stays[i] != SLEEP_GOES;
  return stays;
}

bool migration_prove(struct migration *m, const struct source_patch *migrated)
{
  struct source_patch beside; /* the sleeps */
  m->proof.staying = sleeps_stay(m);
  source_patch_open(&beside, m->text, m->length);
  bool done = sleep_edits_make(&m->edits, &beside, true);
  if (!done)
    console_error("no memory left");
  done = done && build_and_run(m, &beside, "slept", MIGRATION_TIMED_RUNS, &m->proof.slept) &&
         prove_controlled(m, migrated) && build_and_run(m, migrated, "kept", FREE_RUNS, &m->proof.kept);
  source_patch_close(&beside);
  return done;
}

bool migration_is_proved(const struct migration *m)
{
  const struct proof *p = &m->proof;
  const uint64_t as_before = m->verdict.failed ? p->kept.failed : p->kept.runs - p->kept.failed;
  return p->ran && p->verdict.failed == m->verdict.failed && as_before == p->kept.runs;
}
