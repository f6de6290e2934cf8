/* SPDX-License-Identifier: Apache-2.0
 *
 * Stories on a terminal: headline, sentences on the parties, the chosen events in columns, and what to do
 * next. */
#include "report/story/story.h"

#include "core/footprint.h"
#include "report/blame/blame_shape.h"
#include "report/blame/blame_text.h"
#include "report/story/hang_story.h"
#include "report/story/held.h"
#include "report/story/process_words.h"
#include "report/story/property_words.h"
#include "report/story/select.h"
#include "report/story/story_columns.h"
#include "report/story/story_words.h"
#include "report/story/terminal_text.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_TOLD 14 /* with gaps, headline and sentences, one screen */
#define STACK_TOLD 6
#define GAP_TOLD 10 /* steps left out before it is said how many; fewer are only marked */

struct story_switches story_count_switches(const struct trace_event *events, size_t count)
{
  struct story_switches n = {0, 0};
  for (size_t i = 1; events && i < count; i++) {
    n.switches += events[i].switched != 0;
    n.preemptions += events[i].switched == 2;
  }
  return n;
}

static void put_style(FILE *out, const struct story *story, const char *code)
{
  if (story->colour)
    fputs(code, out);
}

/* " and :12": of a race, where the earlier side was. */
static void describe_other_side(const struct story *story, char *out, size_t n)
{
  char place[PLACE_SIZE];
  const struct bug *bug = story->bug;
  if (bug->kind != BUG_RACE || party_count(bug) < 2 || !out[0])
    return;
  symbols_format_place(story->symbols, party_pc(story, &bug->party[1]), place, sizeof place);
  if (place[0] && strcmp(place, out) != 0)
    append(out, n, " and %s", place_after(out, place));
}

void story_headline(FILE *out, const struct story *story)
{
  char message[SENTENCE_SIZE], where[256], tail[384] = "";
  bug_message(story, message, sizeof message);
  bug_where(story, where, sizeof where);
  if (where[0])
    append(tail, sizeof tail, "%s", where);
  describe_other_side(story, tail, sizeof tail);
  if (story->executions)
    append(tail, sizeof tail, "%safter %" PRIu64 " execution%s", where[0] ? ", " : "", story->executions,
           story->executions == 1 ? "" : "s");
  const unsigned width = story_width(story), used = 2 + text_width(message), wanted = text_width(tail);
  put_style(out, story, "\033[1;31m");
  fputs("✗ ", out);
  if (used + 2 + wanted <= width) {
    fputs(message, out);
    put_style(out, story, "\033[0m");
    if (wanted) /* to the right, but not further than the eye follows */
      fprintf(out, "%*s%s", (int)(used + 2 < 54 && 54 + wanted <= width ? 54 - used : 2), "", tail);
    fputc('\n', out);
    return;
  }
  print_wrapped(out, message, 2, width);
  put_style(out, story, "\033[0m");
  if (wanted) {
    fprintf(out, "%*s", INDENT, "");
    print_wrapped(out, tail, INDENT, width);
  }
}

/* ---- sentences ---- */

static void sentence(FILE *out, const struct story *story, const char *text)
{
  fprintf(out, "%*s", INDENT, "");
  print_wrapped(out, text, INDENT + 4, story_width(story));
}

static void print_stack(FILE *out, const struct story *story, const struct bug_party *party, uintptr_t shown)
{
  char place[PLACE_SIZE], text[PLACE_SIZE + 32];
  struct source_place line;
  unsigned told = 0;
  for (uint32_t i = 0; i < party->depth && i < BUG_STACK && told < STACK_TOLD; i++) {
    if (party->stack[i] == shown || !symbols_line(story->symbols, party->stack[i], &line) || !line.line || line.library)
      continue;
    describe_place_and_function(story, party->stack[i], place);
    snprintf(text, sizeof text, "called from %s", place);
    put_style(out, story, "\033[2m");
    fprintf(out, "%*s", INDENT + 4, "");
    print_wrapped(out, text, INDENT + 8, story_width(story));
    put_style(out, story, "\033[0m");
    told++;
  }
}

