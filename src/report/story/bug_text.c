/* SPDX-License-Identifier: Apache-2.0
 *
 * What a bug is and where, in one line each: for the headline, the JSON document and the schedule
 * file. */
#include "report/story/story.h"
#include "report/story/story_words.h"
#include "report/story/terminal_text.h"
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* "T1 and T2", "T1, T2 and T3". */
static void list_threads(const struct story *story, const struct deadlock *d, char *out, size_t n)
{
  char name[THREAD_NAME_SIZE];
  for (uint32_t i = 0; i < d->count; i++) {
    describe_thread(story, story->bug->party[d->party[i]].thread, name);
    append(out, n, "%s%s", i == 0 ? "" : i + 1 == d->count ? " and " : ", ", name);
  }
}

/* All wait to do the same to the same. */
static bool alike(const struct bug *bug, const struct deadlock *d)
{
  const struct bug_party *first = &bug->party[d->party[0]];
  for (uint32_t i = 1; i < d->count; i++)
    if (bug->party[d->party[i]].op != first->op || bug->party[d->party[i]].addr != first->addr)
      return false;
  return true;
}

/* " wait for message queues /a and /b, which nobody is left to serve". */
static void list_queues(const struct story *story, const struct deadlock *d, char *out, size_t n)
{
  char object[OBJECT_SIZE];
  append(out, n, " wait for message queues");
  for (uint32_t i = 0; i < d->count; i++) {
    uint32_t k = 0;
    while (story->bug->party[d->party[k]].addr != story->bug->party[d->party[i]].addr)
      k++;
    if (k < i)
      continue; /* said already */
    describe_party_object(story, &story->bug->party[d->party[i]], object);
    append(out, n, "%s %s", i == 0 ? "" : i + 1 == d->count ? " and" : ",", object);
  }
  append(out, n, ", which nobody is left to serve");
}

static void queue_message(const struct story *story, const struct deadlock *d, char *out, size_t n)
{
  const bool full = story->bug->party[d->party[0]].op == OP_QUEUE_SEND;
  char object[OBJECT_SIZE];
  if (!alike(story->bug, d)) {
    list_queues(story, d, out, n);
    return;
  }
  describe_party_object(story, &story->bug->party[d->party[0]], object);
  append(out, n, " %s for %s %s, and nobody is left to %s", d->count == 1 ? "waits" : "wait",
         full ? "room in" : "a message in", object, full ? "receive" : "send");
}

/* Those who wait in vain, each for something else, by the kind of what they wait for. */
static const char *const in_vain[] = {
    [DEADLOCK_WAKE_UP] = "wait on condition variables that nobody is left to signal",
    [DEADLOCK_SEMAPHORE] = "wait for semaphores that nobody is left to post",
    [DEADLOCK_BARRIER] = "wait at barriers that too few threads are left to reach",
    [DEADLOCK_FUTEX] = "sleep on futexes that nobody is left to wake",
};

