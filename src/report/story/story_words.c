/* SPDX-License-Identifier: Apache-2.0
 *
 * The words of a story, see the header. Everything here ends in text; choosing and layout are
 * elsewhere. */
#include "report/story/story_words.h"
#include "core/footprint.h"
#include "report/story/moment.h"
#include "report/story/process_words.h"

#include "report/story/terminal_text.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void identify_thread(const struct story *story, uint32_t thread, char out[THREAD_NAME_SIZE])
{
  thread_info_name(story->threads, story->thread_count, thread, out, THREAD_NAME_SIZE);
}

/* The name may have any bytes. */
void describe_thread(const struct story *story, uint32_t thread, char out[THREAD_NAME_SIZE])
{
  const struct thread_info *info = story->threads && thread < story->thread_count ? &story->threads[thread] : NULL;
  identify_thread(story, thread, out);
  if (!info || !info->name[0] || info->image)
    return;
  char given[sizeof info->name + 1] = "", escaped[4 * sizeof given];
  memcpy(given, info->name, sizeof info->name);
  escape_text(given, escaped, sizeof escaped);
  append(out, THREAD_NAME_SIZE, ":%s", escaped);
}

void describe_place(const struct story *story, uintptr_t pc, char out[PLACE_SIZE])
{
  struct source_place place;
  out[0] = '\0';
  if (pc && symbols_line(story->symbols, pc, &place) && place.line)
    snprintf(out, PLACE_SIZE, "%s:%" PRIu32, place.name, place.line);
  else if (pc && place.library && place.function)
    snprintf(out, PLACE_SIZE, "%s", place.function);
  else if (pc)
    symbols_format_place(story->symbols, pc, out, PLACE_SIZE);
}

void describe_place_and_function(const struct story *story, uintptr_t pc, char out[PLACE_SIZE])
{
  struct source_place place;
  describe_place(story, pc, out);
  if (pc && symbols_line(story->symbols, pc, &place) && place.line && place.function)
    append(out, PLACE_SIZE, " in %s", place.function);
}

const char *place_after(const char *before, const char *place)
{
  const char *colon = strrchr(place, ':'), *other = strrchr(before, ':');
  bool line = colon && colon[1] && colon[1 + strspn(colon + 1, "0123456789")] == '\0'; /* not std::lock */
  bool same = line && other && colon - place == other - before && !strncmp(before, place, (size_t)(colon - place));
  return same ? colon : place;
}

uint32_t party_count(const struct bug *bug)
{
  return bug->parties < BUG_PARTIES ? bug->parties : BUG_PARTIES;
}

uintptr_t own_pc(const struct story *story, uintptr_t pc, const uintptr_t *stack, uint32_t depth)
{
  struct source_place place;
  if (!pc || (symbols_line(story->symbols, pc, &place) && place.line && !place.library))
    return pc;
  for (uint32_t i = 0; i < depth && i < BUG_STACK; i++)
    if (symbols_line(story->symbols, stack[i], &place) && place.line && !place.library)
      return stack[i];
  return pc;
}

static uintptr_t own_block_pc(const struct story *story, uintptr_t pc, const uintptr_t calls[BLOCK_CALLS])
{
  uint32_t depth = 0;
  while (depth < BLOCK_CALLS && calls[depth])
    depth++;
  return own_pc(story, pc, calls, depth);
}

uintptr_t event_block_pc(const struct story *story, const struct trace_event *event)
{
  return own_block_pc(story, event->block_pc, event->block_calls);
}

uintptr_t party_block_pc(const struct story *story, const struct bug_party *party)
{
  return own_block_pc(story, party->block_pc, party->block_calls);
}

bool in_library(const struct story *story, uintptr_t pc)
{
  struct source_place place;
  symbols_line(story->symbols, pc, &place);
  return place.library || place.inlined;
}

/* The last time a party did what the report says of it; NULL when the trace does not have it. */
static const struct trace_event *party_event(const struct story *story, const struct bug_party *party)
{
  for (size_t i = story->events ? story->event_count : 0; i-- > 0;) {
    const struct trace_event *e = &story->events[i];
    if (e->thread == party->thread && e->pc == party->pc)
      return e;
  }
  return NULL;
}

