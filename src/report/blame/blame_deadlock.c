/* SPDX-License-Identifier: Apache-2.0
 *
 * The shapes of deadlocks, see the header: first found, then told.
 */
#include "report/blame/blame_deadlock.h"

#include "report/blame/told_part.h"
#include "report/blame/trail.h"
#include "report/story/held.h"
#include "report/story/story_words.h"
#include "report/story/terminal_text.h"
#include <string.h>

/* ---- finding ---- */

static bool wakes(const struct bug_party *party)
{
  return party->op == OP_COND_WAKE || party->op == OP_COND_TIMEDWAKE;
}

static bool waits_for_signal(const struct bug_party *party)
{
  return wakes(party) && party->holder < 0;
}

static bool signals(const struct trace_event *e)
{
  return e->op == OP_COND_SIGNAL || e->op == OP_COND_BROADCAST;
}

/* The last event of a thread that took a lock. */
static size_t find_taking(const struct story *story, uint32_t thread, uintptr_t addr)
{
  for (size_t i = story->event_count; i-- > 0;) {
    const struct trace_event *e = &story->events[i];
    if (e->thread == thread && event_takes(e, addr))
      return i;
  }
  return NO_EVENT;
}

static size_t find_wait(const struct story *story, uint32_t thread, uintptr_t addr, size_t before)
{
  for (size_t i = before; i-- > 0;) {
    const struct trace_event *e = &story->events[i];
    if (e->thread == thread && e->op == OP_COND_WAIT && e->addr == addr)
      return i;
  }
  return NO_EVENT;
}

static size_t find_signal(const struct story *story, uintptr_t addr, size_t before)
{
  for (size_t i = before; i-- > 0;)
    if (signals(&story->events[i]) && story->events[i].addr == addr)
      return i;
  return NO_EVENT;
}

/* Each holds what another one waits for; the events are those that took the locks. */
static bool find_circle(const struct story *story, const struct deadlock *d, struct pattern *out)
{
  *out = pattern_of(d->kind == DEADLOCK_SELF ? PATTERN_TWICE : PATTERN_CIRCLE, NO_EVENT, NO_EVENT, NO_EVENT, NO_EVENT);
  for (uint32_t i = 0; i < d->count; i++) {
    const struct bug_party *p = &story->bug->party[d->party[i]];
    const size_t taking = find_taking(story, (uint32_t)p->holder, p->addr);
    if (!op_takes_lock(p->op) || taking == NO_EVENT)
      return false;
    if (i < PATTERN_EVENTS)
      out->event[i] = taking;
  }
  return true;
}

/* Who waits for a lock that this thread holds, NULL for nobody. */
static const struct bug_party *blocked_by(const struct bug *bug, uint32_t thread)
{
  for (uint32_t i = 0; i < party_count(bug); i++) {
    const struct bug_party *p = &bug->party[i];
    if ((op_takes_lock(p->op) || wakes(p)) && p->holder == (int32_t)thread && p->thread != thread)
      return p;
  }
  return NULL;
}

/* The lock that a party waits for: of one that wakes from a wait the mutex of that. 0: not known. */
static uintptr_t lock_of(const struct story *story, const struct bug_party *party)
{
  if (!wakes(party))
    return party->addr;
  const size_t wait = find_wait(story, party->thread, party->addr, story->event_count);
  return wait == NO_EVENT ? 0 : story->events[wait].second;
}

/* Of one that waits for something else than a lock. */
static bool find_kept(const struct story *story, const struct bug_party *waiter, struct pattern *out)
{
  const struct bug_party *blocked = blocked_by(story->bug, waiter->thread);
  if (!blocked || op_takes_lock(waiter->op))
    return false;
  const size_t taking = find_taking(story, waiter->thread, lock_of(story, blocked));
  *out = pattern_of(PATTERN_KEPT, taking, NO_EVENT, NO_EVENT, NO_EVENT);
  return out->event[0] != NO_EVENT;
}