static void deadlock_message(const struct story *story, char *out, size_t n)
{
  const struct bug *bug = story->bug;
  const struct deadlock d = deadlock_of(bug);
  char object[OBJECT_SIZE] = "", holder[THREAD_NAME_SIZE];
  const char *verb = d.count == 1 ? "waits" : "wait";
  snprintf(out, n, "deadlock: ");
  if (d.count)
    describe_party_object(story, &bug->party[d.party[0]], object);
  if (d.kind != DEADLOCK_OTHER)
    list_threads(story, &d, out, n);
  if (d.kind < sizeof in_vain / sizeof in_vain[0] && in_vain[d.kind] && d.count && !alike(bug, &d)) {
    append(out, n, " %s", in_vain[d.kind]);
    return;
  }
  switch (d.kind) {
  case DEADLOCK_CYCLE:
    append(out, n, " wait for each other");
    return;
  case DEADLOCK_SELF:
    if (bug->party[d.party[0]].op == OP_JOIN)
      append(out, n, " waits for its own end");
    else
      append(out, n, " waits for %s, which it holds itself", object);
    return;
  case DEADLOCK_WAKE_UP:
    append(out, n, " %s on %s, which nobody is left to signal", verb, object);
    return;
  case DEADLOCK_SEMAPHORE:
    append(out, n, " %s for semaphore %s, which nobody is left to post", verb, object);
    return;
  case DEADLOCK_QUEUE:
    queue_message(story, &d, out, n);
    return;
  case DEADLOCK_BARRIER:
    append(out, n, " %s at barrier %s, which too few threads are left to reach", verb, object);
    return;
  case DEADLOCK_FUTEX:
    append(out, n, " %s on futex %s, which nobody is left to wake", d.count == 1 ? "sleeps" : "sleep", object);
    return;
  case DEADLOCK_ABANDONED:
    describe_thread(story, (uint32_t)bug->party[d.party[0]].holder, holder);
    append(out, n, " waits for %s, which %s held %s", object, holder,
           bug->party[d.party[0]].left_behind ? "at the fork" : "when it ended");
    return;
  case DEADLOCK_SIGNAL:
    append(out, n, " %s for a signal that nobody is left to send", verb);
    return;
  case DEADLOCK_DESCRIPTOR:
    append(out, n, " %s for a descriptor that will never be ready", d.count == 1 ? "waits" : "each wait");
    return;
  default:
    if (bug->text[0])
      snprintf(out, n, "%s", bug->text);
    else
      append(out, n, "no thread can go on");
  }
}

static const char *does(uint16_t op)
{
  return op < OP_COUNT ? op_table[op].phrase : "uses";
}

static void race_message(const struct story *story, char *out, size_t n)
{
  const struct bug *bug = story->bug;
  char object[OBJECT_SIZE], first[THREAD_NAME_SIZE], second[THREAD_NAME_SIZE];
  if (party_count(bug) < 2) {
    snprintf(out, n, "%s", bug->text[0] ? bug->text : "data race");
    return;
  }
  /* The earlier access is the second party. */
  describe_party_object(story, &bug->party[0], object);
  describe_thread(story, bug->party[1].thread, first);
  describe_thread(story, bug->party[0].thread, second);
  if (bug->detail == RACE_OF_CALLS) {
    snprintf(out, n, "%s is used by %s and %s at the same time", bug->text, first, second);
    return;
  }
  if (bug->detail == RACE_OF_END) {
    struct source_place place;
    const bool named = bug->party[0].op == OP_FREE && symbols_line(story->symbols, bug->party[0].pc, &place);
    snprintf(out, n, "%s %s %s, and %s may have %s%s by then", first, does(bug->party[1].op), object, second, bug->text,
             named && place.function ? place.function : "");
    return;
  }
  const char *verb = does(party_op(story, &bug->party[0])), *other = does(party_op(story, &bug->party[1]));
  if (strcmp(verb, other) == 0)
    snprintf(out, n, "data race on %s: %s and %s both %.*s it, unordered", object, first, second, (int)strlen(verb) - 1,
             verb);
  else
    snprintf(out, n, "data race on %s: %s %s and %s %s it, unordered", object, first, other, second, verb);
}

static void memory_message(const struct story *story, char *out, size_t n)
{
  const struct bug *bug = story->bug;
  const struct bug_party *p = &bug->party[0];
  if (bug->text[0] || party_count(bug) == 0)
    snprintf(out, n, "%s", bug->text[0] ? bug->text : "wrong use of memory");
  else if (p->freed_pc)
    snprintf(out, n, "use of memory after it was freed");
  else if (p->block_size && p->block_offset >= p->block_size)
    snprintf(out, n, "access %" PRIu64 " byte%s past a block of %" PRIu64 " byte%s", p->block_offset - p->block_size,
             p->block_offset - p->block_size == 1 ? "" : "s", p->block_size, p->block_size == 1 ? "" : "s");
  else
    snprintf(out, n, "wrong use of memory");
}

