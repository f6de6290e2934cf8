/* SPDX-License-Identifier: Apache-2.0
 *
 * Interfaces that are used in a way that cannot work: what trylock returns is ignored, a timeout is taken for an
 * answer, a process is forked or a thread destroyed at the wrong time, a count is tested in a second step, a hazard
 * pointer comes too late, a lock for reading is changed for one for writing, a function with a state of its own is
 * shared. Read from the failing run alone.
 */
#include "report/blame/shape_table.h"

#include "core/footprint.h"
#include "report/blame/told_part.h"
#include "report/blame/trail.h"
#include "report/story/held.h"
#include "report/story/process_words.h"
#include "report/story/select.h"
#include "report/story/terminal_text.h"
#include <string.h>

/* ---- an attempt that failed ---- */

static bool tries_lock(uint16_t op)
{
  return op == OP_MUTEX_TRYLOCK || op == OP_SPIN_TRYLOCK || op == OP_RWLOCK_TRYRDLOCK || op == OP_RWLOCK_TRYWRLOCK ||
         op == OP_MUTEX_TIMEDLOCK || op == OP_RWLOCK_TIMEDRDLOCK || op == OP_RWLOCK_TIMEDWRLOCK;
}

/* A thread unlocks what it could not lock. */
static bool find_trylock(const struct story *story, struct pattern *out)
{
  const struct bug *bug = story->bug;
  if (bug->kind != BUG_PROPERTY || !party_count(bug) || !op_leaves_lock(bug->party[0].op))
    return false;
  const struct bug_party *p = &bug->party[0];
  for (size_t i = story->event_count; i-- > 0;) {
    const struct trace_event *e = &story->events[i];
    if (e->thread != p->thread || e->addr != p->addr || !op_takes_lock(e->op))
      continue;
    *out = pattern_of(PATTERN_TRYLOCK, i, NO_EVENT, NO_EVENT, NO_EVENT);
    return tries_lock(e->op) && !event_takes_lock(e);
  }
  return false;
}

static void tell_trylock(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct trace_event *e = &story->events[p->event[0]];
  const struct told_part tries = part_of(story, p->event[0]), unlock = part_of_party(story, &story->bug->party[0]);
  char holder[THREAD_NAME_SIZE];
  snprintf(out, n, "%s %s `%s` at %s and does not get it", tries.who, op_table[e->op].phrase, tries.what, tries.where);
  if (e->holder >= 0 && (uint32_t)e->holder < story->thread_count) {
    describe_thread(story, (uint32_t)e->holder, holder);
    append(out, n, ", since %s holds it", holder);
  }
  append(out, n, "; it goes on all the same, and unlocks it at %s", place_after(tries.where, unlock.where));
}

/* ---- fork ---- */

/* The lock was held in the parent when it forked: nobody in the child will unlock it. */
static bool find_forked(const struct story *story, struct pattern *out)
{
  const struct deadlock d = deadlock_of(story->bug);
  if (story->bug->kind != BUG_DEADLOCK || d.kind != DEADLOCK_ABANDONED || !story->bug->party[d.party[0]].left_behind)
    return false;
  const struct bug_party *p = &story->bug->party[d.party[0]];
  const uint32_t child = process_of(story, p->thread);
  size_t taken = NO_EVENT;
  for (size_t i = 0; i < story->event_count; i++) {
    const struct trace_event *e = &story->events[i];
    if (e->thread == (uint32_t)p->holder && event_takes_lock(e) && key_address(e->addr) == key_address(p->addr))
      taken = i;
    *out = pattern_of(PATTERN_FORKED, i, taken, NO_EVENT, NO_EVENT);
    if (e->op == OP_CREATE && process_of(story, (uint32_t)e->arg) == child && process_of(story, e->thread) != child)
      return true;
  }
  return false;
}

static void tell_forked(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct bug_party *party = &story->bug->party[deadlock_of(story->bug).party[0]];
  const struct told_part forks = part_of(story, p->event[0]), waits = part_of_party(story, party);
  char holder[THREAD_NAME_SIZE], since[PLACE_SIZE];
  describe_thread(story, (uint32_t)party->holder, holder);
  describe_place(story, party_holder_pc(story, party), since);
  snprintf(out, n, "%s forks at %s while %s holds the lock", forks.who, forks.where, holder);
  if (since[0])
    append(out, n, " (since %s)", place_after(forks.where, since));
  append(out, n, "; the child has a copy of the lock, but not of %s, and waits for it at %s for ever", holder,
         place_after(forks.where, waits.where));
}