static uintptr_t start_of(const struct story *story, uint32_t thread)
{
  return story->threads && thread < story->thread_count ? story->threads[thread].start : 0;
}

uintptr_t event_pc(const struct story *story, const struct trace_event *event)
{
  if (event->op != OP_START)
    return own_pc(story, event->pc, event->stack, event->depth);
  const uintptr_t start = start_of(story, event->thread);
  return start && !in_library(story, start + 1) ? start + 1 : 0; /* as if it were a return address */
}

uintptr_t party_pc(const struct story *story, const struct bug_party *party)
{
  const uintptr_t own = own_pc(story, party->pc, party->stack, party->depth);
  if (own != party->pc || party->depth)
    return own;
  const struct trace_event *e = party_event(story, party);
  return e ? event_pc(story, e) : own;
}

uint16_t party_op(const struct story *story, const struct bug_party *party)
{
  const struct trace_event *e = party->op == OP_WRITE ? party_event(story, party) : NULL;
  return e && e->op == OP_FREE ? (uint16_t)OP_FREE : party->op;
}

uintptr_t party_holder_pc(const struct story *story, const struct bug_party *party)
{
  for (size_t i = story->events ? story->event_count : 0; i-- > 0;) {
    const struct trace_event *e = &story->events[i];
    if (e->pc == party->holder_pc && key_address(e->addr) == key_address(party->addr) &&
        e->thread == (uint32_t)party->holder)
      return event_pc(story, e);
  }
  return party->holder_pc;
}

static enum object_kind object_of(uint16_t op)
{
  return op < OP_COUNT ? op_table[op].object : OBJECT_NOTHING;
}

/* As symbols know it: other programs have other variables at the same addresses, and which one it is the code says. */
static uintptr_t symbol_address(uintptr_t pc, uintptr_t addr)
{
  return key_address(addr) | (pc >> IMAGE_SHIFT << IMAGE_SHIFT);
}

static enum block_kind block_kind(uintptr_t addr, bool mapped)
{
  return key_space(addr) == SPACE_SHARED ? BLOCK_SHARED : mapped ? BLOCK_MAPPED : BLOCK_HEAP;
}

static struct memory_place event_place(const struct story *story, const struct trace_event *event)
{
  return (struct memory_place){.addr = object_of(event->op) != OBJECT_NOTHING || event->op == OP_CALL
                                           ? symbol_address(event->pc, event->addr)
                                           : event->addr,
                               .length = op_is_memory(event->op) ? event->length : 0,
                               .whole = event->op == OP_FREE || event->op == OP_CALL,
                               .kind = block_kind(event->addr, event->marks & TRACE_MAPPED),
                               .block_pc = event_block_pc(story, event),
                               .block_offset = event->block_offset,
                               .block_size = event->block_size,
                               .local_pc = event->local_pc,
                               .local_offset = event->local_offset};
}

/* The second object of an event. Only as the first one of another is it known where it lies. */
static struct memory_place second_place(const struct story *story, const struct trace_event *event)
{
  const bool in_trace = event >= story->events && event < story->events + story->event_count;
  for (size_t i = in_trace ? (size_t)(event - story->events) : 0; i-- > 0;)
    if (story->events[i].addr == event->second && !op_is_memory(story->events[i].op))
      return event_place(story, &story->events[i]);
  return (struct memory_place){.addr = symbol_address(event->pc, event->second)};
}

const char *event_phrase(const struct story *story, const struct trace_event *event)
{
  if (event->op == OP_CREATE && process_of(story, (uint32_t)event->arg) != process_of(story, event->thread))
    return "forks";
  if (event->op == OP_COND_TIMEDWAKE)
    return event->result == ETIMEDOUT ? "times out on" : "wakes from";
  if (event->op == OP_PROCESS_END && event->arg)
    return event->arg == END_BY_EXEC ? "goes on as another program" : "is seen to have ended";
  return event->op < OP_COUNT ? op_table[event->op].phrase : "?";
}

bool event_stopped(const struct story *story, const struct trace_event *event)
{
  const struct bug *bug = story->bug;
  return bug && (bug->kind == BUG_MEMORY || bug->kind == BUG_CRASH) && party_count(bug) && event->step == bug->step &&
         event->thread == bug->party[0].thread && event->addr == bug->party[0].addr;
}