/* Of a data race: the locks that each side held. */
static void describe_locks(const struct story *story, const struct bug_party *party, char text[SENTENCE_SIZE])
{
  size_t event[2];
  char locks[SENTENCE_SIZE / 2];
  size_t flag[2];
  if (!race_events(story, event) || race_flag(story, event, flag))
    return;
  const struct held held = held_at(story, event[party == &story->bug->party[0]]);
  describe_held(story, &held, "", locks, sizeof locks);
  append(text, SENTENCE_SIZE, ", %s", locks);
}

/* Whether the sides of a race are calls of a function that keeps a state. */
static bool is_call(const struct bug *bug)
{
  return bug->kind == BUG_RACE && bug->detail == RACE_OF_CALLS;
}

/* "T1 writes balance[0] at bank.c:23 in withdraw", and how it came there. */
static void print_party(FILE *out, const struct story *story, const struct bug_party *party)
{
  char name[THREAD_NAME_SIZE], object[OBJECT_SIZE], place[PLACE_SIZE], text[SENTENCE_SIZE];
  const uintptr_t pc = party_pc(story, party);
  const uint16_t op = party_op(story, party);
  const bool acts = op != OP_NONE && op < OP_COUNT;
  describe_thread(story, party->thread, name);
  describe_party_object(story, party, object);
  describe_place_and_function(story, pc, place);
  snprintf(text, sizeof text, "%s", name);
  if (!acts && story->bug->kind == BUG_CRASH)
    append(text, sizeof text, " crashes");
  else if (!acts && story->bug->kind == BUG_MEMORY)
    append(text, sizeof text, " frees it%s", party->freed_pc ? " again" : "");
  else if (is_call(story->bug))
    append(text, sizeof text, " calls %s", story->bug->text);
  else if (acts)
    append(text, sizeof text, " %s%s%s", op_table[op].phrase, object[0] ? " " : "", object);
  if (place[0])
    append(text, sizeof text, " at %s", place);
  describe_locks(story, party, text);
  sentence(out, story, text);
  print_stack(out, story, party, pc);
}

/* The event that freed what a party used, NULL for none. */
static const struct trace_event *freeing(const struct story *story, const struct bug_party *party)
{
  for (size_t i = story->events ? story->event_count : 0; i-- > 0;)
    if (frees_party(story->bug, &story->events[i], party))
      return &story->events[i];
  return NULL;
}

/* "and freed by main at map.c:45 in drop"; what the trace knows of it is better than what the record does. */
static void describe_freed(const struct story *story, const struct bug_party *party, char text[SENTENCE_SIZE])
{
  char name[THREAD_NAME_SIZE], place[PLACE_SIZE];
  const struct trace_event *e = freeing(story, party);
  if (e) {
    describe_thread(story, e->thread, name);
    append(text, SENTENCE_SIZE, " by %s", name);
  }
  describe_place_and_function(story, e ? event_pc(story, e) : party->freed_pc, place);
  append(text, SENTENCE_SIZE, " at %s", place);
}

