/* SPDX-License-Identifier: Apache-2.0
 *
 * Locks at accesses, see the header.
 */
#include "report/story/held.h"

#include "report/blame/told_part.h"
#include "report/blame/trail.h"
#include "report/story/terminal_text.h"
#include <string.h>

struct held held_at(const struct story *story, size_t event)
{
  struct moment moment;
  struct held held = {0};
  moment_find(story, event, &moment);
  for (uint32_t i = 0; i < moment.locks && held.count < HELD_MOST; i++)
    if (moment.lock[i].thread == story->events[event].thread)
      held.lock[held.count++] = moment.lock[i];
  return held;
}

static const struct moment_lock *find_lock(const struct held *held, uintptr_t addr)
{
  for (uint32_t i = 0; i < held->count; i++)
    if (held->lock[i].addr == addr)
      return &held->lock[i];
  return NULL;
}

bool holds_at(const struct story *story, size_t event, uintptr_t lock)
{
  const struct held held = held_at(story, event);
  return find_lock(&held, lock);
}

void describe_lock_name(const struct story *story, uintptr_t lock, char out[OBJECT_SIZE])
{
  out[0] = '\0';
  for (size_t i = 0; i < story->event_count && !out[0]; i++)
    if (story->events[i].addr == lock && op_takes_lock(story->events[i].op))
      describe_object(story, &story->events[i], out);
}

void describe_held(const struct story *story, const struct held *held, const char *quote, char *out, size_t n)
{
  char name[OBJECT_SIZE];
  snprintf(out, n, "holding %s", held->count ? "" : "no lock");
  for (uint32_t i = 0; i < held->count; i++) {
    describe_lock_name(story, held->lock[i].addr, name);
    append(out, n, "%s%s%s%s%s",
           i == 0                 ? ""
           : i + 1 == held->count ? " and "
                                  : ", ",
           quote, name[0] ? name : "a lock", quote, op_shares_lock(held->lock[i].by->op) ? " for reading" : "");
  }
}

/* ---- atomicity ---- */

/* A lock that a thread held at both of two accesses, without a break or (again) with one; NULL for none. */
static const struct moment_lock *held_at_both(const struct held *first, const struct held *last, bool again)
{
  for (uint32_t i = 0; i < last->count; i++) {
    const struct moment_lock *lock = find_lock(first, last->lock[i].addr);
    if (lock && (lock->by != last->lock[i].by) == again)
      return lock;
  }
  return NULL;
}

bool relocked(const struct story *story, size_t first, size_t last)
{
  const struct held one = held_at(story, first), other = held_at(story, last);
  return held_at_both(&one, &other, true) && !held_at_both(&one, &other, false);
}

bool held_to_the_end(const struct story *story, size_t event)
{
  size_t last = event;
  for (size_t i = event; i < story->event_count; i++)
    if (story->events[i].thread == story->events[event].thread)
      last = i;
  const struct held then = held_at(story, event), now = held_at(story, last);
  return held_at_both(&then, &now, false);
}

static void describe_different_locks(const struct story *story, const char *lock, const struct held *between,
                                     const char *who, const char *other, char *out, size_t n)
{
  char locks[SENTENCE_SIZE];
  describe_held(story, between, "`", locks, sizeof locks);
  snprintf(out, n, "%s does it holding `%s`, %s %s: both must hold the same lock", who, lock, other, locks);
}

static void describe_without_lock(enum pattern_kind kind, const char *who, const char *other, char *out, size_t n)
{
  const char *instead = kind == PATTERN_RWW ? "make its two accesses one atomic operation" : NULL;
  snprintf(out, n, "%s must %s%shold one lock around both, which %s takes too", who, instead ? instead : "",
           instead ? ", or " : "", other);
}

/* Whether the thread of two accesses calls the system between them, which no lock should be held for. */
static bool calls_system(const struct story *story, size_t first, size_t last)
{
  for (size_t i = first + 1; i < last; i++)
    if (story->events[i].thread == story->events[first].thread &&
        (story->events[i].op == OP_SYSTEM || op_is_on_channels(story->events[i].op)))
      return true;
  return false;
}

