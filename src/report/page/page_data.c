/* SPDX-License-Identifier: Apache-2.0
 *
 * The data of a page. An execution may have hundreds of thousands of events: each is a row of numbers, with zeros at
 * its end left out, and what the numbers stand for (texts, places, objects, stacks) is written once, behind them. The
 * order of the numbers is that of FIELDS in page/data.js. Addresses tell objects apart here and are not
 * written. */
#include "file/input_file.h"
#include "predict/trace/intern.h"
#include "report/document/trace_log_line.h"
#include "report/page/page_parts.h"
#include "report/story/process_words.h"
#include "report/story/property_words.h"
#include <inttypes.h>
#include <sys/stat.h>

#define FIELDS_MOST 18
#define TEXT_MOST 4096
#define SOURCE_MOST (1 << 20)   /* bytes of a file of source; larger ones are left out */
#define SOURCES_MOST (8u << 20) /* of all together */

struct page {
  const struct story *story;
  FILE *out;
  struct intern texts, places, objects, stacks, files;
  size_t first; /* events before are left out */
  bool good;
};

/* ---- numbers for what is said often ---- */

/* 0 for an empty text. */
static uint32_t text_number(struct page *p, struct intern *table, const char *text)
{
  uint32_t words[TEXT_MOST / 4];
  const size_t length = strnlen(text, TEXT_MOST - 1);
  if (!length)
    return 0;
  words[length / 4] = 0; /* a text ends in a zero byte */
  memcpy(words, text, length);
  const uint32_t number = intern_number(table, words, (uint32_t)length / 4 + 1);
  p->good &= number != 0;
  return number;
}

static uint32_t row_number(struct page *p, struct intern *table, const uint32_t *words, uint32_t length)
{
  const uint32_t number = intern_number(table, words, length);
  p->good &= number != 0;
  return number;
}

static uint32_t place_number(struct page *p, uintptr_t pc)
{
  struct source_place place;
  char name[PLACE_SIZE];
  if (!pc)
    return 0;
  describe_place(p->story, pc, name);
  const bool known = symbols_line(p->story->symbols, pc, &place) && place.line;
  const uint32_t words[] = {text_number(p, &p->texts, name),
                            known && !place.library && place.file ? text_number(p, &p->files, place.file) : 0,
                            known ? place.line : 0, text_number(p, &p->texts, place.function ? place.function : "")};
  return row_number(p, &p->places, words, 4);
}

/* The calls that led there, from the program's own code. */
static uint32_t stack_number(struct page *p, const struct trace_event *e)
{
  uint32_t places[BUG_STACK], count = 0;
  struct source_place place;
  for (uint32_t i = 0; i < e->depth && i < BUG_STACK; i++)
    if (symbols_line(p->story->symbols, e->stack[i], &place) && place.line && !place.library)
      places[count++] = place_number(p, e->stack[i]);
  return count ? row_number(p, &p->stacks, places, count) : 0;
}

static uint32_t object_row(struct page *p, const char *name, enum object_kind kind, uint64_t identity)
{
  const uint32_t words[] = {text_number(p, &p->texts, name), kind, (uint32_t)identity, (uint32_t)(identity >> 32)};
  return row_number(p, &p->objects, words, 4);
}

/* What it acts on: 0 for nothing. Threads are told by their number. */
static uint32_t object_number(struct page *p, const struct trace_event *event)
{
  char name[OBJECT_SIZE];
  const enum object_kind kind = op_table[event->op < OP_COUNT ? event->op : OP_NONE].object;
  struct trace_event alone = *event;
  alone.second = 0;
  if (event->op == OP_START || event->op == OP_EXIT)
    return 0;
  describe_object(p->story, &alone, name);
  if (!name[0])
    return 0;
  return object_row(p, name, kind, kind == OBJECT_THREAD ? event->arg : event->addr);
}

/* The mutex of a condition: it has been locked before, so it has its name. */
static uint32_t second_number(struct page *p, const struct trace_event *event)
{
  for (uint32_t i = 1; event->second && i <= p->objects.count; i++) {
    uint32_t length;
    const uint32_t *words = intern_words(&p->objects, i, &length);
    if (words[1] == OBJECT_MUTEX && (words[2] | (uint64_t)words[3] << 32) == event->second)
      return i;
  }
  return 0;
}

