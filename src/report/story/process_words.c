/* SPDX-License-Identifier: Apache-2.0
 *
 * Processes, signals and messages in words; see the header.
 */
#include "report/story/process_words.h"

#include "core/footprint.h"
#include "report/story/terminal_text.h"
#include <inttypes.h>
#include <signal.h>
#include <string.h>

/* ---- processes ---- */

/* Whatever is in the table: the tested program may have written there. */
uint32_t process_of(const struct story *story, uint32_t thread)
{
  const uint64_t process = story->threads && thread < story->thread_count ? story->threads[thread].process : 0;
  return process < MAX_THREADS ? (uint32_t)process : 0;
}

uint32_t process_count(const struct story *story)
{
  uint32_t most = 0;
  for (uint32_t t = 0; t < story->thread_count; t++)
    if (process_of(story, t) > most)
      most = process_of(story, t);
  return most + 1;
}

uint32_t first_thread_of(const struct story *story, uint32_t process)
{
  uint32_t t = 0;
  while (t < story->thread_count && process_of(story, t) != process)
    t++;
  return t;
}

void describe_process(const struct story *story, uint32_t process, char out[THREAD_NAME_SIZE])
{
  describe_thread(story, first_thread_of(story, process), out);
}

void describe_fork_place(const struct story *story, uint32_t process, char out[PLACE_SIZE])
{
  const uint32_t first = first_thread_of(story, process);
  out[0] = '\0';
  if (process && first < story->thread_count && !in_library(story, story->threads[first].made_at))
    describe_place(story, story->threads[first].made_at, out);
}

void describe_process_origin(const struct story *story, uint32_t process, char out[SENTENCE_SIZE])
{
  const uint32_t first = first_thread_of(story, process);
  char name[THREAD_NAME_SIZE], parent[THREAD_NAME_SIZE], place[PLACE_SIZE];
  out[0] = '\0';
  if (process == 0 || first >= story->thread_count)
    return;
  const struct thread_info *info = &story->threads[first];
  describe_thread(story, first, name);
  describe_thread(story, info->parent, parent);
  describe_fork_place(story, process, place);
  snprintf(out, SENTENCE_SIZE, "%s is a child of %s", name, parent);
  if (place[0])
    append(out, SENTENCE_SIZE, ", forked at %s", place);
  if (info->image && info->name[0])
    append(out, SENTENCE_SIZE, ", and runs %.*s", (int)sizeof info->name, info->name);
}

void describe_owner(const struct story *story, uintptr_t addr, char out[THREAD_NAME_SIZE + 4])
{
  const uint32_t space = key_space(addr);
  char name[THREAD_NAME_SIZE];
  out[0] = '\0';
  if (space == 0 || space >= SPACE_SHARED || space >= process_count(story))
    return;
  describe_process(story, space, name);
  snprintf(out, THREAD_NAME_SIZE + 4, "%s's ", name);
}

bool describe_child(const struct story *story, int32_t id, char out[THREAD_NAME_SIZE])
{
  const int64_t thread = (int64_t)id - VIRTUAL_PID;
  if (thread <= 0 || thread >= story->thread_count ||
      first_thread_of(story, process_of(story, (uint32_t)thread)) != thread)
    return false;
  describe_thread(story, (uint32_t)thread, out);
  return true;
}

/* ---- signals ---- */

void describe_signal(int signal, char *out, size_t n)
{
  const char *name = sigabbrev_np(signal);
  if (name)
    snprintf(out, n, "SIG%s", name);
  else
    snprintf(out, n, "signal %d", signal);
}

/* More than one, at any time. */
static bool has_threads(const struct story *story, uint32_t process)
{
  uint32_t n = 0;
  for (uint32_t t = 0; t < story->thread_count; t++)
    n += process_of(story, t) == process;
  return n > 1;
}

void describe_sent_signal(const struct story *story, const struct trace_event *event, char out[OBJECT_SIZE])
{
  char signal[32], to[THREAD_NAME_SIZE];
  const uint32_t receiver = SENT_TO_THREAD(event->length);
  describe_signal((int)event->arg, signal, sizeof signal);
  describe_thread(story, receiver, to);
  if (SENT_TO_OTHERS(event->length))
    snprintf(out, OBJECT_SIZE, "%s to a group of processes", signal);
  else if (SENT_TO_PROCESS(event->length) && process_of(story, event->thread) == process_of(story, receiver))
    snprintf(out, OBJECT_SIZE, "%s to its own process", signal);
  else
    snprintf(out, OBJECT_SIZE, "%s to %s%s", signal,
             SENT_TO_PROCESS(event->length) && has_threads(story, process_of(story, receiver)) ? "the process of " : "",
             to);
}

/* Whether a signal that was sent so may come to the thread. */
static bool is_sent_to(const struct story *story, const struct trace_event *e, uint32_t thread)
{
  const uint32_t to = SENT_TO_THREAD(e->length);
  return SENT_TO_PROCESS(e->length) ? process_of(story, to) == process_of(story, thread) : to == thread;
}

