/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedule files of what is compiled; see side_files.h.
 */
#include "cli/compile/side_files.h"
#include "file/input_file.h"
#include "file/output_file.h"
#include "file/paths.h"
#include "file/work_folder.h"
#include "language/side_edits.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENDING ".schedule"
#define SOURCE_BYTES (1 << 26)

/* One of them, read. */
struct side_file {
  char *path;
  size_t owner; /* the source that gets its schedules */
  char *text;
  struct order_file is;
  bool placed[ORDER_PLACES];
};

struct side_reading {
  struct side_file *file;
  size_t files;
  char *problem;
  size_t problem_size;
};

bool is_schedule_file(const char *name)
{
  const size_t length = strlen(name), ending = strlen(ENDING);
  return length > ending && !strcmp(name + length - ending, ENDING);
}

static bool say(const struct side_reading *r, const char *path, unsigned line, unsigned column, const char *why)
{
  snprintf(r->problem, r->problem_size, "%s:%u:%u: %s", path, line, column, why);
  return false;
}

static bool no_memory(const struct side_reading *r)
{
  snprintf(r->problem, r->problem_size, "no memory left");
  return false;
}

/* ---- reading ---- */

/* Malloc'ed, with a NUL behind it; NULL: problem says why. */
static char *read_whole(const struct side_reading *r, const char *path, size_t most, size_t *length)
{
  char error[256];
  FILE *in = input_open(path, error, sizeof error);
  char *text = in ? malloc(most + 1) : NULL;
  const size_t bytes = text ? fread(text, 1, most, in) : 0;
  const bool right = text && bytes < most && !memchr(text, 0, bytes);
  if (!in)
    snprintf(r->problem, r->problem_size, "%s %s", path, error);
  else if (!text)
    no_memory(r);
  else if (!right)
    snprintf(r->problem, r->problem_size, "%s is too long, or no text", path);
  if (in)
    fclose(in);
  if (!right) {
    free(text);
    return NULL;
  }
  text[bytes] = 0;
  *length = bytes;
  return text;
}

/* Takes the path. */
static bool add_file(struct side_reading *r, char *path, size_t owner)
{
  struct side_file *more = path ? realloc(r->file, (r->files + 1) * sizeof *more) : NULL;
  struct order_error error;
  size_t length;
  if (!more) {
    free(path);
    return no_memory(r);
  }
  r->file = more;
  struct side_file *f = &more[r->files++];
  *f = (struct side_file){.path = path, .owner = owner};
  f->text = read_whole(r, path, ORDER_FILE_BYTES, &length);
  if (!f->text)
    return false;
  return order_file_read(f->text, &f->is, &error) || say(r, path, error.line, error.column, error.text);
}

/* "queue_test.schedule" of "queue_test.c", malloc'ed; NULL: there is no such file. */
static char *file_beside(const char *source)
{
  const char *slash = strrchr(source, '/'), *dot = strrchr(source, '.');
  const int stem = dot && dot > slash ? (int)(dot - source) : (int)strlen(source);
  char *path;
  if (asprintf(&path, "%.*s" ENDING, stem, source) < 0)
    return NULL;
  if (access(path, F_OK) == 0)
    return path;
  free(path);
  return NULL;
}

static bool read_files(struct side_reading *r, const struct side_source *source, size_t sources, char *const *given,
                       size_t given_count)
{
  for (size_t i = 0; i < given_count; i++)
    if (!add_file(r, strdup(given[i]), 0))
      return false;
  for (size_t i = 0; i < sources && !given_count; i++) {
    char *path = file_beside(source[i].path);
    if (path && !add_file(r, path, i))
      return false;
  }
  return true;
}

/* ---- sources ---- */

/* As the schedule file names it: from its own folder, or from the root. */
static bool is_named(const struct side_file *f, const struct order_place *place, const char *source)
{
  char *folder = path_folder(f->path), *path = NULL;
  const bool rooted = place->file[0] == '/';
  const bool made = folder && asprintf(&path, "%s%s%s", rooted ? "" : folder, rooted ? "" : "/", place->file) >= 0;
  char *one = made ? realpath(path, NULL) : NULL, *other = realpath(source, NULL);
  const bool same = one && other && !strcmp(one, other);
  free(one);
  free(other);
  if (made)
    free(path);
  free(folder);
  return same;
}

static bool concerns(const struct side_reading *r, const struct side_source *source, size_t number)
{
  for (size_t i = 0; i < r->files; i++) {
    if (r->file[i].owner == number && r->file[i].is.schedules)
      return true;
    for (unsigned k = 0; k < r->file[i].is.places; k++)
      if (is_named(&r->file[i], &r->file[i].is.place[k], source->path))
        return true;
  }
  return false;
}