static void print_block(FILE *out, const struct story *story, const struct bug_party *party)
{
  char place[PLACE_SIZE], text[SENTENCE_SIZE] = "";
  const uintptr_t made = party_block_pc(story, party);
  const bool own = !in_library(story, made);
  const uint64_t past = party->block_offset > party->block_size ? party->block_offset - party->block_size : 0;
  if (!party->block_pc)
    return;
  describe_place_and_function(story, made, place);
  const bool shared = key_space(party->addr) == SPACE_SHARED;
  if (shared || party->mapped)
    snprintf(text, sizeof text, "the %smemory of %" PRIu64 " bytes was ", shared ? "shared " : "", party->block_size);
  else
    snprintf(text, sizeof text, "the block of %" PRIu64 " byte%s was ", party->block_size,
             party->block_size == 1 ? "" : "s");
  if (own)
    append(text, sizeof text, "%s at %s", shared || party->mapped ? "mapped" : "allocated", place);
  if (party->freed_pc) {
    append(text, sizeof text, "%sfreed", own ? " and " : "");
    describe_freed(story, party, text);
  } else if (!own) {
    return; /* a library's block: nothing new */
  } else if (past) {
    append(text, sizeof text, "; this is %" PRIu64 " byte%s past its end", past, past == 1 ? "" : "s");
  } else if (party->block_size && party->block_offset == party->block_size) {
    append(text, sizeof text, "; this is just past its end");
  } else if (party->block_size && party->block_offset + party->length > party->block_size) {
    append(text, sizeof text, "; this is at its offset %" PRIu64, party->block_offset);
  }
  sentence(out, story, text);
}

static void print_holder(FILE *out, const struct story *story, const struct bug_party *party)
{
  char name[THREAD_NAME_SIZE], object[OBJECT_SIZE], place[PLACE_SIZE], text[SENTENCE_SIZE];
  if (party->holder < 0 || (uint32_t)party->holder == party->thread || op_is_memory(party->op))
    return;
  describe_thread(story, (uint32_t)party->holder, name);
  describe_party_object(story, party, object);
  describe_place(story, party->holder_pc, place);
  snprintf(text, sizeof text, "%s holds %s%s%s", name, object[0] ? object : "it", place[0] ? " since " : "", place);
  sentence(out, story, text);
}

/* What would order the two sides of a data race. */
static void print_race_remedy(FILE *out, const struct story *story)
{
  size_t event[2];
  char text[SENTENCE_SIZE] = "fix: ";
  if (!race_events(story, event))
    return;
  const size_t length = strlen(text);
  describe_race_remedy(story, event, text + length, sizeof text - length);
  if (text[length])
    sentence(out, story, text);
}

/* A thread that its test's schedule, or a property, holds back, or one that waits meanwhile. */
static void describe_kept_back(const struct story *story, const struct bug_party *party, char text[SENTENCE_SIZE])
{
  if (party_is_held(story, party))
    describe_held_party(story, party, text);
  else
    describe_waiting(story, party, text);
}

static void print_parties(FILE *out, const struct story *story, size_t repetition)
{
  const struct bug *bug = story->bug;
  char text[SENTENCE_SIZE], place[PLACE_SIZE];
  const uint32_t count = party_count(bug);
  for (uint32_t i = 0; i < count; i++) {
    /* Of a race the earlier side is the second party. */
    const struct bug_party *party = &bug->party[bug->kind == BUG_RACE ? count - 1 - i : i];
    switch (bug->kind) {
    case BUG_DEADLOCK:
      describe_waiting(story, party, text);
      sentence(out, story, text);
      break;
    case BUG_SCHEDULE:
      describe_kept_back(story, party, text);
      sentence(out, story, text);
      break;
    case BUG_LEAK:
      describe_place_and_function(story, party->block_pc ? party_block_pc(story, party) : party->pc, place);
      snprintf(text, sizeof text, "%" PRIu64 " byte%s allocated at %s", party->block_size,
               party->block_size == 1 ? "" : "s", place);
      sentence(out, story, text);
      break;
    case BUG_HANG:
      describe_repetition(story, repetition, party, text);
      sentence(out, story, text);
      print_stack(out, story, party, party_pc(story, party));
      break;
    case BUG_RACE:
    case BUG_MEMORY:
    case BUG_CRASH:
    case BUG_PROPERTY:
      if (bug->kind == BUG_PROPERTY && bug->detail == PROPERTY_HOLDS_BACK) {
        describe_kept_back(story, party, text);
        sentence(out, story, text);
        break;
      }
      print_party(out, story, party);
      if (bug->kind == BUG_MEMORY || bug->kind == BUG_CRASH || (bug->kind == BUG_RACE && i + 1 == count))
        print_block(out, story, party);
      if (bug->kind == BUG_PROPERTY)
        print_holder(out, story, party);
      break;
    default:
      break;
    }
  }
  if (bug->kind == BUG_RACE && !is_call(bug))
    print_race_remedy(out, story);
}