/* ---- events ---- */

static void write_row(struct page *p, const uint64_t *fields, size_t count, bool first)
{
  while (count > 1 && !fields[count - 1])
    count--;
  fputs(first ? "\n[" : ",\n[", p->out);
  for (size_t i = 0; i < count; i++)
    fprintf(p->out, "%s%" PRIu64, i ? "," : "", fields[i]);
  fputc(']', p->out);
}

/* The step that sent what it receives, or the signal in whose handler it is; 0 for none. */
static uint64_t sending_step(const struct page *p, const struct trace_event *e, bool left)
{
  const size_t sender = left ? NO_SENDER : event_sender(p->story, (size_t)(e - p->story->events));
  return sender == NO_SENDER ? 0 : p->story->events[sender].step;
}

static void write_event(struct page *p, const struct trace_event *e, bool left, bool first)
{
  struct trace_line line;
  trace_line_fill(p->story, e, left, &line);
  const uint64_t fields[] = {left ? 0 : e->step,
                             e->thread,
                             e->op,
                             text_number(p, &p->texts, line.phrase),
                             place_number(p, event_pc(p->story, e)),
                             object_number(p, e),
                             text_number(p, &p->texts, line.result),
                             (left ? 0 : e->switched) | (uint64_t)e->marks << 2,
                             text_number(p, &p->texts, line.before),
                             stack_number(p, e),
                             e->holder >= 0 ? (uint64_t)e->holder + 1 : 0,
                             e->waited_since,
                             e->woken_by,
                             e->race_step,
                             second_number(p, e),
                             sending_step(p, e, left),
                             text_number(p, &p->texts, line.signal),
                             e->held_since};
  _Static_assert(sizeof fields / sizeof fields[0] <= FIELDS_MOST, "more than page/data.js knows");
  write_row(p, fields, sizeof fields / sizeof fields[0], first);
}

static void write_events(struct page *p)
{
  const struct story *s = p->story;
  fputs(",\n\"events\":[", p->out);
  for (size_t i = p->first; s->events && i < s->event_count; i++)
    write_event(p, &s->events[i], false, i == p->first);
  fputs("],\n\"left\":[", p->out);
  for (size_t i = 0; s->left && i < s->left_count; i++)
    write_event(p, &s->left[i], true, i == 0);
  fputs("]", p->out);
}

/* Monitors by their names, and what they read: [step, monitor, event, state, 1 violated]. */
static void write_monitors(struct page *p)
{
  const struct monitor_trace *t = p->story->monitors;
  char name[OBJECT_SIZE];
  fputs(",\n\"monitors\":[", p->out);
  for (uint32_t i = 0; t && i < t->monitors; i++) {
    describe_monitor(p->story, &t->monitor[i], name);
    const uint64_t fields[] = {text_number(p, &p->texts, name), text_number(p, &p->texts, t->monitor[i].property)};
    write_row(p, fields, 2, i == 0);
  }
  fputs("],\n\"readings\":[", p->out);
  for (uint32_t i = 0; t && i < t->readings; i++) {
    const struct traced_reading *r = &t->reading[i];
    const uint64_t fields[] = {r->step, r->monitor, text_number(p, &p->texts, r->event),
                               text_number(p, &p->texts, r->state), r->violated};
    write_row(p, fields, 5, i == 0);
  }
  fputs("]", p->out);
}

/* What the story tells: [event, last, 1 switch | 2 preemption, remark]. */
static void write_told(struct page *p)
{
  size_t count = 0;
  struct story_step *steps = p->story->bug ? story_steps(p->story, &count) : NULL;
  bool first = true;
  fputs(",\n\"told\":[", p->out);
  for (size_t i = 0; i < count; i++) {
    if (steps[i].event < p->first)
      continue;
    const uint64_t fields[] = {steps[i].event - p->first, steps[i].last - p->first,
                               steps[i].marked | (uint64_t)steps[i].preempted << 1,
                               text_number(p, &p->texts, steps[i].remark)};
    write_row(p, fields, 4, first);
    first = false;
  }
  fputs("]", p->out);
  free(steps);
}

/* ---- the bug ---- */