/* With the process whose memory it is, if that is another than the first. False: there is no name for it. */
static bool describe_memory(const struct story *story, uintptr_t addr, const struct memory_place *place,
                            char out[OBJECT_SIZE])
{
  char name[OBJECT_SIZE], owner[THREAD_NAME_SIZE + 4];
  const bool known = symbols_memory(story->symbols, place, name, sizeof name);
  describe_owner(story, addr, owner);
  snprintf(out, OBJECT_SIZE, "%s%.*s", owner, (int)(OBJECT_SIZE - sizeof owner), name);
  return known;
}

/* "conn_send on c": the function and the object it is given, where that has a name. */
static void describe_call(const struct story *story, const struct trace_event *event, char out[OBJECT_SIZE])
{
  char object[OBJECT_SIZE];
  struct memory_place place = event_place(story, event);
  place.length = place.local_pc ? 0 : UINT16_MAX; /* the whole of it, not its first member */
  if (!symbols_memory(story->symbols, &place, object, sizeof object))
    snprintf(object, sizeof object, "%#" PRIxPTR, place.addr);
  snprintf(out, OBJECT_SIZE, "%.*s on %.*s", (int)sizeof event->text, event->text, OBJECT_SIZE / 2, object);
}

bool describe_event_object(const struct story *story, const struct trace_event *event, char out[OBJECT_SIZE])
{
  struct memory_place place = event_place(story, event);
  place.addr = symbol_address(event->pc, event->addr);
  place.length = place.local_pc ? 0 : UINT16_MAX;
  return symbols_memory(story->symbols, &place, out, OBJECT_SIZE);
}

/* "next of SafeIteration on *i → unsafe": the event, the object that is its first parameter, and the state of the
 * monitor. */
static void describe_property_event(const struct story *story, const struct trace_event *event, char out[OBJECT_SIZE])
{
  char object[OBJECT_SIZE];
  const char *state = strstr(event->text, " → ");
  const int length = state ? (int)(state - event->text) : (int)strnlen(event->text, sizeof event->text);
  snprintf(out, OBJECT_SIZE, "%.*s", length, event->text);
  if (length && PROPERTY_EVENT_FIRST(event->length) && describe_event_object(story, event, object))
    append(out, OBJECT_SIZE, " on %.*s", OBJECT_SIZE / 2, object);
  if (state)
    append(out, OBJECT_SIZE, "%s", state);
}

/* descriptor 3, the read end of the pipe made at pipes.c:15 */
static void describe_channel(const struct story *story, const struct bug_party *party, char out[OBJECT_SIZE])
{
  char place[PLACE_SIZE];
  snprintf(out, OBJECT_SIZE, "%.*s", (int)sizeof party->what, party->what);
  if (party->block_pc) {
    describe_place(story, party->block_pc, place);
    append(out, OBJECT_SIZE, " made at %s", place);
  }
}

/* "descriptor 3 (pipe from pipes.c:15)" */
static void describe_channel_briefly(const struct story *story, const struct trace_event *event, char out[OBJECT_SIZE])
{
  char place[PLACE_SIZE];
  const size_t length = strnlen(event->text, sizeof event->text);
  const char *colon = memchr(event->text, ':', length);
  const size_t end = colon ? (size_t)(colon - event->text) : length;
  snprintf(out, OBJECT_SIZE, "%.*s", (int)end, event->text);
  if (!colon || end + 2 > length)
    return;
  describe_place(story, event->block_pc, place);
  append(out, OBJECT_SIZE, " (%.*s%s%s)", (int)(length - end - 2), event->text + end + 2, place[0] ? " from " : "",
         place);
}

/* What is being opened has no number yet. */
static void describe_descriptor(uintptr_t fd, char out[OBJECT_SIZE])
{
  if ((int)fd >= 0)
    snprintf(out, OBJECT_SIZE, "%d", (int)fd);
}