/* ---- events in columns ---- */

/* What is written is seen at the thread's next step: if there was none, it is not known. */
static bool is_unsettled(const struct story *story, size_t event)
{
  const struct trace_event *e = &story->events[event];
  if (!op_writes_memory(e->op) || e->value != e->before)
    return false;
  if (e->marks & TRACE_UNSHARED)
    return true;
  for (size_t i = event + 1; i < story->event_count; i++)
    if (story->events[i].thread == e->thread)
      return false;
  return true;
}

/* Whether the update in between is really lost: it has changed what was read before, and is not what is written again,
 * as of a flag that two threads set. */
static bool is_lost(const struct story *story, const struct triple *t)
{
  const struct trace_event *first = &story->events[t->first], *between = &story->events[t->between],
                           *last = &story->events[t->last];
  if (!first->has_value || !between->has_value || first->length != between->length)
    return true;
  return between->value != first->value && !(last->length == 1 && last->value == between->value);
}

/* What is remarkable about an event, in words. */
static void describe_remark(const struct story *story, const struct selection *selection, size_t event, char *out,
                            size_t n)
{
  char other[THREAD_NAME_SIZE];
  out[0] = '\0';
  const bool stopped = event_stopped(story, &story->events[event]);
  const struct trace_event *freed = stopped ? freeing(story, &story->bug->party[0]) : NULL;
  if (freed) {
    describe_thread(story, freed->thread, other);
    snprintf(out, n, "%s has freed it", other);
    return;
  }
  describe_handler(story, event, out, n);
  for (size_t i = 0; i < selection->triple_count; i++) {
    const struct triple *t = &selection->triple[i];
    if (t->last != event)
      continue;
    describe_thread(story, story->events[t->between].thread, other);
    if (story->events[t->between].op == OP_FREE) {
      snprintf(out, n, "%s has freed it", other);
      return;
    }
    if (story->events[event].op == OP_FREE) {
      snprintf(out, n, "%s was using it", other);
      return;
    }
    switch (t->kind) {
    case LOST_UPDATE:
      if (is_lost(story, t))
        snprintf(out, n, "%s's update is lost", other);
      return;
    case CHANGED_READ:
      snprintf(out, n, "%s changed it in between", other);
      return;
    case OVERWRITTEN:
      snprintf(out, n, "%s has overwritten it", other);
      return;
    case SEEN_BETWEEN:
      snprintf(out, n, "%s saw the value in between", other);
      return;
    }
  }
}

static bool preemption_between(const struct story *story, size_t from, size_t to)
{
  for (size_t i = from + 1; i <= to; i++)
    if (story->events[i].switched == 2)
      return true;
  return false;
}

/* From whom a message is. */
static void describe_source(const struct story *story, const struct trace_event *source, char out[VALUE_SIZE])
{
  char name[THREAD_NAME_SIZE];
  describe_thread(story, source->thread, name);
  snprintf(out, VALUE_SIZE, "from %s", name);
}

/* Whether the bug is about the memory that the event accesses. */
static bool is_about(const struct story *story, const struct trace_event *event)
{
  for (uint32_t i = 0; i < party_count(story->bug); i++)
    if (event->addr == story->bug->party[i].addr || frees_party(story->bug, event, &story->bug->party[i]))
      return true;
  return event_stopped(story, event);
}

