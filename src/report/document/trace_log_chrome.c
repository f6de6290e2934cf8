/* SPDX-License-Identifier: Apache-2.0
 *
 * The trace log as Chrome trace events (the JSON object format), one step a microsecond. Each thread has a track with a
 * slice of length one for every step and a longer one where it could not go on; a lock that is held is an asynchronous
 * slice; arrows lead from what let a thread go on to what it then did; races and the bug are instants.
 *
 * Events are written in the order of time: they are collected as small items first, since waits and arrows become known
 * at their end.
 */
#include "report/document/trace_log_line.h"
#include "report/story/process_words.h"
#include <errno.h>
#include <inttypes.h>

/* In the order they are written at one time: what ends before what begins. */
enum item_kind { ITEM_RELEASE, ITEM_WAIT, ITEM_STEP, ITEM_ACQUIRE, ITEM_ARRIVAL, ITEM_DEPARTURE, ITEM_RACE, ITEM_BUG };

struct item {
  uint64_t time;
  uint64_t number; /* of its making: keeps the order of those alike */
  enum item_kind kind;
  uint32_t thread;
  uint64_t duration;               /* of a wait */
  uint64_t id;                     /* of a hold, an arrow */
  const struct trace_event *event; /* it is about; of an arrow, its start; NULL for the bug */
};

/* A lock that a thread holds or once held. */
struct hold {
  uintptr_t addr;
  uint32_t thread;
  uint32_t depth;
  uint64_t id;
  const struct trace_event *taken; /* by its name the lock is known */
};

struct chart {
  const struct story *story;
  struct item *items;
  size_t count, room;
  struct hold *holds;
  size_t hold_count, hold_room;
  uint64_t ids;
  uint64_t end; /* of the execution */
  bool good;    /* there was memory so far */
};

/* ---- collecting ---- */

static void add_item(struct chart *chart, struct item item)
{
  if (chart->count == chart->room) {
    const size_t room = chart->room ? 2 * chart->room : 1024;
    struct item *grown = realloc(chart->items, room * sizeof *grown);
    if (!grown) {
      chart->good = false;
      return;
    }
    chart->items = grown;
    chart->room = room;
  }
  item.number = chart->count;
  chart->items[chart->count++] = item;
}

/* The hold of that thread and lock, made when there is none; NULL when there is no memory. */
static struct hold *find_hold(struct chart *chart, uintptr_t addr, uint32_t thread)
{
  for (size_t i = 0; i < chart->hold_count; i++)
    if (chart->holds[i].addr == addr && chart->holds[i].thread == thread)
      return &chart->holds[i];
  if (chart->hold_count == chart->hold_room) {
    const size_t room = chart->hold_room ? 2 * chart->hold_room : 16;
    struct hold *grown = realloc(chart->holds, room * sizeof *grown);
    if (!grown) {
      chart->good = false;
      return NULL;
    }
    chart->holds = grown;
    chart->hold_room = room;
  }
  chart->holds[chart->hold_count] = (struct hold){.addr = addr, .thread = thread};
  return &chart->holds[chart->hold_count++];
}

static void take(struct chart *chart, const struct trace_event *e, uintptr_t addr)
{
  struct hold *hold = find_hold(chart, addr, e->thread);
  if (!hold)
    return;
  if (addr == e->addr || !hold->taken)
    hold->taken = e;
  if (hold->depth++)
    return;
  hold->id = ++chart->ids;
  add_item(
      chart,
      (struct item){.time = e->step, .kind = ITEM_ACQUIRE, .thread = e->thread, .id = hold->id, .event = hold->taken});
}

static void give_back(struct chart *chart, struct hold *hold, uint64_t time)
{
  add_item(
      chart,
      (struct item){.time = time, .kind = ITEM_RELEASE, .thread = hold->thread, .id = hold->id, .event = hold->taken});
}

static void release(struct chart *chart, const struct trace_event *e, uintptr_t addr)
{
  struct hold *hold = find_hold(chart, addr, e->thread);
  if (hold && hold->depth && --hold->depth == 0)
    give_back(chart, hold, e->step + 1);
}

static void follow_locks(struct chart *chart, const struct trace_event *e)
{
  if (op_takes_lock(e->op) && (e->result == 0 || e->result == EOWNERDEAD))
    take(chart, e, e->addr);
  else if (op_leaves_lock(e->op) && e->result == 0)
    release(chart, e, e->addr);
  else if (e->op == OP_COND_WAIT)
    release(chart, e, e->second);
  else if (e->op == OP_COND_WAKE || e->op == OP_COND_TIMEDWAKE)
    take(chart, e, e->second);
}

/* The event of that step; NULL when the trace does not have it. */
static const struct trace_event *event_of_step(const struct story *story, uint64_t step)
{
  size_t low = 0, high = story->event_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (story->events[middle].step < step)
      low = middle + 1;
    else
      high = middle;
  }
  return low < story->event_count && story->events[low].step == step ? &story->events[low] : NULL;
}