static bool find_kept_in_circle(const struct story *story, const struct deadlock *d, struct pattern *out)
{
  for (uint32_t i = 0; i < d->count; i++)
    if (find_kept(story, &story->bug->party[d->party[i]], out))
      return true;
  return false;
}

/* Whether anybody wrote what an event reads, after a signal. */
static bool is_changed(const struct story *story, size_t signal, size_t read)
{
  for (size_t i = signal + 1; i < read; i++)
    if (op_writes_memory(story->events[i].op) && events_overlap(&story->events[i], &story->events[read]))
      return true;
  return false;
}

/* A thread woken that does nothing but wait again, while another one goes on waiting. */
static bool find_misdirected(const struct story *story, const struct bug_party *waiter, struct pattern *out)
{
  const size_t signal = find_signal(story, waiter->addr, story->event_count);
  const size_t since = find_wait(story, waiter->thread, waiter->addr, story->event_count);
  if (signal == NO_EVENT || since == NO_EVENT || since > signal || story->events[signal].op != OP_COND_SIGNAL)
    return false;
  size_t woken = signal + 1;
  while (woken < story->event_count &&
         (story->events[woken].woken_by != story->events[signal].step || story->events[woken].op != OP_COND_WAKE))
    woken++;
  for (size_t i = woken + 1; i < story->event_count; i++) {
    const struct trace_event *e = &story->events[i];
    if (e->thread != story->events[woken].thread)
      continue;
    bool looks = e->op == OP_READ || e->op == OP_ATOMIC_LOAD || op_takes_lock(e->op) || op_leaves_lock(e->op);
    if (!looks && (e->op != OP_COND_WAIT || e->addr != waiter->addr))
      return false;
    if (event_reads(e) && is_changed(story, signal, i))
      return false; /* somebody was faster */
    if (e->op == OP_COND_WAIT) {
      *out = pattern_of(PATTERN_MISDIRECTED, signal, woken, i, NO_EVENT);
      return true;
    }
  }
  return false;
}

/* ---- changes that a waiting thread is not told of ---- */

/* The value of memory at the end, as far as the trace knows; false: it does not. */
static bool last_value(const struct story *story, const struct trace_event *memory, uint64_t *value)
{
  for (size_t i = story->event_count; i-- > 0;) {
    const struct trace_event *e = &story->events[i];
    if (op_writes_memory(e->op) && events_overlap(e, memory)) {
      *value = e->value;
      return e->has_value && e->addr == memory->addr && e->length == memory->length;
    }
  }
  return false;
}

/* The first write of another thread to what an event read, behind it. */
static size_t changed_after(const struct story *story, size_t read)
{
  for (size_t i = read + 1; i < story->event_count; i++) {
    const struct trace_event *e = &story->events[i];
    if (e->thread != story->events[read].thread && op_writes_memory(e->op) && events_overlap(e, &story->events[read]))
      return i;
  }
  return NO_EVENT;
}

/* Whether a thread waits for the end of another one. */
static bool joins(const struct bug *bug, uint32_t thread, uint32_t other)
{
  for (uint32_t i = 0; i < party_count(bug); i++)
    if (bug->party[i].op == OP_JOIN && bug->party[i].thread == thread && bug->party[i].holder == (int32_t)other)
      return true;
  return false;
}

/* What the thread looked at before its wait, and another one changed after that, for good: what it waits for, if it
 * waits for anything that came. That is what it looked at under the mutex of the wait; before that only what is changed
 * by one who then waits for its end. */
static bool find_change_missed(const struct story *story, size_t wait, size_t *read, size_t *change)
{
  const size_t most = 4000;
  const uint32_t thread = story->events[wait].thread;
  bool under_mutex = true;
  uint64_t value;
  for (size_t i = wait; i-- > 0 && wait - i < most;) {
    const struct trace_event *e = &story->events[i];
    if (e->thread != thread)
      continue;
    if (e->op == OP_COND_WAKE || e->op == OP_COND_TIMEDWAKE)
      return false;
    under_mutex &= !(event_takes_lock(e) && e->addr == story->events[wait].second);
    if (e->op != OP_READ && e->op != OP_ATOMIC_LOAD)
      continue;
    *change = changed_after(story, i);
    if (*change == NO_EVENT || !e->has_value || !last_value(story, e, &value) || value == e->value ||
        (!under_mutex && !joins(story->bug, story->events[*change].thread, thread)))
      continue;
    *read = i;
    return true;
  }
  return false;
}

