/* SPDX-License-Identifier: Apache-2.0
 *
 * Looking for deadlocks; see property_standstill.h.
 *
 * A thread counts as blocked if a property holds it, or if it is in a call that waits for other threads of the process
 * (order_calls.c) and the kernel says that it sleeps there for no limited time. Two looks in a row must find all
 * threads so, with nothing done in between. A program that catches signals could be let go by one, so there only a
 * standstill where every thread is held by a property counts; so does a circle of threads that wait for each other's
 * mutexes, whatever the others do. Some that stand while others run are told, and the program goes on.
 */
#include "enforce/property_standstill.h"
#include "core/without_libc.h"
#include "enforce/order_lock.h"
#include "enforce/order_threads.h"
#include "enforce/property_choices.h"
#include "enforce/property_handlers.h"
#include "enforce/property_keeping.h"
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOK_EACH UINT64_C(150000000)     /* nanoseconds */
#define LOOK_EXPLORING UINT64_C(10000000) /* where time is spent on many runs */
#define LONG_HELD UINT64_C(6000000000)    /* is told */
#define TEXT 16384
#define DEADLOCK_STATUS 3

static bool is_live(const struct order_thread *t)
{
  return __atomic_load_n(&t->tid, __ATOMIC_ACQUIRE) && !__atomic_load_n(&t->ended, __ATOMIC_ACQUIRE);
}

static const struct property_hold *hold_of(const struct order_thread *t)
{
  return __atomic_load_n(&t->hold, __ATOMIC_ACQUIRE);
}

/* Without asking the kernel: whether all threads may be blocked, how many are held, and what was done so far. */
static bool may_stand(unsigned *held, unsigned *others, uint64_t *done)
{
  *held = *others = 0;
  *done = property_progress();
  for (unsigned i = 0; i < order_thread_count(); i++) {
    const struct order_thread *t = order_thread(i);
    *done += __atomic_load_n(&t->moves, __ATOMIC_RELAXED);
    if (!is_live(t))
      continue;
    if (hold_of(t))
      ++*held;
    else if (order_thread_may_block(t) && !__atomic_load_n(&t->timed, __ATOMIC_RELAXED))
      ++*others;
    else
      return false;
  }
  return *held + *others;
}

#define SIGNAL(number) (UINT64_C(1) << ((number)-1))

/* Whether the program has handlers of signals that others may send: "SigCgt:\t0000000180000000". Two are of the C
 * library itself, and those of faults are sent by nobody. */
static bool catches_signals(void)
{
  static const uint64_t uninteresting = SIGNAL(32) | SIGNAL(33) | SIGNAL(SIGILL) | SIGNAL(SIGTRAP) | SIGNAL(SIGABRT) |
                                        SIGNAL(SIGBUS) | SIGNAL(SIGFPE) | SIGNAL(SIGSEGV) | SIGNAL(SIGSYS);
  char text[4096];
  int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  if (fd >= 0)
    close(fd);
  text[n > 0 ? n : 0] = 0;
  const char *caught = strstr(text, "SigCgt:");
  return !caught || strtoull(caught + 7, NULL, 16) & ~uninteresting;
}

/* ---- mutexes ---- */

static bool waits_for_mutex(const struct order_thread *t)
{
  const char *call = __atomic_load_n(&t->waits_in, __ATOMIC_ACQUIRE);
  return call && is_live(t) && (!strcmp(call, "pthread_mutex_lock") || !strcmp(call, "mtx_lock"));
}

/* Who has the mutex that the thread waits for, NULL: nobody that is known. */
static const struct order_thread *owner_of(const struct order_thread *t)
{
  const pthread_mutex_t *mutex = (const pthread_mutex_t *)__atomic_load_n(&t->waits_for, __ATOMIC_RELAXED);
  int owner = mutex ? __atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED) : 0;
  for (unsigned i = 0; owner && i < order_thread_count(); i++)
    if (is_live(order_thread(i)) && __atomic_load_n(&order_thread(i)->tid, __ATOMIC_ACQUIRE) == owner)
      return order_thread(i);
  return NULL;
}