void describe_triple_remedy(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const size_t *event = p->event;
  const struct held first = held_at(story, event[0]), between = held_at(story, event[1]),
                    last = held_at(story, event[2]);
  const struct moment_lock *kept = held_at_both(&first, &last, false), *again = held_at_both(&first, &last, true);
  char who[THREAD_NAME_SIZE], other[THREAD_NAME_SIZE], lock[OBJECT_SIZE] = "";
  describe_thread(story, story->events[event[0]].thread, who);
  describe_thread(story, story->events[event[1]].thread, other);
  out[0] = '\0';
  if (kept || again)
    describe_lock_name(story, kept ? kept->addr : again->addr, lock);
  if (kept && !find_lock(&between, kept->addr) && lock[0] && between.count)
    describe_different_locks(story, lock, &between, who, other, out, n);
  else if (kept && !find_lock(&between, kept->addr) && lock[0])
    snprintf(out, n, "%s holds `%s` all the while; %s must take it too", who, lock, other);
  else if (kept && op_shares_lock(kept->by->op) && lock[0])
    snprintf(
        out, n,
        "both hold `%s` for reading only, which keeps nobody out: who writes must lock it for writing, or it must be "
        "one atomic operation",
        lock);
  else if (again && lock[0] && p->kind == PATTERN_RWR && calls_system(story, event[0], event[2]))
    snprintf(
        out, n,
        "what %s does while it has unlocked `%s` belongs to the value that it read first: it must keep that one and "
        "use it again, not read what others have written meanwhile",
        who, lock);
  else if (again && lock[0])
    snprintf(out, n, "%s unlocks `%s` between the two; they must be in one critical section%s%s%s", who, lock,
             find_lock(&between, again->addr) ? "" : ", and ", find_lock(&between, again->addr) ? "" : other,
             find_lock(&between, again->addr) ? "" : " must take the lock too");
  else if (!first.count || !last.count)
    describe_without_lock(p->kind, who, other, out, n);
}

uint32_t phase_of(const struct story *story, size_t event, uintptr_t *barrier)
{
  uint32_t left = 0;
  *barrier = 0;
  for (size_t i = 0; i < event; i++) {
    const struct trace_event *e = &story->events[i];
    if (e->op != OP_BARRIER_LEAVE || e->thread != story->events[event].thread)
      continue;
    left++;
    *barrier = e->addr;
  }
  return left;
}

/* ---- races ---- */

static bool is_side(const struct trace_event *e, const struct bug_party *party)
{
  return e->thread == party->thread && e->pc == party->pc && op_is_memory(e->op) &&
         e->addr < party->addr + party->length && party->addr < e->addr + e->length;
}

static bool find_side(const struct story *story, const struct bug_party *party, size_t before, size_t *out)
{
  for (size_t i = before; i-- > 0;)
    if (is_side(&story->events[i], party)) {
      *out = i;
      return true;
    }
  return false;
}

/* Races do not end executions: the same places may be passed again. */
bool race_events(const struct story *story, size_t event[2])
{
  const struct bug *bug = story->bug;
  if (!bug || bug->kind != BUG_RACE || party_count(bug) != 2 || !story->events)
    return false;
  size_t end = story->event_count;
  while (end > 0 && story->events[end - 1].step > bug->step)
    end--;
  return find_side(story, &bug->party[0], end, &event[1]) && find_side(story, &bug->party[1], event[1], &event[0]);
}

bool race_flag(const struct story *story, const size_t event[2], size_t flag[2])
{
  const struct trace_event *events = story->events;
  for (size_t i = event[1]; i-- > event[0] + 1;) {
    const size_t source =
        events[i].thread == events[event[1]].thread && op_is_atomic(events[i].op) && event_reads(&events[i])
            ? find_source(story, i)
            : NO_EVENT;
    if (source == NO_EVENT || source < event[0] || events[source].thread != events[event[0]].thread ||
        !op_is_atomic(events[source].op))
      continue;
    flag[0] = source;
    flag[1] = i;
    return true;
  }
  return false;
}