/* ---- timeouts ---- */

/* A wait that timed out, though what the thread had looked at before it was changed before it went on. */
static bool find_timed_out(const struct story *story, struct pattern *out)
{
  const struct trace_event *events = story->events;
  const uint32_t thread = failing_thread(story);
  size_t wake = story->event_count, wait;
  while (wake-- > 0)
    if (events[wake].thread == thread && events[wake].op == OP_COND_TIMEDWAKE)
      break;
  if (!shows_by_value(story->bug) || wake >= story->event_count || events[wake].result != ETIMEDOUT)
    return false;
  for (wait = wake; wait-- > 0;)
    if (events[wait].thread == thread && events[wait].op == OP_COND_WAIT)
      break;
  for (size_t i = wait < wake ? wait : 0; i-- > 0;) {
    if (events[i].thread != thread)
      continue;
    if (op_takes_lock(events[i].op) || events[i].op == OP_COND_TIMEDWAKE)
      return false;
    for (size_t k = wake; event_reads(&events[i]) && k-- > wait;)
      if (events[k].thread != thread && op_writes_memory(events[k].op) && events_overlap(&events[k], &events[i])) {
        *out = pattern_of(PATTERN_TIMED_OUT, i, wait, k, wake);
        return true;
      }
  }
  return false;
}

static void tell_timed_out(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part check = part_of(story, p->event[0]), wait = part_of(story, p->event[1]),
                         change = part_of(story, p->event[2]);
  snprintf(out, n,
           "%s reads `%s` at %s and waits on `%s` at %s; that times out, but before %s has the mutex again %s changes "
           "it, at %s",
           check.who, check.what, check.where, wait.what, place_after(check.where, wait.where), check.who, change.who,
           place_after(check.where, change.where));
}

static void mend_timed_out(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part check = part_of(story, p->event[0]);
  snprintf(out, n, "after the wait %s must decide by `%s`, not by ETIMEDOUT: that only says that the time is over",
           check.who, check.what);
}

/* ---- more of what one has already ---- */

/* Those who wait in vain for the same. */
static uint32_t count_alike(const struct bug *bug, const struct deadlock *d)
{
  for (uint32_t i = 1; i < d->count; i++)
    if (bug->party[d->party[i]].addr != bug->party[d->party[0]].addr)
      return 0;
  return d->count;
}

/* Semaphores: what a thread has taken and not given back. */
static size_t taken_of_semaphore(const struct story *story, const struct bug_party *party)
{
  size_t taken = NO_EVENT;
  uint32_t count = 0;
  for (size_t i = 0; i < story->event_count; i++) {
    const struct trace_event *e = &story->events[i];
    if (e->thread != party->thread || e->addr != party->addr)
      continue;
    if (e->op == OP_SEM_POST) {
      count -= count > 0;
    } else if (e->result == 0 && (e->op == OP_SEM_WAIT || e->op == OP_SEM_TRYWAIT || e->op == OP_SEM_TIMEDWAIT)) {
      count++;
      taken = i;
    }
  }
  return count ? taken : NO_EVENT;
}

static bool is_waiter(const struct bug *bug, const struct deadlock *d, uint32_t thread)
{
  for (uint32_t i = 0; i < d->count; i++)
    if (bug->party[d->party[i]].thread == thread)
      return true;
  return false;
}

/* Conditions: the thread has changed what it now looks at in vain. Who gives that back would signal; if others than
 * those who wait do, these are no users of one pool. */
static size_t taken_under_condition(const struct story *story, const struct deadlock *d, const struct bug_party *party)
{
  const struct trace_event *events = story->events;
  size_t wait = story->event_count, taken = NO_EVENT;
  for (size_t i = 0; i < story->event_count; i++) {
    const bool signals = events[i].op == OP_COND_SIGNAL || events[i].op == OP_COND_BROADCAST;
    if (signals && events[i].addr == party->addr && !is_waiter(story->bug, d, events[i].thread))
      return NO_EVENT;
    if (events[i].thread == party->thread && events[i].op == OP_COND_WAIT && events[i].addr == party->addr)
      wait = i;
  }
  for (size_t i = wait < story->event_count ? wait : 0; i-- > 0;) {
    const struct trace_event *e = &events[i];
    if (e->thread != party->thread)
      continue;
    if (op_takes_lock(e->op) || e->op == OP_COND_WAKE)
      break;
    for (size_t k = i; event_reads(e) && taken == NO_EVENT && k-- > 0;)
      if (events[k].thread == party->thread && op_writes_memory(events[k].op) && events_overlap(&events[k], e))
        taken = !events[k].has_value || events[k].value < events[k].before ? k : NO_EVENT;
  }
  for (size_t i = taken == NO_EVENT ? wait : taken; i < wait; i++)
    if (events[i].thread == party->thread && events[i].addr == party->addr &&
        (events[i].op == OP_COND_SIGNAL || events[i].op == OP_COND_BROADCAST))
      return NO_EVENT; /* it has given something back */
  return taken;
}

