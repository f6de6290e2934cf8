/* SPDX-License-Identifier: Apache-2.0
 *
 * What a migration reads and builds: the test as it is, copies of it in a folder of their own, programs of these. What
 * the test includes from its own folder is found there.
 */
#include "cli/compile/cc.h"
#include "cli/migrate/migration.h"
#include "cli/option/flags.h"
#include "file/input_file.h"
#include "file/output_file.h"
#include "file/work_folder.h"
#include "session/console.h"
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEST_MOST (16u << 20) /* bytes of a file that somebody wrote */

static bool read_test(struct migration *m)
{
  char error[512];
  FILE *in = input_open(m->path, error, sizeof error);
  size_t size = 0;
  FILE *out = in ? open_memstream(&m->text, &size) : NULL;
  if (!in)
    console_error("%s %s", m->path, error);
  for (int c; in && out && size < TEST_MOST && (c = getc(in)) != EOF;)
    putc(c, out);
  if (in)
    fclose(in);
  const bool done = out && fclose(out) == 0;
  m->length = size;
  if (in && !done)
    console_error("no memory left");
  return done;
}

/* Its includes with quotes are looked for beside it. */
static bool open_folder(struct migration *m)
{
  char *copy = strdup(m->path), *flags = NULL;
  const char *before = getenv("CPPFLAGS");
  if (!work_folder_make(m->folder, "migrate"))
    console_error("no folder to build in can be made (TMPDIR): %s", strerror(errno));
  bool done = m->folder[0] && copy && asprintf(&flags, "%s -iquote %s", before ? before : "", dirname(copy)) >= 0 &&
              setenv("CPPFLAGS", flags, 1) == 0;
  done = done && flags_to_compiler(m->options->operands, m->options->operand_count);
  free(flags);
  free(copy);
  return done;
}

bool migration_open(struct migration *m, const struct options *options)
{
  *m = (struct migration){.options = options, .path = options->operands[0]};
  if (!read_test(m) || !open_folder(m)) {
    migration_close(m);
    return false;
  }
  if (!c_file_read(&m->file, m->text, m->length, is_cxx_file(m->path))) {
    console_error("%s cannot be read: its braces do not match", m->path);
    migration_close(m);
    return false;
  }
  if (!sleep_marks_find(&m->marks, &m->file)) {
    console_error("no memory left");
    migration_close(m);
    return false;
  }
  return true;
}

void migration_close(struct migration *m)
{
  work_folder_remove(m->folder);
  for (size_t i = 0; i < MIGRATION_RUNS; i++)
    free(m->run[i].step);
  sleep_edits_free(&m->edits);
  sleep_orders_free(&m->orders);
  sleep_marks_free(&m->marks);
  c_file_free(&m->file);
  free(m->text);
}

static bool write_copy(const struct source_patch *patch, const char *path)
{
  char error[512];
  size_t length;
  char *text = source_patch_apply(patch, &length);
  const bool done = text && output_file_write(path, FILE_PLAIN, text, length, error, sizeof error);
  if (!done)
    console_error("%s", text ? error : "no memory left");
  free(text);
  return done;
}

bool migration_build(struct migration *m, const struct source_patch *patch, const char *name, enum migration_build how,
                     char program[PATH_MAX])
{
  const struct options *o = m->options;
  char copy[PATH_MAX + 64], error[512] = "no memory left";
  size_t count;
  snprintf(copy, sizeof copy, "%s/%s%.8s", m->folder, name, strrchr(m->path, '.'));
  snprintf(program, PATH_MAX, "%.*s/%s", PATH_MAX - 64, m->folder, name);
  if (!write_copy(patch, copy))
    return false;
  char **words = sources_and_libraries(o->operands, o->operand_count, &count);
  bool done = words;
  if (done) {
    words[0] = copy;
    done = how == BUILD_CONTROLLED ? compile_sources(words, count, program, true, error, sizeof error) == 0
                                   : compile_free(words, count, program, error, sizeof error) == 0;
  }
  if (!done)
    console_error("%s", error);
  free((void *)words);
  return done;
}