/* Whether a thread stood in a wait on that condition at an event. */
static bool waits_at(const struct story *story, uint32_t thread, uintptr_t addr, size_t at)
{
  for (size_t i = at; i-- > 0;) {
    const struct trace_event *e = &story->events[i];
    if (e->thread == thread)
      return e->op == OP_COND_WAIT && e->addr == addr;
  }
  return false;
}

static uint32_t waiters_at(const struct story *story, uintptr_t addr, size_t at)
{
  uint32_t count = 0;
  for (uint32_t t = 0; t < story->thread_count; t++)
    count += waits_at(story, t, addr, at);
  return count;
}

/* The thread waits since before what it waits for has changed; who changed it woke one, and that was another one. Or
 * woke nobody at all. */
static bool find_untold(const struct story *story, const struct bug_party *waiter, struct pattern *out)
{
  size_t read, change;
  const size_t wait = find_wait(story, waiter->thread, waiter->addr, story->event_count);
  if (wait == NO_EVENT || !find_change_missed(story, wait, &read, &change))
    return false;
  bool broadcast = false;
  for (size_t i = change + 1; i < story->event_count; i++) {
    const struct trace_event *e = &story->events[i];
    if (e->addr != waiter->addr || !signals(e))
      continue;
    broadcast |= e->op == OP_COND_BROADCAST;
    if (e->op == OP_COND_SIGNAL && i > wait && waiters_at(story, waiter->addr, i) > 1) {
      *out = pattern_of(PATTERN_BROADCAST, change, i, wait, NO_EVENT);
      return true;
    }
  }
  const size_t told = find_signal(story, waiter->addr, story->event_count);
  *out = pattern_of(PATTERN_UNTOLD, read, change, wait, NO_EVENT);
  return !broadcast && (told == NO_EVENT || told < change);
}

static size_t next_use(const struct story *story, size_t from, const struct trace_event *memory)
{
  for (size_t i = from; i < story->event_count; i++) {
    const struct trace_event *e = &story->events[i];
    if (e->thread == memory->thread && op_is_memory(e->op) && events_overlap(e, memory))
      return i;
  }
  return NO_EVENT;
}

/* What the thread looked at before its wait, and not again, and the one that signals wrote in between: the check that
 * should go with the wait. */
static bool find_check(const struct story *story, size_t wait, size_t signal, struct pattern *out)
{
  const struct trace_event *events = story->events;
  for (size_t i = wait; i-- > 0;) {
    if (events[i].thread != events[wait].thread)
      continue;
    if (events[i].op == OP_COND_WAKE || events[i].op == OP_COND_TIMEDWAKE)
      return false;
    if (!event_reads(&events[i]) || next_use(story, i + 1, &events[i]) < wait)
      continue;
    for (size_t k = i + 1; k < signal; k++)
      if (events[k].thread == events[signal].thread && op_writes_memory(events[k].op) &&
          events_overlap(&events[k], &events[i])) {
        *out = pattern_of(PATTERN_UNGUARDED_WAIT, i, k, signal, wait);
        return true;
      }
  }
  return false;
}

static bool woke_somebody(const struct story *story, size_t signal)
{
  for (size_t i = signal + 1; i < story->event_count; i++)
    if (story->events[i].woken_by == story->events[signal].step)
      return true;
  return false;
}