void describe_object(const struct story *story, const struct trace_event *event, char out[OBJECT_SIZE])
{
  char name[THREAD_NAME_SIZE];
  struct source_place start;
  struct memory_place place = event_place(story, event);
  out[0] = '\0';
  switch (object_of(event->op)) {
  case OBJECT_NOTHING:
    if (event->op == OP_PROPERTY)
      describe_property_event(story, event, out);
    if (event->op == OP_EVENT || event->op == OP_SYSTEM)
      snprintf(out, OBJECT_SIZE, "%.*s", (int)sizeof event->text, event->text);
    if (event->op == OP_CALL)
      describe_call(story, event, out);
    return;
  case OBJECT_THREAD:
    if (event->op == OP_START && event_pc(story, event) &&
        symbols_line(story->symbols, event_pc(story, event), &start) && start.function)
      snprintf(out, OBJECT_SIZE, "in %s", start.function);
    if (event->op == OP_START || event->op == OP_EXIT)
      return;
    if (event->op == OP_SIGNAL_SEND) {
      describe_sent_signal(story, event, out);
      return;
    }
    describe_thread(story, (uint32_t)event->arg, name);
    snprintf(out, OBJECT_SIZE, "%s", name);
    return;
  case OBJECT_FD:
    describe_descriptor(event->addr, out);
    if (event->text[0])
      append(out, OBJECT_SIZE, "%s%.*s%s", out[0] ? " (" : "", (int)sizeof event->text, event->text, out[0] ? ")" : "");
    return;
  case OBJECT_QUEUE:
  case OBJECT_SEMSET:
  case OBJECT_AIO:
    snprintf(out, OBJECT_SIZE, "%.*s", (int)sizeof event->text, event->text);
    return;
  case OBJECT_CHANNEL:
    describe_channel_briefly(story, event, out);
    return;
  case OBJECT_PROCESS:
    return; /* which child it was is the result */
  default:
    if (op_is_memory(event->op) && event->text[0]) /* what is no variable */
      snprintf(out, OBJECT_SIZE, "%.*s", (int)sizeof event->text, event->text);
    else
      describe_memory(story, event->addr, &place, out);
  }
  if (event->op == OP_COND_WAIT && event->second) {
    char mutex[OBJECT_SIZE];
    place = second_place(story, event);
    if (describe_memory(story, event->second, &place, mutex))
      append(out, OBJECT_SIZE, ", releasing %s", mutex);
  }
}

/* The errors that calls on threads and their objects return, by the names programs know them by. */
static const char *error_name(int32_t number)
{
  static const struct {
    int32_t number;
    const char *name;
  } names[] = {{EBUSY, "EBUSY"},   {ETIMEDOUT, "ETIMEDOUT"},   {EAGAIN, "EAGAIN"}, {EDEADLK, "EDEADLK"},
               {EINVAL, "EINVAL"}, {EPERM, "EPERM"},           {EINTR, "EINTR"},   {ESRCH, "ESRCH"},
               {ENOMEM, "ENOMEM"}, {EOWNERDEAD, "EOWNERDEAD"}, {ECHILD, "ECHILD"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].number == number)
      return names[i].name;
  return number > 0 && number < 200 ? strerror(number) : NULL;
}

static void describe_result(const struct story *story, const struct trace_event *event, char out[VALUE_SIZE])
{
  char child[THREAD_NAME_SIZE];
  if (event->op == OP_BARRIER_LEAVE)
    return; /* whether it is the one that is told so is no error */
  if (object_of(event->op) == OBJECT_PROCESS && describe_child(story, event->result, child))
    snprintf(out, VALUE_SIZE, "→ %s", child);
  else if (event->op == OP_CHOOSE)
    snprintf(out, VALUE_SIZE, "→ %" PRIu64, event->arg);
  else if (event->op == OP_FUTEX_WAKE)
    snprintf(out, VALUE_SIZE, "→ %" PRId32 " woken", event->result);
  else if (event->op == OP_SEM_GETVALUE)
    snprintf(out, VALUE_SIZE, "→ %" PRId32, event->result);
  else if (error_name(event->result < 0 ? -event->result : event->result))
    snprintf(out, VALUE_SIZE, "→ %s", error_name(event->result < 0 ? -event->result : event->result));
  else if (event->result != 0)
    snprintf(out, VALUE_SIZE, "→ %" PRId32, event->result);
}

