/* SPDX-License-Identifier: Apache-2.0
 *
 * Ways through a trace, see the header.
 */
#include "report/blame/trail.h"

#include "report/story/story_words.h"
#include <string.h>

bool shows_by_value(const struct bug *bug)
{
  return bug->kind == BUG_ASSERTION || bug->kind == BUG_CRASH || bug->kind == BUG_EXIT;
}

uint32_t failing_thread(const struct story *story)
{
  return party_count(story->bug) ? story->bug->party[0].thread : story->events[story->event_count - 1].thread;
}

const struct trace_event *left_of(const struct story *story, uint32_t thread)
{
  for (size_t i = 0; story->left && i < story->left_count; i++)
    if (story->left[i].thread == thread)
      return &story->left[i];
  return NULL;
}

size_t next_preemption(const struct story *story, size_t from)
{
  for (size_t i = from > 0 ? from : 1; i < story->event_count; i++)
    if (story->events[i].switched == 2)
      return i;
  return NO_EVENT;
}

size_t last_preemption(const struct story *story)
{
  for (size_t i = story->event_count; i-- > 1;)
    if (story->events[i].switched == 2)
      return i;
  return NO_EVENT;
}

static bool accesses(const struct trace_event *e, uint32_t thread, const struct trace_event *memory)
{
  return e->thread == thread && op_is_memory(e->op) && events_overlap(e, memory);
}

size_t access_before(const struct story *story, size_t from, uint32_t thread, const struct trace_event *memory)
{
  for (size_t i = from; i-- > 0;)
    if (accesses(&story->events[i], thread, memory))
      return i;
  return NO_EVENT;
}

size_t access_after(const struct story *story, size_t from, uint32_t thread, const struct trace_event *memory)
{
  for (size_t i = from; i < story->event_count; i++)
    if (accesses(&story->events[i], thread, memory))
      return i;
  return NO_EVENT;
}

size_t find_source(const struct story *story, size_t read)
{
  for (size_t i = read; i-- > 0;)
    if (op_writes_memory(story->events[i].op) && events_overlap(&story->events[i], &story->events[read]))
      return i;
  return NO_EVENT;
}

bool is_repeated(const struct story *story, size_t read)
{
  const struct trace_event *e = &story->events[read], *before = read ? e - 1 : e;
  return read && e->thread == before->thread && e->op == before->op && e->addr == before->addr && e->pc == before->pc &&
         e->has_value && before->has_value && e->value == before->value && !op_writes_memory(e->op);
}

size_t find_last_read(const struct story *story, uint32_t thread, const struct trace_event *memory)
{
  for (size_t i = story->event_count; i-- > 0;) {
    const struct trace_event *e = &story->events[i];
    if (e->thread == thread && event_reads(e) && events_overlap(memory, e))
      return i;
  }
  return NO_EVENT;
}

size_t find_told_by(const struct story *story, size_t read, uint32_t other)
{
  const struct trace_event *events = story->events;
  for (size_t i = read; i-- > 0;) {
    if (events[i].thread != events[read].thread || !event_reads(&events[i]) || events[i].addr == events[read].addr ||
        is_repeated(story, i))
      continue;
    const size_t source = find_source(story, i);
    if (source != NO_EVENT && events[source].thread == other)
      return i;
  }
  return NO_EVENT;
}

size_t find_creation(const struct story *story, uint32_t parent, uint32_t child)
{
  for (size_t i = 0; i < story->event_count; i++) {
    const struct trace_event *e = &story->events[i];
    if (e->op == OP_CREATE && e->thread == parent && e->arg == child)
      return i;
  }
  return NO_EVENT;
}

bool is_same_line(const struct story *story, const struct trace_event *a, const struct trace_event *b)
{
  struct source_place one, other;
  if (!symbols_line(story->symbols, a->pc, &one) || !one.line || !symbols_line(story->symbols, b->pc, &other))
    return a->pc == b->pc;
  return one.line == other.line && !strcmp(one.name, other.name);
}

bool is_tested(const struct story *story, const struct trace_event *e)
{
  static const char *const words[] = {"if (", "while (", "for (", "? "};
  struct source_place place;
  const char *line = symbols_line(story->symbols, event_pc(story, e), &place) && place.line
                         ? symbols_source_line(story->symbols, place.file, place.line)
                         : NULL;
  for (size_t i = 0; line && i < sizeof words / sizeof words[0]; i++)
    if (strstr(line, words[i]))
      return true;
  return false;
}

bool is_called_in(const struct story *story, const struct trace_event *e, const char *name)
{
  struct source_place place;
  for (uint32_t i = 0; i <= e->depth && i <= BUG_STACK; i++) {
    const uintptr_t pc = i ? e->stack[i - 1] : e->pc;
    if (symbols_line(story->symbols, pc, &place) && place.function && strstr(place.function, name))
      return true;
  }
  return false;
}

uint64_t moved_by(const struct trace_event *e)
{
  return e->value > e->before ? e->value - e->before : e->before - e->value;
}

bool is_counter(const struct story *story, const struct trace_event *word, uint64_t by)
{
  for (size_t i = 0; i < story->event_count; i++) {
    const struct trace_event *e = &story->events[i];
    if (e->op == OP_ATOMIC_RMW && events_overlap(e, word) && (!e->has_value || moved_by(e) != by))
      return false;
  }
  return true;
}

unsigned count_preemptions(const struct story *story)
{
  unsigned count = 0;
  for (size_t at = next_preemption(story, 0); at != NO_EVENT; at = next_preemption(story, at + 1))
    count++;
  return count;
}