static bool find_lost_signal(const struct story *story, const struct bug_party *waiter, struct pattern *out)
{
  const size_t wait = find_wait(story, waiter->thread, waiter->addr, story->event_count);
  const size_t signal = wait == NO_EVENT ? NO_EVENT : find_signal(story, waiter->addr, wait);
  if (signal == NO_EVENT || story->events[signal].thread == waiter->thread ||
      find_signal(story, waiter->addr, story->event_count) > wait)
    return false;
  if (find_check(story, wait, signal, out))
    return true;
  *out = pattern_of(PATTERN_LOST_SIGNAL, signal, wait, NO_EVENT, NO_EVENT);
  return !looks_before_wait(story, wait) && !woke_somebody(story, signal);
}

bool blame_deadlock(const struct story *story, struct pattern *out)
{
  static bool (*const finders[])(const struct story *, const struct bug_party *,
                                 struct pattern *) = {find_kept, find_misdirected, find_untold, find_lost_signal};
  const struct bug *bug = story->bug;
  if (!bug || bug->kind != BUG_DEADLOCK || !story->events)
    return false;
  const struct deadlock d = deadlock_of(bug);
  if (d.kind == DEADLOCK_CYCLE || d.kind == DEADLOCK_SELF)
    return find_circle(story, &d, out) || find_kept_in_circle(story, &d, out);
  if (d.kind == DEADLOCK_ABANDONED) {
    const struct bug_party *p = &bug->party[d.party[0]];
    *out =
        pattern_of(PATTERN_ABANDONED, find_taking(story, (uint32_t)p->holder, p->addr), NO_EVENT, NO_EVENT, NO_EVENT);
    return out->event[0] != NO_EVENT;
  }
  for (size_t k = 0; k < sizeof finders / sizeof finders[0]; k++)
    for (uint32_t i = 0; i < party_count(bug); i++)
      if (waits_for_signal(&bug->party[i]) && finders[k](story, &bug->party[i], out))
        return true;
  return false;
}

/* ---- waits that are left without looking again ---- */

/* Another thread's write of that memory between a signal and the wake-up. */
static size_t find_change(const struct story *story, size_t from, size_t wake, const struct trace_event *memory)
{
  for (size_t i = wake; i-- > from;) {
    const struct trace_event *e = &story->events[i];
    if (e->step <= story->events[wake].woken_by)
      return NO_EVENT;
    if (e->thread != memory->thread && op_writes_memory(e->op) && events_overlap(e, memory))
      return i;
  }
  return NO_EVENT;
}

/* Whether the first thing that it reads after the wake-up is what some line read already, since `from`: so it is in a
 * loop. */
static bool looks_again(const struct story *story, size_t from, size_t wait, size_t wake)
{
  const struct trace_event *events = story->events;
  size_t first = wake + 1;
  while (first < story->event_count && (events[first].thread != events[wake].thread || !event_reads(&events[first])))
    first++;
  for (size_t i = from; i < wait && first < story->event_count; i++)
    if (events[i].thread == events[wake].thread && event_reads(&events[i]) &&
        is_same_line(story, &events[i], &events[first]))
      return true;
  return false;
}

/* What it looked at before the wait, under its mutex. A loop would look again in the same line. */
static bool find_stale(const struct story *story, size_t wait, size_t wake, struct pattern *out)
{
  const struct trace_event *events = story->events;
  for (size_t i = wait; i-- > 0;) {
    if (events[i].thread != events[wake].thread)
      continue;
    if (events[i].op == OP_START || op_takes_lock(events[i].op) || events[i].op == OP_COND_WAKE)
      return false;
    if (events[i].op != OP_READ && events[i].op != OP_ATOMIC_LOAD)
      continue;
    const size_t change = find_change(story, wait, wake, &events[i]), use = next_use(story, wake, &events[i]);
    if (change == NO_EVENT || use == NO_EVENT)
      continue;
    if (looks_again(story, i, wait, wake))
      return false;
    *out = pattern_of(PATTERN_STALE_WAKE, i, change, wake, use);
    return true;
  }
  return false;
}