/* The sentences of the story, with the calls that led there. */
static json_t *sentences_value(const struct story *story, bool *good)
{
  struct story wide = *story;
  json_t *value = container(json_array(), good);
  char *text = NULL, *rest, *line;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  wide.width = 60000;
  wide.colour = false;
  if (out)
    story_sentences(out, &wide);
  if (!out || fclose(out) != 0)
    *good = false;
  rest = text;
  while (*good && rest && (line = strsep(&rest, "\n"))) {
    const size_t indent = strspn(line, " ");
    json_t *one = line[indent] ? container(json_object(), good) : NULL;
    if (!one)
      continue;
    set(one, "text", text_value(line + indent), good);
    set(one, "call", json_boolean(indent > 4), good);
    add(value, one, good);
  }
  free(text);
  return value;
}

/* Where the execution ended, when that is no event: a failed check, a crash, a wrong exit status. */
static void set_end(struct page *p, json_t *value)
{
  const struct bug *bug = p->story->bug;
  const char *phrase = bug->kind == BUG_ASSERTION || bug->kind == BUG_PROPERTY ? "fails"
                       : bug->kind == BUG_CRASH                                ? "crashes"
                                                                               : NULL;
  const uintptr_t pc = party_count(bug) ? party_pc(p->story, &bug->party[0]) : 0;
  struct source_place place;
  if (!phrase || !pc || party_is_held(p->story, &bug->party[0]))
    return;
  json_t *end = container(json_object(), &p->good);
  const bool known = symbols_line(p->story->symbols, pc, &place) && place.line && place.file;
  const char *source = known ? symbols_source_line(p->story->symbols, place.file, place.line) : NULL;
  set(end, "thread", integer(bug->party[0].thread), &p->good);
  set(end, "place", integer(place_number(p, pc)), &p->good);
  set(end, "phrase", text_value(phrase), &p->good);
  set(end, "text", text_value(source ? source : bug->text), &p->good);
  set(value, "end", end, &p->good);
}

static json_t *bug_value(struct page *p)
{
  json_t *value = trace_bug_value(p->story, &p->good);
  if (!p->story->bug)
    return value;
  set(value, "sentences", sentences_value(p->story, &p->good), &p->good);
  set(value, "executions", integer(p->story->executions), &p->good);
  set(value, "warning", json_boolean(p->story->warning), &p->good);
  if (p->story->tried)
    set(value, "tries", text_lines_value(p->story->tried, &p->good), &p->good);
  if (p->story->blame)
    set(value, "blame", json_loads(p->story->blame, 0, NULL), &p->good);
  if (p->story->minimised)
    set(value, "minimised", json_loads(p->story->minimised, 0, NULL), &p->good);
  set_end(p, value);
  return value;
}

static void write_head_of_page(struct page *p, const struct trace_origin *origin)
{
  const struct story *s = p->story;
  json_t *head = container(json_object(), &p->good);
  json_t *threads = container(json_array(), &p->good), *ops = container(json_array(), &p->good);
  json_t *kinds = container(json_array(), &p->good), *given = container(json_array(), &p->good);
  json_t *processes = container(json_array(), &p->good), *of_threads = container(json_array(), &p->good);
  trace_origin_keys(head, origin, &p->good);
  set(head, "bug", bug_value(p), &p->good);
  set(head, "left_out", integer(p->first), &p->good);
  set(head, "unrecorded", integer(s->event_total > s->event_count ? s->event_total - s->event_count : 0), &p->good);
  for (uint32_t i = 0; s->threads && i < s->thread_count; i++) {
    char name[THREAD_NAME_SIZE];
    describe_thread(s, i, name);
    add(threads, text_value(name), &p->good);
    snprintf(name, sizeof name, "%.*s", (int)sizeof s->threads[i].name, s->threads[i].name);
    add(given, text_value(name), &p->good);
  }
  for (size_t i = 0; i < OP_COUNT; i++)
    add(ops, text_value(op_table[i].name), &p->good);
  for (size_t i = 0; i < OBJECT_KIND_COUNT; i++)
    add(kinds, text_value(object_kind_name[i]), &p->good);
  for (uint32_t i = 0; s->threads && i < s->thread_count; i++)
    add(of_threads, integer(process_of(s, i)), &p->good);
  for (uint32_t i = 0; s->threads && i < process_count(s); i++)
    add(processes, process_value(s, i, origin, &p->good), &p->good);
  set(head, "processes", processes, &p->good);
  set(head, "process_of_thread", of_threads, &p->good);
  set(head, "threads", threads, &p->good);
  set(head, "given_names", given, &p->good);
  set(head, "operations", ops, &p->good);
  set(head, "kinds", kinds, &p->good);
  write_head(p->out, head, &p->good);
}