/* Whether a value of heap memory is what fresh memory is filled with. */
static bool is_fresh(const struct trace_event *event, uint64_t value)
{
  uint64_t fresh;
  memset(&fresh, HEAP_FRESH, sizeof fresh);
  return event->block_pc && (event->length == 4 || event->length == 8) && value == fresh >> (64 - 8 * event->length);
}

static void format_value(const struct story *story, const struct trace_event *event, uint64_t value, char *out,
                         size_t n)
{
  const struct memory_place place = event_place(story, event);
  if (is_fresh(event, value))
    snprintf(out, n, "uninitialised");
  else
    symbols_format_value(story->symbols, &place, event->length, value, out, n);
}

void describe_value(const struct story *story, const struct trace_event *event, char out[VALUE_SIZE])
{
  char value[VALUE_SIZE / 2 - 8], before[VALUE_SIZE / 2 - 8];
  out[0] = '\0';
  if (!op_is_memory(event->op)) {
    describe_result(story, event, out);
    return;
  }
  if (!event->has_value)
    return;
  format_value(story, event, event->value, value, sizeof value);
  if (event->op == OP_ATOMIC_RMW) {
    format_value(story, event, event->before, before, sizeof before);
    snprintf(out, VALUE_SIZE, "%s → %s", before, value);
  } else {
    snprintf(out, VALUE_SIZE, "%s %s", op_writes_memory(event->op) ? "←" : "→", value);
  }
}

void describe_value_before(const struct story *story, const struct trace_event *event, char out[VALUE_SIZE])
{
  char before[VALUE_SIZE / 2];
  out[0] = '\0';
  if (event->op != OP_ATOMIC_RMW || !event->has_value)
    return;
  format_value(story, event, event->before, before, sizeof before);
  snprintf(out, VALUE_SIZE, "was %s", before);
}

void describe_plain_value(const struct story *story, const struct trace_event *event, bool before, char out[VALUE_SIZE])
{
  out[0] = '\0';
  if (event->has_value && op_is_memory(event->op))
    format_value(story, event, before ? event->before : event->value, out, VALUE_SIZE);
}

static struct memory_place party_place(const struct story *story, const struct bug_party *party)
{
  return (struct memory_place){.addr = symbol_address(party->pc, party->addr),
                               .length = op_is_memory(party->op) ? party->length : 0,
                               .kind = block_kind(party->addr, party->mapped),
                               .block_pc = party_block_pc(story, party),
                               .block_offset = party->block_offset,
                               .block_size = party->block_size,
                               .local_pc = party->local_pc,
                               .local_offset = party->local_offset};
}

bool describe_library_call(const struct story *story, const struct trace_event *event, char out[OBJECT_SIZE])
{
  char name[128];
  const struct memory_place place = event_place(story, event);
  uintptr_t own = event_pc(story, event), called = event->pc;
  if ((!op_is_access(event->op) && object_of(event->op) != OBJECT_FUTEX) || !in_library(story, event->pc) ||
      symbols_is_named(story->symbols, &place))
    return false;
  for (uint32_t i = 0; called != own && i < event->depth && i < BUG_STACK && event->stack[i] != own; i++)
    called = event->stack[i];
  if (!symbols_library_call(story->symbols, own, name, sizeof name) &&
      !symbols_library_call(story->symbols, called, name, sizeof name))
    return false;
  snprintf(out, OBJECT_SIZE, "%s()", name);
  return true;
}

#define LEARNT_EVENTS 100000 /* who uses a block does so early */

void story_learn_blocks(const struct story *story)
{
  symbols_forget_blocks(story->symbols);
  for (size_t i = 0; story->events && i < story->event_count && i < LEARNT_EVENTS; i++) {
    const struct trace_event *e = &story->events[i];
    if (!op_is_access(e->op) || !e->block_pc)
      continue;
    const struct memory_place place = event_place(story, e);
    symbols_learn_block(story->symbols, &place, event_pc(story, e));
  }
  for (uint32_t i = 0; story->bug && i < party_count(story->bug); i++) {
    const struct bug_party *party = &story->bug->party[i];
    if (!op_is_access(party->op) || !party->block_pc)
      continue;
    const struct memory_place place = party_place(story, party);
    symbols_learn_block(story->symbols, &place, party_pc(story, party));
  }
}

