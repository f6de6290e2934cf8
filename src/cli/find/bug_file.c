/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of bugs under lasting names, see the header. A list of bugs that cannot be used is told once, and names are new
 * then.
 */
#include "cli/find/bug_file.h"
#include "cli/find/known_bugs.h"
#include "cli/find/saved_schedule.h"
#include "file/output_file.h"
#include "file/paths.h"
#include "schedule/schedule_file.h"
#include "session/console.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what it is a bug of ---- */

/* The program or the sources as a person named them, as seen from the output folder; malloc'ed, NULL: no memory. */
static char *subject_of(const struct hunt *hunt)
{
  const struct options *o = hunt->options;
  char *text = NULL, *folder = realpath(hunt->files.folder, NULL);
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  for (size_t i = 0; out && i < o->operand_count; i++) {
    char *own = path_folder(o->operands[i]), *way = own && folder ? path_relative(folder, own) : NULL;
    fprintf(out, "%s%s/%s", i ? " " : "", way ? way : "", basename(o->operands[i]));
    free(own);
    free(way);
  }
  free(folder);
  if (out && fclose(out) == 0)
    return text;
  free(text);
  return NULL;
}

static struct bug_identity identity_in(const struct hunt *hunt, const struct story *story)
{
  char scope[sizeof hunt->files.stem + sizeof hunt->config.test + 1];
  snprintf(scope, sizeof scope, "%s %s", hunt->files.stem, hunt->config.test);
  return bug_identity(story, scope);
}

bool hunt_is_in_baseline(const struct hunt *hunt, const struct story *story)
{
  const struct bug_identity identity = identity_in(hunt, story);
  return baseline_has(&hunt->baseline, &identity);
}

/* The list of bugs, to be changed. False: it cannot be used, which was told. */
static bool open_known(const struct hunt *hunt, struct known_bugs *known)
{
  static bool told;
  char error[512];
  if (known_bugs_open(known, hunt->files.folder, true, error, sizeof error))
    return true;
  if (!told)
    console_note("bugs get new names: %s", error);
  told = true;
  return false;
}

static void save_known(const struct known_bugs *known)
{
  char error[512];
  if (!known_bugs_save(known, error, sizeof error))
    console_note("%s", error);
}

/* ---- the program ---- */

static void note_program(const struct hunt *hunt, struct known_bugs *known)
{
  char error[256], build[FINGERPRINT_SIZE];
  char *source = hunt->files.program ? subject_of(hunt) : NULL;
  if (source && program_fingerprint(hunt->files.program, build, error, sizeof error))
    known_programs_note(known, &(struct known_program){basename(hunt->files.program), source, build});
  free(source);
}

/* The one that was compiled from the same sources before, if it is still what heddle left there; malloc'ed. */
static char *older_program(const struct hunt *hunt, const struct known_bugs *known)
{
  char error[256], build[FINGERPRINT_SIZE];
  char *source = subject_of(hunt);
  const struct known_program *p = source ? known_programs_find(known, source) : NULL;
  char *path = p ? known_bugs_file(hunt->files.folder, p->name, "") : NULL;
  free(source);
  if (path && program_fingerprint(path, build, error, sizeof error) && !strcmp(build, p->build))
    return path;
  free(path);
  return NULL;
}

void hunt_keep_program(struct hunt *hunt)
{
  struct known_bugs known;
  if (!open_known(hunt, &known))
    return;
  char *older = older_program(hunt, &known);
  outfiles_replace_program(&hunt->files, older);
  if (hunt->files.replaces) {
    note_program(hunt, &known);
    save_known(&known);
  }
  free(older);
  known_bugs_close(&known);
}

/* ---- the schedule ---- */

static bool fill_file(struct hunt *hunt, struct schedule_file *file, const struct bug *bug,
                      struct schedule_record *schedule, const char *path)
{
  char error[256];
  const struct target *target = &hunt->target;
  const struct control_config *config = &hunt->config;
  if (!schedule_file_set_program(file, target->path))
    return false;
  for (size_t i = 0; i < target->arg_count; i++)
    if (!schedule_file_add_arg(file, target->args[i]))
      return false;
  if (config->framework && !schedule_file_set_test(file, config->framework, config->test))
    return false;
  if (target->input_bytes) {
    if (!outfiles_write_input(&hunt->files, path, target->input, target->input_bytes) ||
        !schedule_file_set_input(file, hunt->files.input))
      return false;
  }
  if (hunt->options->calls && !schedule_file_set_calls(file, hunt->options->calls))
    return false;
  if (config->leaves_out && !schedule_file_set_kept(file, &config->kept))
    return false;
  char *spec = hunt->options->spec ? realpath(hunt->options->spec, NULL) : NULL;
  bool specified = (!spec || schedule_file_set_spec(file, spec)) &&
                   (!hunt->options->specs || schedule_file_set_specs(file, hunt->options->specs));
  free(spec);
  if (!specified)
    return false;
  program_fingerprint(target->path, file->fingerprint, error, sizeof error);
  file->spurious = config->spurious;
  file->real_files = config->files == FILES_REAL;
  file->any_exit = config->exit_status == EXIT_STATUS_ANY;
  file->exit_status = file->any_exit ? 0 : (uint32_t)config->exit_status;
  file->reset = RESET_EXEC;
  file->races = config->races;
  file->leaks = config->leaks;
  file->max_steps = config->max_steps;
  file->max_memory = config->max_memory;
  file->seed = config->seed;
  file->has_bug = true;
  file->bug.kind = bug->kind;
  file->bug.key = bug->key;
  file->record = schedule;
  return true;
}