/* Whose end it waits for, NULL: nobody's that is known. */
static const struct order_thread *joined_by(const struct order_thread *t)
{
  const char *call = __atomic_load_n(&t->waits_in, __ATOMIC_ACQUIRE);
  const uintptr_t id = __atomic_load_n(&t->waits_for, __ATOMIC_RELAXED);
  if (!call || (strcmp(call, "pthread_join") != 0 && strcmp(call, "thrd_join") != 0))
    return NULL;
  for (unsigned i = 0; i < order_thread_count(); i++)
    if (is_live(order_thread(i)) && pthread_equal(order_thread(i)->id, (pthread_t)id))
      return order_thread(i);
  return NULL;
}

/* Whether it waits, by way of mutexes and those who have them, for itself. */
static bool waits_for_itself(const struct order_thread *t)
{
  const struct order_thread *at = t;
  for (unsigned i = 0; i < order_thread_count() && at && waits_for_mutex(at); i++)
    if ((at = owner_of(at)) == t)
      return true;
  return false;
}

/* How many do, and what they did so far. */
static unsigned in_circles(uint64_t *done)
{
  unsigned count = 0;
  *done = 0;
  for (unsigned i = 0; i < order_thread_count(); i++)
    if (waits_for_mutex(order_thread(i)) && waits_for_itself(order_thread(i))) {
      count++;
      *done += (i + 1) * __atomic_load_n(&order_thread(i)->moves, __ATOMIC_RELAXED);
    }
  return count;
}

/* ---- telling ---- */

static size_t describe_wait(const struct order_thread *t, const char *call, char *out, size_t size)
{
  uintptr_t object = __atomic_load_n(&t->waits_for, __ATOMIC_RELAXED);
  char name[64];
  size_t n = print_text(out, size, " is blocked in %s(", call);
  const struct order_thread *other = waits_for_mutex(t) ? owner_of(t) : joined_by(t);
  if (!strcmp(call, "pthread_join") || !strcmp(call, "thrd_join")) {
    n += print_text(out + n, size - n, other ? ") for %s\n" : ")\n", order_thread_text(other, name, sizeof name));
    return n;
  }
  n += print_text(out + n, size - n, "0x%lx)", (unsigned long)object);
  if (other)
    n += print_text(out + n, size - n, ", which %s has", order_thread_text(other, name, sizeof name));
  n += print_text(out + n, size - n, "\n");
  return n;
}

static size_t describe_thread(const struct order_thread *t, char *out, size_t size)
{
  const struct property_hold *hold = hold_of(t);
  const char *call = __atomic_load_n(&t->waits_in, __ATOMIC_ACQUIRE);
  char name[64];
  size_t n = print_text(out, size, "  %s", order_thread_text(t, name, sizeof name));
  if (hold) {
    n += print_text(out + n, size - n, " is held before ");
    n += property_reading_text(&hold->reading, out + n, size - n);
    n += property_states_text(&hold->reading, out + n, size - n);
    n += print_text(out + n, size - n, "\n");
  } else if (call) {
    n += describe_wait(t, call, out + n, size - n);
  } else {
    n += print_text(out + n, size - n, " runs\n");
  }
  return n;
}

static void tell(const char *what, bool circles)
{
  static char text[TEXT];
  size_t n = print_text(text, sizeof text, "heddle: %s\n", what);
  for (unsigned i = 0; i < order_thread_count() && n < sizeof text - 512; i++)
    if (is_live(order_thread(i)) && (!circles || waits_for_itself(order_thread(i))))
      n += describe_thread(order_thread(i), text + n, sizeof text - n);
  order_say(text, n);
}