/* One side, to be told behind the other one (whose object and place are given; empty for none); without its locks if a
 * lock of the program's own making keeps them apart. */
static void describe_side(const struct story *story, size_t event, bool apart, char object[OBJECT_SIZE],
                          char place[PLACE_SIZE], char *out, size_t n)
{
  const struct trace_event *e = &story->events[event];
  const struct held held = held_at(story, event);
  char who[THREAD_NAME_SIZE], own_object[OBJECT_SIZE], own_place[PLACE_SIZE], locks[SENTENCE_SIZE];
  describe_thread(story, e->thread, who);
  describe_object(story, e, own_object);
  describe_place(story, event_pc(story, e), own_place);
  describe_held(story, &held, "`", locks, sizeof locks);
  const bool same = !strcmp(object, own_object);
  append(out, n, "%s %s %s%s%s at %s%s%s", who, event_phrase(story, e), same ? "" : "`", same ? "it" : own_object,
         same ? "" : "`", place_after(place, own_place), apart ? "" : ", ", apart ? "" : locks);
  memcpy(object, own_object, OBJECT_SIZE);
  memcpy(place, own_place, PLACE_SIZE);
}

void describe_race(const struct story *story, const size_t event[2], char *out, size_t n)
{
  char object[OBJECT_SIZE] = "", place[PLACE_SIZE] = "";
  out[0] = '\0';
  size_t flag[2];
  const bool apart = race_flag(story, event, flag);
  describe_side(story, event[0], apart, object, place, out, n);
  append(out, n, "; ");
  describe_side(story, event[1], apart, object, place, out, n);
}

bool has_created(const struct story *story, uint32_t parent, uint32_t child)
{
  for (size_t i = 0; i < story->event_count; i++)
    if (story->events[i].op == OP_CREATE && story->events[i].thread == parent && story->events[i].arg == child)
      return true;
  return false;
}

#define NEITHER_TEXT "both need the same lock, or must be atomic operations"

/* Whether the side without a lock looks at a pointer, as who wants to spare the lock once it is set. */
static bool is_pointer_test(const struct story *story, const size_t event[2], int without)
{
  const struct trace_event *looks = &story->events[event[without]], *sets = &story->events[event[!without]];
  return event_reads(looks) && op_writes_memory(sets->op) && sets->op != OP_FREE && looks->length == sizeof(void *) &&
         looks->addr == sets->addr && sets->has_value && !sets->before && sets->value > 4096;
}

static void describe_missing_lock(const struct story *story, const size_t event[2], const struct held held[2],
                                  char *out, size_t n)
{
  const int without = held[0].count ? 1 : 0;
  char who[THREAD_NAME_SIZE], lock[2][OBJECT_SIZE];
  describe_thread(story, story->events[event[without]].thread, who);
  describe_lock_name(story, held[!without].lock[0].addr, lock[0]);
  if (held[without].count)
    describe_lock_name(story, held[without].lock[0].addr, lock[1]);
  if (!lock[0][0] || (held[without].count && !lock[1][0]))
    snprintf(out, n, NEITHER_TEXT);
  else if (!held[without].count)
    snprintf(out, n, "%s must take `%s` too%s", who, lock[0],
             is_pointer_test(story, event, without) ? ", or the pointer be atomic (a release store, acquire "
                                                      "loads), or be made once (call_once)"
                                                    : "");
  else
    snprintf(out, n, "`%s` and `%s` do not exclude each other: both must take the same lock", lock[1], lock[0]);
}

/* A flag: written and read as a whole, and no more than true or false. */
static bool is_flag(const struct trace_event *a, const struct trace_event *b)
{
  return a->length == 1 && b->length == 1 && a->has_value && b->has_value && a->value <= 1 && b->value <= 1;
}

/* Whether an access is made by code of the library for such objects. */
static bool is_inside(const struct story *story, const struct trace_event *e, const char *what)
{
  struct source_place place;
  return symbols_line(story->symbols, e->pc, &place) && place.function && strstr(place.function, what);
}