static bool put_places(const struct side_reading *r, struct side_file *f, struct side_edits *edits, const char *source)
{
  char why[128];
  for (unsigned k = 0; k < f->is.places; k++) {
    const struct order_place *place = &f->is.place[k];
    if (!is_named(f, place, source))
      continue;
    f->placed[k] = true;
    if (side_edits_place(edits, place->line, place->event, why, sizeof why))
      continue;
    char text[192];
    snprintf(text, sizeof text, "%.48s:%u: %s", place->file, place->line, why);
    return say(r, f->path, place->from, 1, text);
  }
  return true;
}

static bool put_all(const struct side_reading *r, struct side_edits *edits, const char *source, size_t number)
{
  for (size_t i = 0; i < r->files; i++) {
    struct side_file *f = &r->file[i];
    if (!put_places(r, f, edits, source))
      return false;
    if (f->owner == number && !side_edits_declare(edits, &f->is, f->path))
      return no_memory(r);
  }
  return true;
}

/* By its own name, which compilers name what they make after, in a folder of its own. */
static bool write_copy(const struct side_reading *r, struct side_files *side, struct side_source *source,
                       struct side_edits *edits)
{
  const char *slash = strrchr(source->path, '/');
  size_t length;
  char *text = side_edits_text(edits, &length);
  const bool made = text && asprintf(&source->folder, "%s/%zu", side->folder, side->copies) >= 0;
  if (!made) {
    source->folder = NULL;
    free(text);
    return no_memory(r);
  }
  if (asprintf(&source->copy, "%s/%s", source->folder, slash ? slash + 1 : source->path) < 0)
    source->copy = NULL;
  side->copies++;
  const bool done = source->copy && mkdir(source->folder, 0700) == 0 &&
                    output_file_write(source->copy, FILE_PLAIN, text, length, r->problem, r->problem_size);
  free(text);
  return done;
}

static bool open_folder(const struct side_reading *r, struct side_files *side)
{
  if (work_folder_make(side->folder, "cc"))
    return true;
  snprintf(r->problem, r->problem_size, "no folder for copies of sources can be made (TMPDIR): %s", strerror(errno));
  return false;
}

static bool copy_source(const struct side_reading *r, struct side_files *side, struct side_source *source,
                        size_t number)
{
  struct side_edits edits;
  size_t length;
  if (!side->folder[0] && !open_folder(r, side))
    return false;
  char *text = read_whole(r, source->path, SOURCE_BYTES, &length);
  if (!text)
    return false;
  bool done = side_edits_open(&edits, source->path, source->cxx, text, length);
  if (!done) {
    snprintf(r->problem, r->problem_size, "%s cannot be read: its braces do not match", source->path);
  } else {
    done = put_all(r, &edits, source->path, number) && write_copy(r, side, source, &edits);
    side_edits_close(&edits);
  }
  free(text);
  return done;
}

static bool all_placed(const struct side_reading *r)
{
  for (size_t i = 0; i < r->files; i++)
    for (unsigned k = 0; k < r->file[i].is.places; k++) {
      char text[192];
      if (r->file[i].placed[k])
        continue;
      snprintf(text, sizeof text, "%.96s is no source that is compiled here; its events belong into its own " ENDING,
               r->file[i].is.place[k].file);
      return say(r, r->file[i].path, r->file[i].is.place[k].from, 1, text);
    }
  return true;
}

bool side_files_open(struct side_files *side, struct side_source *source, size_t sources, char *const *given,
                     size_t given_count, char *problem, size_t problem_size)
{
  struct side_reading r = {.problem = problem, .problem_size = problem_size};
  *side = (struct side_files){0};
  bool done = read_files(&r, source, sources, given, given_count);
  for (size_t i = 0; done && r.files && i < sources; i++)
    if (concerns(&r, &source[i], i))
      done = copy_source(&r, side, &source[i], i);
  done = done && all_placed(&r);
  for (size_t i = 0; i < r.files; i++) {
    free(r.file[i].path);
    free(r.file[i].text);
  }
  free(r.file);
  return done;
}

void side_files_close(struct side_files *side, struct side_source *source, size_t sources)
{
  for (size_t i = 0; i < sources; i++) {
    if (source[i].copy)
      unlink(source[i].copy);
    if (source[i].folder)
      rmdir(source[i].folder);
    free(source[i].copy);
    free(source[i].folder);
  }
  work_folder_remove(side->folder);
}
