/* SPDX-License-Identifier: Apache-2.0
 *
 * Putting late events in their places; see late_events.h. What events speak of must stand before them in a file, so all
 * of that comes first: the file is read once for it, and once more for the events. Numbers of events change, and so
 * does what names events by them.
 */
#include "cli/find/late_events.h"
#include "predict/trace/grow_array.h"
#include "predict/trace/trace_writer.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool late_events_add(struct late_events *l, uint64_t after, const struct event *event)
{
  if (!grow_array((void **)&l->list, &l->room, l->count, sizeof *l->list))
    return false;
  l->list[l->count++] = (struct late_event){after, *event};
  return true;
}

void late_events_free(struct late_events *l)
{
  free(l->list);
  *l = (struct late_events){0};
}

/* How many late events come before the event of that number. */
static uint32_t count_before(const struct late_events *l, uint64_t number)
{
  uint32_t low = 0, high = l->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (l->list[middle].after < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void write_tables(struct trace_writer *w, const struct trace *t)
{
  for (uint32_t i = 1; i < t->site_count; i++)
    trace_write_site(w, &t->sites[i]);
  for (uint32_t i = 1; i < t->stack_count; i++)
    trace_write_stack(w, &t->stacks[i]);
  for (uint32_t i = 1; i < t->thread_count; i++)
    trace_write_thread(w, &t->threads[i]);
  for (uint32_t i = 1; i < t->object_count; i++)
    trace_write_object(w, &t->objects[i]);
  for (uint32_t i = 1; i < t->function_count; i++)
    trace_write_function(w, &t->functions[i]);
  for (uint32_t i = 1; i < t->memory_count; i++)
    trace_write_memory(w, &t->memory[i]);
}

static void write_events(struct trace_writer *w, const struct late_events *l, struct trace_reader *reader, char *error,
                         size_t error_size)
{
  struct event event;
  uint32_t late = 0;
  while (trace_next(reader, &event, error, error_size)) {
    for (; late < l->count && l->list[late].after < event.number; late++)
      trace_write_event(w, &l->list[late].event);
    if (event.cause)
      event.cause += count_before(l, event.cause);
    trace_write_event(w, &event);
  }
  for (; late < l->count; late++)
    trace_write_event(w, &l->list[late].event);
  trace_write_end(w);
}

static bool copy_file(FILE *from, FILE *to)
{
  char bytes[1 << 16];
  size_t n;
  rewind(from);
  rewind(to);
  bool good = ftruncate(fileno(to), 0) == 0;
  while (good && (n = fread(bytes, 1, sizeof bytes, from)) > 0)
    good = fwrite(bytes, 1, n, to) == n;
  return good && !ferror(from);
}

uint64_t late_events_insert(const struct late_events *l, FILE *file)
{
  char path[32], error[256] = "";
  struct event event;
  struct trace_writer writer = {0};
  snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
  struct trace_reader *all = fflush(file) == 0 ? trace_open(path, error, sizeof error) : NULL;
  struct trace_reader *again = all ? trace_open(path, error, sizeof error) : NULL;
  FILE *merged = tmpfile();
  bool good = again && merged;
  while (good && trace_next(all, &event, error, sizeof error))
    ;
  if (good) {
    trace_write_head(&writer, merged, trace_tables(all)->program);
    write_tables(&writer, trace_tables(all));
    write_events(&writer, l, again, error, sizeof error);
    good = !*error && fflush(merged) == 0 && !ferror(merged) && copy_file(merged, file);
  }
  if (merged)
    fclose(merged);
  trace_close(again);
  trace_close(all);
  return good ? writer.events : 0;
}