/* ---- what the numbers stand for ---- */

static void write_texts(struct page *p)
{
  fputs(",\n\"texts\":[\"\"", p->out);
  for (uint32_t i = 1; p->good && i <= p->texts.count; i++) {
    uint32_t length;
    json_t *text = text_value((const char *)intern_words(&p->texts, i, &length));
    fputs(",\n", p->out);
    p->good &= json_dumpf(text, p->out, JSON_ENCODE_ANY) == 0;
    json_decref(text);
  }
  fputs("]", p->out);
}

/* Of each row the first so many numbers. */
static void write_rows(struct page *p, const char *name, const struct intern *table, uint32_t most)
{
  fprintf(p->out, ",\n\"%s\":[[]", name);
  for (uint32_t i = 1; p->good && i <= table->count; i++) {
    uint32_t length;
    const uint32_t *words = intern_words(table, i, &length);
    fputs(",\n[", p->out);
    for (uint32_t k = 0; k < length && k < most; k++)
      fprintf(p->out, "%s%" PRIu32, k ? "," : "", words[k]);
    fputc(']', p->out);
  }
  fputs("]", p->out);
}

/* The lines of a file of source; NULL when it is not there, or too large. */
static json_t *lines_value(const char *path, size_t *room, bool *good)
{
  struct stat st;
  char error[256];
  FILE *in = input_open(path, error, sizeof error);
  if (!in || fstat(fileno(in), &st) != 0 || st.st_size > SOURCE_MOST || (size_t)st.st_size > *room) {
    if (in)
      fclose(in);
    return json_null();
  }
  *room -= (size_t)st.st_size;
  json_t *lines = container(json_array(), good);
  char *line = NULL;
  size_t size = 0;
  ssize_t length;
  while (*good && (length = getline(&line, &size, in)) >= 0) {
    while (length && (line[length - 1] == '\n' || line[length - 1] == '\r'))
      line[--length] = '\0';
    add(lines, text_value(line), good);
  }
  free(line);
  fclose(in);
  return lines;
}

static void write_sources(struct page *p)
{
  size_t room = SOURCES_MOST;
  fputs(",\n\"files\":[null", p->out);
  for (uint32_t i = 1; p->good && i <= p->files.count; i++) {
    uint32_t length;
    const char *path = (const char *)intern_words(&p->files, i, &length);
    const char *slash = strrchr(path, '/');
    json_t *file = container(json_object(), &p->good);
    set(file, "name", text_value(slash ? slash + 1 : path), &p->good);
    set(file, "lines", lines_value(path, &room, &p->good), &p->good);
    write_item(p->out, file, false, &p->good);
  }
  fputs("]}\n", p->out);
}

char *page_data(const struct story *story, const struct trace_origin *origin)
{
  char *text = NULL;
  size_t bytes;
  struct page p = {.story = story, .out = open_memstream(&text, &bytes), .good = true};
  if (!p.out)
    return NULL;
  p.first = story->event_count > PAGE_EVENTS ? story->event_count - PAGE_EVENTS : 0;
  write_head_of_page(&p, origin);
  write_events(&p);
  write_told(&p);
  write_monitors(&p);
  write_texts(&p);
  write_rows(&p, "places", &p.places, 4);
  write_rows(&p, "objects", &p.objects, 2); /* without what tells them apart */
  write_rows(&p, "stacks", &p.stacks, BUG_STACK);
  write_sources(&p);
  if (fclose(p.out) != 0)
    p.good = false;
  intern_free(&p.texts);
  intern_free(&p.places);
  intern_free(&p.objects);
  intern_free(&p.stacks);
  intern_free(&p.files);
  if (p.good)
    return text;
  free(text);
  return NULL;
}