void describe_party_object(const struct story *story, const struct bug_party *party, char out[OBJECT_SIZE])
{
  char name[THREAD_NAME_SIZE];
  const struct memory_place place = party_place(story, party);
  out[0] = '\0';
  if (party->op == OP_PROPERTY) {
    snprintf(out, OBJECT_SIZE, "%.*s", (int)sizeof party->what, party->what);
    return;
  }
  switch (object_of(party->op)) {
  case OBJECT_THREAD:
  case OBJECT_PROCESS:
    if (party->holder < 0)
      return;
    describe_thread(story, (uint32_t)party->holder, name);
    snprintf(out, OBJECT_SIZE, "%s", name);
    return;
  case OBJECT_FD:
    describe_descriptor(party->addr, out);
    if (party->name[0])
      append(out, OBJECT_SIZE, out[0] ? " (%.*s)" : "%.*s", (int)sizeof party->name, party->name);
    return;
  case OBJECT_QUEUE:
  case OBJECT_SEMSET:
  case OBJECT_AIO:
    snprintf(out, OBJECT_SIZE, "%.*s", (int)sizeof party->name, party->name);
    return;
  case OBJECT_CHANNEL:
    describe_channel(story, party, out);
    return;
  default:
    if (party->addr)
      describe_memory(story, party->addr, &place, out);
  }
}

/* ---- deadlocks ---- */

static uint32_t party_of_thread(const struct bug *bug, int32_t thread)
{
  for (uint32_t i = 0; i < party_count(bug); i++)
    if (thread >= 0 && bug->party[i].thread == (uint32_t)thread)
      return i;
  return UINT32_MAX;
}

/* Follows the holders from a party; true when that leads back to it. */
static bool find_cycle(const struct bug *bug, uint32_t start, struct deadlock *out)
{
  uint32_t at = start;
  out->count = 0;
  do {
    out->party[out->count++] = at;
    at = party_of_thread(bug, bug->party[at].holder);
  } while (at != start && at != UINT32_MAX && out->count < BUG_PARTIES);
  return at == start;
}

static bool find_kind(const struct bug *bug, enum object_kind object, struct deadlock *out)
{
  out->count = 0;
  for (uint32_t i = 0; i < party_count(bug); i++)
    if (object_of(bug->party[i].op) == object)
      out->party[out->count++] = i;
  return out->count > 0;
}

/* One that waits for a lock of a thread that does not wait itself: in a deadlock, that one has ended. Or of one that
 * is not in its process. */
static bool find_abandoned(const struct bug *bug, struct deadlock *out)
{
  out->count = 0;
  for (uint32_t i = 0; i < party_count(bug) && out->count == 0 && bug->parties <= BUG_PARTIES; i++) {
    const struct bug_party *p = &bug->party[i];
    if (p->left_behind || (p->op != OP_JOIN && p->holder >= 0 && party_of_thread(bug, p->holder) == UINT32_MAX))
      out->party[out->count++] = i;
  }
  return out->count > 0;
}

static bool find_signal_waits(const struct bug *bug, struct deadlock *out)
{
  out->count = 0;
  for (uint32_t i = 0; i < party_count(bug); i++)
    if (bug->party[i].op == OP_SIGNAL_WAIT)
      out->party[out->count++] = i;
  return out->count > 0;
}