static void fill_row(const struct story *story, const struct selection *selection, size_t index, struct story_row *row)
{
  const size_t event = selection->event[index];
  const struct trace_event *e = &story->events[event];
  const uintptr_t pc = event_pc(story, e);
  row->event = row->last = event;
  row->times = 1;
  row->phrase = event_phrase(story, e);
  row->internal = (e->op == OP_READ || e->op == OP_WRITE) && in_library(story, e->pc);
  describe_thread(story, e->thread, row->name);
  describe_place(story, pc, row->place);
  describe_remark(story, selection, event, row->remark, sizeof row->remark);
  if (index > 0) {
    const size_t before = selection->event[index - 1];
    row->marked = story->events[before].thread != e->thread;
    row->preempted = row->marked && preemption_between(story, before, event);
  }
  if (is_call(story->bug) && is_about(story, e)) {
    row->phrase = "calls";
    row->internal = true;
    snprintf(row->object, sizeof row->object, "%.*s", OBJECT_SIZE - 1, story->bug->text);
    return;
  }
  if (!is_about(story, e) && describe_library_call(story, e, row->object)) {
    row->phrase = "calls";
    row->internal = true;
    row->remark[0] = '\0'; /* about memory that nobody knows */
    return;
  }
  describe_object(story, e, row->object);
  const bool stopped = event_stopped(story, e);
  if (!stopped && is_unsettled(story, event))
    describe_value_before(story, e, row->value);
  else if (!row->internal && !stopped)
    describe_value(story, e, row->value);
  const struct trace_event *source = message_source(story, e);
  if (source && !row->value[0])
    describe_source(story, source, row->value);
}

static void print_row(FILE *out, const struct story *story, const struct story_row *row, const struct columns *columns)
{
  const struct trace_event *e = &story->events[row->event];
  struct line line;
  char times[24], object[OBJECT_SIZE];
  const bool more = row->value[0] || row->remark[0]; /* that must not be pushed out of the line */
  leave_out_middle(row->object, more ? columns->object : story_width(story), object, sizeof object);
  line_begin(&line, out, story_width(story), story->colour);
  line_put(&line, STYLE_DIM, row->skipped && row->skipped < GAP_TOLD ? "…" : "", 2);
  line_put(&line, STYLE_BOLD, row->marked ? "▸" : "", 2);
  line_put(&line, STYLE_THREAD + e->thread, row->name, columns->name + 2);
  line_put(&line, STYLE_DIM, place_told(row->place, columns), columns->place + 2);
  line_put(&line, STYLE_PLAIN, row->phrase, columns->phrase + 2);
  line_put(&line, STYLE_BOLD, object, columns->object + 2);
  line_put(&line, STYLE_PLAIN, row->value, columns->value ? columns->value + 2 : 0);
  if (row->times > 1 && !row->internal) {
    snprintf(times, sizeof times, "%u times", row->times);
    line_put(&line, STYLE_DIM, times, text_width(times) + 2);
  }
  line_put(&line, STYLE_REMARK, row->remark, 0);
  line_end(&line);
}

/* Steps between two events, as the search counts them: accesses to memory that is nobody else's, which are not in the
 * trace, are none, nor are those of a thread that is still alone. But where anything is left out there is one at least.
 */
static uint64_t steps_between(const struct story *story, size_t from, size_t to)
{
  size_t alone = 0;
  while (alone < story->event_count && story->events[alone].op != OP_CREATE)
    alone++;
  const size_t start = alone < story->event_count && alone > from ? alone : from;
  return to <= from + 1 ? 0 : start + 1 < to ? to - start - 1 : 1;
}

static void print_gap(FILE *out, const struct story *story, uint64_t steps)
{
  char text[64];
  struct line line;
  if (steps < GAP_TOLD)
    return;
  snprintf(text, sizeof text, "… %" PRIu64 " step%s", steps, steps == 1 ? "" : "s");
  line_begin(&line, out, story_width(story), story->colour);
  line_put(&line, STYLE_PLAIN, "", INDENT);
  line_put(&line, STYLE_DIM, text, 0);
  line_end(&line);
}

