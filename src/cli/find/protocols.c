/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of protocols, and what is said of them; see protocols.h.
 */
#include "cli/find/protocols.h"
#include "file/format_version.h"
#include "file/input_file.h"
#include "session/console.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TITLE "heddle protocols 1"
#define PROPERTIES                                                                                                     \
  "// heddle properties 1: what runs taught, for heddle check --spec. To have one kept instead of checked, write\n"    \
  "// \"enforce\" before its name and \"@nonfail\" for \"@fail\".\n"

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
  if (length > 4 && !strcmp(path + length - 4, ".dot"))
    return FILE_GRAPHS;
  return length > 4 && !strcmp(path + length - 4, ".mop") ? FILE_PROPERTIES : FILE_PROTOCOLS;
}

/* How a method is given its object; false: it is no function, but what the program names itself (HD_CALL). */
static bool describe_method(const struct control_config *config, const struct automaton *a, uint32_t method,
                            struct automaton_method *out)
{
  for (uint32_t i = 0; i < config->calls; i++) {
    const struct watched_call *w = &config->call[i];
    if (w->sled && !strcmp(w->type, a->type) && !strcmp(w->name, a->method[method])) {
      *out = (struct automaton_method){w->role == CALL_CREATOR, w->role == CALL_INIT, (uint8_t)(w->argument + 1)};
      return true;
    }
  }
  return false;
}

static void write_property(const struct control_config *config, const struct automaton *a, FILE *file)
{
  struct automaton_method *method = calloc(a->methods + 1, sizeof *method);
  bool functions = method;
  for (uint32_t m = 0; functions && m < a->methods; m++)
    functions = describe_method(config, a, m, &method[m]);
  if (functions)
    automaton_write_spec(a, method, file);
  else
    console_note("the protocol of %s is no property: not all of its calls are functions", a->type);
  free(method);
}

static void write_one(const struct control_config *config, const struct automaton *a, enum file_format format,
                      FILE *file)
{
  if (format == FILE_PROPERTIES)
    write_property(config, a, file);
  else if (format == FILE_GRAPHS)
    automaton_draw(a, file);
  else
    automaton_write(a, file);
}

bool protocols_write(const struct protocol *p, const struct control_config *config, const char *path)
{
  char error[512];
  struct output_file output;
  const struct automaton *a;
  if (!path)
    return true;
  enum file_format format = protocols_format(path);
  bool written = output_file_open(&output, path, format, error, sizeof error);
  if (written) {
    fputs(format == FILE_PROTOCOLS ? "# " TITLE "\n"
          : format == FILE_GRAPHS  ? "// " TITLE "\n"
                                   : PROPERTIES,
          output.file);
    for (uint32_t i = 0; (a = protocol_automaton(p, i)); i++)
      write_one(config, a, format, output.file);
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