/* The event that created a thread. */
static const struct trace_event *creation_of(const struct story *story, uint32_t thread)
{
  if (!story->threads || thread >= story->thread_count || !story->threads[thread].nth)
    return NULL;
  uint32_t nth = story->threads[thread].nth;
  for (size_t i = 0; i < story->event_count; i++) {
    const struct trace_event *e = &story->events[i];
    if (e->op == OP_CREATE && e->thread == story->threads[thread].parent && e->result == 0 && --nth == 0)
      return e;
  }
  return NULL;
}

/* From what let it go on, and from who sent what it receives. */
static void add_arrow(struct chart *chart, const struct trace_event *e, const struct trace_event *from)
{
  if (!from || from->thread == e->thread || from->step >= e->step)
    return;
  struct item item = {
      .time = from->step, .kind = ITEM_DEPARTURE, .thread = from->thread, .id = ++chart->ids, .event = from};
  add_item(chart, item);
  item.time = e->step;
  item.kind = ITEM_ARRIVAL;
  item.thread = e->thread;
  add_item(chart, item);
}

static void add_arrows(struct chart *chart, size_t event)
{
  const struct trace_event *e = &chart->story->events[event];
  const size_t sender = event_sender(chart->story, event);
  if (sender != NO_SENDER)
    add_arrow(chart, e, &chart->story->events[sender]);
  else if (e->op == OP_START)
    add_arrow(chart, e, creation_of(chart->story, e->thread));
  else if (e->woken_by)
    add_arrow(chart, e, event_of_step(chart->story, e->woken_by));
}

static void add_wait(struct chart *chart, const struct trace_event *e, uint64_t until)
{
  if (e->waited_since && e->waited_since < until)
    add_item(chart, (struct item){.time = e->waited_since,
                                  .kind = ITEM_WAIT,
                                  .thread = e->thread,
                                  .duration = until - e->waited_since,
                                  .event = e});
}

static void collect(struct chart *chart)
{
  const struct story *story = chart->story;
  for (size_t i = 0; i < story->event_count; i++) {
    const struct trace_event *e = &story->events[i];
    chart->end = e->step + 1;
    add_wait(chart, e, e->step);
    add_item(chart, (struct item){.time = e->step, .kind = ITEM_STEP, .thread = e->thread, .event = e});
    follow_locks(chart, e);
    add_arrows(chart, i);
    if (e->marks & TRACE_RACE)
      add_item(chart, (struct item){.time = e->step, .kind = ITEM_RACE, .thread = e->thread, .event = e});
  }
  for (size_t i = 0; i < story->left_count; i++)
    if (story->left[i].step >= chart->end)
      chart->end = story->left[i].step + 1;
  for (size_t i = 0; i < story->left_count; i++)
    add_wait(chart, &story->left[i], chart->end);
  for (size_t i = 0; i < chart->hold_count; i++)
    if (chart->holds[i].depth)
      give_back(chart, &chart->holds[i], chart->end);
  if (story->bug)
    add_item(chart, (struct item){.time = chart->end,
                                  .kind = ITEM_BUG,
                                  .thread = party_count(story->bug) ? story->bug->party[0].thread : 0});
}

