/* SPDX-License-Identifier: Apache-2.0
 *
 * Hangs, see the header. A thread that hangs either waits or repeats a few operations; of these, what it looks at is
 * what it waits for.
 */
#include "report/story/hang_story.h"

#include "core/rng.h"
#include "report/story/terminal_text.h"
#include <stdlib.h>
#include <string.h>

#define WINDOW 8192 /* events at the end taken as the repetition */
#define SET_BITS 15
#define SPINS_TOLD 3

/* ---- where it begins ---- */

/* What is done, where and on what; not the values, which may count up. Never 0. */
static uint64_t signature(const struct trace_event *e)
{
  return mix64(mix64(mix64(e->pc + e->thread) + e->addr) + e->op) | 1;
}

static uint64_t *slot_of(uint64_t *set, uint64_t key)
{
  size_t at = (size_t)(key >> (64 - SET_BITS));
  while (set[at] && set[at] != key)
    at = (at + 1) & ((1u << SET_BITS) - 1);
  return &set[at];
}

size_t repetition_start(const struct trace_event *events, size_t count)
{
  const size_t window = count / 2 < WINDOW ? count / 2 : WINDOW;
  size_t start = count - window;
  uint64_t *set = events && window >= 16 ? calloc((size_t)1 << SET_BITS, sizeof *set) : NULL;
  if (!set)
    return count;
  for (size_t i = start; i < count; i++)
    *slot_of(set, signature(&events[i])) = signature(&events[i]);
  while (start > 0 && *slot_of(set, signature(&events[start - 1])))
    start--;
  free(set);
  return start;
}

/* ---- what a thread does again and again ---- */

struct spin {
  const struct trace_event *event; /* the last time */
  size_t times;
  bool steady; /* always with the same value or result */
};

/* Operations that look at something and try again, not those that merely come along. */
static bool is_look(uint16_t op)
{
  switch (op) {
  case OP_READ:
  case OP_ATOMIC_LOAD:
  case OP_ATOMIC_RMW:
  case OP_MUTEX_TRYLOCK:
  case OP_MUTEX_TIMEDLOCK:
  case OP_SPIN_TRYLOCK:
  case OP_RWLOCK_TRYRDLOCK:
  case OP_RWLOCK_TRYWRLOCK:
  case OP_SEM_TRYWAIT:
  case OP_SEM_TIMEDWAIT:
  case OP_SEM_GETVALUE:
  case OP_COND_TIMEDWAKE:
  case OP_TIMEDJOIN:
    return true;
  default:
    return false;
  }
}

static void note_spin(struct spin *spins, size_t *count, const struct trace_event *e)
{
  for (size_t i = 0; i < *count; i++) {
    struct spin *spin = &spins[i];
    if (spin->event->addr != e->addr || spin->event->op != e->op)
      continue;
    spin->times++;
    spin->steady &= spin->event->value == e->value && spin->event->result == e->result;
    return;
  }
  if (*count < SPINS_TOLD)
    spins[(*count)++] = (struct spin){.event = e, .times = 1, .steady = true};
}

/* Looks of a thread in the repetition that come at least twice, the latest first. Returns how many. */
static size_t find_spins(const struct story *story, size_t start, uint32_t thread, struct spin spins[SPINS_TOLD])
{
  size_t count = 0, kept = 0, seen = 0;
  for (size_t i = story->event_count; i-- > start && seen < WINDOW;) {
    const struct trace_event *e = &story->events[i];
    if (e->thread != thread)
      continue;
    seen++;
    if (is_look(e->op))
      note_spin(spins, &count, e);
  }
  for (size_t i = 0; i < count; i++)
    if (spins[i].times > 1)
      spins[kept++] = spins[i];
  return kept;
}

static bool acts_in(const struct story *story, size_t start, uint32_t thread)
{
  for (size_t i = start; i < story->event_count; i++)
    if (story->events[i].thread == thread)
      return true;
  return false;
}

/* ---- words ---- */