/* A misuse is told as what a thread does: "unlocks a mutex that is not locked". */
static void misuse_message(const struct story *story, char *out, size_t n)
{
  const struct bug_party *p = &story->bug->party[0];
  char name[THREAD_NAME_SIZE], object[OBJECT_SIZE];
  describe_thread(story, p->thread, name);
  describe_party_object(story, p, object);
  snprintf(out, n, "%s %s%s%s", name, story->bug->text, object[0] && p->op != OP_JOIN ? ": " : "",
           p->op != OP_JOIN ? object : "");
}

static void plain_message(const struct bug *bug, char *out, size_t n)
{
  if (bug->text[0]) {
    snprintf(out, n, "%s", bug->text);
    return;
  }
  switch (bug->kind) {
  case BUG_CRASH:
    snprintf(out, n, "killed by signal %" PRId64 " (%s)", bug->detail, strsignal((int)bug->detail));
    return;
  case BUG_LEAK:
    snprintf(out, n, bug->detail == 1 ? "%" PRId64 " byte was never freed" : "%" PRId64 " bytes were never freed",
             bug->detail);
    return;
  case BUG_HANG:
    snprintf(out, n, "no end after %" PRIu64 " steps", bug->step);
    return;
  case BUG_EXIT:
    snprintf(out, n, "exit status %" PRId64, bug->detail);
    return;
  default:
    snprintf(out, n, "%s", bug->kind < BUG_KIND_COUNT ? bug_kind_name[bug->kind] : "unknown bug");
  }
}

void bug_message(const struct story *story, char *out, size_t n)
{
  char raw[SENTENCE_SIZE];
  const struct bug *bug = story->bug;
  switch (bug->kind) {
  case BUG_ASSERTION:
    snprintf(raw, sizeof raw, "%s%s", strncmp(bug->text, "assertion", 9) == 0 ? "" : "assertion failed: ", bug->text);
    break;
  case BUG_DEADLOCK:
    if (party_count(bug))
      deadlock_message(story, raw, sizeof raw);
    else
      snprintf(raw, sizeof raw, "%s", bug->text[0] ? bug->text : "deadlock: no thread can go on");
    break;
  case BUG_RACE:
    race_message(story, raw, sizeof raw);
    break;
  case BUG_MEMORY:
    memory_message(story, raw, sizeof raw);
    break;
  case BUG_PROPERTY:
    if (bug->text[0] && party_count(bug) && bug->party[0].op != OP_NONE && !bug->detail)
      misuse_message(story, raw, sizeof raw);
    else
      plain_message(bug, raw, sizeof raw);
    break;
  default:
    plain_message(bug, raw, sizeof raw);
  }
  escape_text(raw, out, n);
}

/* A path below the current directory, as people write it. */
static const char *below_here(const char *path)
{
  char directory[4096];
  if (path[0] != '/' || !getcwd(directory, sizeof directory))
    return strncmp(path, "./", 2) == 0 ? path + 2 : path;
  const size_t length = strlen(directory);
  return strncmp(path, directory, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

uint32_t main_party(const struct bug *bug)
{
  if (bug->kind != BUG_DEADLOCK)
    return 0;
  const struct deadlock d = deadlock_of(bug);
  return d.count && d.kind != DEADLOCK_OTHER ? d.party[0] : 0;
}

void bug_where(const struct story *story, char *out, size_t n)
{
  const struct bug *bug = story->bug;
  char place[PLACE_SIZE] = "";
  if (bug->where[0]) {
    escape_text(below_here(bug->where), out, n);
  } else {
    const uint32_t first = main_party(bug);
    if (party_count(bug) && bug->party[first].pc)
      symbols_format_place(story->symbols, party_pc(story, &bug->party[first]), place, sizeof place);
    escape_text(place, out, n);
  }
}
