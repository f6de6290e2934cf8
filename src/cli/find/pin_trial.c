/* SPDX-License-Identifier: Apache-2.0
 *
 * Trying a pinned bug; see pin_trial.h.
 */
#include "cli/find/pin_trial.h"
#include "cli/compile/cc.h"
#include "cli/find/freerun.h"
#include "cli/option/flags.h"
#include "file/paths.h"
#include "file/work_folder.h"
#include "session/deadline.h"
#include "session/division.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HANG 30.0          /* seconds; the library gives up before */
#define TICK_MS 20         /* a free run is looked at again */
#define SEARCH_SECONDS 2.0 /* for an interleaving that passes */
#define SEARCH_EXECUTIONS 2000

static bool fail(struct pin_trial *t, const char *what, const char *why)
{
  snprintf(t->error, sizeof t->error, "%s: %s", what, why);
  return false;
}

/* ---- sources ---- */

static const char *last_part(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static const struct pin_file *edited_file(const struct pin_trial *t, const char *path)
{
  char *real = realpath(path, NULL);
  const struct pin_file *found = NULL;
  for (uint32_t i = 0; i < t->pin->files && real && !found; i++) {
    char *other = realpath(t->pin->file[i].path, NULL);
    if (other && t->pin->file[i].edited && !strcmp(real, other))
      found = &t->pin->file[i];
    free(other);
  }
  free(real);
  return found;
}

static bool write_text(struct pin_trial *t, const char *path, const char *text, size_t length)
{
  FILE *out = fopen(path, "we");
  const bool written = out && fwrite(text, 1, length, out) == length;
  if (out && fclose(out) == 0 && written)
    return true;
  return fail(t, path, strerror(errno));
}

/* In the folder, by the last part of its name, which several may have. malloc'ed; NULL: no memory. */
static char *copy_name(const struct pin_trial *t, size_t number, const char *path)
{
  char *name;
  if (asprintf(&name, "%s/%zu", t->folder, number) < 0)
    return NULL;
  mkdir(name, 0700);
  free(name);
  return asprintf(&name, "%s/%zu/%s", t->folder, number, last_part(path)) < 0 ? NULL : name;
}

static bool write_edited(struct pin_trial *t, const struct pin_file *f, const char *path)
{
  size_t length;
  char *text = source_patch_apply(&f->patch, &length);
  const bool written = text && write_text(t, path, text, length);
  free(text);
  return written;
}

bool pin_trial_open(struct pin_trial *t)
{
  if (!t->folder[0] && !work_folder_make(t->folder, "pin"))
    return fail(t, "there is no folder to build in", strerror(errno));
  return true;
}

void pin_trial_close(struct pin_trial *t)
{
  work_folder_remove(t->folder);
}

/* ---- building ---- */

struct pin_words {
  char **word;
  size_t count;
};

static bool add_word(struct pin_words *words, char *word)
{
  char **more = word ? realloc(words->word, (words->count + 1) * sizeof *more) : NULL;
  if (!more) {
    free(word);
    return false;
  }
  words->word = more;
  more[words->count++] = word;
  return true;
}

static bool add_format(struct pin_words *words, const char *format, const char *text)
{
  char *word;
  return asprintf(&word, format, text) >= 0 && add_word(words, word); // NOLINT(clang-diagnostic-format-nonliteral)
}

static void free_words(struct pin_words *words)
{
  for (size_t i = 0; i < words->count; i++)
    free(words->word[i]);
  free(words->word);
}

/* A source as it was, or patched, and where what it includes is found. */
static bool add_source(struct pin_trial *t, struct pin_words *words, size_t number)
{
  const char *path = t->sources[number];
  const struct pin_file *f = edited_file(t, path);
  char *folder = path_folder(path);
  bool good = folder;
  if (f) {
    char *copy = copy_name(t, number, path);
    good = good && copy && write_edited(t, f, copy) && add_word(words, copy);
  } else {
    good = good && add_format(words, "%s", path);
  }
  good = good && add_format(words, "-I%s", folder);
  free(folder);
  return good;
}

static bool build(struct pin_trial *t, bool instrumented, const char *program)
{
  struct pin_words words = {0};
  size_t count = 0;
  bool good = true;
  for (size_t i = 0; i < t->source_count && good; i++)
    good = add_source(t, &words, i);
  if (t->sanitized && !instrumented)
    good = good && add_format(&words, "%s", "-fsanitize=address");
  char **all = good ? sources_and_libraries(words.word, words.count, &count) : NULL;
  if (!all && !t->error[0])
    fail(t, "the patched sources cannot be built", "no memory left");
  if (all)
    good = (instrumented ? compile_sources(all, count, program, true, t->error, sizeof t->error)
                         : compile_free(all, count, program, t->error, sizeof t->error)) == 0;
  free(all);
  free_words(&words);
  return good && count;
}

/* The program as the schedule file says that it runs. */
static bool open_program(const struct pin_trial *t, const char *program, struct target *out)
{
  const struct target *as = &t->saved->target;
  if (!target_open(out, program, as->args, as->arg_count))
    return false;
  out->folder = as->folder;
  out->input = as->input; /* the caller's */
  out->input_bytes = as->input_bytes;
  return true;
}

static void close_program(struct target *target)
{
  target->input = NULL;
  target_close(target);
}

/* ---- free runs ---- */

/* Whether a run that failed did so by the recorded bug, not by another: a run is no better than what it shows. */
static bool shows_bug(const struct bug *bug, const struct free_run *run, const struct stress_outcome *outcome)
{
  const char *expression = strstr(bug->text, "failed: ");
  const bool told_by_pin = strstr(run->tail, "heddle: pin ") && strstr(run->tail, " fails: ");
  if (!outcome->bug)
    return false;
  switch (bug->kind) {
  case BUG_ASSERTION: /* frameworks tell in their own words, with a status */
    expression = expression ? expression + strlen("failed: ") : bug->text;
    return strstr(run->tail, expression) || (outcome->kind == BUG_EXIT && !told_by_pin);
  case BUG_DEADLOCK:
  case BUG_HANG:
    return outcome->kind == BUG_DEADLOCK || outcome->kind == BUG_HANG || told_by_pin;
  case BUG_MEMORY:
  case BUG_LEAK:
    return outcome->kind == BUG_CRASH || strstr(run->tail, "Sanitizer");
  case BUG_EXIT:
    return outcome->kind == BUG_EXIT && !told_by_pin;
  default:
    return outcome->kind == bug->kind;
  }
}

static bool run_once(const struct pin_trial *t, const struct free_program *program, uint64_t number, bool *failed)
{
  const struct control_config *config = &t->saved->config;
  struct free_run run;
  struct stress_outcome outcome;
  const bool any = config->exit_status == EXIT_STATUS_ANY;
  if (!free_start(&run, program, STRESS_PLAIN, number))
    return false;
  while (!free_look(&run, HANG, any ? 0 : (unsigned)config->exit_status, any, &outcome)) {
    struct pollfd fds[2] = {{.fd = run.end_fd, .events = POLLIN}, {.fd = run.output_fd, .events = POLLIN}};
    poll(fds, 2, TICK_MS);
  }
  *failed = shows_bug(t->pin->story->bug, &run, &outcome);
  return true;
}

bool pin_trial_run(struct pin_trial *t, unsigned runs, struct pin_runs *out)
{
  char path[PATH_MAX + 16];
  struct target target;
  struct free_program program;
  *out = (struct pin_runs){0};
  snprintf(path, sizeof path, "%s/free", t->folder);
  if (!build(t, false, path))
    return false;
  target = t->saved->target; /* with its arguments, input and folder */
  target.path = path;
  target.name = target.label = path;
  bool good = free_open(&program, &target, 0);
  if (good) {
    while (good && out->runs < runs && !time_is_up()) {
      bool failed = false;
      good = run_once(t, &program, out->runs, &failed);
      out->runs += good;
      out->failed += failed;
    }
    free_close(&program);
  }
  return good || fail(t, "the patched test", "it could not be run");
}

/* ---- under heddle ---- */

/* Whether some execution of the session passed: the program came to its end, and rightly. */
static bool has_passed(const struct pin_trial *t, const struct session_result *result)
{
  const bool ended = result->exit_status >= 0;
  const uint64_t right = t->saved->config.exit_status;
  return t->pin->story->bug->kind == BUG_EXIT ? result->exit_status == (int64_t)right || result->exits_differ : ended;
}

/* Whether an execution failed by something else than the recorded bug. */
static bool has_other_bug(const struct bug *recorded, const struct session_result *result)
{
  for (size_t i = 0; i < result->bug_count; i++) {
    const struct bug *bug = &result->bugs[i].bug;
    if (bug->kind == BUG_RACE || bug->kind == BUG_LEAK)
      continue;
    if (bug->kind != recorded->kind || (bug->kind == BUG_ASSERTION && strcmp(bug->text, recorded->text) != 0))
      return true;
  }
  return false;
}

/* division: of an exhaustive search, NULL for another. */
static enum pin_verdict search(const struct pin_trial *t, const struct target *target, enum strategy_id strategy,
                               struct division *division)
{
  struct session_result result;
  struct session_request request = {
      .target = target, .config = t->saved->config, .workers = 1, .seconds = SEARCH_SECONDS, .grace = t->grace};
  request.division = division;
  request.config.strategy = strategy;
  request.config.executions = SEARCH_EXECUTIONS;
  request.config.keep_going = 1;
  request.config.races = RACES_IGNORE;
  session_run(&request, &result);
  const bool ran = result.end != SESSION_FAILED && result.executions;
  const bool passes = has_passed(t, &result) || has_other_bug(t->pin->story->bug, &result);
  const enum pin_verdict verdict = !ran || result.cut || passes ? PIN_PASSES : result.complete ? PIN_PROVEN : PIN_FAILS;
  session_free(&result);
  return verdict;
}

enum pin_verdict pin_trial_search(struct pin_trial *t)
{
  char path[PATH_MAX + 16];
  struct target target;
  snprintf(path, sizeof path, "%s/explored", t->folder);
  if (!build(t, true, path) || !open_program(t, path, &target))
    return PIN_PASSES;
  struct division division = {0};
  enum pin_verdict verdict = PIN_FAILS;
  if (division_open(&division)) {
    verdict = search(t, &target, STRATEGY_dpor, &division);
    division_close(&division);
  }
  if (verdict == PIN_FAILS)
    verdict = search(t, &target, STRATEGY_portfolio, NULL);
  close_program(&target);
  return verdict;
}
