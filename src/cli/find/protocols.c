/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of protocols, and what is said of them; see protocols.h.
 */
#include "cli/find/protocols.h"
#include "file/format_version.h"
#include "file/input_file.h"
#include "session/console.h"
#include <errno.h>
#include <string.h>

#define TITLE "heddle protocols 1"

static bool is_over(FILE *file)
{
  int next = getc(file);
  if (next != EOF)
    ungetc(next, file);
  return next == EOF;
}

bool protocols_give(struct protocol *p, const char *path)
{
  char error[256] = "";
  FILE *file = path ? input_open(path, error, sizeof error) : NULL;
  if (!path)
    return true;
  if (!file) {
    console_error("--protocol: %s %s", path, error);
    return false;
  }
  bool over = file_is_of_another_version(file, "# " TITLE, error, sizeof error);
  while (!over) {
    struct automaton *a = automaton_read(file, error, sizeof error);
    if (a && !protocol_give(p, a))
      snprintf(error, sizeof error, "no memory left");
    over = *error || is_over(file);
  }
  fclose(file);
  if (*error)
    console_error("--protocol: %s: %s", path, error);
  return !*error;
}

enum file_format protocols_format(const char *path)
{
  size_t length = strlen(path);
  return length > 4 && !strcmp(path + length - 4, ".dot") ? FILE_GRAPHS : FILE_PROTOCOLS;
}

bool protocols_write(const struct protocol *p, const char *path)
{
  char error[512];
  struct output_file output;
  const struct automaton *a;
  if (!path)
    return true;
  enum file_format format = protocols_format(path);
  bool written = output_file_open(&output, path, format, error, sizeof error);
  if (written) {
    fputs(format == FILE_GRAPHS ? "// " TITLE "\n" : "# " TITLE "\n", output.file);
    for (uint32_t i = 0; (a = protocol_automaton(p, i)); i++)
      (format == FILE_GRAPHS ? automaton_draw : automaton_write)(a, output.file);
    written = output_file_close(&output, error, sizeof error);
  }
  if (!written)
    console_error("--write-protocols: %s", error);
  return written;
}

void protocols_tell(const struct protocol_figures *f)
{
  char calls[COUNT_SIZE], entries[COUNT_SIZE], states[COUNT_SIZE];
  if (!f->calls)
    return;
  console_line("%s call%s, %s different; %u type%s, %u racing; %u protocol%s of %u state%s; %s state%s of orders",
               format_count(f->calls, calls), f->calls == 1 ? "" : "s", format_count(f->entries, entries), f->types,
               f->types == 1 ? "" : "s", f->racing, f->protocols, f->protocols == 1 ? "" : "s", f->size,
               f->size == 1 ? "" : "s", format_count(f->states, states), f->states == 1 ? "" : "s");
  if (f->cut || f->left_out)
    console_note("not all orders of calls were looked at: %u object%s had too many", f->cut, f->cut == 1 ? "" : "s");
}