static int compare_items(const void *a, const void *b)
{
  const struct item *x = a, *y = b;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

/* ---- writing ---- */

/* What every event has. Threads and processes are numbered from 1: viewers take 0 for the idle one. */
static json_t *event_value(const struct chart *chart, const char *phase, const char *name, const char *category,
                           uint32_t thread, uint64_t time, bool *good)
{
  json_t *value = container(json_object(), good);
  set(value, "ph", text_value(phase), good);
  set(value, "name", text_value(name), good);
  set(value, "cat", text_value(category), good);
  set(value, "pid", integer(process_of(chart->story, thread) + 1), good);
  set(value, "tid", integer(thread + 1), good);
  set(value, "ts", integer(time), good);
  return value;
}

static void set_id(json_t *value, uint64_t id, bool *good)
{
  char text[24];
  snprintf(text, sizeof text, "0x%" PRIx64, id);
  set(value, "id", text_value(text), good);
}

static const char *category_of(const struct trace_event *e)
{
  const enum object_kind object = e->op < OP_COUNT ? op_table[e->op].object : OBJECT_NOTHING;
  return object == OBJECT_NOTHING ? "other" : object_kind_name[object];
}

static json_t *step_value(const struct chart *chart, const struct item *item, bool *good)
{
  const struct trace_event *e = item->event;
  const bool waits = item->kind == ITEM_WAIT;
  char name[sizeof((struct trace_line *)0)->phrase + OBJECT_SIZE + 1];
  struct trace_line line;
  trace_line_fill(chart->story, e, waits && e->marks & TRACE_BLOCKED, &line);
  snprintf(name, sizeof name, "%s%s%s", waits ? waiting_phrase(e->op) : line.phrase, line.object[0] ? " " : "",
           line.object);
  json_t *value = event_value(chart, "X", name, waits ? "wait" : category_of(e), item->thread, item->time, good);
  set(value, "dur", integer(waits ? item->duration : 1), good);
  set(value, "args", trace_line_value(chart->story, &line, good), good);
  return value;
}

static json_t *hold_value(const struct chart *chart, const struct item *item, bool *good)
{
  struct trace_line line;
  char name[OBJECT_SIZE + 8], thread[THREAD_NAME_SIZE];
  trace_line_fill(chart->story, item->event, false, &line);
  identify_thread(chart->story, item->event->thread, thread);
  snprintf(name, sizeof name, "holds %s", line.object);
  json_t *value =
      event_value(chart, item->kind == ITEM_ACQUIRE ? "b" : "e", name, "lock", item->thread, item->time, good);
  set_id(value, item->id, good);
  json_t *args = container(json_object(), good);
  set(args, "thread", text_value(thread), good);
  set(args, "where", text_value(line.place), good);
  set(value, "args", args, good);
  return value;
}

static json_t *arrow_value(const struct chart *chart, const struct item *item, bool *good)
{
  const bool arrives = item->kind == ITEM_ARRIVAL;
  const char *name = item->event->op < OP_COUNT ? op_table[item->event->op].name : "?";
  json_t *value = event_value(chart, arrives ? "f" : "s", name, "order", item->thread, item->time, good);
  set_id(value, item->id, good);
  if (arrives)
    set(value, "bp", text_value("e"), good);
  return value;
}

static json_t *instant_value(const struct chart *chart, const struct item *item, bool *good)
{
  const struct story *story = chart->story;
  const bool race = item->kind == ITEM_RACE;
  char message[SENTENCE_SIZE] = "data race";
  struct trace_line line;
  if (!race)
    bug_message(story, message, sizeof message);
  json_t *value = event_value(chart, "i", message, race ? "race" : "bug", item->thread, item->time, good);
  set(value, "s", text_value(race ? "t" : "g"), good);
  if (race)
    trace_line_fill(story, item->event, false, &line);
  set(value, "args", race ? trace_line_value(story, &line, good) : trace_bug_value(story, good), good);
  return value;
}

static json_t *item_value(const struct chart *chart, const struct item *item, bool *good)
{
  switch (item->kind) {
  case ITEM_WAIT:
  case ITEM_STEP:
    return step_value(chart, item, good);
  case ITEM_ACQUIRE:
  case ITEM_RELEASE:
    return hold_value(chart, item, good);
  case ITEM_ARRIVAL:
  case ITEM_DEPARTURE:
    return arrow_value(chart, item, good);
  case ITEM_RACE:
  case ITEM_BUG:
    break;
  }
  return instant_value(chart, item, good);
}

/* Names a track, or says where it stands. */
static void write_metadata(FILE *out, const char *what, const char *key, json_t *argument, uint32_t process,
                           uint32_t thread, bool *good)
{
  json_t *value = container(json_object(), good), *args = container(json_object(), good);
  set(value, "ph", text_value("M"), good);
  set(value, "name", text_value(what), good);
  set(value, "pid", integer(process + 1), good);
  set(value, "tid", integer(thread + 1), good);
  set(args, key, argument, good);
  set(value, "args", args, good);
  write_item(out, value, process == 0 && what[0] == 'p', good);
}

static void write_tracks(FILE *out, const struct story *story, const struct trace_origin *origin, bool *good)
{
  for (uint32_t p = 0; p < process_count(story); p++) {
    char origin_of_child[SENTENCE_SIZE];
    describe_process_origin(story, p, origin_of_child);
    write_metadata(out, "process_name", "name", text_value(p ? origin_of_child : origin->program), p,
                   first_thread_of(story, p), good);
  }
  for (uint32_t i = 0; story->threads && i < story->thread_count; i++) {
    char name[THREAD_NAME_SIZE + 32];
    identify_thread(story, i, name);
    const size_t used = strlen(name), given = strnlen(story->threads[i].name, sizeof story->threads[i].name);
    if (given)
      snprintf(name + used, sizeof name - used, " (%.*s)", (int)given, story->threads[i].name);
    write_metadata(out, "thread_name", "name", text_value(name), process_of(story, i), i, good);
    write_metadata(out, "thread_sort_index", "sort_index", integer(i), process_of(story, i), i, good);
  }
}

bool trace_chrome(FILE *out, const struct story *story, const struct trace_origin *origin)
{
  struct chart chart = {.story = story, .good = true};
  bool good = true;
  collect(&chart);
  if (chart.count)
    qsort(chart.items, chart.count, sizeof *chart.items, compare_items);
  json_t *head = container(json_object(), &good), *origin_value = container(json_object(), &good);
  trace_origin_keys(origin_value, origin, &good);
  set(origin_value, "bug", trace_bug_value(story, &good), &good);
  set(head, "otherData", origin_value, &good);
  set(head, "displayTimeUnit", text_value("ns"), &good);
  write_head(out, head, &good);
  fputs(",\n\"traceEvents\": [", out);
  write_tracks(out, story, origin, &good);
  for (size_t i = 0; good && i < chart.count; i++)
    write_item(out, item_value(&chart, &chart.items[i], &good), false, &good);
  fputs("\n]}\n", out);
  free(chart.items);
  free(chart.holds);
  return good && chart.good;
}
