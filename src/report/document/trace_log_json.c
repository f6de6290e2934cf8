/* SPDX-License-Identifier: Apache-2.0
 *
 * The trace log as JSON: a head, the threads, one step a line, so that a log of a million steps is neither built as a
 * tree nor hard to compare.
 */
#include "report/document/trace_log_line.h"
#include "report/story/process_words.h"
#include "report/story/property_words.h"

static json_t *head_value(const struct story *story, const struct trace_origin *origin, bool *good)
{
  json_t *head = container(json_object(), good);
  trace_origin_keys(head, origin, good);
  set(head, "bug", trace_bug_value(story, good), good);
  set(head, "unrecorded_steps",
      integer(story->event_total > story->event_count ? story->event_total - story->event_count : 0), good);
  return head;
}

static json_t *thread_value(const struct story *story, uint32_t thread, bool *good)
{
  const struct thread_info *info = &story->threads[thread];
  char name[THREAD_NAME_SIZE], parent[THREAD_NAME_SIZE], given[sizeof info->name + 1] = "";
  struct source_place start;
  json_t *value = container(json_object(), good);
  identify_thread(story, thread, name);
  identify_thread(story, info->parent, parent);
  memcpy(given, info->name, sizeof info->name);
  set(value, "name", text_value(name), good);
  set(value, "given_name", given[0] ? text_value(given) : json_null(), good);
  set(value, "created_by", thread && info->nth ? text_value(parent) : json_null(), good);
  if (process_count(story) > 1) {
    describe_process(story, process_of(story, thread), parent);
    set(value, "process", text_value(parent), good);
  }
  set(value, "start",
      info->start && symbols_exact_line(story->symbols, info->start, &start) ? text_value(start.function) : json_null(),
      good);
  return value;
}

json_t *process_value(const struct story *story, uint32_t process, const struct trace_origin *origin, bool *good)
{
  const uint32_t first = first_thread_of(story, process);
  static const struct thread_info unknown;
  const struct thread_info *info = first < story->thread_count ? &story->threads[first] : &unknown;
  char name[THREAD_NAME_SIZE], parent[THREAD_NAME_SIZE], place[PLACE_SIZE], program[sizeof info->name + 1] = "";
  json_t *value = container(json_object(), good);
  describe_process(story, process, name);
  identify_thread(story, info->parent, parent);
  describe_fork_place(story, process, place);
  memcpy(program, info->name, sizeof info->name);
  set(value, "name", text_value(name), good);
  set(value, "forked_by", process ? text_value(parent) : json_null(), good);
  set(value, "forked_at", process ? text_value(place) : json_null(), good);
  set(value, "program", text_value(info->image ? program : origin->program), good);
  return value;
}

static void write_lines(FILE *out, const struct story *story, const struct trace_event *events, size_t count, bool left,
                        bool *good)
{
  for (size_t i = 0; *good && events && i < count; i++) {
    struct trace_line line;
    trace_line_fill(story, &events[i], left, &line);
    write_item(out, trace_line_value(story, &line, good), i == 0, good);
  }
}

/* A monitor, with what it read. */
static json_t *monitor_value(const struct story *story, uint32_t monitor, bool *good)
{
  const struct monitor_trace *t = story->monitors;
  json_t *value = container(json_object(), good), *readings = container(json_array(), good);
  char name[OBJECT_SIZE];
  describe_monitor(story, &t->monitor[monitor], name);
  set(value, "name", text_value(name), good);
  set(value, "property", text_value(t->monitor[monitor].property), good);
  for (uint32_t i = 0; i < t->readings; i++) {
    const struct traced_reading *r = &t->reading[i];
    if (r->monitor != monitor)
      continue;
    json_t *reading = container(json_object(), good);
    identify_thread(story, r->thread, name);
    set(reading, "step", integer(r->step), good);
    set(reading, "thread", text_value(name), good);
    set(reading, "event", text_value(r->event), good);
    set(reading, "state", text_value(r->state), good);
    if (r->violated)
      set(reading, "violated", json_true(), good);
    add(readings, reading, good);
  }
  set(value, "readings", readings, good);
  return value;
}

bool trace_json(FILE *out, const struct story *story, const struct trace_origin *origin)
{
  bool good = true;
  write_head(out, head_value(story, origin, &good), &good);
  fputs(",\n\"threads\": [", out);
  for (uint32_t i = 0; good && story->threads && i < story->thread_count; i++)
    write_item(out, thread_value(story, i, &good), i == 0, &good);
  fputs("\n],\n\"processes\": [", out);
  for (uint32_t i = 0; good && story->threads && i < process_count(story); i++)
    write_item(out, process_value(story, i, origin, &good), i == 0, &good);
  if (story->monitors)
    fputs("\n],\n\"monitors\": [", out);
  for (uint32_t i = 0; good && story->monitors && i < story->monitors->monitors; i++)
    write_item(out, monitor_value(story, i, &good), i == 0, &good);
  fputs("\n],\n\"steps\": [", out);
  write_lines(out, story, story->events, story->event_count, false, &good);
  fputs("\n],\n\"left\": [", out);
  write_lines(out, story, story->left, story->left_count, true, &good);
  fputs("\n]}\n", out);
  return good;
}