struct deadlock deadlock_of(const struct bug *bug)
{
  struct deadlock d = {.kind = (enum deadlock_kind)bug->detail};
  bool found = false;
  switch (d.kind) {
  case DEADLOCK_CYCLE:
  case DEADLOCK_SELF:
    for (uint32_t i = 0; i < party_count(bug) && !found; i++)
      found = find_cycle(bug, i, &d);
    break;
  case DEADLOCK_WAKE_UP:
    found = find_kind(bug, OBJECT_COND, &d);
    break;
  case DEADLOCK_SEMAPHORE:
    found = find_kind(bug, OBJECT_SEM, &d) || find_kind(bug, OBJECT_SEMSET, &d);
    break;
  case DEADLOCK_QUEUE:
    found = find_kind(bug, OBJECT_QUEUE, &d);
    break;
  case DEADLOCK_BARRIER:
    found = find_kind(bug, OBJECT_BARRIER, &d);
    break;
  case DEADLOCK_FUTEX:
    found = find_kind(bug, OBJECT_FUTEX, &d);
    break;
  case DEADLOCK_ABANDONED:
    found = find_abandoned(bug, &d);
    break;
  case DEADLOCK_SIGNAL:
    found = find_signal_waits(bug, &d);
    break;
  case DEADLOCK_DESCRIPTOR:
    found = find_kind(bug, OBJECT_CHANNEL, &d) || find_kind(bug, OBJECT_FD, &d);
    break;
  default:
    break;
  }
  if (!found) /* not among the parties that are told of */
    d.kind = DEADLOCK_OTHER;
  return d;
}

/* Whether a thread ended in the trace. */
static bool has_ended(const struct story *story, int32_t thread)
{
  for (size_t i = story->event_count; i-- > 0;)
    if (story->events && story->events[i].thread == (uint32_t)thread)
      return event_ends_thread(&story->events[i]);
  return false;
}

/* A lock that was copied while somebody held it. */
static void describe_copied_lock(const struct story *story, const struct bug_party *party, char out[SENTENCE_SIZE])
{
  char name[THREAD_NAME_SIZE], since[PLACE_SIZE], child[THREAD_NAME_SIZE], fork[PLACE_SIZE];
  describe_thread(story, (uint32_t)party->holder, name);
  describe_process(story, key_space(party->addr), child);
  describe_place(story, party_holder_pc(story, party), since);
  describe_fork_place(story, key_space(party->addr), fork);
  append(out, SENTENCE_SIZE, ", held by %s at the fork%s%s%s%s%s; %s is not in the process of %s", name,
         fork[0] ? " (" : "", fork, fork[0] ? ")" : "", since[0] ? ", since " : "", since, name, child);
}

static void describe_holder(const struct story *story, const struct bug_party *party, char out[SENTENCE_SIZE])
{
  char name[THREAD_NAME_SIZE], since[PLACE_SIZE];
  if (party->holder < 0)
    return;
  if (party->left_behind) {
    describe_copied_lock(story, party, out);
    return;
  }
  describe_thread(story, (uint32_t)party->holder, name);
  describe_place(story, party_holder_pc(story, party), since);
  if ((uint32_t)party->holder == party->thread)
    append(out, SENTENCE_SIZE, ", which it holds itself");
  else
    append(out, SENTENCE_SIZE, ", held by %s", name);
  if (since[0])
    append(out, SENTENCE_SIZE, " since %s", since);
  if ((uint32_t)party->holder != party->thread && has_ended(story, party->holder))
    append(out, SENTENCE_SIZE, "; %s has ended without unlocking it", name);
}

/* The last event that could have woken a waiter on an object, before the wait itself; NULL for none. */
static const struct trace_event *last_signal(const struct story *story, uintptr_t addr)
{
  for (size_t i = story->events ? story->event_count : 0; i-- > 0;) {
    const struct trace_event *e = &story->events[i];
    if (e->addr == addr && (e->op == OP_COND_SIGNAL || e->op == OP_COND_BROADCAST))
      return e;
  }
  return NULL;
}

static void describe_vain_wait(const struct story *story, const struct bug_party *party, char out[SENTENCE_SIZE])
{
  char name[THREAD_NAME_SIZE], place[PLACE_SIZE];
  const struct trace_event *signal = last_signal(story, party->addr);
  append(out, SENTENCE_SIZE, ", which nobody is left to signal");
  if (!signal) {
    if (story->events && story->event_count)
      append(out, SENTENCE_SIZE, "; it never was");
    return;
  }
  describe_thread(story, signal->thread, name);
  describe_place(story, event_pc(story, signal), place);
  append(out, SENTENCE_SIZE, "; the last to do so was %s (%s)", name, place);
  /* Did the wait begin after that? */
  for (const struct trace_event *e = signal; e < story->events + story->event_count; e++)
    if (e->thread == party->thread && e->op == OP_COND_WAIT && e->addr == party->addr) {
      append(out, SENTENCE_SIZE, ", before the wait began%s",
             looks_before_wait(story, (size_t)(e - story->events)) ? "" : ": the wake-up was lost");
      return;
    }
}