/* What the program has printed, unless somebody is just at it. */
static _Noreturn void end_process(void)
{
  FILE *streams[] = {stdout, stderr};
  for (unsigned i = 0; i < 2; i++)
    if (ftrylockfile(streams[i]) == 0)
      fflush_unlocked(streams[i]);
  _exit(DEADLOCK_STATUS);
}

/* Of each property once. */
static void run_handler(const struct property_reading *reading)
{
  static uint64_t handled;
  uint32_t property = properties_kept()->rule[reading->rule].property;
  if (!(handled >> property & 1))
    property_handle_deadlock(reading);
  handled |= UINT64_C(1) << property;
}

static void run_handlers(void)
{
  for (unsigned i = 0; i < order_thread_count(); i++) {
    const struct property_hold *hold = is_live(order_thread(i)) ? hold_of(order_thread(i)) : NULL;
    if (hold)
      run_handler(&hold->reading);
  }
}

/* ---- some of them ----
 *
 * Threads that others cannot help, while those run: who is held before an event that the monitor will not allow by any
 * event that may still come, and who waits for a mutex, or the end, of such a thread. An event comes from anybody,
 * unless the specification names the only threads that have it, and these are among those who stand. All are taken to
 * stand at first; who can be helped by one who does not is taken out, until nobody is.
 */

static struct {
  uint64_t hold, moves; /* when it was looked at last */
  uint32_t looks;       /* that found it held in the same place */
  bool stands;
} watched[ORDER_THREADS_MOST];

static const struct order_thread *awaited_by(const struct order_thread *t)
{
  return waits_for_mutex(t) ? owner_of(t) : joined_by(t);
}

/* What was seen of it last, and whether it may be one of them. */
static void look_at(unsigned i)
{
  const struct order_thread *t = order_thread(i);
  const uint64_t hold = __atomic_load_n(&t->holds, __ATOMIC_RELAXED);
  const uint64_t moves = __atomic_load_n(&t->moves, __ATOMIC_RELAXED);
  watched[i].looks = is_live(t) && hold_of(t) && hold == watched[i].hold ? watched[i].looks + 1 : 0;
  watched[i].stands = is_live(t) && (hold_of(t) ? watched[i].looks >= 2 : moves == watched[i].moves && awaited_by(t));
  watched[i].hold = hold;
  watched[i].moves = moves;
}

static bool stands(const struct order_thread *t)
{
  return watched[order_thread_number(t) - 1].stands;
}

/* Whether threads of that name are there, and all of them stand. */
static bool all_named_stand(const char *name)
{
  bool some = false;
  for (unsigned i = 0; i < order_thread_count(); i++) {
    if (!is_live(order_thread(i)) || strcmp(order_thread(i)->name, name) != 0)
      continue;
    if (!watched[i].stands)
      return false;
    some = true;
  }
  return some;
}

static bool may_come(const struct property_rule *rule)
{
  for (unsigned i = 0; i < rule->threads; i++)
    if (!(rule->not_in >> i & 1) && all_named_stand(rule->thread[i]))
      return false;
  return true;
}

/* Events of the property, a set. A handler of a signal may have any, wherever its thread is. */
static uint64_t coming(uint32_t property, bool signals)
{
  const struct property_set *set = properties_kept();
  uint64_t events = 0;
  for (uint32_t r = 0; r < set->rules; r++)
    if (set->rule[r].property == property && (signals || may_come(&set->rule[r])))
      events |= UINT64_C(1) << set->rule[r].event;
  return events;
}

static bool can_be_helped(const struct order_thread *t, bool signals)
{
  const struct property_hold *hold = hold_of(t);
  if (!hold) {
    const struct order_thread *other = awaited_by(t);
    return !other || !stands(other);
  }
  return !property_is_hopeless(&hold->reading, coming(properties_kept()->rule[hold->reading.rule].property, signals));
}