static bool find_hoarded(const struct story *story, struct pattern *out)
{
  const struct deadlock d = deadlock_of(story->bug);
  const bool condition = d.kind == DEADLOCK_WAKE_UP;
  if (story->bug->kind != BUG_DEADLOCK || (!condition && d.kind != DEADLOCK_SEMAPHORE) ||
      count_alike(story->bug, &d) < 2)
    return false;
  *out = pattern_of(PATTERN_HOARDED, NO_EVENT, NO_EVENT, NO_EVENT, NO_EVENT);
  for (uint32_t i = 0; i < d.count; i++) {
    const struct bug_party *p = &story->bug->party[d.party[i]];
    const size_t taken = condition ? taken_under_condition(story, &d, p) : taken_of_semaphore(story, p);
    if (taken == NO_EVENT)
      return false;
    if (i < PATTERN_EVENTS)
      out->event[i] = taken;
  }
  return true;
}

static void tell_hoarded(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct deadlock d = deadlock_of(story->bug);
  char first[PLACE_SIZE] = "";
  out[0] = '\0';
  for (uint32_t i = 0; i < d.count && i < PATTERN_EVENTS; i++) {
    const struct told_part taken = part_of(story, p->event[i]),
                           wait = part_of_party(story, &story->bug->party[d.party[i]]);
    append(out, n, "%s%s has taken from `%s` at %s and waits for more at %s", i ? "; " : "", taken.who, taken.what,
           i ? place_after(first, taken.where) : taken.where, place_after(i ? first : taken.where, wait.where));
    if (!i)
      memcpy(first, taken.where, sizeof first);
  }
  append(out, n, "; nobody is left to give anything back");
}

/* ---- tasks ---- */

static const struct trace_event *sleeps_in_future(const struct story *story, const struct bug_party *party)
{
  const struct trace_event *e = left_of(story, party->thread);
  return e && op_table[party->op].object == OBJECT_FUTEX &&
                 (is_called_in(story, e, "future") || is_called_in(story, e, "_State_base"))
             ? e
             : NULL;
}

/* Two threads at least sleep at the same place until a task is done, each until another one is. */
static bool find_futures(const struct story *story, struct pattern *out)
{
  const struct deadlock d = deadlock_of(story->bug);
  if (story->bug->kind != BUG_DEADLOCK || d.kind != DEADLOCK_FUTEX)
    return false;
  *out = pattern_of(PATTERN_FUTURES, NO_EVENT, NO_EVENT, NO_EVENT, NO_EVENT);
  for (uint32_t i = 0; i < d.count; i++)
    for (uint32_t k = 0; k < i; k++) {
      const struct bug_party *a = &story->bug->party[d.party[i]], *b = &story->bug->party[d.party[k]];
      if (sleeps_in_future(story, a) && sleeps_in_future(story, b) && a->addr != b->addr &&
          party_pc(story, a) == party_pc(story, b))
        return true;
    }
  return false;
}

static void tell_futures(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct deadlock d = deadlock_of(story->bug);
  char first[PLACE_SIZE] = "";
  (void)p;
  out[0] = '\0';
  for (uint32_t i = 0; i < d.count; i++) {
    const struct told_part wait = part_of_party(story, &story->bug->party[d.party[i]]);
    append(out, n, "%s%s waits for a std::future at %s", i ? "; " : "", wait.who,
           i ? place_after(first, wait.where) : wait.where);
    if (!i)
      memcpy(first, wait.where, sizeof first);
  }
  append(out, n, "; all threads that could run the tasks wait themselves");
}

/* ---- threads as objects ---- */

static bool is_let_go(const struct story *story, uint32_t thread)
{
  for (size_t i = 0; i < story->event_count; i++)
    if ((story->events[i].op == OP_JOIN || story->events[i].op == OP_DETACH) && story->events[i].arg == thread)
      return true;
  return false;
}