/* The line of the failing check itself, when it is known. */
static void print_failure(FILE *out, const struct story *story, const struct columns *columns)
{
  const struct bug *bug = story->bug;
  struct source_place place;
  char name[THREAD_NAME_SIZE], where[PLACE_SIZE];
  if ((bug->kind != BUG_ASSERTION && bug->kind != BUG_CRASH) || party_count(bug) == 0)
    return;
  const uintptr_t pc = party_pc(story, &bug->party[0]);
  if (!symbols_line(story->symbols, pc, &place) || !place.line)
    return;
  const char *source = symbols_source_line(story->symbols, place.file, place.line);
  struct line line;
  describe_thread(story, bug->party[0].thread, name);
  describe_place(story, pc, where);
  line_begin(&line, out, story_width(story), story->colour);
  line_put(&line, STYLE_PLAIN, "", INDENT);
  line_put(&line, STYLE_THREAD + bug->party[0].thread, name, columns->name + 2);
  line_put(&line, STYLE_DIM, place_told(where, columns), columns->place + 2);
  line_put(&line, STYLE_BAD, bug->kind == BUG_CRASH ? "crashes" : "fails", columns->phrase + 2);
  line_put(&line, STYLE_PLAIN, source ? source : bug->text, 0);
  line_end(&line);
}

/* Those of the whole run up to the bug, as they are counted everywhere; not all of them may be told. */
static void print_switches(FILE *out, const struct story *story, const struct story_row *rows, size_t count)
{
  size_t end = story->event_count;
  while (story->bug->step && end > 0 && story->events[end - 1].step > story->bug->step)
    end--;
  const struct story_switches n = story_count_switches(story->events, end);
  unsigned told = 0;
  for (size_t i = 0; i < count; i++)
    told += rows[i].marked;
  if (n.switches == 0 || told == 0)
    return;
  fprintf(out, "  %" PRIu64 " context switch%s", n.switches, n.switches == 1 ? "" : "es");
  if (told < n.switches)
    fprintf(out, ", %u told", told);
  if (n.preemptions == 0)
    fputs(" (▸), no preemption\n", out);
  else if (n.switches == 1)
    fputs(" (▸), a preemption\n", out);
  else if (n.switches == n.preemptions)
    fputs(" (▸), all of them preemptions\n", out);
  else
    fprintf(out, " (▸), %" PRIu64 " of them %s\n", n.preemptions, n.preemptions == 1 ? "a preemption" : "preemptions");
}

/* Whether a row says what the one before says already. */
static bool is_alike(const struct story_row *before, const struct story_row *row)
{
  return !row->marked && !row->remark[0] && !before->remark[0] && strcmp(before->name, row->name) == 0 &&
         strcmp(before->place, row->place) == 0 && strcmp(before->object, row->object) == 0 &&
         strcmp(before->value, row->value) == 0 &&
         (strcmp(before->phrase, row->phrase) == 0 || (before->internal && row->internal));
}

/* Makes one row of those alike; returns how many there are then. */
static size_t merge_rows(const struct story *story, struct story_row *rows, size_t count)
{
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    struct story_row *before = kept ? &rows[kept - 1] : NULL;
    if (!before || !is_alike(before, &rows[i])) {
      rows[kept++] = rows[i];
      continue;
    }
    before->last = rows[i].last;
    before->times++;
    if (op_writes_memory(story->events[rows[i].event].op))
      before->phrase = rows[i].phrase;
  }
  return kept;
}

static void print_rows(FILE *out, const struct story *story, struct story_row *rows, size_t count)
{
  const struct columns columns = measure_columns(story, rows, count);
  for (size_t i = 0; i < count; i++) {
    rows[i].skipped = i > 0 ? steps_between(story, rows[i - 1].last, rows[i].event) : 0;
    print_gap(out, story, rows[i].skipped);
    print_row(out, story, &rows[i], &columns);
  }
  print_failure(out, story, &columns);
}

static bool has_line(const struct story *story, uintptr_t pc)
{
  struct source_place place;
  return symbols_line(story->symbols, pc, &place) && place.line;
}