bool blame_wake(const struct story *story, uint64_t step, struct pattern *out)
{
  for (size_t i = story->events ? story->event_count : 0; i-- > 0 && story->events[i].step >= step;) {
    const struct trace_event *e = &story->events[i];
    const size_t wait = e->op == OP_COND_WAKE && e->woken_by ? find_wait(story, e->thread, e->addr, i) : NO_EVENT;
    if (wait != NO_EVENT && find_stale(story, wait, i, out))
      return true;
  }
  return false;
}

/* ---- critical sections ---- */

/* The next event of a thread, or of any other, that takes that lock. */
static size_t next_taking(const struct story *story, size_t from, const struct trace_event *unlock, bool other)
{
  for (size_t i = from; i < story->event_count; i++) {
    const struct trace_event *e = &story->events[i];
    if (event_takes_lock(e) && e->addr == unlock->addr && (e->thread != unlock->thread) == other)
      return i;
  }
  return NO_EVENT;
}

/* What the thread of an event was about to do at the end, if that is to take a lock. */
static const struct trace_event *taking_left(const struct story *story, const struct trace_event *unlock)
{
  for (size_t i = 0; story->left && i < story->left_count; i++) {
    const struct trace_event *e = &story->left[i];
    if (e->thread == unlock->thread && op_takes_lock(e->op) && e->addr == unlock->addr)
      return e;
  }
  return NULL;
}

bool blame_split(const struct story *story, uint64_t step, struct pattern *out)
{
  size_t at = 0;
  while (at < story->event_count && story->events[at].step < step)
    at++;
  if (!at || at == story->event_count)
    return false;
  const uint32_t thread = story->events[at - 1].thread;
  for (size_t i = at; i-- > 0 && story->events[i].thread == thread;) {
    const struct trace_event *e = &story->events[i];
    const size_t other = op_leaves_lock(e->op) ? next_taking(story, at, e, true) : NO_EVENT;
    const size_t again = other != NO_EVENT ? next_taking(story, other, e, false) : NO_EVENT;
    *out = pattern_of(PATTERN_SPLIT, i, other, again, NO_EVENT);
    if (again != NO_EVENT || (other != NO_EVENT && taking_left(story, e)))
      return true;
  }
  return false;
}

/* ---- telling ---- */

static void describe_circle(const struct story *story, char *out, size_t n)
{
  const struct deadlock d = deadlock_of(story->bug);
  char first[PLACE_SIZE] = "", since[PLACE_SIZE];
  out[0] = '\0';
  for (uint32_t i = 0; i < d.count; i++) {
    /* What this one holds is what the one before it in the circle waits for. */
    const struct bug_party *before = &story->bug->party[d.party[(i + d.count - 1) % d.count]];
    const struct told_part wants = part_of_party(story, &story->bug->party[d.party[i]]);
    char holds[OBJECT_SIZE];
    describe_party_object(story, before, holds);
    describe_place(story, party_holder_pc(story, before), since);
    append(out, n, "%s%s locks `%s` at %s and then wants `%s` at %s", i ? "; " : "", wants.who, holds,
           place_after(first, since), wants.what, place_after(i ? first : since, wants.where));
    if (!i)
      memcpy(first, since, sizeof first);
  }
}

static void describe_twice(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct deadlock d = deadlock_of(story->bug);
  const struct told_part again = part_of_party(story, &story->bug->party[d.party[0]]),
                         held = part_of(story, p->event[0]);
  const struct bug_party *between = blocked_by(story->bug, story->bug->party[d.party[0]].thread);
  snprintf(out, n, "%s locks `%s` at %s and again at %s", held.who, held.what, held.where,
           place_after(held.where, again.where));
  if (between && between->op == OP_RWLOCK_WRLOCK) {
    const struct told_part writer = part_of_party(story, between);
    append(out, n, "; in between %s wants to write, at %s, and who reads next must wait for it", writer.who,
           place_after(held.where, writer.where));
  }
}

static const struct bug_party *party_of(const struct bug *bug, uint32_t thread)
{
  for (uint32_t i = 0; i < party_count(bug); i++)
    if (bug->party[i].thread == thread)
      return &bug->party[i];
  return NULL;
}