/* std::terminate() without an exception, by a thread that has created one that nobody joined. */
static bool find_joinable(const struct story *story, struct pattern *out)
{
  const struct bug *bug = story->bug;
  if (bug->kind != BUG_CRASH || !strstr(bug->text, "terminate called without an active exception"))
    return false;
  for (size_t i = story->event_count; i-- > 0;) {
    const struct trace_event *e = &story->events[i];
    *out = pattern_of(PATTERN_JOINABLE, i, NO_EVENT, NO_EVENT, NO_EVENT);
    if (e->op == OP_CREATE && e->thread == failing_thread(story) && !is_let_go(story, (uint32_t)e->arg))
      return true;
  }
  return false;
}

static void tell_joinable(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part made = part_of(story, p->event[0]), end = part_of_party(story, &story->bug->party[0]);
  snprintf(
      out, n,
      "%s creates %s at %s and leaves its block at %s, by an exception or a return, before the join; the destructor "
      "of a std::thread that is still joinable calls std::terminate()",
      made.who, made.what, made.where, place_after(made.where, end.where));
}

/* ---- freed by oneself ---- */

/* The function, of those that led to an event, in which its thread used the memory: the free is inside of that call. */
static bool is_freed_inside(const struct story *story, const struct trace_event *freed, const struct bug_party *use,
                            struct source_place *function)
{
  struct source_place place;
  if (!symbols_line(story->symbols, party_pc(story, use), function) || !function->function)
    return false;
  for (uint32_t i = 0; i < freed->depth && i < BUG_STACK; i++)
    if (symbols_line(story->symbols, freed->stack[i], &place) && place.function && !place.library &&
        !strcmp(place.function, function->function) && place.line && event_pc(story, freed) != freed->stack[i])
      return true;
  return false;
}

static bool find_own_free(const struct story *story, struct pattern *out)
{
  const struct bug *bug = story->bug;
  struct source_place place;
  if (bug->kind != BUG_MEMORY || !party_count(bug) || !bug->party[0].freed_pc || bug->party[0].op == OP_FREE)
    return false;
  for (size_t i = story->event_count; i-- > 0;)
    if (frees_party(bug, &story->events[i], &bug->party[0])) {
      *out = pattern_of(PATTERN_OWN_FREE, i, NO_EVENT, NO_EVENT, NO_EVENT);
      return story->events[i].thread == bug->party[0].thread &&
             is_freed_inside(story, &story->events[i], &bug->party[0], &place);
    }
  return false;
}

static void tell_own_free(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  struct source_place place;
  const struct told_part freed = part_of(story, p->event[0]), use = part_of_party(story, &story->bug->party[0]);
  is_freed_inside(story, &story->events[p->event[0]], &story->bug->party[0], &place);
  snprintf(out, n,
           "%s is in %s when something that it calls there frees the element, at %s; then it goes on with it, at "
           "%s",
           freed.who, place.function, freed.where, place_after(freed.where, use.where));
}

/* ---- counters ---- */

/* Another thread's update between a thread's own update of a counter and the load that tests it. */
static bool find_second_look(const struct story *story, uint32_t thread, struct pattern *out)
{
  const struct trace_event *events = story->events;
  for (size_t i = story->event_count; i-- > 0;) {
    if (events[i].thread != thread || events[i].op != OP_ATOMIC_LOAD || !events[i].has_value)
      continue;
    const size_t own = access_before(story, i, thread, &events[i]);
    if (own == NO_EVENT || events[own].op != OP_ATOMIC_RMW || !events[own].has_value ||
        events[own].value >= events[own].before || !is_counter(story, &events[own], moved_by(&events[own])))
      continue;
    for (size_t k = i; k-- > own + 1;)
      if (events[k].thread != thread && events[k].op == OP_ATOMIC_RMW && events[k].addr == events[own].addr &&
          events[k].value == events[i].value && events[k].value < events[k].before) {
        *out = pattern_of(PATTERN_COUNTED_TWICE, own, k, i, NO_EVENT);
        return true;
      }
  }
  return false;
}

static bool find_counted_twice(const struct story *story, struct pattern *out)
{
  const struct bug *bug = story->bug;
  if ((bug->kind != BUG_MEMORY && bug->kind != BUG_CRASH && bug->kind != BUG_ASSERTION) || !party_count(bug))
    return false;
  if (find_second_look(story, bug->party[0].thread, out))
    return true;
  for (size_t i = story->event_count; i-- > 0;)
    if (frees_party(bug, &story->events[i], &bug->party[0]))
      return find_second_look(story, story->events[i].thread, out);
  return false;
}