static void find_standing(void)
{
  const bool signals = catches_signals();
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned i = 0; i < order_thread_count(); i++)
      if (watched[i].stands && can_be_helped(order_thread(i), signals)) {
        watched[i].stands = false;
        changed = true;
      }
  }
}

/* Held for ever, while others run. */
static void tell_partial(const struct property_reading *reading)
{
  static char text[TEXT];
  size_t n = print_text(text, sizeof text,
                        "heddle: enforced deadlock of some threads, while others run: whatever comes, "
                        "%s does not allow it\n",
                        properties_kept()->property[properties_kept()->rule[reading->rule].property].name);
  for (unsigned i = 0; i < order_thread_count() && n < sizeof text - 512; i++)
    if (watched[i].stands)
      n += describe_thread(order_thread(i), text + n, sizeof text - n);
  order_say(text, n);
  run_handler(reading);
}

/* Of each property once. */
static void tell_partials(void)
{
  static bool told[PROPERTIES];
  for (unsigned i = 0; i < order_thread_count(); i++) {
    const struct property_hold *hold = watched[i].stands ? hold_of(order_thread(i)) : NULL;
    const uint32_t property = hold ? properties_kept()->rule[hold->reading.rule].property : 0;
    if (!hold || told[property])
      continue;
    told[property] = true;
    tell_partial(&hold->reading);
  }
}

static void tell_long_hold(const struct order_thread *t)
{
  char text[1024];
  size_t n = print_text(text, sizeof text, "heddle: held for %u s now, while others run:\n",
                        (unsigned)(LONG_HELD / UINT64_C(1000000000)));
  n += describe_thread(t, text + n, sizeof text - n);
  order_say(text, n);
}

/* Some may be held for ever while others run. Where that can be known it is told at once, and else when it takes long.
 */
static void look_at_some(void)
{
  bool held = false;
  for (unsigned i = 0; i < order_thread_count(); i++) {
    look_at(i);
    held |= watched[i].looks >= 2; /* by now what it is before is written */
  }
  if (!held)
    return;
  find_standing();
  tell_partials();
  for (unsigned i = 0; i < order_thread_count(); i++)
    if (watched[i].looks == LONG_HELD / LOOK_EACH)
      tell_long_hold(order_thread(i));
}

/* ---- all of them ---- */

struct standstill {
  bool stood, circled;
  uint64_t done, circle;
};

static void look(struct standstill *last)
{
  unsigned held = 0, others = 0;
  struct standstill now = {0};
  now.stood = may_stand(&held, &others, &now.done) && order_all_stand() && (!others || !catches_signals());
  now.circled = in_circles(&now.circle);
  bool stands = now.stood && last->stood && now.done == last->done;
  bool circles = now.circled && last->circled && now.circle == last->circle;
  *last = now;
  if (stands && choice_let_go()) {
    last->stood = false;
  } else if (stands) {
    choices_end(held ? CHOICES_ENFORCED_DEADLOCK : CHOICES_PROGRAM_DEADLOCK);
    tell(held ? "enforced deadlock: nobody can go on without leaving a property" : "deadlock of the program", false);
    run_handlers();
    end_process();
  } else if (circles) {
    choices_end(CHOICES_PROGRAM_DEADLOCK);
    tell("deadlock of the program: threads wait for each other's mutexes", true);
    end_process();
  }
}

static void *watch(void *unused)
{
  static uint32_t never;
  struct standstill last = {0};
  property_enter();
  order_thread_is_ours();
  for (;;) {
    order_sleep(&never, 0, choices_are_made() ? LOOK_EXPLORING : LOOK_EACH);
    look(&last);
    if (!choices_are_made())
      look_at_some();
  }
  return unused;
}

void standstill_watch(void)
{
  pthread_t thread;
  pthread_attr_t attributes;
  sigset_t all, blocked;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &blocked);
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  bool before = property_enter(); /* it is none of the program's */
  pthread_create(&thread, &attributes, watch, NULL);
  property_leave(before);
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &blocked, NULL);
}