static bool write_file(struct hunt *hunt, const struct story *story, struct schedule_record *schedule,
                       bool instrumented, const char *path)
{
  struct schedule_file file;
  char error[512] = "no memory left";
  struct schedule_places places = schedule_places_of(hunt->symbols);
  schedule_file_init(&file);
  file.instrumented = instrumented;
  bool written = fill_file(hunt, &file, story->bug, schedule, path);
  if (written) {
    bug_message(story, file.bug.message, sizeof file.bug.message);
    bug_where(story, file.bug.where, sizeof file.bug.where);
    written = saved_schedule_sign(&file, path, &hunt->target) &&
              schedule_file_write(&file, path, &places, error, sizeof error);
  }
  file.record = NULL; /* not ours */
  schedule_file_free(&file);
  if (!written)
    console_error("the schedule was not written: %s", error);
  return written;
}

/* Under a new name. The path, malloc'ed; NULL: an error was printed. */
static char *write_new(struct hunt *hunt, const struct story *story, struct schedule_record *schedule,
                       bool instrumented)
{
  char *path = outfiles_reserve_schedule(&hunt->files);
  if (path && !write_file(hunt, story, schedule, instrumented, path)) {
    unlink(path);
    free(path);
    return NULL;
  }
  return path;
}

/* Where its schedule was written before: malloc'ed; NULL: nowhere, or something else is there now. */
static char *path_before(const struct hunt *hunt, const struct known_bug *known)
{
  char error[512];
  char *path = known ? known_bugs_file(hunt->files.folder, known->name, ".hd") : NULL;
  if (path && output_file_check(path, FILE_SCHEDULE, error, sizeof error))
    return path;
  free(path);
  return NULL;
}

/* ---- the list ---- */

static void note_bug(struct hunt *hunt, struct known_bugs *known, struct known_bug *seen, const char *path)
{
  char *name = strdup(basename(path));
  if (!name)
    return;
  name[strlen(name) - strlen(".hd")] = '\0';
  seen->name = name;
  note_program(hunt, known);
  known_bugs_note(known, seen);
  free(name);
  const size_t forgotten = known_bugs_trim(known, hunt->files.folder, BUGS_KEPT);
  if (forgotten)
    console_note("%s keeps the %d bugs that were seen last: the files of %zu older one%s removed", hunt->files.folder,
                 BUGS_KEPT, forgotten, forgotten == 1 ? " were" : "s were");
  save_known(known);
}

char *hunt_write_schedule(struct hunt *hunt, const struct story *story, struct schedule_record *schedule,
                          bool instrumented, struct seen_before *before)
{
  struct known_bugs known;
  char error[256], build[FINGERPRINT_SIZE] = "";
  char message[sizeof story->bug->text], where[sizeof story->bug->where];
  *before = (struct seen_before){0};
  if (!outfiles_make_folder(&hunt->files))
    return NULL;
  if (!open_known(hunt, &known))
    return write_new(hunt, story, schedule, instrumented);
  char *subject = subject_of(hunt);
  bug_message(story, message, sizeof message);
  bug_where(story, where, sizeof where);
  program_fingerprint(hunt->target.path, build, error, sizeof error);
  struct known_bug seen = {.identity = identity_in(hunt, story),
                           .state = BUG_FAILS,
                           .last = hunt->started,
                           .build = build,
                           .kind = (char *)bug_kind_name[story->bug->kind],
                           .program = subject ? subject : (char *)"",
                           .where = where,
                           .message = message};
  const struct known_bug *old = known_bugs_find(&known, &seen);
  char *path = path_before(hunt, old);
  if (path)
    *before = (struct seen_before){old->first, old->searches};
  if (path && !write_file(hunt, story, schedule, instrumented, path)) {
    free(path);
    path = NULL;
  } else if (!path) {
    path = write_new(hunt, story, schedule, instrumented);
  }
  if (path)
    note_bug(hunt, &known, &seen, path);
  free(subject);
  known_bugs_close(&known);
  return path;
}
