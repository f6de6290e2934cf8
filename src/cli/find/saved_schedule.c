/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening schedule files, see the header. Tells in one line whatever is wrong with the file or its program; never
 * writes.
 */
#include "cli/find/saved_schedule.h"
#include "cli/find/hunt.h"
#include "cli/find/known_bugs.h"
#include "cli/find/session_report.h"
#include "cli/find/signature.h"
#include "cli/find/specifications.h"
#include "cli/find/test_parts.h"
#include "file/paths.h"
#include "report/story/terminal_text.h"
#include "session/console.h"
#include "strategy/schedule_replay.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the file ---- */

/* That of the first bug that the last search told; malloc'ed. NULL: an error was printed. */
static char *newest_schedule(const char *command, const char *folder)
{
  struct known_bugs known;
  char error[512];
  if (!known_bugs_open(&known, folder, false, error, sizeof error)) {
    console_error("%s", error);
    return NULL;
  }
  char *path = known.count ? known_bugs_file(folder, known.bug[0].name, ".hd") : NULL;
  known_bugs_close(&known);
  if (path)
    console_note("%s %s, the newest of %s", command, path, folder);
  else
    console_error("%s needs a schedule file, since no bug is known in %s: heddle %s FILE.hd", command, folder, command);
  return path;
}

static bool find_operand(struct saved_schedule *s, const char *command, const struct options *options)
{
  if (options->operand_count > 1) {
    console_error("%s takes one schedule file", command);
    return false;
  }
  s->path = options->operand_count ? strdup(options->operands[0]) : newest_schedule(command, options->out);
  return s->path;
}

int saved_schedule_read(struct saved_schedule *s, const char *command, const struct options *options)
{
  char error[512];
  *s = (struct saved_schedule){0};
  schedule_file_init(&s->file);
  if (!find_operand(s, command, options))
    return STATUS_USAGE;
  s->text = schedule_file_load(s->path, &s->length, error, sizeof error);
  if (s->text && schedule_file_parse(&s->file, s->path, s->text, s->length, NULL, error, sizeof error))
    return 0;
  console_error("%s", error);
  saved_schedule_close(s);
  return STATUS_USAGE;
}

/* Addresses need the program: the text is read again with its symbols. */
static bool read_addresses(struct saved_schedule *s)
{
  char error[512];
  struct schedule_file placed;
  s->symbols = symbols_open(s->target.path, error, sizeof error);
  const struct schedule_places places = schedule_places_of(s->symbols);
  if (!schedule_file_parse(&placed, s->path, s->text, s->length, &places, error, sizeof error)) {
    console_error("%s", error);
    return false;
  }
  struct schedule_record *unplaced = s->file.record;
  s->file.record = placed.record;
  placed.record = unplaced;
  schedule_file_free(&placed);
  return true;
}

/* ---- signing ---- */

bool saved_schedule_sign(struct schedule_file *file, const char *path, const struct target *target)
{
  static bool told;
  char *here = target->folder ? strdup(target->folder) : realpath(".", NULL);
  char *there = path_folder(path), *program = here ? path_absolute(here, target->path) : NULL;
  char *folder = here && there ? path_relative(there, here) : NULL;
  bool good = !folder || schedule_file_set_folder(file, folder); /* we may be in a folder that is gone */
  file->signature[0] = '\0';
  if (good && program &&
      !signature_make(&(struct signed_command){here, program, file, target->input, target->input_bytes},
                      file->signature) &&
      !told) {
    told = true;
    console_note("there is no private folder for a key (XDG_STATE_HOME, HOME): schedule files will need --program");
  }
  free(here);
  free(there);
  free(program);
  free(folder);
  return good;
}

/* ---- what it would run ---- */

