/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of threads by creation path, see the header. Tables may come from an edited file or from a process that died
 * half-way, so a walk to the root is never longer than the table.
 */
#include "schedule/thread_name.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Both tables of threads begin their entries with parent, nth and process. */
struct table {
  const char *first;
  size_t stride;
  uint32_t count;
};
_Static_assert(offsetof(struct thread_info, parent) == offsetof(struct schedule_thread, parent), "see struct table");
_Static_assert(offsetof(struct thread_info, nth) == offsetof(struct schedule_thread, nth), "see struct table");
_Static_assert(offsetof(struct thread_info, process) == offsetof(struct schedule_thread, process), "see struct table");

static struct schedule_thread entry(const struct table *table, uint32_t index)
{
  struct schedule_thread thread;
  memcpy(&thread, table->first + index * table->stride, sizeof thread);
  return thread;
}

static bool begins_process(const struct table *table, uint32_t index)
{
  const struct schedule_thread thread = entry(table, index);
  return thread.process != entry(table, thread.parent).process;
}

/* A step down from a thread to one that it made. */
struct name_step {
  uint32_t nth;
  bool process;
};

/* Steps from the root down to index, malloc'ed, *depth of them (0 for main). NULL: no memory or no tree. */
static struct name_step *path_of(const struct table *table, uint32_t index, size_t *depth)
{
  size_t n = 0;
  uint32_t at = index;
  if (index >= table->count)
    return NULL;
  for (struct schedule_thread t = entry(table, at); t.nth != 0; t = entry(table, at)) {
    if (++n >= table->count || t.parent >= table->count)
      return NULL;
    at = t.parent;
  }
  struct name_step *path = calloc(n + 1, sizeof *path);
  if (!path)
    return NULL;
  *depth = n;
  for (at = index; n > 0; at = entry(table, at).parent)
    path[--n] = (struct name_step){entry(table, at).nth, begins_process(table, at)};
  return path;
}

static char *new_name(const struct table *table, uint32_t index)
{
  size_t depth;
  struct name_step *path = path_of(table, index, &depth);
  if (!path)
    return NULL;
  const size_t size = depth * 12 + sizeof "main";
  char *name = malloc(size);
  if (name && depth == 0)
    memcpy(name, "main", sizeof "main");
  size_t used = 0;
  for (size_t i = 0; name && i < depth; i++)
    used += (size_t)snprintf(name + used, size - used, "%s%s%u", i == 0 ? "" : ".",
                             path[i].process ? "P"
                             : i == 0        ? "T"
                                             : "",
                             path[i].nth);
  free(path);
  return name;
}

/* Of one that is no thread of the program's. NULL: it is one, or there is no memory. */
static char *new_task_name(const struct table *table, uint32_t index)
{
  char name[24] = "clock";
  if (index >= table->count || entry(table, index).parent != 0 || entry(table, index).nth < TASK_NUMBER)
    return NULL;
  const uint32_t nth = entry(table, index).nth - TASK_NUMBER;
  if (nth > LATER_CLOCKS)
    snprintf(name, sizeof name, "clock %u", nth - LATER_CLOCKS);
  else if (nth > 0)
    snprintf(name, sizeof name, "aio %u", nth);
  return strdup(name);
}

static void put_name(const struct table *table, uint32_t index, char *out, size_t n)
{
  static const char gap[] = "..";
  char *name = new_task_name(table, index);
  name = name ? name : new_name(table, index);
  const size_t length = name ? strlen(name) : 0;
  if (!name) {
    snprintf(out, n, "thread %u", index);
  } else if (length < n || n < 16) {
    snprintf(out, n, "%s", name);
  } else {
    const size_t head = (n - sizeof gap) / 2, tail = n - sizeof gap - head;
    snprintf(out, n, "%.*s%s%s", (int)head, name, gap, name + length - tail);
  }
  free(name);
}

char *thread_name_new(const struct schedule_thread *threads, uint32_t count, uint32_t index)
{
  const struct table table = {(const char *)threads, sizeof *threads, threads ? count : 0};
  return new_name(&table, index);
}

void thread_name(const struct schedule_thread *threads, uint32_t count, uint32_t index, char *out, size_t n)
{
  const struct table table = {(const char *)threads, sizeof *threads, threads ? count : 0};
  put_name(&table, index, out, n);
}

void thread_info_name(const struct thread_info *threads, uint32_t count, uint32_t index, char *out, size_t n)
{
  const struct table table = {(const char *)threads, sizeof *threads, threads ? count : 0};
  put_name(&table, index, out, n);
}

bool thread_name_valid(const char *text)
{
  if (strcmp(text, "main") == 0)
    return true;
  if (*text != 'T' && *text != 'P')
    return false;
  do {
    text++;
    if (text[-1] == '.' && *text == 'P')
      text++;
    const size_t digits = strspn(text, "0123456789");
    if (digits == 0 || *text == '0')
      return false;
    text += digits;
  } while (*text == '.');
  return *text == '\0';
}

bool thread_name_begins_process(const char *text)
{
  const char *dot = strrchr(text, '.');
  return (dot ? dot[1] : *text) == 'P';
}

bool thread_name_split(const char *text, char **parent, uint32_t *nth)
{
  const char *dot = strrchr(text, '.');
  const char *number = dot ? dot + 1 + (dot[1] == 'P') : text + 1;
  *parent = NULL;
  errno = 0;
  const unsigned long long value = strtoull(number, NULL, 10);
  if (errno != 0 || value == 0 || value > UINT32_MAX)
    return false;
  *nth = (uint32_t)value;
  *parent = dot ? strndup(text, (size_t)(dot - text)) : strdup("main");
  return *parent != NULL;
}
