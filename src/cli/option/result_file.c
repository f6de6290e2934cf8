/* SPDX-License-Identifier: Apache-2.0
 *
 * Files for results, see the header.
 */
#include "cli/option/result_file.h"
#include "cli/find/protocols.h"
#include "cli/find/trace_file.h"
#include "predict/trace/std.h"
#include "session/console.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct result_file {
  const char *option, *path; /* a path of NULL: the option was not given */
  enum file_format format;
};

enum file_format result_file_into(const struct options *o)
{
  if (o->who == FOR_SHRINK)
    return FILE_SCHEDULE;
  if (o->who == FOR_SCHEDULE)
    return FILE_PIN;
  if (o->who == FOR_CONVERT && std_is_meant(o->into))
    return o->plain ? FILE_PLAIN : FILE_STD;
  return FILE_TRACE;
}

enum { RESULT_FILES = 11 };

/* Every option that names a file to write. That of --resume is read, and found to be a checkpoint, before it is
 * written. */
static void list_files(const struct options *o, struct result_file list[RESULT_FILES])
{
  const struct result_file all[RESULT_FILES] = {
      {"--json", o->json, FILE_JSON},
      {"--sarif", o->sarif, FILE_SARIF},
      {"--junit", o->junit, FILE_JUNIT},
      {"--html", o->html, FILE_PAGE},
      {"--trace-file", o->trace_file, o->trace_file ? trace_file_format(o) : FILE_LOG_TEXT},
      {"--checkpoint", o->checkpoint, FILE_CHECKPOINT},
      {"--record", o->record, FILE_COURSE},
      {"--hashes", o->hashes, FILE_HASHES},
      {"--write-baseline", o->write_baseline, o->who == FOR_LINT ? FILE_LINT_BASELINE : FILE_BASELINE},
      {"--write-protocols", o->write_protocols,
       o->write_protocols ? protocols_format(o->write_protocols) : FILE_PROTOCOLS},
      {o->who == FOR_CONVERT ? "convert" : "-o", o->into, o->into ? result_file_into(o) : FILE_TRACE},
  };
  memcpy(list, all, sizeof all);
}

static bool same_file(const char *a, const char *b)
{
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* What the command reads must not be what it writes. */
static bool is_no_input(const struct options *o, const struct result_file *f)
{
  const char *inputs[] = {o->from, o->protocol, o->program, o->suppressions, o->baseline};
  bool input = false;
  for (size_t i = 0; i < o->operand_count && !input; i++)
    input = same_file(o->operands[i], f->path);
  for (size_t i = 0; i < sizeof inputs / sizeof inputs[0] && !input; i++)
    input = inputs[i] && same_file(inputs[i], f->path);
  if (input)
    console_error("%s: %s is what this command reads; it was not overwritten, choose another name", f->option, f->path);
  return !input;
}

static bool is_apart(const struct result_file *a, const struct result_file *b)
{
  char *first = output_file_place(a->path), *second = output_file_place(b->path);
  bool apart = !first || !second || strcmp(first, second);
  free(first);
  free(second);
  if (!apart)
    console_error("%s and %s both write %s", a->option, b->option, b->path);
  return apart;
}

static bool is_wanted(const struct result_file *f)
{
  return f->path && strcmp(f->path, "-");
}

bool result_files_check(const struct options *o)
{
  char error[512];
  struct result_file list[RESULT_FILES];
  list_files(o, list);
  for (size_t i = 0; i < RESULT_FILES; i++) {
    const struct result_file *f = &list[i];
    struct stat status;
    if (!is_wanted(f))
      continue;
    if (stat(f->path, &status) == 0 && S_ISREG(status.st_mode) && !is_no_input(o, f))
      return false;
    for (size_t k = 0; k < i; k++)
      if (is_wanted(&list[k]) && !is_apart(&list[k], f))
        return false;
    if (!output_file_check(f->path, f->format, error, sizeof error)) {
      console_error("%s: %s", f->option, error);
      return false;
    }
  }
  return true;
}

bool result_file_write(const char *option, const char *path, enum file_format format, const char *text, size_t length)
{
  char error[1024] = "no memory left";
  bool done;
  if (text && !strcmp(path, "-"))
    done = fwrite(text, 1, length, stdout) == length; /* main looks whether it could be written */
  else
    done = text && output_file_write(path, format, text, length, error, sizeof error);
  if (!done)
    console_error("%s: %s", option, error);
  return done;
}
