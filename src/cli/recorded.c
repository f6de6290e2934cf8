/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening schedule files for replay and show. Tells in one line whatever is wrong with the file or its program; never
 * writes.
 */
#include "cli/recorded.h"
#include "cli/hunt.h"
#include "cli/say.h"
#include "cli/tell.h"
#include "strategy/replay.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool read_file(struct recorded *r, const struct schedule_places *places)
{
  char error[512];
  if (schedule_file_read(&r->file, r->path, places, error, sizeof error))
    return true;
  say_error("%s", error);
  return false;
}

static bool find_operand(struct recorded *r, const char *command, const struct options *options)
{
  if (options->operand_count != 1) {
    say_error(options->operand_count ? "%s takes one schedule file"
                                     : "%s needs a schedule file: heddle %s FILE.hd",
              command, command);
    return false;
  }
  r->path = options->operands[0];
  return true;
}

static bool check_program(struct recorded *r, bool force)
{
  char error[512], fingerprint[FINGERPRINT_SIZE];
  if (strchr(r->file.program, '/') && access(r->file.program, F_OK) != 0) {
    say_error("%s: its program %s is not there (paths are those of the folder heddle was started in)",
              r->path, r->file.program);
    return false;
  }
  if (!target_open(&r->target, r->file.program, r->file.args, r->file.arg_count))
    return false;
  if (!r->file.fingerprint[0] || force)
    return true;
  if (!program_fingerprint(r->target.path, fingerprint, error, sizeof error)) {
    say_error("%s", error);
    return false;
  }
  if (strcmp(fingerprint, r->file.fingerprint)) {
    say_error("%s was recorded with another build of %s; check again, or replay with --force", r->path,
              r->file.program);
    return false;
  }
  return true;
}

/* What the runtime could not take. */
static bool check_schedule(const struct recorded *r)
{
  const struct schedule_record *record = r->file.record;
  if (record->threads > MAX_THREADS) {
    say_error("%s names %u threads; at most %d can be followed", r->path, record->threads, MAX_THREADS);
    return false;
  }
  if (record->segments > REPLAY_SEGMENTS ||
      record->bytes > CONTROL_SCHEDULE_POOL_OFFSET - CONTROL_SCHEDULE_IN_OFFSET) {
    say_error("%s is too long: at most %u lines of schedule can be followed", r->path, REPLAY_SEGMENTS);
    return false;
  }
  return true;
}

static void make_config(struct recorded *r)
{
  const struct schedule_file *f = &r->file;
  struct control_config *config = &r->config;
  control_config_init(config);
  config->strategy = STRATEGY_replay;
  config->seed = f->seed;
  if (f->max_steps)
    config->max_steps = f->max_steps;
  if (f->max_memory)
    config->max_memory = f->max_memory;
  config->races = f->races;
  config->leaks = f->leaks;
  config->spurious = f->spurious;
  config->exit_status = f->any_exit ? EXIT_STATUS_ANY : f->exit_status;
  config->replay_hang = f->has_bug && f->bug.kind == BUG_HANG;
  config->framework = f->framework;
  if (f->test)
    snprintf(config->test, sizeof config->test, "%s", f->test);
}

int recorded_open(struct recorded *r, const char *command, const struct options *options)
{
  char error[512];
  *r = (struct recorded){0};
  if (!find_operand(r, command, options))
    return STATUS_USAGE;
  if (!read_file(r, NULL)) /* for the program's name; its addresses need the program */
    return STATUS_USAGE;
  bool ready = check_program(r, options->force);
  if (ready) {
    char *program = strdup(r->target.path);
    r->symbols = program ? symbols_open(program, error, sizeof error) : NULL;
    free(program);
    struct schedule_places places = schedule_places_of(r->symbols);
    target_close(&r->target);
    schedule_file_free(&r->file);
    ready = read_file(r, &places) && check_program(r, true) && check_schedule(r) &&
            (!r->file.input || target_read_input(&r->target, r->file.input));
  }
  if (!ready) {
    recorded_close(r);
    return STATUS_USAGE;
  }
  make_config(r);
  if (!watch_calls(&r->config, r->target.path, r->file.calls)) {
    recorded_close(r);
    return STATUS_USAGE;
  }
  r->reset = options->reset != RESET_AUTO  ? options->reset
             : r->file.reset != RESET_AUTO ? r->file.reset
                                           : RESET_EXEC;
  return 0;
}

void recorded_close(struct recorded *r)
{
  symbols_close(r->symbols);
  target_close(&r->target);
  schedule_file_free(&r->file);
}

void recorded_run(const struct recorded *r, const struct options *options, bool trace,
                  struct session_result *result)
{
  replay_schedule(&r->target, &r->config, r->file.record, r->reset, trace, options->grace, result);
  symbols_from_control(r->symbols, result->control);
}

struct trace_origin recorded_origin(const struct recorded *r)
{
  return (struct trace_origin){.program = r->target.name,
                               .args = (const char *const *)r->target.args,
                               .arg_count = r->target.arg_count,
                               .schedule = r->path};
}

bool recorded_is_same(const struct recorded *r, const struct session_result *result, const struct bug *bug)
{
  char message[sizeof r->file.bug.message];
  if (!r->file.has_bug || bug->key == r->file.bug.key)
    return true;
  if (bug->kind != r->file.bug.kind)
    return false;
  struct story story = story_from_session(result, bug, r->symbols);
  bug_message(&story, message, sizeof message);
  return !strcmp(message, r->file.bug.message);
}

const struct bug *recorded_bug(const struct recorded *r, const struct session_result *result)
{
  for (size_t i = 0; i < result->bug_count; i++)
    if (recorded_is_same(r, result, &result->bugs[i].bug))
      return &result->bugs[i].bug;
  return result->bug_count ? &result->bugs[0].bug : NULL;
}