static void describe_kept(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const uint32_t keeper = story->events[p->event[0]].thread;
  const struct bug_party *waiter = party_of(story->bug, keeper), *needs = blocked_by(story->bug, keeper);
  const struct told_part wait = part_of_party(story, waiter), blocked = part_of_party(story, needs);
  const bool thread = op_table[waiter->op].object == OBJECT_THREAD;
  struct told_part lock = part_of(story, p->event[0]);
  describe_lock_name(story, lock_of(story, needs), lock.what);
  snprintf(out, n, "%s locks `%s` at %s and keeps it while it %s %s%s%s at %s; %s needs `%s` at %s", lock.who,
           lock.what, lock.where, waiting_phrase(waiter->op), thread ? "" : "`", wait.what, thread ? "" : "`",
           place_after(lock.where, wait.where), blocked.who, lock.what, place_after(lock.where, blocked.where));
}

static void describe_abandoned(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct deadlock d = deadlock_of(story->bug);
  const struct told_part lock = part_of(story, p->event[0]),
                         waits = part_of_party(story, &story->bug->party[d.party[0]]);
  snprintf(out, n, "%s locks `%s` at %s and ends without unlocking it; %s waits for it at %s, in vain", lock.who,
           lock.what, lock.where, waits.who, place_after(lock.where, waits.where));
}

/* The names of those who wait on, but for one. */
static void describe_other_waiters(const struct story *story, uintptr_t addr, uint32_t but, char *out, size_t n)
{
  uint32_t count = 0, told = 0;
  char name[THREAD_NAME_SIZE];
  const struct bug *bug = story->bug;
  for (uint32_t i = 0; i < party_count(bug); i++)
    count += waits_for_signal(&bug->party[i]) && bug->party[i].addr == addr && bug->party[i].thread != but;
  out[0] = '\0';
  for (uint32_t i = 0; i < party_count(bug); i++) {
    const struct bug_party *p = &bug->party[i];
    if (!waits_for_signal(p) || p->addr != addr || p->thread == but)
      continue;
    describe_thread(story, p->thread, name);
    append(out, n, "%s%s", told == 0 ? "" : told + 1 == count ? " and " : ", ", name);
    told++;
  }
  append(out, n, count == 1 ? " goes on waiting" : " go on waiting");
}

static void describe_misdirected(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  char others[SENTENCE_SIZE];
  const struct told_part signal = part_of(story, p->event[0]), again = part_of(story, p->event[2]);
  const struct trace_event *e = &story->events[p->event[2]];
  describe_other_waiters(story, e->addr, e->thread, others, sizeof others);
  snprintf(out, n, "%s signals `%s` at %s; that wakes %s, which only waits again at %s, while %s", signal.who,
           signal.what, signal.where, again.who, place_after(signal.where, again.where), others);
}

/* "T1 and T2", of those who wait on a condition at an event. */
static void list_waiters(const struct story *story, uintptr_t addr, size_t at, char *out, size_t n)
{
  const uint32_t count = waiters_at(story, addr, at);
  uint32_t told = 0;
  char name[THREAD_NAME_SIZE];
  out[0] = '\0';
  for (uint32_t t = 0; t < story->thread_count; t++) {
    if (!waits_at(story, t, addr, at))
      continue;
    describe_thread(story, t, name);
    append(out, n, "%s%s", told == 0 ? "" : told + 1 == count ? " and " : ", ", name);
    told++;
  }
}

static void describe_broadcast(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part change = part_of(story, p->event[0]), signal = part_of(story, p->event[1]),
                         wait = part_of(story, p->event[2]);
  char waiters[SENTENCE_SIZE / 2];
  list_waiters(story, story->events[p->event[1]].addr, p->event[1], waiters, sizeof waiters);
  snprintf(out, n, "%s changes `%s` at %s and signals `%s` once, at %s, while %s wait; that wakes one, and %s waits on",
           change.who, change.what, change.where, signal.what, place_after(change.where, signal.where), waiters,
           wait.who);
}