/* What a library prints before it aborts, at the place of the crash. */
static bool is_last_words(const struct story *story, const struct trace_event *event)
{
  const struct bug *bug = story->bug;
  char place[PLACE_SIZE], crash[PLACE_SIZE];
  if (bug->kind != BUG_CRASH || !party_count(bug) || event->thread != bug->party[0].thread ||
      (event->op != OP_SYSTEM && !op_is_on_channels(event->op)))
    return false;
  describe_place(story, event_pc(story, event), place);
  describe_place(story, party_pc(story, &bug->party[0]), crash);
  return strcmp(place, crash) == 0;
}

/* What a test framework does to tell that a check failed: it has no lines, while the check has. */
static bool is_framework(const struct story *story, const struct trace_event *event)
{
  const struct bug *bug = story->bug;
  return bug->kind == BUG_ASSERTION && party_count(bug) && has_line(story, party_pc(story, &bug->party[0])) &&
         event->op != OP_PROCESS_END && event->op != OP_EXPIRE && !has_line(story, event_pc(story, event));
}

/* What no line of the program asked for: a library does it at the end of a thread, or in one of its own. */
static bool is_of_library_alone(const struct story *story, const struct trace_event *event)
{
  char call[OBJECT_SIZE];
  struct source_place place;
  symbols_line(story->symbols, event_pc(story, event), &place);
  return place.library && describe_library_call(story, event, call);
}

/* Reads of constants, and what a library does on its own account with memory that the bug is not about. */
static bool is_dull(const void *context, const struct trace_event *event)
{
  const struct story *story = context;
  if (is_framework(story, event) || is_last_words(story, event))
    return true;
  if (event->marks & TRACE_UNSHARED &&
      (in_library(story, event->pc) || symbols_is_constant(story->symbols, key_address(event->addr))))
    return true;
  if ((!op_is_access(event->op) && event->op != OP_FREE) || is_about(story, event))
    return false;
  if (op_is_atomic(event->op))
    return is_of_library_alone(story, event);
  if (event->op == OP_READ && !event->block_pc && !event->local_pc &&
      symbols_is_constant(story->symbols, key_address(event->addr)))
    return true;
  if (event->block_pc && in_library(story, event->block_pc) && in_library(story, event->pc))
    return true; /* its own memory, which has no name */
  struct source_place place;
  symbols_line(story->symbols, event_pc(story, event), &place);
  return place.library;
}

static const struct trace_event *last_signal(const void *context, const struct bug_party *party)
{
  return last_signal_to(context, party);
}

/* The rows of the story, malloc'ed; NULL when there are none. */
static struct story_row *make_rows(const struct story *story, size_t repetition, size_t *count)
{
  struct selection selection;
  struct pattern shape;
  const bool shaped = blame_shape(story, &shape);
  const struct insight insight = {is_dull, last_signal, shaped ? shape.event : NULL, story};
  const bool hangs = story->bug->kind == BUG_HANG;
  const struct bug focus = hangs ? hang_focus(story, repetition) : *story->bug;
  struct story_row *rows = NULL;
  *count = 0;
  if (select_events(&focus, story->events, hangs ? repetition : story->event_count, EVENTS_TOLD, &insight,
                    &selection) &&
      selection.count)
    rows = calloc(selection.count, sizeof *rows);
  if (rows) {
    for (size_t i = 0; i < selection.count; i++)
      fill_row(story, &selection, i, &rows[i]);
    *count = merge_rows(story, rows, selection.count);
  }
  selection_free(&selection);
  return rows;
}

/* Where the processes come from that are told of. */
static void print_processes(FILE *out, const struct story *story, const struct story_row *rows, size_t count)
{
  char text[SENTENCE_SIZE];
  const uint32_t processes = process_count(story);
  for (uint32_t p = 1; p < processes; p++) {
    bool told = false;
    for (uint32_t i = 0; i < party_count(story->bug) && !told; i++)
      told = process_of(story, story->bug->party[i].thread) == p;
    for (size_t i = 0; i < count && !told; i++)
      told = process_of(story, story->events[rows[i].event].thread) == p;
    describe_process_origin(story, p, text);
    if (told && text[0])
      sentence(out, story, text);
  }
}