/* Whether its process ended, so that its parent, the one of that thread, is told by SIGCHLD. */
static bool is_end_of_child(const struct story *story, const struct trace_event *e, uint32_t thread)
{
  const uint32_t first = first_thread_of(story, process_of(story, e->thread));
  return e->op == OP_PROCESS_END && !e->arg && first && first < story->thread_count &&
         process_of(story, story->threads[first].parent) == process_of(story, thread);
}

static bool is_awaited(const struct bug_party *party, uint64_t signal)
{
  return signal && signal <= 64 && party->signals >> (signal - 1) & 1;
}

const struct trace_event *last_signal_to(const struct story *story, const struct bug_party *party)
{
  const struct trace_event *ended = NULL;
  for (size_t i = story->events ? story->event_count : 0; i-- > 0;) {
    const struct trace_event *e = &story->events[i];
    if (e->op == OP_SIGNAL_SEND && is_awaited(party, e->arg) && is_sent_to(story, e, party->thread))
      return e;
    if (!ended && is_awaited(party, SIGCHLD) && is_end_of_child(story, e, party->thread))
      ended = e;
  }
  return ended;
}

void describe_last_signal(const struct story *story, const struct bug_party *party, char out[SENTENCE_SIZE])
{
  char name[THREAD_NAME_SIZE], place[PLACE_SIZE], signal[32];
  const struct trace_event *last = last_signal_to(story, party);
  if (!last)
    return;
  describe_thread(story, last->thread, name);
  describe_place(story, event_pc(story, last), place);
  describe_signal((int)last->arg, signal, sizeof signal);
  if (last->op == OP_SIGNAL_SEND)
    append(out, SENTENCE_SIZE, "; the last one was %s, sent by %s (%s)", signal, name, place);
  else
    append(out, SENTENCE_SIZE, "; the last one was SIGCHLD, at the end of %s (%s)", name, place);
}

/* The last of the same thread before; NO_SENDER: there is none. */
static size_t previous_of(const struct story *story, size_t event)
{
  size_t i = event;
  while (i-- > 0)
    if (story->events[i].thread == story->events[event].thread)
      return i;
  return NO_SENDER;
}

static size_t signal_sender(const struct story *story, size_t event)
{
  const struct trace_event *e = &story->events[event];
  const size_t before = previous_of(story, event);
  if (before != NO_SENDER && story->events[before].handling == e->handling)
    return NO_SENDER; /* not its first */
  for (size_t i = event; i-- > 0;) {
    const struct trace_event *sent = &story->events[i];
    if (sent->op == OP_SIGNAL_SEND && sent->arg == e->handling && is_sent_to(story, sent, e->thread))
      return i;
  }
  return NO_SENDER;
}

/* ---- messages ---- */

static bool receives(const struct trace_event *e)
{
  return e->op == OP_CHANNEL_RECEIVE || e->op == OP_CHANNEL_TIMEDRECEIVE;
}

static bool sends(const struct trace_event *e)
{
  return e->op == OP_CHANNEL_SEND || e->op == OP_CHANNEL_TIMEDSEND;
}

/* Whose bytes are the first that it takes. A stream may have been another one's before, with other bytes. */
static size_t message_sender(const struct story *story, size_t event)
{
  const struct trace_event *e = &story->events[event];
  for (size_t i = event; i-- > 0;) {
    const struct trace_event *sent = &story->events[i];
    if (sends(sent) && sent->second == e->second && sent->value <= e->value && sent->result >= 0)
      return i;
  }
  return NO_SENDER;
}

const struct trace_event *message_source(const struct story *story, const struct trace_event *event)
{
  const bool in_trace = story->events && event >= story->events && event < story->events + story->event_count;
  const size_t sender = in_trace && receives(event) ? event_sender(story, (size_t)(event - story->events)) : NO_SENDER;
  return sender == NO_SENDER ? NULL : &story->events[sender];
}

void describe_handler(const struct story *story, size_t event, char *out, size_t n)
{
  const struct trace_event *e = &story->events[event];
  char signal[32], name[THREAD_NAME_SIZE];
  if (!e->handling)
    return;
  const size_t sender = signal_sender(story, event);
  describe_signal((int)e->handling, signal, sizeof signal);
  snprintf(out, n, "in the handler of %s", signal);
  if (sender == NO_SENDER)
    return;
  describe_thread(story, story->events[sender].thread, name);
  append(out, n, ", from %s", name);
}

size_t event_sender(const struct story *story, size_t event)
{
  if (!story->events || event >= story->event_count)
    return NO_SENDER;
  const struct trace_event *e = &story->events[event];
  if (receives(e) && e->second && e->result >= 0)
    return message_sender(story, event);
  return e->handling ? signal_sender(story, event) : NO_SENDER;
}