static void describe_untold(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part read = part_of(story, p->event[0]), change = part_of(story, p->event[1]),
                         wait = part_of(story, p->event[2]);
  snprintf(out, n, "%s looks at `%s` at %s and waits on `%s` at %s; %s changes it at %s, and signals nobody after that",
           read.who, read.what, read.where, wait.what, place_after(read.where, wait.where), change.who,
           place_after(read.where, change.where));
}

static void describe_unguarded(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part check = part_of(story, p->event[0]), change = part_of(story, p->event[1]),
                         signal = part_of(story, p->event[2]), wait = part_of(story, p->event[3]);
  snprintf(out, n,
           "%s reads `%s` at %s and waits on `%s` at %s as if nobody could change it in between; %s did, at "
           "%s, and its signal at %s found nobody waiting",
           check.who, check.what, check.where, wait.what, place_after(check.where, wait.where), change.who,
           place_after(check.where, change.where), place_after(check.where, signal.where));
}

static void describe_lost_signal(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part signal = part_of(story, p->event[0]), wait = part_of(story, p->event[1]);
  snprintf(out, n, "%s %s `%s` at %s before %s waits on it at %s", signal.who,
           event_phrase(story, &story->events[p->event[0]]), signal.what, signal.where, wait.who,
           place_after(signal.where, wait.where));
}

static void describe_stale(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part check = part_of(story, p->event[0]), change = part_of(story, p->event[1]),
                         wake = part_of(story, p->event[2]), use = part_of(story, p->event[3]);
  snprintf(out, n,
           "%s reads `%s` at %s, waits on `%s` at %s and goes on at %s without looking again; %s has changed "
           "it meanwhile, at %s",
           check.who, check.what, check.where, wake.what, place_after(check.where, wake.where),
           place_after(check.where, use.where), change.who, place_after(check.where, change.where));
}

static void describe_split(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part unlock = part_of(story, p->event[0]), other = part_of(story, p->event[1]),
                         again = part_of_event(story, p->event[2] == NO_EVENT
                                                          ? taking_left(story, &story->events[p->event[0]])
                                                          : &story->events[p->event[2]]);
  snprintf(out, n,
           "%s unlocks `%s` at %s and locks it again at %s as if nothing could change in between; %s locks it "
           "there, at %s",
           unlock.who, unlock.what, unlock.where, place_after(unlock.where, again.where), other.who,
           place_after(unlock.where, other.where));
}

void describe_deadlock(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  switch (p->kind) {
  case PATTERN_CIRCLE:
    describe_circle(story, out, n);
    return;
  case PATTERN_TWICE:
    describe_twice(story, p, out, n);
    return;
  case PATTERN_KEPT:
    describe_kept(story, p, out, n);
    return;
  case PATTERN_ABANDONED:
    describe_abandoned(story, p, out, n);
    return;
  case PATTERN_MISDIRECTED:
    describe_misdirected(story, p, out, n);
    return;
  case PATTERN_BROADCAST:
    describe_broadcast(story, p, out, n);
    return;
  case PATTERN_UNTOLD:
    describe_untold(story, p, out, n);
    return;
  case PATTERN_UNGUARDED_WAIT:
    describe_unguarded(story, p, out, n);
    return;
  case PATTERN_STALE_WAKE:
    describe_stale(story, p, out, n);
    return;
  case PATTERN_SPLIT:
    describe_split(story, p, out, n);
    return;
  default:
    describe_lost_signal(story, p, out, n);
  }
}

/* ---- what would forbid it ---- */

