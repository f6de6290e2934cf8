/* SPDX-License-Identifier: Apache-2.0
 *
 * The words of one step, see the header. Formats neither columns nor files.
 */
#include "report/document/trace_log_line.h"
#include "report/story/process_words.h"
#include <inttypes.h>

static bool ends_in(const char *text, const char *end)
{
  const size_t length = strlen(text), wanted = strlen(end);
  return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

enum trace_format trace_format_of(const char *path)
{
  if (ends_in(path, ".perfetto.json") || ends_in(path, ".chrome.json"))
    return TRACE_CHROME;
  return ends_in(path, ".json") ? TRACE_JSON : TRACE_TEXT;
}

bool trace_write(FILE *out, enum trace_format format, const struct story *story, const struct trace_origin *origin)
{
  switch (format) {
  case TRACE_JSON:
    return trace_json(out, story, origin);
  case TRACE_CHROME:
    return trace_chrome(out, story, origin);
  default:
    return trace_text(out, story, origin);
  }
}

/* Without the arrow that stories put in front. */
static void describe_outcome(const struct story *story, struct trace_line *line)
{
  static const char arrow[] = "→ ";
  char value[VALUE_SIZE];
  const struct trace_event *e = line->event;
  if (op_is_memory(e->op)) {
    if (event_stopped(story, e))
      return;
    describe_plain_value(story, e, false, line->result);
    if (op_writes_memory(e->op) && !(e->marks & TRACE_FRESH))
      describe_plain_value(story, e, true, line->before);
    return;
  }
  describe_value(story, e, value);
  const size_t skipped = strncmp(value, arrow, sizeof arrow - 1) == 0 ? sizeof arrow - 1 : 0;
  memcpy(line->result, value + skipped, sizeof value - skipped);
}

void trace_line_fill(const struct story *story, const struct trace_event *event, bool left, struct trace_line *line)
{
  *line = (struct trace_line){.event = event, .left = left};
  describe_thread(story, event->thread, line->thread);
  describe_place(story, event_pc(story, event), line->place);
  describe_object(story, event, line->object);
  if (event->holder >= 0 && (uint32_t)event->holder != event->thread)
    describe_thread(story, (uint32_t)event->holder, line->holder);
  if (event->handling)
    describe_signal((int)event->handling, line->signal, sizeof line->signal);
  line->source = left ? NULL : message_source(story, event);
  if (!left) {
    snprintf(line->phrase, sizeof line->phrase, "%s", event_phrase(story, event));
    describe_outcome(story, line);
  } else if (event->marks & TRACE_BLOCKED && event->held_since) {
    snprintf(line->phrase, sizeof line->phrase, "is held before");
  } else if (event->marks & TRACE_BLOCKED) {
    snprintf(line->phrase, sizeof line->phrase, "%s", waiting_phrase(event->op));
  } else {
    snprintf(line->phrase, sizeof line->phrase, "about to %s", event->op < OP_COUNT ? op_table[event->op].name : "?");
  }
}

static void set_text(json_t *object, const char *key, const char *text, bool *good)
{
  if (text && text[0])
    set(object, key, text_value(text), good);
}

static void set_place(json_t *object, const struct story *story, const struct trace_line *line, bool *good)
{
  struct source_place place;
  const uintptr_t pc = event_pc(story, line->event);
  set_text(object, "where", line->place, good);
  if (!pc || !symbols_line(story->symbols, pc, &place))
    return;
  set_text(object, "function", place.function, good);
  set_text(object, "file", place.line ? place.display : NULL, good);
  if (place.line)
    set(object, "line", integer(place.line), good);
}

static void set_pending(json_t *object, const struct trace_event *e, bool *good)
{
  if (!op_is_memory(e->op))
    return;
  set(object, "pending_readers", integer(e->readers), good);
  set(object, "pending_writers", integer(e->writers), good);
}

static void set_marks(json_t *object, const struct trace_line *line, bool *good)
{
  const struct trace_event *e = line->event;
  if (e->switched && !line->left)
    set(object, "switch", text_value(e->switched == 2 ? "preemption" : "voluntary"), good);
  if (e->waited_since)
    set(object, "waited_since", integer(e->waited_since), good);
  if (e->held_since)
    set(object, "held_since", integer(e->held_since), good);
  if (e->woken_by)
    set(object, "woken_by", integer(e->woken_by), good);
  if (e->marks & TRACE_RACE)
    set(object, "race", json_true(), good);
  if (e->race_step)
    set(object, "race_with", integer(e->race_step), good);
  if (line->left)
    set(object, "blocked", json_boolean(e->marks & TRACE_BLOCKED), good);
  if (e->marks & TRACE_DEADLOCK)
    set(object, "deadlock", json_true(), good);
}

json_t *trace_line_value(const struct story *story, const struct trace_line *line, bool *good)
{
  const struct trace_event *e = line->event;
  const struct op_info *op = &op_table[e->op < OP_COUNT ? e->op : OP_NONE];
  json_t *value = container(json_object(), good);
  char name[THREAD_NAME_SIZE];
  if (!line->left)
    set(value, "step", integer(e->step), good);
  identify_thread(story, e->thread, name);
  set(value, "thread", text_value(name), good);
  set(value, "operation", text_value(op->name), good);
  set_text(value, "object", line->object, good);
  if (op->object != OBJECT_NOTHING)
    set(value, "object_kind", text_value(object_kind_name[op->object]), good);
  set_place(value, story, line, good);
  set_pending(value, e, good);
  set_text(value, "before", line->before, good);
  set_text(value, op_is_memory(e->op) ? "value" : "result", line->result, good);
  if (line->holder[0]) {
    identify_thread(story, (uint32_t)e->holder, name);
    set(value, "holder", text_value(name), good);
  }
  set_text(value, "handler", line->signal, good);
  if (line->source) {
    identify_thread(story, line->source->thread, name);
    set(value, "from", text_value(name), good);
    set(value, "sent_at", integer(line->source->step), good);
  }
  set_marks(value, line, good);
  return value;
}

void trace_origin_keys(json_t *object, const struct trace_origin *origin, bool *good)
{
  json_t *args = container(json_array(), good);
  set(object, "heddle-trace", integer(TRACE_LOG_VERSION), good);
  set(object, "heddle", text_value(HEDDLE_VERSION), good);
  set(object, "program", text_value(origin->program), good);
  for (size_t i = 0; i < origin->arg_count; i++)
    add(args, text_value(origin->args[i]), good);
  set(object, "args", args, good);
  set(object, "schedule", text_value(origin->schedule), good);
  if (origin->client)
    set(object, "client", text_value(origin->client), good);
}

json_t *trace_bug_value(const struct story *story, bool *good)
{
  char message[SENTENCE_SIZE], where[256], key[20];
  if (!story->bug)
    return json_null();
  json_t *value = container(json_object(), good);
  bug_message(story, message, sizeof message);
  bug_where(story, where, sizeof where);
  snprintf(key, sizeof key, "%016" PRIx64, story->bug->key);
  set(value, "kind", text_value(story->bug->kind < BUG_KIND_COUNT ? bug_kind_name[story->bug->kind] : "unknown"), good);
  set(value, "message", text_value(message), good);
  set(value, "where", text_value(where), good);
  set(value, "key", text_value(key), good);
  set(value, "step", integer(story->bug->step), good);
  return value;
}