static bool is_file(const char *path)
{
  struct stat status;
  return path && stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* The folder heddle was started in, as the file says. malloc'ed; NULL: it is not known, or not here. */
static char *started_in(const struct saved_schedule *s)
{
  char *own = path_folder(s->path), *joined = NULL, *folder = NULL;
  if (own && s->file.folder)
    joined = path_join(own, s->file.folder);
  if (joined)
    folder = realpath(joined, NULL);
  free(own);
  free(joined);
  return folder;
}

/* A file that the schedule names: as seen from where heddle was started, from the folder of the schedule, beside the
 * schedule, or from here. Absolute, malloc'ed; NULL: it is nowhere. */
static char *find_file(const struct saved_schedule *s, const char *path)
{
  char *started = started_in(s), *own = path_folder(s->path);
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const struct {
    const char *folder, *path;
  } places[] = {{started, path}, {own, path}, {own, name}, {".", path}};
  char *found = NULL;
  for (size_t i = 0; i < sizeof places / sizeof places[0] && !found; i++) {
    char *candidate = places[i].folder ? path_absolute(places[i].folder, places[i].path) : NULL;
    if (is_file(candidate))
      found = candidate;
    else
      free(candidate);
  }
  free(started);
  free(own);
  return found;
}

void print_saved_command(FILE *out, const struct schedule_file *file, const char *program)
{
  print_shell_word(out, program);
  for (size_t i = 0; i < file->arg_count; i++) {
    fputc(' ', out);
    print_shell_word(out, file->args[i]);
  }
  if (file->input) {
    fputs(" <", out);
    print_shell_word(out, file->input);
  }
}

/* The command as text, malloc'ed; NULL: no memory. */
static char *command_text(const struct schedule_file *file, const char *program)
{
  char *text = NULL;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  if (!out)
    return NULL;
  print_saved_command(out, file, program);
  if (fclose(out) == 0)
    return text;
  free(text);
  return NULL;
}

/* Reads what the program is to read. *path, malloc'ed: from where. */
static bool read_input(struct saved_schedule *s, char **path)
{
  *path = NULL;
  if (!s->file.input)
    return true;
  *path = find_file(s, s->file.input);
  if (!*path)
    console_error("%s: %s, the program's standard input, is not there", s->path, s->file.input);
  return *path && target_read_input(&s->target, *path);
}

/* Opens the program as what the file calls it. It takes over what was read for it. */
static bool open_target(struct saved_schedule *s, const char *program, const char *name)
{
  char *input = s->target.input;
  size_t bytes = s->target.input_bytes;
  if (!target_open(&s->target, program, s->file.args, s->file.arg_count)) {
    free(input);
    return false;
  }
  s->target.name = s->target.label = name;
  s->target.input = input;
  s->target.input_bytes = bytes;
  s->target.folder = s->folder;
  return true;
}

/* The program that --program names: it runs here, with the arguments and the input of the file, which are told. */
static bool open_named(struct saved_schedule *s, const char *program)
{
  char *input;
  bool opened = read_input(s, &input) && (!input || schedule_file_set_input(&s->file, input)) &&
                schedule_file_set_program(&s->file, program) && open_target(s, program, program);
  free(input);
  if (!opened)
    return false;
  const char *test = s->file.test;
  char *text = s->file.arg_count || s->file.input || test ? command_text(&s->file, program) : NULL;
  if (text)
    console_note("runs %s%s%s", text, test ? ", the test " : "", test ? test : "");
  free(text);
  return true;
}

/* Whether the signature fits the program as seen from that folder; then it is opened. *tried: the signature did, what
 * comes is told. */
static bool open_signed_in(struct saved_schedule *s, const char *folder, bool *tried)
{
  char *program = path_absolute(folder, s->file.program);
  const struct signed_command command = {folder, program, &s->file, s->target.input, s->target.input_bytes};
  bool opened = false;
  if (program && signature_fits(&command, s->file.signature)) {
    char *here = realpath(".", NULL);
    *tried = true;
    if (!here || strcmp(here, folder))
      s->folder = strdup(folder);
    free(here);
    if (is_file(program))
      opened = open_target(s, program, s->file.program);
    else
      console_error("%s: its program %s is not there; it can be named with --program", s->path, program);
  }
  free(program);
  return opened;
}

/* From where heddle was started, or from here: the file may have been moved. */
static bool open_signed(struct saved_schedule *s, bool *tried)
{
  char *folders[] = {started_in(s), realpath(".", NULL)};
  bool opened = false;
  for (size_t i = 0; i < 2 && !opened && !*tried && folders[i]; i++)
    opened = open_signed_in(s, folders[i], tried);
  free(folders[0]);
  free(folders[1]);
  return opened;
}

/* What would be run, and how to say that it may. */
static void refuse(const struct saved_schedule *s, const char *command)
{
  char *program = find_file(s, s->file.program);
  if (!program && strchr(s->file.program, '/')) {
    console_error("%s: its program %s is not there; it can be named with --program", s->path, s->file.program);
    return;
  }
  char *text = command_text(&s->file, program ? program : s->file.program);
  char word[4096], path[4096];
  shell_word(program ? program : "PROGRAM", word, sizeof word);
  shell_word(s->path, path, sizeof path);
  console_error("%s was not recorded by you in this place, so it was not run; its command is: %s (to run that: "
                "heddle %s --program %s %s)",
                s->path, text ? text : "", command, word, path);
  free(program);
  free(text);
}

/* False: it was told why nothing runs. */
static bool open_program(struct saved_schedule *s, const char *command, const struct options *options)
{
  bool tried = false;
  char *input;
  if (options->program)
    return open_named(s, options->program);
  if (s->file.signature[0]) {
    tried = !read_input(s, &input);
    free(input);
    if (!tried && open_signed(s, &tried))
      return true;
  }
  if (!tried)
    refuse(s, command);
  return false;
}

static void print_rebuilt(const struct saved_schedule *s)
{
  char error[512], fingerprint[FINGERPRINT_SIZE];
  if (s->file.fingerprint[0] && program_fingerprint(s->target.path, fingerprint, error, sizeof error) &&
      strcmp(fingerprint, s->file.fingerprint))
    console_note("%s was rebuilt since %s was recorded: its schedule may lead elsewhere", s->target.name, s->path);
}

/* What the runtime could not take. */
static bool check_schedule(const struct saved_schedule *s)
{
  const struct schedule_record *record = s->file.record;
  if (record->threads > MAX_THREADS) {
    console_error("%s names %u threads; at most %d can be followed", s->path, record->threads, MAX_THREADS);
    return false;
  }
  if (record->segments > REPLAY_SEGMENTS || record->bytes > JOB_SCHEDULE_MOST) {
    console_error("%s is too long: at most %u lines of schedule can be followed", s->path, REPLAY_SEGMENTS);
    return false;
  }
  return true;
}

static void make_config(struct saved_schedule *s)
{
  const struct schedule_file *f = &s->file;
  struct control_config *config = &s->config;
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
  config->files = f->real_files ? FILES_REAL : FILES_OVERLAY;
  config->exit_status = f->any_exit ? EXIT_STATUS_ANY : f->exit_status;
  config->replay_hang = f->has_bug && f->bug.kind == BUG_HANG;
  config->framework = f->framework;
  if (f->test)
    snprintf(config->test, sizeof config->test, "%s", f->test);
}

/* Calls are operations, or what is left out of a test. */
static bool watch_saved(struct saved_schedule *s)
{
  if (!s->file.kept)
    return watch_calls(&s->config, s->target.path, s->file.calls);
  if (!s->file.calls) {
    console_error("%s: it does not say which calls the part is made of (calls)", s->path);
    return false;
  }
  s->config.kept = *s->file.kept;
  return parts_watch(&s->config, s->target.path, s->file.calls);
}

int saved_schedule_open(struct saved_schedule *s, const char *command, const struct options *options)
{
  int status = saved_schedule_read(s, command, options);
  if (status)
    return status;
  if (!open_program(s, command, options) || !read_addresses(s) || !check_schedule(s)) {
    saved_schedule_close(s);
    return STATUS_USAGE;
  }
  s->target.client = options->client; /* never the file's: it does not decide what runs */
  s->target.init = options->init;
  if (!options->force)
    print_rebuilt(s);
  make_config(s);
  if (!watch_saved(s) || !properties_open(&s->config, &s->target, s->file.spec, s->file.specs)) {
    saved_schedule_close(s);
    return STATUS_USAGE;
  }
  s->reset = options->reset != RESET_AUTO ? options->reset : s->file.reset != RESET_AUTO ? s->file.reset : RESET_EXEC;
  return 0;
}

void saved_schedule_close(struct saved_schedule *s)
{
  symbols_close(s->symbols);
  target_close(&s->target);
  schedule_file_free(&s->file);
  free(s->folder);
  free(s->text);
  free(s->path);
}

void saved_schedule_run(const struct saved_schedule *s, const struct options *options, bool trace,
                        struct session_result *result)
{
  replay_schedule(&s->target, &s->config, s->file.record, s->reset, trace, options->grace, result);
  symbols_from_control(s->symbols, result->control);
}

struct trace_origin saved_schedule_origin(const struct saved_schedule *s)
{
  return (struct trace_origin){.program = s->target.name,
                               .args = (const char *const *)s->target.args,
                               .arg_count = s->target.arg_count,
                               .schedule = s->path,
                               .client = s->target.client};
}

bool saved_schedule_is_same(const struct saved_schedule *s, const struct session_result *result, const struct bug *bug)
{
  char message[sizeof s->file.bug.message];
  if (!s->file.has_bug || bug->key == s->file.bug.key)
    return true;
  if (bug->kind != s->file.bug.kind)
    return false;
  struct story story = story_from_session(result, bug, s->symbols);
  bug_message(&story, message, sizeof message);
  return !strcmp(message, s->file.bug.message);
}

const struct bug *saved_schedule_bug(const struct saved_schedule *s, const struct session_result *result)
{
  for (size_t i = 0; i < result->bug_count; i++)
    if (saved_schedule_is_same(s, result, &result->bugs[i].bug))
      return &result->bugs[i].bug;
  return result->bug_count ? &result->bugs[0].bug : NULL;
}