/* The check and the wait belong under the mutex of the wait, and so does the change. */
static void describe_guard(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const uintptr_t mutex = story->events[p->event[3]].second;
  const struct told_part check = part_of(story, p->event[0]), change = part_of(story, p->event[1]);
  const bool checked = holds_at(story, p->event[0], mutex), changed = holds_at(story, p->event[1], mutex);
  char lock[OBJECT_SIZE];
  describe_lock_name(story, mutex, lock);
  if (!lock[0])
    return;
  if (checked && changed)
    append(out, n, "%s must not unlock `%s` between the check and the wait", check.who, lock);
  else if (checked)
    append(out, n, "%s must change `%s` with `%s` locked", change.who, change.what, lock);
  else
    append(out, n, "%s must hold `%s` from the check to the wait%s%s%s", check.who, lock, changed ? "" : ", and ",
           changed ? "" : change.who, changed ? "" : " must hold it for its change");
}

static void describe_kept_remedy(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const uint32_t keeper = story->events[p->event[0]].thread;
  const struct bug_party *waiter = party_of(story->bug, keeper), *needs = blocked_by(story->bug, keeper);
  const struct told_part wait = part_of_party(story, waiter);
  char lock[OBJECT_SIZE];
  describe_lock_name(story, lock_of(story, needs), lock);
  if (waiter->op == OP_JOIN)
    append(out, n, "%s must unlock `%s` before it joins %s, at %s", wait.who, lock, wait.what, wait.where);
  else
    append(out, n, "`%s` must be unlocked before the wait", lock);
}

/* The call that wakes all, by the name that the source has for it. */
static const char *broadcast_call(const struct story *story, const struct trace_event *signal)
{
  static const struct {
    const char *one, *all;
  } calls[] = {{"notify_one", "notify_all()"}, {"cnd_signal", "cnd_broadcast()"}};
  struct source_place place;
  const char *line = symbols_line(story->symbols, event_pc(story, signal), &place) && place.line
                         ? symbols_source_line(story->symbols, place.file, place.line)
                         : NULL;
  for (size_t i = 0; line && i < sizeof calls / sizeof calls[0]; i++)
    if (strstr(line, calls[i].one))
      return calls[i].all;
  return "pthread_cond_broadcast()";
}

void describe_deadlock_remedy(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  struct told_part part;
  out[0] = '\0';
  switch (p->kind) {
  case PATTERN_CIRCLE:
    append(out, n, "all must take these locks in the same order");
    return;
  case PATTERN_KEPT:
    describe_kept_remedy(story, p, out, n);
    return;
  case PATTERN_MISDIRECTED:
    append(out, n, "a broadcast would wake all who wait, or each kind of waiter needs its own condition");
    return;
  case PATTERN_BROADCAST:
    part = part_of(story, p->event[1]);
    append(out, n, "%s instead of the signal at %s: all who wait must look again",
           broadcast_call(story, &story->events[p->event[1]]), part.where);
    return;
  case PATTERN_UNTOLD:
    part = part_of(story, p->event[1]);
    append(out, n, "who %s `%s` must signal `%s` after it, under the mutex of the wait%s",
           strchr(part.what, '(') ? "calls" : "changes", part.what, part_of(story, p->event[2]).what,
           strcmp(part.what, "request_stop()") ? ""
                                               : "; or give the wait the stop_token: wait(lock, token, predicate)");
    return;
  case PATTERN_TWICE:
    part = part_of(story, p->event[0]);
    append(out, n, "%s must not lock `%s` a second time: what needs it there must be told that it is held", part.who,
           part.what);
    return;
  case PATTERN_ABANDONED:
    part = part_of(story, p->event[0]);
    append(out, n, "%s must unlock `%s` on every way out", part.who, part.what);
    return;
  case PATTERN_UNGUARDED_WAIT:
    describe_guard(story, p, out, n);
    return;
  case PATTERN_LOST_SIGNAL:
    append(out, n,
           "what is waited for must be kept in a variable, and checked before the wait under the same "
           "mutex");
    return;
  case PATTERN_SPLIT:
    part = part_of(story, p->event[0]);
    append(out, n, "%s must not unlock `%s` in between, or must check again after it has locked it", part.who,
           part.what);
    return;
  case PATTERN_STALE_WAKE:
    append(out, n, "the wait must be in a loop that checks again: while, not if");
    return;
  default:
    return;
  }
}
