/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle schedule: the bug of a schedule file, pinned: a schedule in the language of tests and a patch that places its
 * events, with which the test fails without heddle. Tried before it is told.
 */
#include "cli/command/commands.h"
#include "cli/find/pin_trial.h"
#include "cli/find/session_report.h"
#include "cli/help/help.h"
#include "cli/option/flags.h"
#include "cli/option/result_file.h"
#include "file/paths.h"
#include "report/story/terminal_text.h"
#include "session/console.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RUNS 20 /* of the test, before it is told how often it failed */

/* All that a pin is made from. */
struct pinning {
  const struct saved_schedule *saved;
  const struct options *options;
  struct story story;
  char name[128];
  struct pin pin;
  struct pin_trial trial;
  enum pin_verdict verdict; /* of heddle */
  struct pin_runs runs;     /* without it */
  char *const *sources;     /* as the user named them */
  size_t source_count;
  char **found; /* or as the debug information does */
  size_t found_count;
};

/* ---- making it ---- */

/* "bank-1" of "heddle-out/bank-1.hd". */
static void name_pin(const char *path, char *out, size_t size)
{
  const char *slash = strrchr(path, '/');
  snprintf(out, size, "%s", slash ? slash + 1 : path);
  char *dot = strrchr(out, '.');
  if (dot && dot != out)
    *dot = '\0';
}

/* Orderings without which every interleaving still fails are none. */
static bool leave_out(struct pinning *p)
{
  struct pin *pin = &p->pin;
  size_t left = pin->pairs;
  for (size_t i = pin->pairs; i-- > 0 && left > 1 && !time_is_up();) {
    pin->left_out[i] = true;
    enum pin_verdict verdict = pin_place(pin) ? pin_trial_search(&p->trial) : PIN_PASSES;
    if (verdict >= p->verdict)
      left--;
    else
      pin->left_out[i] = false;
    pin->problem[0] = '\0';
  }
  return pin_place(pin);
}

/* One way to pin it; `certain`: no interleaving may be known to pass. False: p->pin.problem, or the trial's error, says
 * why not. */
static bool make(struct pinning *p, bool whole, bool reduced, bool certain)
{
  pin_close(&p->pin);
  if (!pin_open(&p->pin, &p->story, p->name, whole) || !pin_place(&p->pin))
    return false;
  p->trial.pin = &p->pin;
  p->verdict = pin_trial_search(&p->trial);
  p->runs = (struct pin_runs){0};
  if (p->trial.error[0] || (certain && p->verdict == PIN_PASSES))
    return !p->trial.error[0];
  return (!reduced || p->verdict == PIN_PASSES || leave_out(p)) && pin_trial_run(&p->trial, RUNS, &p->runs);
}

static bool is_reliable(const struct pinning *p)
{
  return p->runs.runs == RUNS && p->runs.failed == RUNS;
}

/* What the story tells of, as few orderings as will do; all that the threads have in common; then every ordering that
 * the failing execution had. If heddle sees some of each pass, free runs alone decide. The last way is told even if it
 * does not always fail. */
static bool make_best(struct pinning *p)
{
  static const struct {
    bool whole, reduced, certain;
  } ways[] = {
      {false, true, true}, {true, true, true}, {true, false, true}, {false, false, false}, {true, false, false}};
  bool made = false;
  for (size_t i = 0; i < sizeof ways / sizeof ways[0] && !p->trial.error[0] && !time_is_up(); i++) {
    made = make(p, ways[i].whole, ways[i].reduced, ways[i].certain);
    if (made && is_reliable(p))
      return true;
  }
  return made;
}

/* ---- telling it ---- */

static char *shown_name(const char *path)
{
  char *here = realpath(".", NULL);
  const size_t length = here ? strlen(here) : 0;
  const bool below = here && !strncmp(path, here, length) && path[length] == '/';
  const char *slash = strrchr(path, '/');
  char *name = strdup(below ? path + length + 1 : slash ? slash + 1 : path);
  free(here);
  return name;
}

static bool put_diffs(FILE *out, const struct pin *pin)
{
  bool good = true;
  for (uint32_t i = 0; i < pin->files; i++) {
    const struct pin_file *f = &pin->file[i];
    if (!f->edited)
      continue;
    char *name = shown_name(f->path), *before = NULL, *after = NULL;
    good = good && name && asprintf(&before, "a/%s", name) >= 0 && asprintf(&after, "b/%s", name) >= 0;
    char *diff = good ? source_patch_diff(&f->patch, before, after) : NULL;
    good = good && diff;
    if (diff)
      fputs(diff, out);
    free(name);
    free(before);
    free(after);
    free(diff);
  }
  return good;
}

/* The whole patch, with what it is before it, where patch(1) takes no notice; malloc'ed, NULL: no memory. */
static char *patch_text(const struct pinning *p)
{
  char *text = NULL, message[384], where[256];
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  if (!out)
    return NULL;
  bug_message(&p->story, message, sizeof message);
  bug_where(&p->story, where, sizeof where);
  fprintf(out, "# heddle pin %s\n# ", p->pin.name);
  print_escaped(out, message);
  fprintf(out, "%s%s\n#\n", where[0] ? "  " : "", where);
  for (const char *at = p->pin.schedule, *end; *at; at = *end ? end + 1 : end) {
    end = at + strcspn(at, "\n");
    fprintf(out, "#   %.*s\n", (int)(end - at), at);
  }
  fprintf(out, "#\n# It failed in %u of %u free runs. To build it: cc -g -pthread%s FILES -lheddle-enforce\n",
          p->runs.failed, p->runs.runs, p->trial.sanitized ? " -fsanitize=address" : "");
  const bool good = put_diffs(out, &p->pin);
  if (fclose(out) == 0 && good)
    return text;
  free(text);
  return NULL;
}