static const char *keeps_doing(const struct trace_event *e)
{
  switch (e->op) {
  case OP_READ:
    return "reading";
  case OP_ATOMIC_LOAD:
    return "atomically reading";
  case OP_ATOMIC_RMW:
    return e->before == e->value ? "trying to change" : "updating";
  case OP_COND_TIMEDWAKE:
    return "timing out on";
  case OP_MUTEX_TIMEDLOCK:
    return "trying to lock";
  case OP_SEM_TIMEDWAIT:
    return "trying to take";
  case OP_SEM_GETVALUE:
    return "reading the value of";
  case OP_TIMEDJOIN:
    return "trying to join";
  default: /* "tries to lock" */
    return NULL;
  }
}

static void describe_writer(const struct story *story, const struct spin *spin, char out[SENTENCE_SIZE])
{
  char name[THREAD_NAME_SIZE + 8], place[PLACE_SIZE];
  const struct trace_event *look = spin->event;
  for (const struct trace_event *e = look; e-- > story->events;) {
    if (e->addr != look->addr || !op_writes_memory(e->op) || (e->has_value && e->before == e->value))
      continue;
    describe_thread(story, e->thread, name);
    describe_place(story, event_pc(story, e), place);
    append(out, SENTENCE_SIZE, "; %s the last to change it%s%s%s",
           e->thread == look->thread ? "it was itself" : strcat(name, " was"), place[0] ? " (" : "", place,
           place[0] ? ")" : "");
    return;
  }
  append(out, SENTENCE_SIZE, "; nobody has changed it");
}

static void describe_spin(const struct story *story, const struct spin *spin, char out[SENTENCE_SIZE])
{
  char object[OBJECT_SIZE], value[VALUE_SIZE], place[PLACE_SIZE];
  const struct trace_event *e = spin->event;
  const char *doing = keeps_doing(e);
  describe_object(story, e, object);
  describe_value(story, e, value);
  describe_place(story, event_pc(story, e), place);
  const char *stays = e->op == OP_ATOMIC_RMW && e->before == e->value ? strstr(value, "→ ") : NULL;
  if (doing)
    append(out, SENTENCE_SIZE, " keeps %s %s", doing, object);
  else
    append(out, SENTENCE_SIZE, " again and again %s %s", op_table[e->op].phrase, object);
  if (spin->steady && stays)
    append(out, SENTENCE_SIZE, ", which stays %s", stays + strlen("→ "));
  else if (spin->steady && value[0])
    append(out, SENTENCE_SIZE, " %s", value);
  if (place[0])
    append(out, SENTENCE_SIZE, " (%s)", place);
  if (op_is_memory(e->op) && spin->steady)
    describe_writer(story, spin, out);
}

/* A thread that joins waits for one that lives; when there is only one, it is known which. */
static struct bug_party with_joined(const struct bug *bug, const struct bug_party *party)
{
  struct bug_party known = *party;
  if (party->op == OP_JOIN && party->holder < 0 && party_count(bug) == 2)
    known.holder = (int32_t)bug->party[party == &bug->party[0]].thread;
  return known;
}

void describe_repetition(const struct story *story, size_t start, const struct bug_party *party,
                         char out[SENTENCE_SIZE])
{
  struct spin spins[SPINS_TOLD];
  char place[PLACE_SIZE];
  const size_t count = find_spins(story, start, party->thread, spins);
  if (count == 0 && !acts_in(story, start, party->thread) && party->op < OP_COUNT && op_table[party->op].blocks) {
    const struct bug_party known = with_joined(story->bug, party);
    describe_waiting(story, &known, out);
    return;
  }
  describe_thread(story, party->thread, out);
  for (size_t i = 0; i < count; i++) {
    append(out, SENTENCE_SIZE, "%s", i ? ", and" : "");
    describe_spin(story, &spins[i], out);
  }
  if (count)
    return;
  describe_place_and_function(story, party_pc(story, party), place);
  append(out, SENTENCE_SIZE, " goes round%s%s", place[0] ? " at " : "", place);
}

struct bug hang_focus(const struct story *story, size_t start)
{
  struct bug focus = *story->bug;
  for (uint32_t i = 0; i < party_count(&focus); i++) {
    struct spin spins[SPINS_TOLD];
    if (find_spins(story, start, focus.party[i].thread, spins) > 0) {
      focus.party[i].addr = spins[0].event->addr;
      focus.party[i].op = spins[0].event->op;
    }
  }
  return focus;
}