static void print_events(FILE *out, const struct story *story, size_t repetition)
{
  size_t count;
  struct story_row *rows = make_rows(story, repetition, &count);
  print_processes(out, story, rows, rows ? count : 0);
  if (!rows)
    return;
  print_rows(out, story, rows, count);
  if (story->bug->kind == BUG_HANG && repetition < story->event_count)
    print_gap(out, story, steps_between(story, rows[count - 1].last, story->event_count - 1) + 1);
  print_switches(out, story, rows, count);
  free(rows);
}

static size_t repetition_of(const struct story *story)
{
  return story->bug->kind == BUG_HANG ? repetition_start(story->events, story->event_count) : story->event_count;
}

void story_sentences(FILE *out, const struct story *story)
{
  print_parties(out, story, repetition_of(story));
}

struct story_step *story_steps(const struct story *story, size_t *count)
{
  struct story_row *rows = make_rows(story, repetition_of(story), count);
  struct story_step *steps = rows ? calloc(*count, sizeof *steps) : NULL;
  for (size_t i = 0; steps && i < *count; i++) {
    const struct story_row *row = &rows[i];
    const struct trace_event *e = &story->events[row->event];
    struct story_step *step = &steps[i];
    *step = (struct story_step){.step = e->step,
                                .thread = e->thread,
                                .marked = row->marked,
                                .preempted = row->preempted,
                                .event = row->event,
                                .last = row->last,
                                .pc = event_pc(story, e)};
    memcpy(step->remark, row->remark, sizeof step->remark);
    snprintf(step->text, sizeof step->text, "%s%s%s%s%s%s%s", row->phrase, row->object[0] ? " " : "", row->object,
             row->value[0] ? " " : "", row->value, row->remark[0] ? ": " : "", row->remark);
  }
  if (!steps)
    *count = 0;
  free(rows);
  return steps;
}

/* ---- the whole ---- */

/* "  bug      a signal wakes one thread where all must wake: …", in the column of the commands. */
static void print_labelled(FILE *out, const struct story *story, const char *label, const char *text)
{
  const unsigned indent = 11;
  fprintf(out, "  %-*s", (int)indent - 2, label);
  print_wrapped(out, text, indent, story_width(story));
}

/* The mistake, when it is of a known shape, and what would mend it. */
static void print_shape(FILE *out, const struct story *story)
{
  struct pattern shape;
  char text[SENTENCE_SIZE], sentence[SENTENCE_SIZE - 128];
  if (story->explained || !blame_shape(story, &shape))
    return;
  describe_pattern(&(struct blame_view){.story = story}, &shape, sentence, sizeof sentence);
  snprintf(text, sizeof text, "%s: %s", pattern_gloss(shape.kind), sentence);
  print_labelled(out, story, "bug", text);
  describe_shape_remedy(story, &shape, text, sizeof text);
  if (text[0])
    print_labelled(out, story, "fix", text);
}

/* Lines are told as they are in the file, which may not be what was compiled. */
static void print_newer(FILE *out, const struct story *story)
{
  char text[512];
  const char *source = symbols_newer_source(story->symbols);
  if (!source)
    return;
  snprintf(text, sizeof text, "%s was changed after the program was built: its lines may be others now", source);
  print_labelled(out, story, "note", text);
}

void story_tell(FILE *out, const struct story *story)
{
  const size_t repetition = repetition_of(story);
  story_headline(out, story);
  print_parties(out, story, repetition);
  print_events(out, story, repetition);
  print_shape(out, story);
  print_newer(out, story);
}

void story_print(FILE *out, const struct story *story)
{
  story_tell(out, story);
  story_commands(out, story);
}