static void tell_counted_twice(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part own = part_of(story, p->event[0]), other = part_of(story, p->event[1]),
                         look = part_of(story, p->event[2]);
  char value[VALUE_SIZE];
  describe_plain_value(story, &story->events[p->event[2]], false, value);
  snprintf(out, n,
           "%s counts `%s` down at %s and reads it again at %s; %s has counted it down in between, at %s, so that both "
           "see %s",
           own.who, own.what, own.where, place_after(own.where, look.where), other.who,
           place_after(own.where, other.where), value);
}

/* ---- hazard pointers ---- */

/* Who freed it had looked, before, where the thread then wrote the pointer to what it uses. */
static bool find_hazard(const struct story *story, struct pattern *out)
{
  const struct bug *bug = story->bug;
  const struct trace_event *events = story->events;
  if (bug->kind != BUG_MEMORY || !party_count(bug) || !bug->party[0].freed_pc)
    return false;
  const struct bug_party *p = &bug->party[0];
  size_t freed = story->event_count, published, looked, read;
  while (freed-- > 0)
    if (frees_party(bug, &events[freed], p))
      break;
  if (freed >= story->event_count || events[freed].thread == p->thread)
    return false;
  for (published = story->event_count; published-- > freed;)
    if (events[published].thread == p->thread && events[published].op == OP_ATOMIC_STORE &&
        events[published].has_value && events[published].value == events[freed].addr)
      break;
  if (published <= freed || published >= story->event_count)
    return false;
  for (looked = freed; looked-- > 0;)
    if (events[looked].thread == events[freed].thread && events[looked].op == OP_ATOMIC_LOAD &&
        events[looked].addr == events[published].addr)
      break;
  for (read = published; read-- > 0;)
    if (events[read].thread == p->thread && event_reads(&events[read]) && events[read].has_value &&
        events[read].value == events[published].value)
      break;
  *out = pattern_of(PATTERN_HAZARD, read, looked, freed, published);
  return looked < freed && read < published;
}

static void tell_hazard(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part read = part_of(story, p->event[0]), looked = part_of(story, p->event[1]),
                         freed = part_of(story, p->event[2]), published = part_of(story, p->event[3]);
  snprintf(
      out, n,
      "%s takes the pointer from `%s` at %s and publishes it in `%s` at %s; %s has looked there before that, at %s, "
      "found nothing, and freed what it points to at %s",
      read.who, read.what, read.where, published.what, place_after(read.where, published.where), looked.who,
      place_after(read.where, looked.where), place_after(read.where, freed.where));
}

static void mend_hazard(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part read = part_of(story, p->event[0]), published = part_of(story, p->event[3]);
  snprintf(out, n,
           "after writing `%s` %s must read `%s` again, and begin anew if it has changed: only a pointer that is still "
           "there is protected",
           published.what, read.who, read.what);
}

/* ---- weak pointers ---- */

/* expired() said that somebody still has the object, and lock() came when nobody had it any more. */
static bool find_expired(const struct story *story, struct pattern *out)
{
  const struct trace_event *events = story->events;
  if (!shows_by_value(story->bug))
    return false;
  const uint32_t thread = failing_thread(story);
  for (size_t i = story->event_count; i-- > 0;) {
    if (events[i].thread != thread || events[i].op != OP_ATOMIC_LOAD || !is_called_in(story, &events[i], "expired"))
      continue;
    for (size_t k = story->event_count; k-- > i;) {
      const bool drops = events[k].thread != thread && events[k].op == OP_ATOMIC_RMW && events[k].value == 0 &&
                         events_overlap(&events[k], &events[i]);
      const size_t late = drops ? access_after(story, k, thread, &events[i]) : NO_EVENT;
      *out = pattern_of(PATTERN_EXPIRED, i, k, late, NO_EVENT);
      if (late != NO_EVENT && events[i].has_value && events[i].value)
        return true;
    }
    return false;
  }
  return false;
}

static void tell_expired(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part asks = part_of(story, p->event[0]), drops = part_of(story, p->event[1]),
                         late = part_of(story, p->event[2]);
  snprintf(
      out, n,
      "%s asks expired() at %s, which says no; %s drops the last shared_ptr at %s; lock() at %s returns an empty one, "
      "which %s uses",
      asks.who, asks.where, drops.who, place_after(asks.where, drops.where), place_after(asks.where, late.where),
      asks.who);
}

/* ---- a lock for reading, then for writing ---- */

static bool takes_alone(const struct trace_event *e)
{
  return op_table[e->op].object == OBJECT_RWLOCK && event_takes_lock(e) && !op_shares_lock(e->op);
}