const char *waiting_phrase(uint16_t op)
{
  switch (op) {
  case OP_MUTEX_LOCK:
  case OP_SPIN_LOCK:
    return "waits to lock";
  case OP_RWLOCK_RDLOCK:
    return "waits to read-lock";
  case OP_RWLOCK_WRLOCK:
    return "waits to write-lock";
  case OP_JOIN:
    return "waits for the end of";
  case OP_COND_WAKE:
  case OP_COND_TIMEDWAKE:
  case OP_COND_WAIT:
    return "waits on";
  case OP_COND_DESTROY:
  case OP_BARRIER_DESTROY:
    return "waits to destroy";
  case OP_SEM_WAIT:
    return "waits for semaphore";
  case OP_BARRIER_LEAVE:
    return "waits at barrier";
  case OP_ONCE_ENTER:
    return "waits for the once-only call of";
  case OP_FUTEX_BLOCK:
    return "sleeps on futex";
  case OP_FD_WAIT:
    return "waits for descriptor";
  case OP_PROCESS_LEND:
    return "waits until a program is run by";
  case OP_QUEUE_SEND:
    return "waits for room in";
  case OP_QUEUE_RECEIVE:
    return "waits for a message in";
  case OP_SEMSET_OPERATE:
    return "waits for semaphore";
  case OP_CHANNEL_RECEIVE:
    return "waits to read from";
  case OP_CHANNEL_SEND:
    return "waits to write to";
  case OP_CHANNEL_ACCEPT:
    return "waits for a connection at";
  case OP_CHANNEL_CONNECT:
    return "waits for a connection by";
  default:
    return op < OP_COUNT ? op_table[op].phrase : "waits for";
  }
}

void describe_waiting(const struct story *story, const struct bug_party *party, char out[SENTENCE_SIZE])
{
  char name[THREAD_NAME_SIZE], place[PLACE_SIZE], object[OBJECT_SIZE];
  describe_thread(story, party->thread, name);
  describe_place(story, party_pc(story, party), place);
  describe_party_object(story, party, object);
  if (party->op == OP_JOIN && !object[0])
    snprintf(object, sizeof object, "another thread");
  const uint16_t op = party->op == OP_PROCESS_WAIT && object[0] ? (uint16_t)OP_JOIN : party->op; /* of that very one */
  snprintf(out, SENTENCE_SIZE, "%s %s%s%s", name, waiting_phrase(op), object[0] ? " " : "", object);
  if (place[0])
    append(out, SENTENCE_SIZE, " (%s)", place);
  if (story->bug->kind != BUG_DEADLOCK)
    return; /* others still run */
  switch (object_of(party->op)) {
  case OBJECT_MUTEX:
  case OBJECT_SPIN:
  case OBJECT_RWLOCK:
  case OBJECT_ONCE:
    describe_holder(story, party, out);
    return;
  case OBJECT_COND:
    if (party->holder >= 0 && (uint32_t)party->holder != party->thread) {
      append(out, SENTENCE_SIZE, " and for its mutex");
      describe_holder(story, party, out);
    } else {
      describe_vain_wait(story, party, out);
    }
    return;
  case OBJECT_CHANNEL:
    if (party->state[0])
      append(out, SENTENCE_SIZE, "; %.*s", (int)sizeof party->state, party->state);
    return;
  case OBJECT_NOTHING:
    if (party->op == OP_SIGNAL_WAIT)
      describe_last_signal(story, party, out);
    return;
  case OBJECT_SEM:
    append(out, SENTENCE_SIZE, ", which nobody is left to post");
    return;
  case OBJECT_QUEUE:
    append(out, SENTENCE_SIZE, party->op == OP_QUEUE_SEND ? ", which is full" : ", which has none for it");
    return;
  case OBJECT_SEMSET:
    append(out, SENTENCE_SIZE, ", whose values do not allow it");
    return;
  case OBJECT_BARRIER:
    append(out, SENTENCE_SIZE, ", which too few threads are left to reach");
    return;
  default:
    return;
  }
}
