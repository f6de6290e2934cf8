/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening traces and their growing tables; see trace_tables.h and trace.h.
 */
#include "predict/trace/trace_tables.h"
#include "file/format_version.h"
#include "file/input_file.h"
#include "predict/trace/std.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAGIC "heddle-trace 1 text"

/* Tables double in size. */
static uint32_t add_entry(struct trace_reader *r, void **table, uint32_t *count, size_t size)
{
  uint32_t n = *count;
  if ((n & (n - 1)) == 0) {
    char *grown = realloc(*table, 2 * (size_t)n * size);
    if (!grown) {
      r->failed = true;
      return 0;
    }
    *table = grown;
  }
  memset((char *)*table + n * size, 0, size);
  *count = n + 1;
  return n;
}

uint32_t tables_add_site(struct trace_reader *r)
{
  uint32_t i = add_entry(r, (void **)&r->sites, &r->tables.site_count, sizeof *r->sites);
  r->tables.sites = r->sites;
  return i;
}

uint32_t tables_add_stack(struct trace_reader *r)
{
  uint32_t i = add_entry(r, (void **)&r->stacks, &r->tables.stack_count, sizeof *r->stacks);
  r->tables.stacks = r->stacks;
  return i;
}

uint32_t tables_add_thread(struct trace_reader *r)
{
  uint32_t i = add_entry(r, (void **)&r->threads, &r->tables.thread_count, sizeof *r->threads);
  r->tables.threads = r->threads;
  return i;
}

uint32_t tables_add_object(struct trace_reader *r)
{
  uint32_t i = add_entry(r, (void **)&r->objects, &r->tables.object_count, sizeof *r->objects);
  r->tables.objects = r->objects;
  return i;
}

uint32_t tables_add_memory(struct trace_reader *r)
{
  uint32_t i = add_entry(r, (void **)&r->memory, &r->tables.memory_count, sizeof *r->memory);
  r->tables.memory = r->memory;
  return i;
}

const char *trace_memory_name(const struct trace *t, uint64_t addr)
{
  for (uint32_t i = t->memory_count; i-- > 1;) /* the latest that had the place */
    if (addr >= t->memory[i].addr && addr - t->memory[i].addr < t->memory[i].length)
      return t->memory[i].text;
  return NULL;
}

uint32_t tables_add_function(struct trace_reader *r)
{
  uint32_t i = add_entry(r, (void **)&r->functions, &r->tables.function_count, sizeof *r->functions);
  r->tables.functions = r->functions;
  return i;
}

/* Entry 0 is there from the start: events may speak of it without any other in the table. */
static bool start_tables(struct trace_reader *r)
{
  struct trace *t = &r->tables;
  t->sites = r->sites = calloc(1, sizeof *r->sites);
  t->stacks = r->stacks = calloc(1, sizeof *r->stacks);
  t->threads = r->threads = calloc(1, sizeof *r->threads);
  t->objects = r->objects = calloc(1, sizeof *r->objects);
  t->memory = r->memory = calloc(1, sizeof *r->memory);
  t->functions = r->functions = calloc(1, sizeof *r->functions);
  if (!r->sites || !r->stacks || !r->threads || !r->objects || !r->memory || !r->functions)
    return false;
  r->sites[0].text = "an unknown place";
  r->threads[0].text = "an unknown thread";
  r->objects[0].text = "an unknown object";
  r->functions[0] = (struct trace_function){"an unknown function", ""};
  t->site_count = t->stack_count = t->thread_count = t->object_count = t->memory_count = t->function_count = 1;
  return true;
}

const char *tables_text(struct trace_reader *r, const char *text)
{
  char *copy = strdup(text);
  r->failed |= !copy;
  return copy;
}

static bool is_text(FILE *file)
{
  char start[sizeof TEXT_MAGIC] = "";
  size_t n = fread(start, 1, sizeof start - 1, file);
  rewind(file);
  return n == sizeof start - 1 && !strcmp(start, TEXT_MAGIC);
}

static bool is_of_another(FILE *file, char *error, size_t error_size)
{
  static const char *const forms[] = {TRACE_MAGIC, STD_MAGIC, TEXT_MAGIC};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (file_is_of_another_version(file, forms[i], error, error_size))
      return true;
  return false;
}

static struct trace_reader *open_file(FILE *file, char *error, size_t error_size)
{
  struct trace_reader *r = calloc(1, sizeof *r);
  if (!r) {
    snprintf(error, error_size, "no memory left");
    fclose(file);
    return NULL;
  }
  r->file = file;
  if (!start_tables(r)) {
    snprintf(error, error_size, "no memory left");
    trace_close(r);
    return NULL;
  }
  if (is_of_another(file, error, error_size)) {
    trace_close(r);
    return NULL;
  }
  r->text = is_text(file);
  if (!r->text && !std_begin(r) && !binary_begin(r, error, error_size)) {
    trace_close(r);
    return NULL;
  }
  return r;
}

struct trace_reader *trace_open(const char *path, char *error, size_t error_size)
{
  char why[256];
  FILE *file = input_open(path, why, sizeof why);
  if (file)
    return open_file(file, error, error_size);
  snprintf(error, error_size, "the file %s", why);
  return NULL;
}

struct trace_reader *trace_again(const struct trace_reader *r, char *error, size_t error_size)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(r->file));
  return trace_open(path, error, error_size);
}

struct trace_reader *trace_from_text(const char *text, char *error, size_t error_size)
{
  size_t n = strlen(text);
  FILE *file = n ? fmemopen((void *)text, n, "r") : NULL;
  if (file)
    return open_file(file, error, error_size);
  snprintf(error, error_size, "an empty trace");
  return NULL;
}

void trace_close(struct trace_reader *r)
{
  if (!r)
    return;
  for (uint32_t i = 1; i < r->tables.site_count; i++) {
    free((void *)r->sites[i].module);
    free((void *)r->sites[i].text);
  }
  for (uint32_t i = 1; i < r->tables.stack_count; i++)
    free((void *)r->stacks[i].sites);
  for (uint32_t i = 1; i < r->tables.thread_count; i++)
    free((void *)r->threads[i].text);
  for (uint32_t i = 1; i < r->tables.object_count; i++)
    free((void *)r->objects[i].text);
  for (uint32_t i = 1; i < r->tables.memory_count; i++)
    free((void *)r->memory[i].text);
  free(r->memory);
  for (uint32_t i = 1; i < r->tables.function_count; i++) {
    free((void *)r->functions[i].name);
    free((void *)r->functions[i].type);
  }
  free(r->functions);
  free(r->sites);
  free(r->stacks);
  free(r->threads);
  free(r->objects);
  free((void *)r->tables.program);
  std_end(r);
  free(r->line);
  fclose(r->file);
  free(r);
}

const struct trace *trace_tables(const struct trace_reader *r)
{
  return &r->tables;
}

bool trace_next(struct trace_reader *r, struct event *event, char *error, size_t error_size)
{
  *event = (struct event){0};
  *error = 0;
  bool more = r->text  ? text_next(r, event, error, error_size)
              : r->std ? std_next(r, event, error, error_size)
                       : binary_next(r, event, error, error_size);
  if (!r->failed)
    return more;
  snprintf(error, error_size, "no memory left");
  return false;
}