/* Whether the thread, with the lock for writing, reads in its own code what it read there under the one for reading. */
static bool has_second_look(const struct story *story, size_t shared, size_t alone)
{
  const struct trace_event *events = story->events;
  const uint32_t thread = events[shared].thread;
  for (size_t i = shared; i < alone; i++) {
    if (events[i].thread != thread || !event_reads(&events[i]) || in_library(story, events[i].pc))
      continue;
    const size_t again = access_after(story, alone, thread, &events[i]);
    if (again != NO_EVENT && event_reads(&events[again]))
      return true;
  }
  return false;
}

static bool find_upgraded(const struct story *story, const struct gap *gap, struct pattern *out)
{
  const struct trace_event *events = story->events;
  const size_t near = 400;
  for (size_t i = gap->from; shows_by_value(story->bug) && i-- > 0 && gap->from - i < near;) {
    if (events[i].thread != gap->thread || !op_shares_lock(events[i].op) || !event_takes_lock(&events[i]))
      continue;
    size_t other = NO_EVENT, again;
    for (again = i + 1; again < story->event_count; again++) {
      if (events[again].addr != events[i].addr || !takes_alone(&events[again]))
        continue;
      if (events[again].thread == gap->thread)
        break;
      other = again;
    }
    *out = pattern_of(PATTERN_UPGRADED, i, other, again, NO_EVENT);
    return other != NO_EVENT && again < story->event_count && !has_second_look(story, i, again);
  }
  return false;
}

static void tell_upgraded(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part looks = part_of(story, p->event[0]), other = part_of(story, p->event[1]),
                         again = part_of(story, p->event[2]);
  snprintf(out, n,
           "%s locks `%s` for reading at %s, unlocks it, and locks it for writing at %s as if nothing had changed; "
           "%s has had it for writing in between, at %s",
           looks.who, looks.what, looks.where, place_after(looks.where, again.where), other.who,
           place_after(looks.where, other.where));
}

static void mend_upgraded(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part looks = part_of(story, p->event[0]), again = part_of(story, p->event[2]);
  snprintf(out, n, "%s must look again after it has locked `%s` for writing, at %s", looks.who, looks.what,
           again.where);
}

/* ---- barriers ---- */

/* Whether a thread learns anything of others between two events, but by a barrier: takes a lock, wakes up, joins, reads
 * an atomic. */
static bool is_told(const struct story *story, uint32_t thread, size_t from, size_t to)
{
  for (size_t i = from + 1; i < to; i++) {
    const struct trace_event *e = &story->events[i];
    if (e->thread == thread && op_table[e->op].object != OBJECT_BARRIER && !op_leaves_lock(e->op) && e->op != OP_READ &&
        e->op != OP_WRITE && e->op != OP_FREE)
      return true;
  }
  return false;
}

/* A thread reads what another one has written since both left the same barrier, the same number of times. */
static bool find_same_phase(const struct story *story, struct pattern *out)
{
  const struct trace_event *events = story->events;
  uintptr_t barrier[2];
  for (size_t i = 0; shows_by_value(story->bug) && i < story->event_count; i++) {
    const size_t source =
        events[i].op == OP_READ && !in_library(story, events[i].pc) ? find_source(story, i) : NO_EVENT;
    if (source == NO_EVENT || events[source].thread == events[i].thread || events[source].op != OP_WRITE)
      continue;
    const uint32_t phase = phase_of(story, i, &barrier[0]), other = phase_of(story, source, &barrier[1]);
    *out = pattern_of(PATTERN_SAME_PHASE, source, i, NO_EVENT, NO_EVENT);
    if (phase && phase == other && barrier[0] == barrier[1] && !is_told(story, events[i].thread, source, i) &&
        !held_at(story, i).count && !held_at(story, source).count)
      return true;
  }
  return false;
}

static void tell_same_phase(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part writes = part_of(story, p->event[0]), reads = part_of(story, p->event[1]);
  snprintf(
      out, n,
      "%s writes `%s` at %s and %s reads it at %s, both after the same wait at the barrier and before the next: which "
      "comes first is chance",
      writes.who, writes.what, writes.where, reads.who, place_after(writes.where, reads.where));
}

/* ---- notes that there is something to do ---- */

/* A thread waits at a pipe; before that it cleared a note that another one, which used to write there, had found set
 * and therefore did not write. */
