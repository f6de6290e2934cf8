/* SPDX-License-Identifier: Apache-2.0
 *
 * The source files of a program: their text, line by line, and short names for them. Files are read once, when first
 * asked for, and never written.
 */
#include "debuginfo/symbols_internal.h"
#include "file/input_file.h"
#include "file/paths.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SOURCE_SIZE_MAX (16 << 20)

static const char *last_part(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

struct source_file *source_file_of(struct symbols *s, const char *path)
{
  for (size_t i = 0; i < s->file_count; i++)
    if (strcmp(s->files[i]->path, path) == 0)
      return s->files[i];
  struct source_file **files = realloc(s->files, (s->file_count + 1) * sizeof(struct source_file *));
  if (!files)
    return NULL;
  s->files = files;
  struct source_file *file = calloc(1, sizeof *file);
  if (file)
    file->path = strdup(path);
  if (!file || !file->path) {
    free(file);
    return NULL;
  }
  return s->files[s->file_count++] = file;
}

void source_files_free(struct symbols *s)
{
  for (size_t i = 0; i < s->file_count; i++) {
    struct source_file *file = s->files[i];
    free(file->path);
    free(file->display);
    free(file->text);
    free(file->lines);
    free(file);
  }
  free(s->files);
  for (size_t i = 0; i < s->basename_count; i++)
    free(s->basenames[i]);
  free(s->basenames);
}

/* Collects the names of all compilation units of the program. */
static void learn_basenames(struct symbols *s)
{
  Dwarf_Addr bias;
  Dwarf *dwarf = s->modules[0].dwfl ? module_dwarf(&s->modules[0], &bias) : NULL;
  Dwarf_CU *unit = NULL;
  Dwarf_Die die;
  s->basenames_known = true;
  while (dwarf && dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
    const char *name = dwarf_diename(&die);
    char **names = name ? realloc(s->basenames, (s->basename_count + 1) * sizeof *names) : NULL;
    if (!names)
      continue;
    s->basenames = names;
    names[s->basename_count] = strdup(name);
    if (names[s->basename_count])
      s->basename_count++;
  }
}

char **symbols_sources(struct symbols *s, size_t *count)
{
  Dwarf_Addr bias;
  Dwarf *dwarf = symbols_have_debug_info(s) ? module_dwarf(&s->modules[0], &bias) : NULL;
  Dwarf_CU *unit = NULL;
  Dwarf_Die die;
  Dwarf_Attribute attribute;
  char **sources = NULL;
  *count = 0;
  while (dwarf && dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
    const char *name = dwarf_diename(&die);
    const char *folder = dwarf_attr(&die, DW_AT_comp_dir, &attribute) ? dwarf_formstring(&attribute) : NULL;
    char *path = name ? path_join(folder ? folder : ".", name) : NULL;
    char **more = path && !is_system_path(path) ? realloc(sources, (*count + 1) * sizeof *more) : NULL;
    if (more) {
      sources = more;
      sources[(*count)++] = path;
    } else {
      free(path);
    }
  }
  return sources;
}

/* Whether another file of the program has the same last part. */
static bool ambiguous(struct symbols *s, const char *path)
{
  const char *name = last_part(path);
  size_t same = 0;
  if (!s->basenames_known)
    learn_basenames(s);
  for (size_t i = 0; i < s->basename_count; i++)
    same += strcmp(last_part(s->basenames[i]), name) == 0;
  for (size_t i = 0; i < s->file_count; i++)
    if (strcmp(s->files[i]->path, path) != 0 && strcmp(last_part(s->files[i]->path), name) == 0)
      return true;
  return same > 1;
}

const char *source_file_display(struct symbols *s, struct source_file *file)
{
  if (file->display)
    return file->display;
  const char *shown = file->path;
  const size_t length = s->directory ? strlen(s->directory) : 0;
  if (length > 1 && strncmp(shown, s->directory, length) == 0 && shown[length] == '/')
    shown += length + 1;
  else if (!ambiguous(s, file->path))
    shown = last_part(file->path);
  file->display = strdup(shown);
  return file->display ? file->display : file->path;
}

const char *source_file_name(struct symbols *s, struct source_file *file)
{
  return ambiguous(s, file->path) ? source_file_display(s, file) : last_part(file->path);
}

static char *load(const char *path, size_t *length)
{
  char *text = NULL;
  char error[256];
  FILE *in = input_open(path, error, sizeof error);
  if (!in)
    return NULL;
  long size = fseek(in, 0, SEEK_END) == 0 ? ftell(in) : -1;
  if (size >= 0 && size <= SOURCE_SIZE_MAX && fseek(in, 0, SEEK_SET) == 0)
    text = malloc((size_t)size + 1);
  if (text) {
    *length = fread(text, 1, (size_t)size, in);
    text[*length] = '\0';
  }
  fclose(in);
  return text;
}

/* Cuts the text into lines, in place. */
static void cut(struct source_file *file, size_t length)
{
  size_t count = 1;
  for (size_t i = 0; i < length; i++)
    count += file->text[i] == '\n';
  file->lines = calloc(count, sizeof *file->lines);
  if (!file->lines)
    return;
  char *line = file->text;
  while (line) {
    char *newline = memchr(line, '\n', length - (size_t)(line - file->text));
    char *end = newline ? newline : file->text + length;
    while (end > line && strchr(" \t\r", end[-1]))
      end--;
    *end = '\0';
    file->lines[file->line_count++] = line + strspn(line, " \t");
    line = newline ? newline + 1 : NULL;
  }
}

const char *symbols_source_line(struct symbols *s, const char *path, uint32_t line)
{
  struct source_file *file = s && path ? source_file_of(s, path) : NULL;
  if (!file)
    return NULL;
  if (!file->tried) {
    size_t length = 0;
    file->tried = true;
    file->text = load(path, &length);
    if (file->text)
      cut(file, length);
  }
  return line > 0 && line <= file->line_count ? file->lines[line - 1] : NULL;
}

bool source_is_newer(struct symbols *s, const char *path)
{
  struct stat program, source;
  struct source_file *file = path ? source_file_of(s, path) : NULL;
  if (!file)
    return false;
  if (!file->dated) {
    file->dated = true;
    file->newer =
        stat(s->modules[0].path, &program) == 0 && stat(path, &source) == 0 &&
        (source.st_mtim.tv_sec > program.st_mtim.tv_sec ||
         (source.st_mtim.tv_sec == program.st_mtim.tv_sec && source.st_mtim.tv_nsec > program.st_mtim.tv_nsec));
  }
  return file->newer;
}

const char *symbols_newer_source(struct symbols *s)
{
  for (size_t i = 0; s && !s->newer_told && i < s->file_count; i++)
    if (!is_system_path(s->files[i]->path) && source_is_newer(s, s->files[i]->path)) {
      s->newer_told = true;
      return source_file_display(s, s->files[i]);
    }
  return NULL;
}