/* The user's own sources, as asked for. */
static bool apply(const struct pinning *p)
{
  bool good = true;
  for (uint32_t i = 0; i < p->pin.files && good; i++) {
    const struct pin_file *f = &p->pin.file[i];
    char error[512] = "no memory left";
    size_t length;
    char *text = f->edited ? source_patch_apply(&f->patch, &length) : NULL;
    if (!f->edited)
      continue;
    good = text && output_file_change(f->path, f->text, f->length, text, length, error, sizeof error);
    free(text);
    if (good)
      console_line("  changed  %s", f->path);
    else
      console_error("%s", error);
  }
  return good;
}

static void tell(const struct pinning *p, const char *text)
{
  const struct pin *pin = &p->pin;
  FILE *out = console_out();
  static const char *const known[] = {[PIN_PASSES] = "",
                                      [PIN_FAILS] = ", in all interleavings that heddle tried",
                                      [PIN_PROVEN] = ", in every interleaving that keeps it"};
  story_headline(out, &p->story);
  fprintf(out, "  pinned   by %zu ordering%s; fails in %u of %u free runs%s\n", pin->lines, pin->lines == 1 ? "" : "s",
          p->runs.failed, p->runs.runs, known[p->verdict]);
  for (const char *at = pin->schedule, *end; *at; at = *end ? end + 1 : end) {
    end = at + strcspn(at, "\n");
    fprintf(out, "    %.*s\n", (int)(end - at), at);
  }
  if (!p->options->into && !p->options->apply) {
    fputc('\n', out);
    fputs(text, out);
  }
}

static int finish(const struct pinning *p)
{
  char *text = patch_text(p);
  int status = text ? STATUS_OK : STATUS_FAILED;
  if (!text) {
    console_error("no memory left");
    return status;
  }
  tell(p, text);
  if (!is_reliable(p)) {
    console_error("the pinned test is unreliable: it failed in %u of %u free runs", p->runs.failed, p->runs.runs);
    status = STATUS_FAILED;
  }
  if (p->options->into && !result_file_write("-o", p->options->into, FILE_PIN, text, strlen(text)))
    status = STATUS_FAILED;
  else if (p->options->into)
    console_line("  patch    %s", p->options->into);
  if (status == STATUS_OK && p->options->apply && !apply(p))
    status = STATUS_FAILED;
  free(text);
  return status;
}

/* ---- the command ---- */

static void find_sources(struct pinning *p)
{
  p->trial.sources = p->sources;
  p->trial.source_count = p->source_count;
  if (p->source_count)
    return;
  p->found = symbols_sources(p->saved->symbols, &p->found_count);
  p->trial.sources = p->found;
  p->trial.source_count = p->found_count;
}

static int pin_bug(struct pinning *p)
{
  const enum bug_kind kind = p->story.bug->kind;
  p->trial = (struct pin_trial){
      .saved = p->saved, .sanitized = kind == BUG_MEMORY || kind == BUG_LEAK, .grace = p->options->grace};
  find_sources(p);
  if (!p->trial.source_count) {
    console_error("the sources of %s are not known: name them behind the schedule file", p->saved->target.name);
    return STATUS_USAGE;
  }
  if (!flags_to_compiler(p->trial.sources, p->trial.source_count) || !pin_trial_open(&p->trial)) {
    console_error("%s", p->trial.error[0] ? p->trial.error : "no memory left");
    return STATUS_FAILED;
  }
  int status = STATUS_FAILED;
  if (make_best(p))
    status = finish(p);
  else if (p->trial.error[0])
    console_error("the pinned test was not tried: %s", p->trial.error);
  else
    console_error("%s cannot be pinned: %s", p->saved->path, p->pin.problem);
  return status;
}

/* The recorded bug in a traced replay; NULL: an error was printed. */
static const struct bug *replayed(const struct saved_schedule *saved, const struct session_result *result)
{
  if (result->end != SESSION_DONE) {
    print_session_error(result, saved->symbols);
    return NULL;
  }
  const struct bug *bug = saved_schedule_bug(saved, result);
  if (bug && saved_schedule_is_same(saved, result, bug))
    return bug;
  console_error("%s does not show %s: there is nothing to pin", saved->path, saved->file.has_bug ? "its bug" : "a bug");
  return NULL;
}

int cmd_schedule(int argc, char **argv)
{
  struct options options;
  if (!options_parse(&options, FOR_SCHEDULE, argc, argv))
    return STATUS_USAGE;
  if (options.help)
    return help_command("schedule", options.all_options);
  if (!result_files_check(&options))
    return STATUS_USAGE;
  struct pinning p = {.options = &options};
  if (options.operand_count > 1) {
    p.sources = options.operands + 1;
    p.source_count = options.operand_count - 1;
    options.operand_count = 1;
  }
  struct saved_schedule saved;
  deadline_set(options.seconds);
  int status = saved_schedule_open(&saved, "schedule", &options);
  if (status)
    return status;
  struct session_result result;
  saved_schedule_run(&saved, &options, true, &result);
  const struct bug *bug = replayed(&saved, &result);
  status = STATUS_FAILED;
  if (bug) {
    p.saved = &saved;
    p.story = story_from_session(&result, bug, saved.symbols);
    name_pin(saved.path, p.name, sizeof p.name);
    status = pin_bug(&p);
    pin_close(&p.pin);
    pin_trial_close(&p.trial);
    for (size_t i = 0; i < p.found_count; i++)
      free(p.found[i]);
    free(p.found);
  }
  session_free(&result);
  saved_schedule_close(&saved);
  return status;
}