static bool find_cleared_late(const struct story *story, struct pattern *out)
{
  const struct trace_event *events = story->events;
  const struct deadlock d = deadlock_of(story->bug);
  if (story->bug->kind != BUG_DEADLOCK || d.kind != DEADLOCK_DESCRIPTOR)
    return false;
  const uint32_t thread = story->bug->party[d.party[0]].thread;
  for (size_t i = story->event_count; i-- > 0 && events[i].op != OP_CHANNEL_RECEIVE;) {
    if (events[i].thread != thread || !op_writes_memory(events[i].op) || !events[i].has_value)
      continue;
    for (size_t k = i; k-- > 0 && !(events[k].thread == thread && op_is_on_channels(events[k].op));) {
      if (events[k].thread == thread || !event_reads(&events[k]) || !events_overlap(&events[k], &events[i]) ||
          !events[k].has_value || events[k].value == events[i].value)
        continue;
      size_t sent = k, after = k;
      while (sent-- > 0 && !(events[sent].thread == events[k].thread && events[sent].op == OP_CHANNEL_SEND))
        continue;
      while (++after < story->event_count &&
             !(events[after].thread == events[k].thread && events[after].op == OP_CHANNEL_SEND))
        continue;
      *out = pattern_of(PATTERN_CLEARED_LATE, k, i, NO_EVENT, NO_EVENT);
      if (sent < k && after >= story->event_count)
        return true;
    }
  }
  return false;
}

static void tell_cleared_late(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part sees = part_of(story, p->event[0]), clears = part_of(story, p->event[1]);
  char value[VALUE_SIZE], after[VALUE_SIZE];
  describe_plain_value(story, &story->events[p->event[0]], false, value);
  describe_plain_value(story, &story->events[p->event[1]], false, after);
  snprintf(out, n,
           "%s finds `%s` at %s (%s), takes it that %s will look, and does not wake it; %s has looked before that, and "
           "writes %s there at %s before it waits",
           sees.who, sees.what, sees.where, value, clears.who, clears.who, after,
           place_after(sees.where, clears.where));
}

static void mend_cleared_late(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part clears = part_of(story, p->event[1]);
  snprintf(out, n,
           "%s must clear `%s` first and look for what there is to do after that (or do both in one critical "
           "section that the other one uses, too)",
           clears.who, clears.what);
}

/* ---- descriptors ---- */

/* The number of the descriptor that an event is about, as its text has it: "close(4)" closes, "descriptor 4", without
 * what is behind it, is not open. -1: neither. */
static int descriptor_in(const struct trace_event *e, const char *format)
{
  int fd = -1, end = 0;
  return op_is_on_channels(e->op) && sscanf(e->text, format, &fd, &end) == 1 && end ? fd : -1;
}

/* A call on a descriptor that another thread has closed. */
static bool find_closed(const struct story *story, struct pattern *out)
{
  if (!shows_by_value(story->bug))
    return false;
  const uint32_t thread = failing_thread(story);
  for (size_t i = story->event_count; i-- > 0;) {
    const struct trace_event *e = &story->events[i];
    const int fd = e->thread == thread && !strchr(e->text, ':') ? descriptor_in(e, "descriptor %d%n") : -1;
    for (size_t k = fd < 0 ? 0 : i; k-- > 0;)
      if (story->events[k].thread != thread && descriptor_in(&story->events[k], "close(%d)%n") == fd) {
        *out = pattern_of(PATTERN_CLOSED, k, i, NO_EVENT, NO_EVENT);
        return true;
      }
  }
  return false;
}

static void tell_closed(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part end = part_of(story, p->event[0]), use = part_of(story, p->event[1]);
  snprintf(out, n, "%s closes the descriptor at %s, and %s uses it after that, at %s: it is not open any more", end.who,
           end.where, use.who, place_after(end.where, use.where));
}

static void mend_closed(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  snprintf(
      out, n,
      "%s must not close it while others may use its number, which the next open() can get: a lock around each use "
      "and the close, or a count of users",
      part_of(story, p->event[0]).who);
}

/* ---- functions that keep a state ---- */

static bool find_hidden_state(const struct story *story, struct pattern *out)
{
  *out = pattern_of(PATTERN_HIDDEN_STATE, NO_EVENT, NO_EVENT, NO_EVENT, NO_EVENT);
  return story->bug->kind == BUG_RACE && story->bug->detail == RACE_OF_CALLS && party_count(story->bug) == 2;
}

static void tell_hidden_state(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part late = part_of_party(story, &story->bug->party[0]),
                         early = part_of_party(story, &story->bug->party[1]);
  (void)p;
  snprintf(out, n, "%s calls %s at %s, and %s at %s, before the first is done with what it keeps from call to call",
           early.who, story->bug->text, early.where, late.who, place_after(early.where, late.where));
}