/* Whether the source says there that an access is relaxed. */
static bool is_relaxed(const struct story *story, size_t event)
{
  struct source_place place;
  const char *line = symbols_line(story->symbols, event_pc(story, &story->events[event]), &place) && place.line
                         ? symbols_source_line(story->symbols, place.file, place.line)
                         : NULL;
  return line && strstr(line, "relaxed");
}

/* Two accesses that something atomic keeps apart, but does not order. */
static void describe_flag_remedy(const struct story *story, const size_t flag[2], char *out, size_t n)
{
  const struct told_part set = part_of(story, flag[0]), seen = part_of(story, flag[1]);
  const bool writes = is_relaxed(story, flag[0]), reads = is_relaxed(story, flag[1]);
  snprintf(out, n,
           "%s writes `%s` at %s and %s reads that at %s, which keeps the two apart but does not order them: ", set.who,
           set.what, set.where, seen.who, place_after(set.where, seen.where));
  if (writes && reads)
    append(out, n,
           "memory_order_relaxed orders nothing; write with memory_order_release, read with memory_order_acquire");
  else if (writes)
    append(out, n, "it is written with memory_order_relaxed, which orders nothing; it must be memory_order_release");
  else if (reads)
    append(out, n, "it is read with memory_order_relaxed, which orders nothing; it must be memory_order_acquire");
  else
    append(out, n, "the write needs memory_order_release, the read memory_order_acquire");
}

void describe_race_remedy(const struct story *story, const size_t event[2], char *out, size_t n)
{
  size_t flag[2];
  if (race_flag(story, event, flag)) {
    describe_flag_remedy(story, flag, out, n);
    return;
  }
  uintptr_t barrier[2];
  const uint32_t early_phase = phase_of(story, event[0], &barrier[0]),
                 late_phase = phase_of(story, event[1], &barrier[1]);
  if (early_phase && early_phase == late_phase && barrier[0] == barrier[1] && !held_at(story, event[0]).count &&
      !held_at(story, event[1]).count) {
    snprintf(out, n, "both come between the same two waits at the barrier: one more barrier must be between them");
    return;
  }
  const struct trace_event *early = &story->events[event[0]], *late = &story->events[event[1]];
  const struct held held[2] = {held_at(story, event[0]), held_at(story, event[1])};
  char who[THREAD_NAME_SIZE], lock[OBJECT_SIZE];
  describe_thread(story, early->thread, who);
  out[0] = '\0';
  for (uint32_t i = 0; i < held[0].count; i++) {
    const struct moment_lock *one = &held[0].lock[i], *other = find_lock(&held[1], one->addr);
    if (!other)
      continue;
    describe_lock_name(story, one->addr, lock);
    if (lock[0] && (op_shares_lock(one->by->op) || op_shares_lock(other->by->op)))
      snprintf(out, n, "`%s` is locked for reading only; who writes must lock it for writing", lock);
    return;
  }
  if (held[0].count || held[1].count)
    describe_missing_lock(story, event, held, out, n);
  else if (op_is_atomic(early->op) != op_is_atomic(late->op))
    snprintf(out, n, "one of the two is atomic, the other one must be too");
  else if (has_created(story, late->thread, early->thread))
    snprintf(out, n, "%s must be joined before, or both need the same lock", who);
  else if (is_inside(story, early, "shared_ptr") || is_inside(story, late, "shared_ptr"))
    snprintf(
        out, n,
        "the counts of a shared_ptr are atomic, the pointer itself is not: std::atomic<std::shared_ptr<T>>, or one "
        "lock around each copy and each assignment of it");
  else if (in_library(story, early->pc) || in_library(story, late->pc))
    snprintf(out, n, "the library does not lock for its callers: both calls need the same lock");
  else if (is_flag(early, late))
    snprintf(out, n, "a flag must be atomic (std::atomic<bool>, atomic_bool), or be used under one lock");
  else
    snprintf(out, n, NEITHER_TEXT);
}