/* What to call instead. */
static const struct {
  const char *shared, *own;
} reentrant[] = {
    {"strtok()", "strtok_r()"},
    {"localtime() or gmtime()", "localtime_r() or gmtime_r()"},
    {"asctime() or ctime()", "strftime() with localtime_r()"},
    {"rand()", "rand_r()"},
    {"drand48() or one of its family", "erand48() or one of its family"},
    {"gethostbyname() or one of its family", "getaddrinfo()"},
    {"getservbyname() or one of its family", "getaddrinfo()"},
    {"getpwnam() or one of its family", "getpwnam_r() or one of its family"},
    {"getgrnam() or one of its family", "getgrnam_r() or one of its family"},
    {"getmntent()", "getmntent_r()"},
    {"tmpnam()", "mkstemp()"},
    {"ecvt() or fcvt()", "snprintf()"},
    {"ttyname()", "ttyname_r()"},
    {"ptsname()", "ptsname_r()"},
    {"getlogin()", "getlogin_r()"},
    {"hsearch()", "hsearch_r()"},
};

static void mend_hidden_state(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  (void)p;
  for (size_t i = 0; i < sizeof reentrant / sizeof reentrant[0]; i++)
    if (!strcmp(reentrant[i].shared, story->bug->text)) {
      snprintf(out, n, "%s instead, which keeps its state where each thread says", reentrant[i].own);
      return;
    }
  snprintf(out, n,
           "a variant of the function that keeps its state where each thread says, or one lock around all calls "
           "that belong together");
}

/* ---- the table ---- */

const struct shape misuse_shapes[] = {
    {PATTERN_UNASKED, find_unasked, NULL, tell_unasked, NULL,
     "look again after each wait, in a loop (`while` instead of `if`): POSIX allows waits to end for no reason"},
    {PATTERN_TRYLOCK, find_trylock, NULL, tell_trylock, NULL,
     "look at what the attempt returns: without the lock either wait for it (a lock that blocks), or leave out what it "
     "protects and its unlock"},
    {PATTERN_FORKED, find_forked, NULL, tell_forked, NULL,
     "take the lock around the fork in pthread_atfork() handlers and release it in parent and child, or fork before "
     "there "
     "are threads, or do nothing in the child but exec"},
    {PATTERN_TIMED_OUT, find_timed_out, NULL, tell_timed_out, mend_timed_out, NULL},
    {PATTERN_HOARDED, find_hoarded, NULL, tell_hoarded, NULL,
     "take all that is needed in one step (wait until there is enough for all of it), or give back what one has before "
     "waiting for more"},
    {PATTERN_FUTURES, find_futures, NULL, tell_futures, NULL,
     "a task must not wait for another one of its own pool: let it run that one itself, or what is waiting meanwhile, "
     "or "
     "go on in a continuation"},
    {PATTERN_JOINABLE, find_joinable, NULL, tell_joinable, NULL,
     "join it on every way out, also when an exception leaves: a std::jthread, or an object whose destructor joins"},
    {PATTERN_OWN_FREE, find_own_free, NULL, tell_own_free, NULL,
     "go over a copy of the list, or step to the next element before the call, or only mark what is to go and remove "
     "it "
     "after the loop"},
    {PATTERN_COUNTED_TWICE, find_counted_twice, NULL, tell_counted_twice, NULL,
     "one step: test what the decrement itself returns (atomic_fetch_sub, fetch_sub), do not read the counter again"},
    {PATTERN_HAZARD, find_hazard, NULL, tell_hazard, mend_hazard, NULL},
    {PATTERN_EXPIRED, find_expired, NULL, tell_expired, NULL,
     "call lock() once and test the shared_ptr that it returns, without expired() before it"},
    {PATTERN_SAME_PHASE, find_same_phase, NULL, tell_same_phase, NULL,
     "one more wait at the barrier between the writing and the reading: each round needs one before and one behind it"},
    {PATTERN_CLEARED_LATE, find_cleared_late, NULL, tell_cleared_late, mend_cleared_late, NULL},
    {PATTERN_UPGRADED, NULL, find_upgraded, tell_upgraded, mend_upgraded, NULL},
    {PATTERN_CLOSED, find_closed, NULL, tell_closed, mend_closed, NULL},
    {PATTERN_HIDDEN_STATE, find_hidden_state, NULL, tell_hidden_state, mend_hidden_state, NULL},
};
const size_t misuse_count = sizeof misuse_shapes / sizeof misuse_shapes[0];
